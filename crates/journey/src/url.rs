//! The URL of a run: split into what is connected to and what is asked for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An absolute `http` or `https` URL. The target is kept as typed, never normalised: a load test
/// sends what it was told to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Url {
    /// `http` or `https`.
    pub scheme: Scheme,
    /// The name or address to connect to; an IPv6 address stands without brackets.
    pub host: String,
    /// The port; the scheme's own when the URL names none.
    pub port: u16,
    /// Path and query as sent in the request line; `/` when the URL has none.
    pub target: String,
}

/// How bytes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Plain TCP.
    Http,
    /// TLS over TCP.
    Https,
}

impl Scheme {
    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Why a text is not a URL that can be measured.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The text is not a URL at all.
    #[error("'{text}' is not a URL: {reason}")]
    Malformed {
        /// What was given.
        text: String,
        /// What the parser said.
        reason: String,
    },
    /// There is no `http://` before the host.
    #[error("'{text}' has no scheme: write http://{text}")]
    NoScheme {
        /// What was given.
        text: String,
    },
    /// The scheme is neither http nor https.
    #[error("scheme '{scheme}' is not supported: http and https are")]
    UnknownScheme {
        /// The scheme found.
        scheme: String,
    },
    /// There is no host.
    #[error("'{text}' names no host")]
    NoHost {
        /// What was given.
        text: String,
    },
    /// `user:password@` stands before the host.
    #[error("'{host}' carries user information: send it as a header, -H 'Authorization: ...'")]
    UserInfo {
        /// The host, without the user information.
        host: String,
    },
}

impl Url {
    /// The value of the Host header: the port is left out when it is the scheme's own, an IPv6
    /// address stands in brackets (RFC 9110, 7.2).
    #[must_use]
    pub fn host_header(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }
}

impl FromStr for Url {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        // A fragment never goes on the wire (RFC 9110, 7.1), and the parser refuses some of them.
        let sent = text.split_once('#').map_or(text, |(sent, _)| sent);
        let uri: http::Uri = sent.parse().map_err(|error: http::uri::InvalidUri| {
            UrlError::Malformed { text: text.to_owned(), reason: error.to_string() }
        })?;
        let scheme = match uri.scheme_str() {
            None => return Err(UrlError::NoScheme { text: text.to_owned() }),
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            Some(other) => return Err(UrlError::UnknownScheme { scheme: other.to_owned() }),
        };
        let host = uri.host().unwrap_or_default();
        let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        if host.is_empty() {
            return Err(UrlError::NoHost { text: text.to_owned() });
        }
        let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
        if authority.contains('@') {
            return Err(UrlError::UserInfo { host: host.to_owned() });
        }
        let port = port_of(authority, scheme)
            .map_err(|reason| UrlError::Malformed { text: text.to_owned(), reason })?;
        let target = uri.path_and_query().map_or("/", |target| target.as_str());
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        Ok(Self { scheme, host: host.to_owned(), port, target })
    }
}

/// The port behind the last colon outside brackets. `http::Uri` reads `:0`, `:` and `:70000` as no
/// port at all, which would silently measure port 80.
fn port_of(authority: &str, scheme: Scheme) -> Result<u16, String> {
    let after_host = authority.rsplit_once(']').map_or(authority, |(_, rest)| rest);
    match after_host.split_once(':') {
        None => Ok(scheme.default_port()),
        Some((_, digits)) => match digits.parse::<u16>() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err(format!("port '{digits}' is not a number from 1 to 65535")),
        },
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme.name(), self.host_header(), self.target)
    }
}

impl From<Url> for String {
    fn from(url: Url) -> Self {
        url.to_string()
    }
}

impl TryFrom<String> for Url {
    type Error = UrlError;

    fn try_from(text: String) -> Result<Self, UrlError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests;
