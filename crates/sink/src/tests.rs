#![allow(clippy::disallowed_methods, reason = "a test client has a clock and opens sockets")]

mod client;
mod log;
mod queue;

use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Options, ROUTES, Sink, SinkError};
use client::Client;

fn options(workers: usize) -> Options {
    options_at("127.0.0.1:0".parse().unwrap(), workers)
}

fn options_at(address: SocketAddr, workers: usize) -> Options {
    Options::new(address, NonZeroUsize::new(workers).unwrap())
}

fn sink_of(workers: usize) -> Sink {
    Sink::start(&options(workers)).unwrap()
}

fn sink_and_client() -> (Sink, Client) {
    let sink = sink_of(1);
    let client = Client::connect(sink.address());
    (sink, client)
}

fn letters(count: usize) -> Vec<u8> {
    (b'a'..=b'z').cycle().take(count).collect()
}

#[test]
fn the_root_answers_one_hundred_letters() {
    let (_sink, mut client) = sink_and_client();
    let answer = client.ask("GET", "/");
    assert_eq!(answer.status_line, "HTTP/1.1 200 OK");
    assert_eq!(answer.header("content-type"), Some("text/plain"));
    assert_eq!(answer.header("content-length"), Some("100"));
    assert_eq!(answer.body, letters(100));
    assert!(answer.header("date").is_some());
    assert_eq!(answer.header("host"), None, "the request's headers are not answered");
}

#[test]
fn bytes_answers_exactly_that_many_on_a_connection_kept_open() {
    let (sink, mut client) = sink_and_client();
    for count in [0, 1, 99, 65_510, 65_536, 65_537, 3_000_000] {
        let answer = client.ask("GET", &format!("/bytes/{count}"));
        assert_eq!(answer.header("content-length"), Some(count.to_string().as_str()));
        assert_eq!(answer.header("transfer-encoding"), None);
        assert!(answer.body == letters(count), "{count}");
    }
    assert_eq!(sink.connection_count(), 1);
    assert_eq!(sink.request_count(), 7);
}

#[test]
fn chunked_sends_several_chunks_that_add_up() {
    let (_sink, mut client) = sink_and_client();
    for (count, least_chunks) in [(0, 0), (1, 1), (2, 2), (100, 4), (1_000_000, 16)] {
        let answer = client.ask("GET", &format!("/chunked/{count}"));
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"), "{count}");
        assert_eq!(answer.header("content-length"), None);
        assert!(answer.body == letters(count), "{count}");
        assert!(answer.chunk_bytes.len() >= least_chunks, "{count}: {:?}", answer.chunk_bytes);
    }
}

#[test]
fn chunks_are_framed_on_the_wire_as_rfc_9112_says() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /chunked/8 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    let bytes = String::from_utf8(client.rest()).unwrap();
    let body = bytes.split_once("\r\n\r\n").unwrap().1;
    assert_eq!(body, "2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n2\r\ngh\r\n0\r\n\r\n");
}

#[test]
fn ten_gibibytes_begin_at_once_and_end_with_the_client() {
    let (_sink, mut client) = sink_and_client();
    let answer = client.ask("HEAD", "/bytes/10737418240");
    assert_eq!(answer.header("content-length"), Some("10737418240"));
    client.send("GET /bytes/10737418240 HTTP/1.1\r\nHost: h\r\n\r\n");
    let answer = client.begin(3_000_000);
    assert!(answer.ends_with(&letters(3_000_000)[2_900_000..]), "{}", answer.len());
}

#[test]
fn delay_answers_no_earlier_than_asked_and_not_much_later() {
    let (_sink, mut client) = sink_and_client();
    for (path, delay) in [("200us", 200), ("1.5ms", 1_500), ("50ms", 50_000), ("0.1s", 100_000)] {
        let start = Instant::now();
        let answer = client.ask("GET", &format!("/delay/{path}"));
        let service_time = start.elapsed();
        assert_eq!((answer.status, answer.body), (200, letters(100)));
        let delay = Duration::from_micros(delay);
        assert!(service_time >= delay, "{path}: {service_time:?}");
        // Generous: the machine may be busy. The ignored tests of `delay` measure it.
        assert!(service_time < delay + Duration::from_millis(300), "{path}: {service_time:?}");
    }
}

#[test]
fn delays_of_one_worker_run_side_by_side() {
    let sink = sink_of(1);
    let start = Instant::now();
    let mut clients: Vec<Client> = (0..50).map(|_| Client::connect(sink.address())).collect();
    for client in &mut clients {
        client.send("GET /delay/200ms HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    for client in &mut clients {
        assert_eq!(client.answer(false).status, 200);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn status_answers_it_with_reason_and_a_body_only_where_allowed() {
    let (_sink, mut client) = sink_and_client();
    for (status, line, body) in [
        (200, "HTTP/1.1 200 OK", "200 OK\n"),
        (204, "HTTP/1.1 204 No Content", ""),
        (205, "HTTP/1.1 205 Reset Content", ""),
        (302, "HTTP/1.1 302 Found", "302 Found\n"),
        (304, "HTTP/1.1 304 Not Modified", ""),
        (418, "HTTP/1.1 418 I'm a teapot", "418 I'm a teapot\n"),
        (503, "HTTP/1.1 503 Service Unavailable", "503 Service Unavailable\n"),
    ] {
        let answer = client.ask("GET", &format!("/status/{status}"));
        assert_eq!((answer.status, answer.status_line.as_str()), (status, line));
        assert_eq!(answer.text(), body);
    }
    assert_eq!(client.ask("GET", "/status/599").text(), "599 no standard reason\n");
}

#[test]
fn redirections_lead_to_the_root_and_refusals_carry_their_header() {
    let (_sink, mut client) = sink_and_client();
    for (status, name, value) in [
        (301, "location", Some("/")),
        (308, "location", Some("/")),
        (304, "location", None),
        (200, "location", None),
        (401, "www-authenticate", Some("Basic realm=\"sink\"")),
        (405, "allow", Some("GET, HEAD")),
        (407, "proxy-authenticate", Some("Basic realm=\"sink\"")),
    ] {
        let answer = client.ask("GET", &format!("/status/{status}"));
        assert_eq!(answer.header(name), value, "{status}");
    }
}

#[test]
fn close_sends_not_one_byte() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /close HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(client.rest(), b"");
}

#[test]
fn close_lets_the_answers_before_it_out() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /close HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(client.answer(false).body, letters(100));
    assert_eq!(client.rest(), b"");
}

#[test]
fn close_head_ends_inside_a_header_name() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /close/head HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(String::from_utf8(client.rest()).unwrap(), "HTTP/1.1 200 OK\r\nconte");
}

#[test]
fn close_body_sends_half_of_what_it_announced() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /close/body HTTP/1.1\r\nHost: h\r\n\r\n");
    let bytes = String::from_utf8(client.rest()).unwrap();
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-length: 100"), "{head}");
    assert_eq!(body.as_bytes(), letters(50));
}

#[test]
fn stall_sends_nothing_and_keeps_the_connection_open() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /stall HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(client.within(Duration::from_millis(100)), b"");
}

#[test]
fn stall_body_sends_half_and_keeps_the_connection_open() {
    let (_sink, mut client) = sink_and_client();
    client.send("GET /stall/body HTTP/1.1\r\nHost: h\r\n\r\n");
    let bytes = String::from_utf8(client.within(Duration::from_millis(100))).unwrap();
    let (head, body) = bytes.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("content-length: 100"), "{head}");
    assert_eq!(body.as_bytes(), letters(50));
}

#[test]
fn a_stalled_connection_closes_when_its_client_does() {
    let (sink, mut client) = sink_and_client();
    for path in ["/stall", "/stall/body"] {
        let mut stalled = Client::connect(sink.address());
        // The request behind it is read and dropped: unread, it would hide the client's close.
        stalled.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        stalled.within(Duration::from_millis(50));
        stalled.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        stalled.finish_sending();
        assert_eq!(stalled.rest(), b"", "{path}");
    }
    assert_eq!(client.ask("GET", "/").status, 200);
}

#[test]
fn head_answers_the_head_of_get_without_its_body() {
    let (_sink, mut client) = sink_and_client();
    for (path, length) in
        [("/", "100"), ("/bytes/123", "123"), ("/delay/1ms", "100"), ("/queue/fixed/1ms", "100")]
    {
        let answer = client.ask("HEAD", path);
        assert_eq!((answer.status, answer.header("content-length")), (200, Some(length)));
    }
    let answer = client.ask("HEAD", "/chunked/10");
    assert_eq!((answer.status, answer.header("content-length")), (200, None));
    assert_eq!(client.ask("HEAD", "/get").status, 200);
    // A body after any of them would be read as the next status line.
    assert_eq!(client.ask("GET", "/").body, letters(100));
}

#[test]
fn three_pipelined_requests_are_answered_in_order() {
    let (sink, mut client) = sink_and_client();
    client.send(
        "GET /bytes/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /delay/5ms HTTP/1.1\r\nHost: h\r\n\r\n\
         GET /bytes/3 HTTP/1.1\r\nHost: h\r\n\r\n",
    );
    let lengths: Vec<usize> = (0..3).map(|_| client.answer(false).body.len()).collect();
    assert_eq!(lengths, [1, 100, 3]);
    assert_eq!((sink.request_count(), sink.connection_count()), (3, 1));
}

#[test]
fn a_pipelined_answer_does_not_wait_for_the_delayed_one_behind_it() {
    let (_sink, mut client) = sink_and_client();
    client.send(
        "GET /bytes/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /delay/1h HTTP/1.1\r\nHost: h\r\n\r\n\
         GET /bytes/3 HTTP/1.1\r\nHost: h\r\n\r\n",
    );
    assert_eq!(client.answer(false).body, b"a");
    assert_eq!(client.within(Duration::from_millis(50)), b"");
}

#[test]
fn a_long_answer_before_a_pipelined_one_comes_whole() {
    let (_sink, mut client) = sink_and_client();
    client.send(&"GET /bytes/2000000 HTTP/1.1\r\nHost: h\r\n\r\n".repeat(20));
    for _ in 0..20 {
        assert!(client.answer(false).body == letters(2_000_000));
    }
}

#[test]
fn a_client_that_stops_sending_still_gets_its_answer() {
    let (sink, _) = sink_and_client();
    for path in ["/", "/delay/20ms"] {
        let mut client = Client::connect(sink.address());
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        client.finish_sending();
        assert_eq!(client.answer(false).body, letters(100), "{path}");
        assert_eq!(client.rest(), b"");
    }
}

#[test]
fn http_1_0_and_connection_close_end_the_connection() {
    let sink = sink_of(1);
    for request in
        ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"]
    {
        let mut client = Client::connect(sink.address());
        client.send(request);
        assert!(client.rest().ends_with(&letters(100)));
    }
}

#[test]
fn any_method_with_a_body_keeps_the_connection_usable() {
    let (sink, mut client) = sink_and_client();
    let body = "x".repeat(300_000);
    for (method, path) in [("POST", "/"), ("PUT", "/status/201"), ("PATCH", "/nowhere")] {
        client.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        client.answer(false);
    }
    assert_eq!(client.ask("DELETE", "/").status, 200);
    assert_eq!(sink.connection_count(), 1);
}

#[test]
fn get_echoes_args_headers_origin_and_url() {
    let (_sink, mut client) = sink_and_client();
    client.send(
        "GET /get?a=1&b=x%20y%2B&a=2+3&empty HTTP/1.1\r\nHost: sink.test:80\r\nx-twice: one\r\n\
         X-Twice: two\r\nuser-agent: t\r\n\r\n",
    );
    assert_eq!(
        client.answer(false).json(),
        json!({
            "args": {"a": ["1", "2 3"], "b": "x y+", "empty": ""},
            "headers": {"Host": "sink.test:80", "X-Twice": "one,two", "User-Agent": "t"},
            "origin": "127.0.0.1",
            "url": "http://sink.test:80/get?a=1&b=x%20y%2B&a=2+3&empty",
        })
    );
}

#[test]
fn post_echoes_a_json_body() {
    let (_sink, mut client) = sink_and_client();
    client.send(
        "POST /post?q=1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
         Content-Length: 9\r\n\r\n{\"a\": 1}\n",
    );
    let answer = client.answer(false).json();
    assert_eq!(answer["json"], json!({"a": 1}));
    assert_eq!(answer["data"], "{\"a\": 1}\n");
    assert_eq!(answer["form"], json!({}));
    assert_eq!(answer["args"], json!({"q": "1"}));
}

#[test]
fn post_reads_a_chunked_upload() {
    let (_sink, mut client) = sink_and_client();
    client.send(
        "POST /post HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\
         3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    assert_eq!(client.answer(false).json()["data"], "abcde");
}

#[test]
fn headers_echoes_headers_only() {
    let (_sink, mut client) = sink_and_client();
    let answer = client.ask("GET", "/headers").json();
    assert_eq!(answer, json!({"headers": {"Host": "sink.test"}}));
}

#[test]
fn an_unknown_path_is_told_every_path_there_is() {
    let (_sink, mut client) = sink_and_client();
    let answer = client.ask("GET", "/nowhere");
    assert_eq!(answer.status, 404);
    assert!(answer.text().starts_with("nothing at /nowhere;"), "{}", answer.text());
    for row in ROUTES {
        assert!(answer.text().contains(&format!("  {}", row.pattern)), "{}", row.pattern);
        assert!(answer.text().contains(row.about), "{}", row.about);
    }
}

#[test]
fn bad_values_are_told_what_was_found_and_what_is_expected() {
    let (_sink, mut client) = sink_and_client();
    for (path, message) in [
        (
            "/bytes/ten",
            "/bytes/N: found \"ten\", expected a number of bytes from 0 to 10737418240 (10 GiB)\n",
        ),
        (
            "/delay/5",
            "/delay/DURATION: found \"5\", expected a duration of at most 1h, such as 200us, 50ms, 1.5s or 2m\n",
        ),
        ("/status/99", "/status/N: found \"99\", expected a status from 200 to 599\n"),
    ] {
        let answer = client.ask("GET", path);
        assert_eq!((answer.status, answer.text()), (400, message));
    }
}

#[test]
fn echoes_refuse_other_methods_and_name_theirs() {
    let (_sink, mut client) = sink_and_client();
    for (method, path, allowed) in
        [("POST", "/get", "GET, HEAD"), ("GET", "/post", "POST"), ("DELETE", "/post", "POST")]
    {
        let answer = client.ask(method, path);
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)));
        assert_eq!(answer.text(), format!("{path}: found method {method}, expected {allowed}\n"));
    }
}

#[test]
fn an_upload_of_sixteen_mebibytes_is_echoed_and_a_longer_one_refused() {
    const LIMIT_BYTES: usize = 16 << 20;
    let (_sink, mut client) = sink_and_client();
    for (bytes, status) in [(LIMIT_BYTES, 200), (LIMIT_BYTES + 1, 413)] {
        let head = format!("POST /post HTTP/1.1\r\nHost: h\r\nContent-Length: {bytes}\r\n\r\n");
        client.send(&head);
        client.try_send(&vec![b'x'; bytes]).unwrap();
        let answer = client.answer(false);
        assert_eq!(answer.status, status);
        if status == 413 {
            let message = "/post: found a longer body, expected at most 16777216 bytes\n";
            assert_eq!(answer.text(), message);
        }
    }
}

#[test]
fn a_client_that_asks_first_is_refused_before_it_sends() {
    let (_sink, mut client) = sink_and_client();
    client.send(
        "POST /post HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n",
    );
    assert_eq!(client.answer(false).status, 413);
}

#[test]
fn malformed_requests_are_refused_and_not_counted() {
    let (sink, mut client) = sink_and_client();
    client.send("NOT HTTP\r\n\r\n");
    let answer = client.rest();
    assert!(answer.starts_with(b"HTTP/1.1 400 "), "{}", String::from_utf8_lossy(&answer));
    assert_eq!((sink.request_count(), sink.connection_count()), (0, 1));
}

#[test]
fn every_example_of_the_table_is_understood() {
    let sink = sink_of(1);
    let is_answered = |pattern: &str| !["/close", "/stall"].iter().any(|p| pattern.starts_with(p));
    for row in ROUTES.iter().filter(|row| is_answered(row.pattern)) {
        let mut client = Client::connect(sink.address());
        let method = if row.pattern == "/post" { "POST" } else { "GET" };
        let status = client.ask(method, row.example).status;
        let expected = if row.pattern == "/status/N" { 503 } else { 200 };
        assert_eq!(status, expected, "{}", row.example);
    }
}

#[test]
fn port_zero_picks_a_port_and_several_sinks_live_side_by_side() {
    let (one, other) = (sink_of(1), sink_of(1));
    assert_ne!(one.address().port(), 0);
    assert_ne!(one.address(), other.address());
    assert_eq!(Client::connect(one.address()).ask("GET", "/").status, 200);
    assert_eq!((one.request_count(), other.request_count()), (1, 0));
}

#[test]
fn ipv6_is_served_too() {
    let sink = Sink::start(&options_at("[::1]:0".parse().unwrap(), 1)).unwrap();
    let answer = Client::connect(sink.address()).ask("GET", "/get").json();
    assert_eq!(answer["origin"], "::1");
}

#[test]
fn connections_are_spread_evenly_over_workers() {
    let sink = sink_of(3);
    let mut clients: Vec<Client> = (0..9).map(|_| Client::connect(sink.address())).collect();
    for client in &mut clients {
        assert_eq!(client.ask("GET", "/").status, 200);
    }
    let counts: Vec<u64> = sink.server.request_counts_by_worker().collect();
    assert_eq!(counts, [3, 3, 3]);
    assert_eq!(sink.connection_count(), 9);
}

#[test]
fn an_address_in_use_is_its_own_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let error = Sink::start(&options_at(address, 1)).unwrap_err();
    assert!(matches!(error, SinkError::AddressInUse { address: found, .. } if found == address));
    assert_eq!(error.to_string(), format!("{address} is in use by another listener"));
}

#[test]
fn a_foreign_address_is_its_own_error() {
    let error = Sink::start(&options_at("192.0.2.1:0".parse().unwrap(), 1)).unwrap_err();
    assert!(matches!(error, SinkError::AddressNotAvailable { .. }), "{error:?}");
}

#[test]
fn stop_ends_promptly_whatever_connections_are_doing() {
    let sink = sink_of(2);
    let address = sink.address();
    let mut clients = Vec::new();
    for path in [
        "/stall",
        "/stall/body",
        "/delay/1h",
        "/queue/fixed/1h",
        "/bytes/10737418240",
        "/post",
        "/chunked/9999999999",
    ] {
        let mut client = Client::connect(address);
        client.send(&format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n"));
        clients.push(client);
    }
    clients.push(Client::connect(address));
    clients[0].within(Duration::from_millis(50));
    let start = Instant::now();
    sink.stop().unwrap();
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(clients[0].rest(), b"");
    // The port is free again, and nobody listens on it.
    TcpListener::bind(address).unwrap();
}
