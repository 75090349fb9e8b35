use super::*;

fn get() -> Request {
    Request::new("GET", "a".to_owned(), "/".to_owned()).unwrap()
}

#[test]
fn headers_keep_their_spelling_and_order() {
    let mut request = get();
    request.add_header("X-B: 1").unwrap();
    request.add_header("x-a:  two words ").unwrap();
    let expected = [("X-B", "1"), ("x-a", "two words")];
    assert_eq!(request.headers, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
}

#[test]
fn a_host_header_replaces_the_host_of_the_url() {
    let mut request = get();
    request.add_header("host: b:81").unwrap();
    assert_eq!((&*request.host, request.headers.len()), ("b:81", 0));
}

#[test]
fn headers_that_would_break_the_message_are_refused() {
    for (text, part_of_message) in [
        ("no colon", "no colon"),
        ("a b: c", "not a header name"),
        (": c", "not a header name"),
        ("a: b\r\nc: d", "does not allow"),
        ("Content-Length: 3", "framed"),
        ("transfer-encoding: chunked", "framed"),
        ("Connection: close", "framed"),
    ] {
        let message = get().add_header(text).unwrap_err().to_string();
        assert!(message.contains(part_of_message), "{text}: {message}");
    }
}

#[test]
fn methods_are_tokens() {
    for method in ["GET", "PURGE", "M-SEARCH"] {
        assert_eq!(check_method(method), Ok(()), "{method}");
    }
    for method in ["", "GET /", "A\r\nB", "CONNECT"] {
        assert!(check_method(method).is_err(), "{method}");
    }
}
