//! The request as JSON, with the names and shapes of httpbin, so that scripts written for it work.
//!
//! Differences: a multipart body is not taken apart (it is in `data`, and `files` stays empty),
//! and header values that are not UTF-8 have their bytes replaced by U+FFFD.
//!
//! Not here: heads, limits and reading the body (`respond`).

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{self, HeaderMap, HeaderName};
use hyper::http::request::Parts;
use serde_json::{Map, Value, json};

/// A request to echo, and between whom it was made.
pub(crate) struct Asked<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) peer: Option<SocketAddr>,
    pub(crate) local: Option<SocketAddr>,
}

/// `/get`: args, headers, origin, url.
pub(crate) fn get(asked: &Asked<'_>) -> Value {
    json!({
        "args": asked.args(),
        "headers": headers_of(&asked.parts.headers),
        "origin": asked.origin(),
        "url": asked.url(),
    })
}

/// `/post`: as [`get`], with data, files, form and json.
///
/// A urlencoded body is in `form` and `data` is empty. Any other body is in `data`, as text or,
/// if it is not UTF-8, as a `data:` URL in base64; `json` is its value, or null if it is none.
pub(crate) fn post(asked: &Asked<'_>, upload: &[u8]) -> Value {
    let mut value = get(asked);
    let is_form = is_urlencoded(&asked.parts.headers);
    let (form, data) = if is_form { (upload, &[][..]) } else { (&[][..], upload) };
    value["form"] = Value::Object(pairs(form));
    value["data"] = std::str::from_utf8(data).map_or_else(
        |_| format!("data:application/octet-stream;base64,{}", STANDARD.encode(data)).into(),
        Value::from,
    );
    value["json"] = serde_json::from_slice(data).unwrap_or(Value::Null);
    value["files"] = json!({});
    value
}

/// `/headers`: the headers only.
pub(crate) fn headers(asked: &Asked<'_>) -> Value {
    json!({ "headers": headers_of(&asked.parts.headers) })
}

impl Asked<'_> {
    fn args(&self) -> Map<String, Value> {
        pairs(self.parts.uri.query().unwrap_or_default().as_bytes())
    }

    /// Who asked: as a proxy in between says, or the address that the connection came from.
    fn origin(&self) -> String {
        let forwarded = self.parts.headers.get("x-forwarded-for");
        forwarded.map_or_else(
            || self.peer.map_or_else(String::new, |peer| peer.ip().to_canonical().to_string()),
            |value| lossy(value.as_bytes()),
        )
    }

    /// The URL as it was asked for, without decoding.
    fn url(&self) -> String {
        let uri = &self.parts.uri;
        if uri.scheme().is_some() {
            return uri.to_string();
        }
        let host = self.parts.headers.get(header::HOST).map_or_else(
            || self.local.map_or_else(String::new, |local| local.to_string()),
            |host| lossy(host.as_bytes()),
        );
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        format!("http://{host}{path}")
    }
}

/// `a=1&b=2&a=3` as `{"a": ["1", "3"], "b": "2"}`, decoded; `a` alone has an empty value.
fn pairs(encoded: &[u8]) -> Map<String, Value> {
    let mut pairs = Map::new();
    for (name, value) in form_urlencoded::parse(encoded) {
        let value = Value::from(value);
        match pairs.get_mut(&*name) {
            None => {
                pairs.insert(name.into_owned(), value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    pairs
}

/// Values of a repeated header are joined by a comma, as a gateway does.
fn headers_of(headers: &HeaderMap) -> Map<String, Value> {
    let values = |name: &HeaderName| {
        let values: Vec<String> =
            headers.get_all(name).iter().map(|value| lossy(value.as_bytes())).collect();
        Value::from(values.join(","))
    };
    headers.keys().map(|name| (title_case(name.as_str()), values(name))).collect()
}

/// `user-agent` as `User-Agent`.
fn title_case(name: &str) -> String {
    let mut is_first = true;
    let titled = name.chars().map(|letter| {
        let letter = if is_first { letter.to_ascii_uppercase() } else { letter };
        is_first = letter == '-';
        letter
    });
    titled.collect()
}

fn is_urlencoded(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return false;
    };
    let kind = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    kind.trim_ascii().eq_ignore_ascii_case(b"application/x-www-form-urlencoded")
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
