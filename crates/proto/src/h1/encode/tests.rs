use super::*;

fn get<'a>(headers: &'a [(String, String)]) -> RequestHead<'a> {
    RequestHead {
        method: "GET",
        target: "/a?b=c",
        host: "example.org:8080",
        headers,
        keep_alive: true,
    }
}

fn encoded(request: &RequestHead<'_>, body: &[u8]) -> String {
    let mut out = Vec::new();
    encode_request(request, body, &mut out);
    String::from_utf8(out).unwrap()
}

fn pairs(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn a_get_is_a_request_line_and_a_host() {
    assert_eq!(encoded(&get(&[]), b""), "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\n\r\n");
}

#[test]
fn headers_keep_order_spelling_and_repetition() {
    let headers = pairs(&[("x-B", "2"), ("X-a", "1"), ("x-b", "3"), ("Empty", "")]);
    assert_eq!(
        encoded(&get(&headers), b""),
        "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nx-B: 2\r\nX-a: 1\r\nx-b: 3\r\nEmpty: \r\n\r\n"
    );
}

#[test]
fn a_given_host_stays_where_it_is_and_is_the_only_one() {
    let headers = pairs(&[("accept", "*/*"), ("hOST", "other")]);
    assert_eq!(
        encoded(&get(&headers), b""),
        "GET /a?b=c HTTP/1.1\r\naccept: */*\r\nhOST: other\r\n\r\n"
    );
}

#[test]
fn a_body_has_a_content_length_whatever_the_method() {
    let wanted = "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nContent-Length: 5\r\n\r\nhello";
    assert_eq!(encoded(&get(&[]), b"hello"), wanted);
}

#[test]
fn methods_that_announce_a_body_have_a_content_length_without_one() {
    for (method, announced) in [
        ("POST", true),
        ("PUT", true),
        ("PATCH", true),
        ("DELETE", false),
        ("HEAD", false),
        ("post", false),
    ] {
        let text = encoded(&RequestHead { method, ..get(&[]) }, b"");
        assert_eq!(text.contains("Content-Length: 0\r\n"), announced, "{method}");
        assert!(text.starts_with(&format!("{method} /a")), "{method}");
    }
}

#[test]
fn framing_given_by_the_caller_is_not_doubled() {
    for given in [("content-LENGTH", "7"), ("transfer-Encoding", "chunked")] {
        let headers = pairs(&[given]);
        let text = encoded(&RequestHead { method: "POST", ..get(&headers) }, b"hello");
        assert_eq!(
            text,
            format!(
                "POST /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\n{}: {}\r\n\r\nhello",
                given.0, given.1
            )
        );
    }
}

#[test]
fn a_last_request_says_close_unless_the_caller_spoke() {
    let last = RequestHead { keep_alive: false, ..get(&[]) };
    assert_eq!(
        encoded(&last, b""),
        "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nConnection: close\r\n\r\n"
    );
    let headers = pairs(&[("CONNECTION", "upgrade")]);
    let text = encoded(&RequestHead { keep_alive: false, ..get(&headers) }, b"");
    assert!(text.contains("CONNECTION: upgrade\r\n") && !text.contains("close"));
}

#[test]
fn requests_are_appended() {
    let mut out = b"before".to_vec();
    encode_request(&get(&[]), b"", &mut out);
    assert!(out.starts_with(b"beforeGET /a?b=c HTTP/1.1\r\n"));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "is_one_line")]
fn a_line_break_in_a_header_is_our_own_mistake() {
    encoded(&get(&pairs(&[("x", "1\r\nEvil: 2")])), b"");
}
