//! Generated responses decode to what generated them, and no bytes at all can break the decoder.

mod support;

use proptest::collection::vec;
use proptest::prelude::*;
use support::{Event, play};
use throng_proto::h1::{HeadCache, RequestHead, Response, encode_request};

/// How a generated response marks the end of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length,
    /// Chunked, with chunks of at most this many bytes.
    Chunked(usize),
}

/// A response before it becomes bytes.
#[derive(Debug, Clone)]
struct Generated {
    status: u16,
    interim: Vec<u16>,
    framing: Framing,
    body: Vec<u8>,
    headers: Vec<(String, String)>,
    upper_case: bool,
    close: bool,
}

impl Generated {
    fn bodiless(&self, to_head: bool) -> bool {
        to_head || matches!(self.status, 204 | 304)
    }

    fn bytes(&self, to_head: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for status in &self.interim {
            bytes.extend(format!("HTTP/1.1 {status} Wait\r\nX: y\r\n\r\n").bytes());
        }
        bytes.extend(format!("HTTP/1.1 {} Why\r\n", self.status).bytes());
        for (name, value) in &self.headers {
            bytes.extend(format!("{name}: {value}\r\n").bytes());
        }
        if self.close {
            bytes.extend(self.in_case("connection: close\r\n").bytes());
        }
        let framing = match self.framing {
            Framing::Length => format!("content-length: {}\r\n\r\n", self.body.len()),
            Framing::Chunked(_) => "transfer-encoding: chunked\r\n\r\n".to_owned(),
        };
        bytes.extend(self.in_case(&framing).bytes());
        if !self.bodiless(to_head) {
            self.push_body(&mut bytes);
        }
        bytes
    }

    fn push_body(&self, bytes: &mut Vec<u8>) {
        let Framing::Chunked(chunk_bytes_max) = self.framing else {
            return bytes.extend(&self.body);
        };
        for chunk in self.body.chunks(chunk_bytes_max) {
            bytes.extend(self.in_case(&format!("{:x};a=b\r\n", chunk.len())).bytes());
            bytes.extend(chunk);
            bytes.extend(b"\r\n");
        }
        bytes.extend(b"0\r\nTrailer: 1\r\n\r\n");
    }

    fn in_case(&self, text: &str) -> String {
        if self.upper_case { text.to_uppercase() } else { text.to_owned() }
    }

    fn decoded(&self, to_head: bool) -> Event {
        Event::Response(Response {
            status: self.status,
            body_bytes: if self.bodiless(to_head) { 0 } else { self.body.len() as u64 },
            reusable: !self.close,
            interim_count: self.interim.len() as u16,
            framing_conflict: false,
        })
    }
}

fn generated() -> impl Strategy<Value = Generated> {
    let status = prop_oneof![Just(200_u16), Just(204), Just(304), 200..=599_u16];
    let interim = vec(prop_oneof![Just(100_u16), 102..=199_u16], 0..3);
    let framing = prop_oneof![Just(Framing::Length), (1..40_usize).prop_map(Framing::Chunked)];
    let headers = vec(("X-[a-zA-Z0-9-]{0,12}", "[ -~]{0,30}"), 0..6);
    (status, interim, framing, vec(any::<u8>(), 0..200), headers, any::<bool>(), any::<bool>())
        .prop_map(|(status, interim, framing, body, headers, upper_case, close)| Generated {
            status,
            interim,
            framing,
            body,
            headers,
            upper_case,
            close,
        })
}

/// Cuts `bytes` into pieces of the given lengths, over and over.
fn cut<'a>(bytes: &'a [u8], piece_bytes: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = bytes;
    let mut pieces = Vec::new();
    for wanted in piece_bytes.iter().cycle() {
        let (piece, after) = rest.split_at(rest.len().min(*wanted));
        pieces.push(piece);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

/// Bytes that are likely to be almost a response: fragments of heads and chunks, and noise.
fn almost_responses() -> impl Strategy<Value = Vec<u8>> {
    let fragments: &[&[u8]] = &[
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 404 Not Found\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"Content-Length: 3\r\n",
        b"Content-Length: 3",
        b"Transfer-Encoding: chunked\r\n",
        b"Connection: close\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b"abc",
        b"3\r\nabc\r\n",
        b"0\r\n\r\n",
        b"ffffffffffffffff\r\n",
    ];
    let fragment = proptest::sample::select(fragments).prop_map(<[u8]>::to_vec);
    let piece = prop_oneof![8 => fragment, 1 => vec(any::<u8>(), 0..4)];
    let tail = vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    (any::<bool>(), tail).prop_map(|(begins_well, tail)| {
        if begins_well { [b"HTTP/1.1 200 OK\r\n".as_slice(), &tail].concat() } else { tail }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn generated_responses_decode_to_what_generated_them(
        responses in vec(generated(), 1..5),
        piece_bytes in vec(1..60_usize, 1..20),
        to_head: bool,
    ) {
        let bytes: Vec<u8> = responses.iter().flat_map(|one| one.bytes(to_head)).collect();
        let mut expected: Vec<Event> = responses.iter().map(|one| one.decoded(to_head)).collect();
        expected.push(Event::Closed);
        let mut cache = HeadCache::new();
        prop_assert_eq!(&play([bytes.as_slice()], to_head, true, &mut cache), &expected);
        prop_assert_eq!(&play(cut(&bytes, &piece_bytes), to_head, true, &mut cache), &expected);
    }

    #[test]
    fn a_body_until_close_is_all_that_follows_the_head(
        body in vec(any::<u8>(), 0..300),
        piece_bytes in vec(1..60_usize, 1..20),
    ) {
        let bytes = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &body].concat();
        let body_bytes = body.len() as u64;
        let response = Response { status: 200, body_bytes, ..Response::default() };
        let events = play(cut(&bytes, &piece_bytes), false, true, &mut HeadCache::new());
        prop_assert_eq!(events, vec![Event::Response(response)]);
    }

    #[test]
    fn the_splitting_of_arbitrary_bytes_changes_nothing(
        bytes in prop_oneof![almost_responses(), vec(any::<u8>(), 0..100)],
        piece_bytes in vec(1..20_usize, 1..20),
        to_head: bool,
        closes: bool,
    ) {
        let mut cache = HeadCache::new();
        let whole = play([bytes.as_slice()], to_head, closes, &mut cache);
        let warm = play([bytes.as_slice()], to_head, closes, &mut cache);
        prop_assert_eq!(&warm, &whole);
        let cold = play(cut(&bytes, &piece_bytes), to_head, closes, &mut HeadCache::new());
        prop_assert_eq!(&cold, &whole);
        let single = play(bytes.chunks(1), to_head, closes, &mut cache);
        prop_assert_eq!(&single, &whole);
    }

    #[test]
    fn encoded_requests_are_read_back_by_another_parser(
        method in "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS",
        target in "/[a-z0-9/?=&%.]{0,40}",
        headers in vec(("X-[a-zA-Z0-9-]{0,12}", "([!-~]([ -~]{0,20}[!-~])?)?"), 0..10),
        body in vec(any::<u8>(), 0..100),
        keep_alive: bool,
    ) {
        let host = "example.org";
        let request =
            RequestHead { method: &method, target: &target, host, headers: &headers, keep_alive };
        let mut bytes = Vec::new();
        encode_request(&request, &body, &mut bytes);

        let mut parsed_headers = [httparse::EMPTY_HEADER; 16];
        let mut parsed = httparse::Request::new(&mut parsed_headers);
        let head_bytes = parsed.parse(&bytes).unwrap().unwrap();
        prop_assert_eq!(&bytes[head_bytes..], &body);
        prop_assert_eq!(parsed.method, Some(method.as_str()));
        prop_assert_eq!(parsed.path, Some(target.as_str()));
        prop_assert_eq!(parsed.version, Some(1));

        let mut wanted = vec![("Host".to_owned(), host.to_owned())];
        wanted.extend(headers.iter().cloned());
        if !body.is_empty() || ["POST", "PUT", "PATCH"].contains(&method.as_str()) {
            wanted.push(("Content-Length".to_owned(), body.len().to_string()));
        }
        if !keep_alive {
            wanted.push(("Connection".to_owned(), "close".to_owned()));
        }
        let seen: Vec<(String, String)> = parsed
            .headers
            .iter()
            .map(|header| (header.name.to_owned(), String::from_utf8_lossy(header.value).into()))
            .collect();
        prop_assert_eq!(seen, wanted);
    }
}
