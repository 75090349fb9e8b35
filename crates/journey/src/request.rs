//! One request as a person describes it: validated here, encoded by the protocol.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A request, ready to be encoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The method, as sent.
    pub method: String,
    /// Path and query, as sent.
    pub target: String,
    /// The value of the Host header, unless `headers` brings its own.
    pub host: String,
    /// Further headers in order, spelled as given.
    pub headers: Vec<(String, String)>,
    /// The body.
    #[serde(default, skip_serializing_if = "Body::is_empty")]
    pub body: Body,
}

/// A request's body. The plan stores what it is made from, not the bytes of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Body {
    /// No body.
    #[default]
    Empty,
    /// The text itself.
    Text(String),
    /// A file, read when the plan was made.
    File {
        /// Where it was read from.
        path: PathBuf,
        /// How long it was.
        length_bytes: u64,
        /// What was read.
        #[serde(skip)]
        bytes: Arc<[u8]>,
    },
}

impl Body {
    /// The bytes to send.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Empty => &[],
            Self::Text(text) => text.as_bytes(),
            Self::File { bytes, .. } => bytes,
        }
    }

    /// Whether nothing is sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }
}

/// Why a request cannot be sent as described.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is not a token.
    #[error("'{method}' is not an HTTP method: it must be one word of letters such as GET")]
    BadMethod {
        /// What was given.
        method: String,
    },
    /// A header has no colon.
    #[error("header '{header}' has no colon: write it as 'Name: value'")]
    NoColon {
        /// What was given.
        header: String,
    },
    /// A header's name is not a token.
    #[error("'{name}' is not a header name: it must be one word of letters, digits and '-'")]
    BadName {
        /// What was given.
        name: String,
    },
    /// A header's value has a control character.
    #[error("the value of header '{name}' has a character that HTTP does not allow")]
    BadValue {
        /// The header.
        name: String,
    },
    /// A header would contradict the framing that throng writes.
    #[error("header '{name}' decides how the message is framed, and throng writes it itself")]
    Framing {
        /// The header.
        name: String,
    },
}

/// Checks a method (RFC 9110, 9.1: a token, case-sensitive).
///
/// # Errors
/// [`RequestError::BadMethod`].
pub fn check_method(method: &str) -> Result<(), RequestError> {
    match http::Method::from_bytes(method.as_bytes()) {
        // CONNECT makes a tunnel of the connection: its answers have no bodies to measure.
        Ok(http::Method::CONNECT) | Err(_) => {
            Err(RequestError::BadMethod { method: method.to_owned() })
        }
        Ok(_) => Ok(()),
    }
}

impl Request {
    /// A request without headers or body.
    ///
    /// # Errors
    /// [`RequestError::BadMethod`].
    pub fn new(method: &str, host: String, target: String) -> Result<Self, RequestError> {
        check_method(method)?;
        let method = method.to_owned();
        Ok(Self { method, target, host, headers: Vec::new(), body: Body::Empty })
    }

    /// Adds a header given as `Name: value`. A `Host` header replaces the URL's host.
    ///
    /// # Errors
    /// When the text is not a header, or one of those that decide framing: `Content-Length` and
    /// `Transfer-Encoding` follow from the body, `Connection` from `--no-keepalive`.
    pub fn add_header(&mut self, text: &str) -> Result<(), RequestError> {
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| RequestError::NoColon { header: text.to_owned() })?;
        let value = value.trim_matches([' ', '\t']);
        let parsed = http::HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| RequestError::BadName { name: name.to_owned() })?;
        if http::HeaderValue::from_str(value).is_err() {
            return Err(RequestError::BadValue { name: name.to_owned() });
        }
        match parsed {
            http::header::CONTENT_LENGTH
            | http::header::TRANSFER_ENCODING
            | http::header::CONNECTION
            | http::header::UPGRADE => Err(RequestError::Framing { name: name.to_owned() }),
            http::header::HOST => {
                self.host = value.to_owned();
                Ok(())
            }
            _ => {
                self.headers.push((name.to_owned(), value.to_owned()));
                Ok(())
            }
        }
    }

    /// Whether the request may be sent again when its connection turned out to be closed
    /// (RFC 9110, 9.2.2).
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        matches!(&*self.method, "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE")
    }
}

#[cfg(test)]
mod tests;
