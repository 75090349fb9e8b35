//! Why a command line is no plan.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use throng_engine::plan::{Group, TlsVersion};
use throng_journey::{RequestError, UrlError};

use super::rules::Rule;
use super::values::Shown;
use crate::failure::Failure;

/// Why a command line is no plan.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlanError {
    /// There is nothing to measure.
    #[error("there is no URL to measure")]
    NoUrl,
    /// There is more than one thing to measure.
    #[error("'{second}' is a second URL, and one run measures one")]
    SecondUrl { second: String },
    /// The URL is not one.
    #[error(transparent)]
    BadUrl(#[from] UrlError),
    /// An option about TLS, and none is spoken.
    #[error("{option} is about TLS, and {url} does not use it")]
    TlsWithoutHttps { option: &'static str, url: String },
    /// No version of TLS is left.
    #[error("--tls-min {min} is above --tls-max {max}")]
    TlsVersions { min: TlsVersion, max: TlsVersion },
    /// No key-exchange group is left.
    #[error("--tls-groups {} needs TLS 1.3, and --tls-max 1.2 forbids it", group.name())]
    TlsGroups { group: Group },
    /// The options contradict each other or themselves.
    #[error("{}", .0.message)]
    Combination(&'static Rule),
    /// A number is beyond what throng can do.
    #[error("{option} {given} is too many: the most is {limit}")]
    TooMany { option: &'static str, given: u64, limit: u64 },
    /// The rate is beyond what one machine can send.
    #[error("a rate of {given_per_s:.0}/s is too high: the most is {limit_per_s:.0}/s")]
    RateTooHigh { given_per_s: f64, limit_per_s: f64 },
    /// A duration is beyond what histograms keep.
    #[error(
        "--timeout {} is too long: response times are kept up to {}", Shown(*given), Shown(*limit)
    )]
    TimeoutTooLong { given: Duration, limit: Duration },
    /// Nothing would be left to measure.
    #[error("--warmup {} leaves nothing of a run of {}", Shown(*warmup), Shown(*run))]
    WarmupTooLong { warmup: Duration, run: Duration },
    /// So many requests would all be part of the warm-up.
    #[error(
        "--warmup {} leaves nothing of {requests} requests, which are all due within {}",
        Shown(*warmup), Shown(*run)
    )]
    WarmupTakesAll { warmup: Duration, requests: u64, run: Duration },
    /// The method or a header is not one.
    #[error(transparent)]
    BadRequest(#[from] RequestError),
    /// The method has no body.
    #[error("{method} requests have no body")]
    BodyForMethod { method: String },
    /// The file with the body cannot be read.
    #[error("cannot read the body from {}", path.display())]
    BodyUnreadable { path: PathBuf, source: io::Error },
    /// The file with the body would not fit in memory.
    #[error("the body in {} exceeds {limit_bytes} bytes", path.display())]
    BodyTooLarge { path: PathBuf, limit_bytes: u64 },
    /// A `--resolve` would have no effect.
    #[error("--resolve names {given}, but the URL connects to {url}")]
    ResolveUnused { given: String, url: String },
}

impl Failure for PlanError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoUrl => "throng http://127.0.0.1:8080/ measures a server of yours, throng demo \
                            brings one; throng --help lists everything"
                .to_owned(),
            Self::SecondUrl { .. } => "measure one after the other; --resolve spreads connections \
                                       over several addresses of one host"
                .to_owned(),
            Self::BadUrl(UrlError::NoScheme { .. }) => {
                "a command such as demo comes first; throng --help lists them".to_owned()
            }
            Self::BadUrl(_) => "write it as http://host:port/path".to_owned(),
            Self::TlsWithoutHttps { option, url } => {
                format!("leave {option} out, or measure https{}", url.trim_start_matches("http"))
            }
            Self::TlsVersions { .. } => "give 1.2 or 1.3, the lower one with --tls-min".to_owned(),
            Self::TlsGroups { .. } => {
                "add x25519, secp256r1 or secp384r1, or leave --tls-max out".to_owned()
            }
            Self::Combination(rule) => rule.hint.to_owned(),
            Self::TooMany { option, limit, .. } => format!("give {option} {limit} or less"),
            Self::RateTooHigh { .. } => {
                "no machine sends so much; leave -R out to send as fast as answers come".to_owned()
            }
            Self::TimeoutTooLong { limit, .. } => {
                format!("give --timeout {} or less", Shown(*limit))
            }
            Self::WarmupTooLong { .. } => "give a longer run with -d, or less warm-up".to_owned(),
            Self::WarmupTakesAll { .. } => "give more requests with -n, or less warm-up".to_owned(),
            Self::BadRequest(RequestError::Framing { name })
                if name.eq_ignore_ascii_case("connection") =>
            {
                "leave it out; --no-keepalive sends Connection: close".to_owned()
            }
            Self::BadRequest(RequestError::Framing { .. }) => {
                "leave it out; it follows from the body given with -b or -B".to_owned()
            }
            Self::BadRequest(RequestError::BadMethod { .. }) => {
                "give a method such as GET or POST with -X".to_owned()
            }
            Self::BadRequest(_) => "give a header such as -H 'Accept: text/html'".to_owned(),
            Self::BodyForMethod { .. } => "leave -X out to send POST, or the body".to_owned(),
            Self::BodyUnreadable { .. } => {
                "check the name and its permissions; -b takes the text itself".to_owned()
            }
            Self::BodyTooLarge { .. } => "give a smaller file".to_owned(),
            Self::ResolveUnused { url, .. } => format!("write --resolve {url}:ADDRESS"),
        })
    }
}
