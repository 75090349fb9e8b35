use super::*;
use proptest::prelude::*;

#[test]
fn a_url_splits_into_host_port_and_target() {
    for (text, host, port, target, host_header) in [
        ("http://a/", "a", 80, "/", "a"),
        ("http://a", "a", 80, "/", "a"),
        ("http://a:8080/b?c=d#e", "a", 8080, "/b?c=d", "a:8080"),
        ("http://a?x=1", "a", 80, "/?x=1", "a"),
        ("https://a/", "a", 443, "/", "a"),
        ("http://[::1]:81/x", "::1", 81, "/x", "[::1]:81"),
        ("http://127.0.0.1:80/%7Eb", "127.0.0.1", 80, "/%7Eb", "127.0.0.1"),
        ("HTTP://a/", "a", 80, "/", "a"),
    ] {
        let url: Url = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((&*url.host, url.port, &*url.target), (host, port, target), "{text}");
        assert_eq!(url.host_header(), host_header, "{text}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_its_reason() {
    for (text, part_of_message) in [
        ("localhost:8080", "no scheme"),
        ("example.org/x", "not a URL"),
        ("/path", "no scheme"),
        ("ftp://a/", "'ftp' is not supported"),
        ("http:///x", "not a URL"),
        ("http://a:70000/", "port '70000'"),
        ("http://a:/", "port ''"),
        ("http://a:0/", "port '0'"),
        ("http://u:p@a/", "user information"),
        ("http://a b/", "not a URL"),
        ("", "not a URL"),
    ] {
        let message = text.parse::<Url>().map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(part_of_message), "{text}: {message}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_what_parses_survives_printing(text in "(http://)?.{0,40}") {
        if let Ok(url) = text.parse::<Url>() {
            prop_assert_eq!(url.to_string().parse::<Url>(), Ok(url));
        }
    }
}
