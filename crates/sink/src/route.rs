//! Which behaviour a method and a path ask for.
//!
//! [`ROUTES`] is the only list of paths: [`route`] walks it, the page for unknown paths and the
//! command's help print it. A new behaviour is one row here and one arm in `respond`.
//!
//! Invariant: a pure function of method and path; it reads no clock and touches no socket.
//!
//! Not here: carrying a behaviour out (`respond`).

use std::fmt::{self, Write as _};
use std::time::Duration;

use hyper::{Method, StatusCode};

use crate::queue::Service;

mod value;

use value::{read_digits, read_duration};

/// One row of what the sink answers.
#[derive(Clone, Copy, Debug)]
pub struct RouteHelp {
    /// The path, with its variable part in capitals: `/bytes/N`.
    pub pattern: &'static str,
    /// A path that the pattern stands for: `/bytes/1000`.
    pub example: &'static str,
    /// What it answers, without subject: "N bytes".
    pub about: &'static str,
    methods: Methods,
    rule: Rule,
}

/// What to do with a request whose method and path are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Bytes(u64),
    Chunked(u64),
    Delay(Duration),
    Queue(Service),
    Status(StatusCode),
    Close,
    CloseHead,
    CloseBody,
    Stall,
    StallBody,
    EchoGet,
    EchoPost,
    EchoHeaders,
}

/// Why a method and a path ask for nothing that the sink does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RouteError {
    #[error("nothing at {}; this server answers:\n{RouteList}", Shown(path))]
    UnknownPath { path: String },
    #[error("{pattern}: found \"{}\", expected {expected}", Shown(found))]
    BadValue { pattern: &'static str, found: String, expected: &'static str },
    #[error("{pattern}: found method {}, expected {allowed}", Shown(found))]
    BadMethod { pattern: &'static str, found: String, allowed: &'static str },
}

/// How a row reads the path.
#[derive(Clone, Copy, Debug)]
enum Rule {
    Exact(Behaviour),
    Size { prefix: &'static str, behaviour: fn(u64) -> Behaviour },
    Time { prefix: &'static str, behaviour: fn(Duration) -> Behaviour },
    Status { prefix: &'static str },
}

#[derive(Clone, Copy, Debug)]
enum Methods {
    Any,
    Get,
    Post,
}

/// Returns the behaviour that `method` on `path` asks for.
///
/// The path is compared as it was sent, without decoding: no route needs an escaped character.
///
/// # Errors
/// [`RouteError`] for an unknown path, a value out of its bounds, a method that the path refuses.
pub(crate) fn route(method: &Method, path: &str) -> Result<Behaviour, RouteError> {
    for row in ROUTES {
        let Some(value) = row.rule.variable_part(row.pattern, path) else {
            continue;
        };
        row.methods.check(row.pattern, method)?;
        return row.rule.read(value).ok_or_else(|| RouteError::BadValue {
            pattern: row.pattern,
            found: value.to_owned(),
            expected: row.rule.expected(),
        });
    }
    Err(RouteError::UnknownPath { path: path.to_owned() })
}

impl RouteError {
    /// The status that tells a client about it.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::UnknownPath { .. } => StatusCode::NOT_FOUND,
            Self::BadValue { .. } => StatusCode::BAD_REQUEST,
            Self::BadMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
        }
    }
}

impl Rule {
    /// The part of `path` that the pattern leaves open, or `None` if the path is not this row's.
    fn variable_part<'a>(self, pattern: &str, path: &'a str) -> Option<&'a str> {
        match self {
            Self::Exact(_) => (path == pattern).then_some(""),
            Self::Size { prefix, .. } | Self::Time { prefix, .. } | Self::Status { prefix } => {
                path.strip_prefix(prefix)
            }
        }
    }

    fn read(self, value: &str) -> Option<Behaviour> {
        match self {
            Self::Exact(behaviour) => Some(behaviour),
            Self::Size { behaviour, .. } => {
                read_digits(value).filter(|bytes| *bytes <= BODY_BYTES_MAX).map(behaviour)
            }
            Self::Time { behaviour, .. } => {
                read_duration(value).filter(|time| *time <= TIME_MAX).map(behaviour)
            }
            Self::Status { .. } => {
                let code = read_digits(value).filter(|code| (200..=599).contains(code))?;
                let status = StatusCode::from_u16(u16::try_from(code).ok()?).ok()?;
                Some(Behaviour::Status(status))
            }
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Exact(_) => "nothing more",
            Self::Size { .. } => "a number of bytes from 0 to 10737418240 (10 GiB)",
            Self::Time { .. } => "a duration of at most 1h, such as 200us, 50ms, 1.5s or 2m",
            Self::Status { .. } => "a status from 200 to 599",
        }
    }
}

impl Methods {
    fn check(self, pattern: &'static str, method: &Method) -> Result<(), RouteError> {
        let allowed = match self {
            Self::Any => return Ok(()),
            Self::Get if [Method::GET, Method::HEAD].contains(method) => return Ok(()),
            Self::Post if *method == Method::POST => return Ok(()),
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        };
        Err(RouteError::BadMethod { pattern, found: method.to_string(), allowed })
    }
}

/// What a client sent, cut to a length that a message can carry.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(SHOWN_CHARS_MAX) {
            out.write_char(character)?;
        }
        if characters.next().is_some() { out.write_str("...") } else { Ok(()) }
    }
}

/// The table of routes, a line each.
struct RouteList;

impl fmt::Display for RouteList {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in ROUTES {
            writeln!(out, "  {:<24} {}", row.pattern, row.about)?;
        }
        Ok(())
    }
}

/// Every path that the sink answers, in the order in which a person reads them.
///
/// They are tried in this order too, so the cheapest comes first.
pub const ROUTES: &[RouteHelp] = &[
    RouteHelp {
        pattern: "/",
        example: "/",
        about: "100 bytes",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::Bytes(100)),
    },
    RouteHelp {
        pattern: "/bytes/N",
        example: "/bytes/1000",
        about: "N bytes, up to 10 GiB, with Content-Length",
        methods: Methods::Any,
        rule: Rule::Size { prefix: "/bytes/", behaviour: Behaviour::Bytes },
    },
    RouteHelp {
        pattern: "/chunked/N",
        example: "/chunked/1000",
        about: "N bytes, up to 10 GiB, in several chunks",
        methods: Methods::Any,
        rule: Rule::Size { prefix: "/chunked/", behaviour: Behaviour::Chunked },
    },
    RouteHelp {
        pattern: "/delay/DURATION",
        example: "/delay/50ms",
        about: "100 bytes, DURATION (us ms s m h, up to 1h) after the request's head",
        methods: Methods::Any,
        rule: Rule::Time { prefix: "/delay/", behaviour: Behaviour::Delay },
    },
    RouteHelp {
        pattern: "/queue/fixed/TIME",
        example: "/queue/fixed/2ms",
        about: "100 bytes, first come, first served, TIME each; one queue for all of /queue/",
        methods: Methods::Any,
        rule: Rule::Time {
            prefix: "/queue/fixed/",
            behaviour: |time| Behaviour::Queue(Service::Fixed(time)),
        },
    },
    RouteHelp {
        pattern: "/queue/exponential/TIME",
        example: "/queue/exponential/2ms",
        about: "the same queue; service times are exponential with mean TIME",
        methods: Methods::Any,
        rule: Rule::Time {
            prefix: "/queue/exponential/",
            behaviour: |mean| Behaviour::Queue(Service::Exponential(mean)),
        },
    },
    RouteHelp {
        pattern: "/status/N",
        example: "/status/503",
        about: "that status, 200 to 599; redirections lead to /",
        methods: Methods::Any,
        rule: Rule::Status { prefix: "/status/" },
    },
    RouteHelp {
        pattern: "/close",
        example: "/close",
        about: "closes the connection without an answer",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::Close),
    },
    RouteHelp {
        pattern: "/close/head",
        example: "/close/head",
        about: "closes in the middle of the answer's head",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::CloseHead),
    },
    RouteHelp {
        pattern: "/close/body",
        example: "/close/body",
        about: "announces 100 bytes, sends 50, closes",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::CloseBody),
    },
    RouteHelp {
        pattern: "/stall",
        example: "/stall",
        about: "never answers; waits until the client closes",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::Stall),
    },
    RouteHelp {
        pattern: "/stall/body",
        example: "/stall/body",
        about: "announces 100 bytes, sends 50, then nothing until the client closes",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::StallBody),
    },
    RouteHelp {
        pattern: "/get",
        example: "/get?name=value",
        about: "the request as JSON: args, headers, origin, url (GET only)",
        methods: Methods::Get,
        rule: Rule::Exact(Behaviour::EchoGet),
    },
    RouteHelp {
        pattern: "/post",
        example: "/post?name=value",
        about: "the same with data, form, json (POST only, body up to 16 MiB)",
        methods: Methods::Post,
        rule: Rule::Exact(Behaviour::EchoPost),
    },
    RouteHelp {
        pattern: "/headers",
        example: "/headers",
        about: "the request's headers as JSON",
        methods: Methods::Any,
        rule: Rule::Exact(Behaviour::EchoHeaders),
    },
];

/// The largest body of `/bytes/N` and `/chunked/N`: 10 GiB.
const BODY_BYTES_MAX: u64 = 10 << 30;
/// The longest delay of `/delay/DURATION`, and service time or mean of it in `/queue/`.
const TIME_MAX: Duration = Duration::from_secs(3_600);
/// How much of a path or value an answer repeats.
const SHOWN_CHARS_MAX: usize = 64;

#[cfg(test)]
mod tests;
