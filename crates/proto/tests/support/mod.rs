//! Transcripts: what a server sends and what we must make of it, as readable files.
//!
//! A transcript file holds one dialogue:
//! ```text
//! # Why these bytes matter; ends at the first line of another kind.
//! request HEAD            the responses answer HEAD requests; without this line, GET
//! <<< HTTP/1.1 200 OK\r\n server bytes; \r \n \t \\ \xNN are escapes, everything else is itself
//! <<<*300 ab              the same bytes 300 times
//! close                   the peer closes after its bytes
//! === 200 body=0 reusable interim=1 conflict     a response: fields not named are 0 or false
//! !!! BadHeader           the fault, by the name of its variant; nothing follows a fault
//! ... idle                how it ends without a close: idle (between responses) or waiting
//! ... closed              how it ends if the close came between responses
//! ```

#![allow(dead_code, reason = "each test binary uses its part of this module")]
#![allow(clippy::unwrap_used, reason = "a transcript that cannot be read has to fail its test")]

use std::path::Path;

use throng_proto::h1::{Decoder, HeadCache, PeerFault, Progress, Response};

/// What can be seen of a dialogue; equal for every splitting of the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    Response(Response),
    Fault(PeerFault),
    /// The bytes ended between responses.
    Idle,
    /// The bytes ended within a response.
    Waiting,
    /// The peer closed between responses.
    Closed,
}

/// One dialogue and its expected outcome.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) name: String,
    pub(crate) request_is_head: bool,
    pub(crate) server_bytes: Vec<u8>,
    pub(crate) closes: bool,
    pub(crate) expected: Vec<String>,
}

impl Transcript {
    /// Feeds the bytes, cut after each of `cuts`, to a new decoder.
    pub(crate) fn play(&self, cuts: &[usize], cache: &mut HeadCache) -> Vec<Event> {
        let pieces = pieces(&self.server_bytes, cuts);
        play(pieces, self.request_is_head, self.closes, cache)
    }

    /// The expected outcome in the words of the transcript.
    pub(crate) fn check(&self, events: &[Event]) {
        let seen: Vec<String> = events.iter().map(describe).collect();
        assert_eq!(seen, self.expected, "transcript {}", self.name);
    }
}

/// Cuts `bytes` after each of `cuts` bytes, which ascend.
pub(crate) fn pieces<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain(std::iter::once(bytes.len()));
    starts.zip(ends).map(|(start, end)| &bytes[start..end]).collect()
}

/// Feeds `pieces` to a new decoder and lists what comes out, up to the first fault.
pub(crate) fn play<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    request_is_head: bool,
    closes: bool,
    cache: &mut HeadCache,
) -> Vec<Event> {
    let mut decoder = Decoder::new(request_is_head);
    let mut events = Vec::new();
    for piece in pieces {
        if let Err(fault) = receive_all(&mut decoder, piece, cache, &mut events) {
            let repeated = decoder.receive(b"HTTP/1.1 204 No Content\r\n\r\n", cache);
            assert_eq!(repeated, Err(fault), "a fault lasts until reset");
            assert_eq!(decoder.peer_closed(), Err(fault), "a fault lasts until reset");
            events.push(Event::Fault(fault));
            return events;
        }
    }
    if !closes {
        events.push(if decoder.in_response() { Event::Waiting } else { Event::Idle });
        return events;
    }
    let was_in_response = decoder.in_response();
    events.push(match decoder.peer_closed() {
        Ok(Some(response)) => Event::Response(response),
        Ok(None) => Event::Closed,
        Err(fault) => Event::Fault(fault),
    });
    assert_eq!(was_in_response, events.last() != Some(&Event::Closed));
    events
}

fn receive_all(
    decoder: &mut Decoder,
    piece: &[u8],
    cache: &mut HeadCache,
    events: &mut Vec<Event>,
) -> Result<(), PeerFault> {
    let mut rest = piece;
    loop {
        match decoder.receive(rest, cache)? {
            Progress::NeedMore => return Ok(()),
            Progress::Complete { consumed, response } => {
                assert!(consumed <= rest.len(), "consumed {consumed} of {}", rest.len());
                assert!(!decoder.in_response());
                events.push(Event::Response(response));
                rest = &rest[consumed..];
            }
        }
    }
}

fn describe(event: &Event) -> String {
    let response = match event {
        Event::Fault(fault) => return format!("!!! {fault:?}"),
        Event::Idle => return "... idle".to_owned(),
        Event::Waiting => return "... waiting".to_owned(),
        Event::Closed => return "... closed".to_owned(),
        Event::Response(response) => response,
    };
    let mut text = format!("=== {}", response.status);
    if response.body_bytes > 0 {
        text += &format!(" body={}", response.body_bytes);
    }
    if response.reusable {
        text += " reusable";
    }
    if response.interim_count > 0 {
        text += &format!(" interim={}", response.interim_count);
    }
    if response.framing_conflict {
        text += " conflict";
    }
    text
}

/// Reads every transcript of this crate, by name.
pub(crate) fn transcripts() -> Vec<Transcript> {
    transcripts_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts"))
}

/// Reads every transcript in `folder`, by name.
pub(crate) fn transcripts_in(folder: &Path) -> Vec<Transcript> {
    let mut all: Vec<Transcript> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            parse(name, &std::fs::read_to_string(&path).unwrap())
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn parse(name: &str, text: &str) -> Transcript {
    let mut transcript = Transcript {
        name: name.to_owned(),
        request_is_head: false,
        server_bytes: Vec::new(),
        closes: false,
        expected: Vec::new(),
    };
    assert!(text.starts_with("# "), "{name}: says why it matters");
    for line in text.lines() {
        match line.as_bytes() {
            [] | [b'#', ..] => {}
            b"request HEAD" => transcript.request_is_head = true,
            b"close" => transcript.closes = true,
            [b'<', b'<', b'<', rest @ ..] => transcript.server_bytes.extend(unescape(name, rest)),
            [b'=' | b'!' | b'.', ..] => transcript.expected.push(line.to_owned()),
            _ => panic!("{name}: cannot read the line {line:?}"),
        }
    }
    assert!(!transcript.expected.is_empty(), "{name}: expects something");
    transcript
}

/// Reads what follows `<<<`: ` bytes` or `*count bytes`.
fn unescape(name: &str, line: &[u8]) -> Vec<u8> {
    let space = line.iter().position(|&byte| byte == b' ').unwrap();
    let count = match &line[..space] {
        [] => 1,
        [b'*', digits @ ..] => str::from_utf8(digits).unwrap().parse().unwrap(),
        other => panic!("{name}: cannot read the count {other:?}"),
    };
    let mut bytes = Vec::new();
    let mut rest = line[space + 1..].iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next() {
                Some(b'r') => b'\r',
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                Some(b'\\') => b'\\',
                Some(b'x') => {
                    let digits = [*rest.next().unwrap(), *rest.next().unwrap()];
                    u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
                }
                other => panic!("{name}: unknown escape {other:?}"),
            },
            byte => byte,
        });
    }
    bytes.repeat(count)
}
