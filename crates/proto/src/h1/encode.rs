//! Requests to bytes.
//!
//! A plan encodes each of its requests once and sends the bytes many times; only journeys with
//! templates encode while measuring. The order is: request line, `Host`, the caller's headers as
//! spelled, then what framing needs and the caller did not give.
//!
//! Not here: validation. The caller has refused line breaks and empty names long before.

use std::io::Write as _;

/// Everything of a request except its body.
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    /// The method, as sent: methods are case-sensitive.
    pub method: &'a str,
    /// The request target, for example `/path?query` or `*`.
    pub target: &'a str,
    /// The value of the `Host` header, used unless `headers` has one.
    pub host: &'a str,
    /// Headers in the order and spelling in which they are sent.
    pub headers: &'a [(String, String)],
    /// Whether the connection stays open; if not, `Connection: close` is added unless given.
    pub keep_alive: bool,
}

/// Appends the bytes of one request to `out`.
///
/// Adds `Content-Length` when there is a body, or when the method announces one (POST, PUT, PATCH),
/// unless `headers` frame the body themselves by `Content-Length` or `Transfer-Encoding`; then `body`
/// is sent as it is. Allocates only when `out` has to grow.
///
/// # Source
/// RFC 9112 sections 3, 3.2 and 6.3; RFC 9110 sections 7.2 (`Host` comes first) and 8.6.
pub fn encode_request(request: &RequestHead<'_>, body: &[u8], out: &mut Vec<u8>) {
    debug_assert!(is_one_line(request.method) && is_one_line(request.target));
    debug_assert!(is_one_line(request.host));
    for part in [request.method, " ", request.target, " HTTP/1.1\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
    if !request.has_header("host") {
        push_header(out, "Host", request.host);
    }
    for (name, value) in request.headers {
        push_header(out, name, value);
    }
    if request.needs_content_length(body) {
        // Writing to a Vec cannot fail; the result exists for other writers.
        let _ = write!(out, "Content-Length: {}\r\n", body.len());
    }
    if !request.keep_alive && !request.has_header("connection") {
        push_header(out, "Connection", "close");
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
}

impl RequestHead<'_> {
    fn has_header(&self, wanted: &str) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted))
    }

    fn needs_content_length(&self, body: &[u8]) -> bool {
        let announced = !body.is_empty() || matches!(self.method, "POST" | "PUT" | "PATCH");
        announced && !self.has_header("content-length") && !self.has_header("transfer-encoding")
    }
}

fn push_header(out: &mut Vec<u8>, name: &str, value: &str) {
    debug_assert!(is_one_line(name) && is_one_line(value));
    for part in [name, ": ", value, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}

fn is_one_line(text: &str) -> bool {
    !text.contains(['\r', '\n'])
}

#[cfg(test)]
mod tests;
