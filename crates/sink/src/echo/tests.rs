use hyper::Request;
use hyper::http::request::Parts;
use serde_json::{Value, json};

use super::{Asked, get, headers, post};

fn parts(uri: &str, headers: &[(&str, &[u8])]) -> Parts {
    let mut request = Request::builder().uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn asked(parts: &Parts) -> Asked<'_> {
    let peer = Some("[::ffff:192.0.2.7]:5000".parse().unwrap());
    Asked { parts, peer, local: Some("127.0.0.1:8080".parse().unwrap()) }
}

fn posted(kind: &str, upload: &[u8]) -> Value {
    post(&asked(&parts("/post", &[("content-type", kind.as_bytes())])), upload)
}

#[test]
fn args_are_percent_decoded_and_lists_when_repeated() {
    for (query, args) in [
        ("", json!({})),
        ("a=1", json!({"a": "1"})),
        ("a=1&a=2&a=3", json!({"a": ["1", "2", "3"]})),
        ("%C3%A9=%E2%82%AC", json!({"é": "€"})),
        ("a=b%3Dc%26d&e=f+g", json!({"a": "b=c&d", "e": "f g"})),
        ("a=%ff&b=%zz&c=%4", json!({"a": "\u{fffd}", "b": "%zz", "c": "%4"})),
        ("a&b=&=c", json!({"a": "", "b": "", "": "c"})),
    ] {
        let parts = parts(&format!("/get?{query}"), &[]);
        assert_eq!(get(&asked(&parts))["args"], args, "{query}");
    }
}

#[test]
fn header_names_are_title_case_and_repeated_values_joined() {
    let parts =
        parts("/", &[("x-a-bc", b"1"), ("dnt", b"1"), ("x-a-bc", b"2"), ("x-bin", b"\xff")]);
    let expected = json!({"headers": {"X-A-Bc": "1,2", "Dnt": "1", "X-Bin": "\u{fffd}"}});
    assert_eq!(headers(&asked(&parts)), expected);
}

#[test]
fn origin_is_the_peer_unless_a_proxy_names_another() {
    assert_eq!(get(&asked(&parts("/get", &[])))["origin"], "192.0.2.7");
    let parts = parts("/get", &[("x-forwarded-for", b"198.51.100.1")]);
    assert_eq!(get(&asked(&parts))["origin"], "198.51.100.1");
}

#[test]
fn url_is_the_one_asked_for() {
    for (uri, headers, url) in [
        ("/get?a=%20", &[("host", &b"h:1"[..])][..], "http://h:1/get?a=%20"),
        ("/get", &[], "http://127.0.0.1:8080/get"),
        ("http://other/get?b", &[("host", b"h")], "http://other/get?b"),
    ] {
        assert_eq!(get(&asked(&parts(uri, headers)))["url"], url);
    }
}

#[test]
fn a_urlencoded_body_is_a_form_and_not_data() {
    let echo = posted("Application/X-WWW-Form-Urlencoded; charset=utf-8", b"a=1&b=x+y&a=%32");
    assert_eq!(echo["form"], json!({"a": ["1", "2"], "b": "x y"}));
    assert_eq!((&echo["data"], &echo["json"]), (&json!(""), &Value::Null));
}

#[test]
fn any_other_body_is_data_and_json_if_it_is_json() {
    let echo = posted("text/plain", b" [1, 2.5] ");
    assert_eq!((&echo["data"], &echo["json"]), (&json!(" [1, 2.5] "), &json!([1, 2.5])));
    let echo = posted("application/json", b"{broken");
    assert_eq!((&echo["data"], &echo["json"]), (&json!("{broken"), &Value::Null));
    let echo = posted("application/octet-stream", b"\xff\x00");
    assert_eq!(echo["data"], "data:application/octet-stream;base64,/wA=");
    let deep = "[".repeat(100_000);
    assert_eq!(posted("application/json", deep.as_bytes())["json"], Value::Null);
}

#[test]
fn post_has_the_keys_of_httpbin() {
    let echo = posted("text/plain", b"");
    let keys: Vec<&String> = echo.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["args", "data", "files", "form", "headers", "json", "origin", "url"]);
}
