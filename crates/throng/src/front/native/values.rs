//! Texts of the command line to values: durations, counts, rates, addresses.
//!
//! Numbers are read as exact decimals, never as floating point: `2.5/s` is 25 in 10 s and `1.5k`
//! is 1500. What cannot be represented exactly is refused, not rounded.
//!
//! Invariant: no text makes a parser panic.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use throng_engine::plan::{Group, Rate, Resume, TlsVersion};

/// Why a text is not the value that an option takes. The option's name and the whole text stand
/// before it in the message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    /// There is no number where one belongs.
    #[error("found '{found}' where a number belongs; expected {expected}")]
    NoNumber { found: String, expected: &'static str },
    /// A number is followed by something that is not a unit.
    #[error("'{found}' is not a unit; expected {expected}")]
    UnknownUnit { found: String, expected: &'static str },
    /// A part of a compound duration has no unit.
    #[error("'{found}' has no unit; expected {DURATION_FORM}")]
    MissingUnit { found: String },
    /// The parts of a compound duration are not in falling order.
    #[error("unit '{found}' follows a smaller or equal one; expected {DURATION_FORM}")]
    UnitOrder { found: String },
    /// A number has more decimals than the value can keep.
    #[error("'{found}' is not a whole number of {unit}")]
    NotWhole { found: String, unit: &'static str },
    /// A number is beyond the range of the value.
    #[error("'{found}' is too large; expected at most {limit}")]
    TooLarge { found: String, limit: &'static str },
    /// A rate of nothing, or per nothing.
    #[error("'{found}' is zero; expected {RATE_FORM}")]
    ZeroRate { found: String },
    /// The text has no three parts.
    #[error("found '{found}'; expected {RESOLVE_FORM}")]
    NotResolve { found: String },
    /// The port is not a number from 1 to 65535.
    #[error("port '{found}' is not a number from 1 to 65535; expected {RESOLVE_FORM}")]
    BadPort { found: String },
    /// The text names no version of TLS.
    #[error("'{found}' is not a version of TLS that can be measured; expected 1.2 or 1.3")]
    NotTlsVersion { found: String },
    /// The text names no key-exchange group.
    #[error("'{found}' is not a key-exchange group; expected {}", super::tls::group_names())]
    NotTlsGroup { found: String },
    /// The text names no way to resume sessions.
    #[error("found '{found}'; expected full, resume or mixed:P with P from 0 to 100")]
    NotTlsResume { found: String },
    /// The address is not an address.
    #[error("'{found}' is not an IPv4 or IPv6 address; expected {RESOLVE_FORM}")]
    BadAddress { found: String },
}

/// Reads a duration: `10s`, `1.5s`, `250ms`, `1m30s`. A bare number is seconds, as in wrk.
///
/// # Errors
/// When the text is no duration, is finer than a nanosecond, or exceeds 584 years.
pub(crate) fn duration(text: &str) -> Result<Duration, ValueError> {
    let mut rest = text.trim();
    let mut total_ns = 0_u64;
    let mut last_unit_ns = u64::MAX;
    let too_large = || ValueError::TooLarge { found: text.to_owned(), limit: "584 years" };
    loop {
        let (number, after) = Decimal::read(rest, DURATION_FORM)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let unit_ns = match unit {
            "" if last_unit_ns == u64::MAX => NS_PER_S,
            "" => return Err(ValueError::MissingUnit { found: rest.to_owned() }),
            _ => unit_ns(unit)?,
        };
        if unit_ns >= last_unit_ns {
            return Err(ValueError::UnitOrder { found: unit.to_owned() });
        }
        let part_ns = number.times(unit_ns).map_err(|error| match error {
            Inexact::NotWhole => {
                ValueError::NotWhole { found: text.to_owned(), unit: "nanoseconds" }
            }
            Inexact::TooLarge => too_large(),
        })?;
        total_ns = total_ns.checked_add(part_ns).ok_or_else(too_large)?;
        if next.is_empty() {
            return Ok(Duration::from_nanos(total_ns));
        }
        (rest, last_unit_ns) = (next, unit_ns);
    }
}

/// Reads a count: `100`, `1.5k`, `2M`, `1G`.
///
/// # Errors
/// When the text is no number, not a whole one, or exceeds 64 bits.
pub(crate) fn count(text: &str) -> Result<u64, ValueError> {
    let text = text.trim();
    let (number, suffix) = Decimal::read(text, COUNT_FORM)?;
    number.times(multiplier(suffix)?).map_err(|error| match error {
        Inexact::NotWhole => ValueError::NotWhole { found: text.to_owned(), unit: "ones" },
        Inexact::TooLarge => {
            ValueError::TooLarge { found: text.to_owned(), limit: "18446744073709551615" }
        }
    })
}

/// Reads a rate: `1000` (per second), `2.5/s`, `500/ms`, `1k/m`, `100/10s`.
///
/// # Errors
/// When the text is no rate, is zero, or its fraction exceeds 64 bits.
pub(crate) fn rate(text: &str) -> Result<Rate, ValueError> {
    let text = text.trim();
    let (amount, per) = text.split_once('/').unwrap_or((text, "s"));
    let (number, suffix) = Decimal::read(amount, RATE_FORM)?;
    let multiplier = multiplier(suffix)?;
    let per = if per.starts_with(char::is_alphabetic) { format!("1{per}") } else { per.to_owned() };
    let per_ns = duration(&per)?.as_nanos();
    if number.digits == 0 || per_ns == 0 {
        return Err(ValueError::ZeroRate { found: text.to_owned() });
    }
    let too_large = || ValueError::TooLarge { found: text.to_owned(), limit: RATE_LIMIT };
    let mut count = number.digits.checked_mul(u128::from(multiplier)).ok_or_else(too_large)?;
    let mut scale = number.scale;
    while scale > 0 && count.is_multiple_of(10) {
        (count, scale) = (count / 10, scale - 1);
    }
    // 2.5 in one second is 25 in ten.
    let per_ns = 10_u128.checked_pow(scale).and_then(|by| per_ns.checked_mul(by));
    let per_ns = per_ns.ok_or_else(too_large)?;
    match (u64::try_from(count), u64::try_from(per_ns)) {
        (Ok(count), Ok(per_ns)) => Ok(Rate { count, per_ns }),
        _ => Err(too_large()),
    }
}

/// Where one host and port lead, instead of what the resolver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resolve {
    /// The host as the URL has it; IPv6 without brackets.
    pub(crate) host: String,
    /// The port as the URL has it.
    pub(crate) port: u16,
    /// What to connect to, in turn. Never empty.
    pub(crate) addresses: Vec<IpAddr>,
}

/// Reads `host:port:address[,address...]` as curl does; IPv6 may stand in brackets.
///
/// # Errors
/// When a part is missing or not what it should be.
pub(crate) fn resolve(text: &str) -> Result<Resolve, ValueError> {
    let malformed = || ValueError::NotResolve { found: text.to_owned() };
    let (host, rest) = match text.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once("]:"),
        None => text.split_once(':'),
    }
    .ok_or_else(malformed)?;
    let (port_text, addresses_text) = rest.split_once(':').ok_or_else(malformed)?;
    if host.is_empty() {
        return Err(malformed());
    }
    let port = match port_text.parse::<u16>() {
        Ok(port) if port > 0 => port,
        _ => return Err(ValueError::BadPort { found: port_text.to_owned() }),
    };
    let address = |text: &str| {
        let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        bare.parse().map_err(|_| ValueError::BadAddress { found: text.to_owned() })
    };
    let addresses = addresses_text.split(',').map(address).collect::<Result<_, _>>()?;
    Ok(Resolve { host: host.to_owned(), port, addresses })
}

/// Reads `1.2` or `1.3`.
///
/// # Errors
/// When the text is neither.
pub(crate) fn tls_version(text: &str) -> Result<TlsVersion, ValueError> {
    [TlsVersion::V1_2, TlsVersion::V1_3]
        .into_iter()
        .find(|version| version.to_string() == text.trim())
        .ok_or_else(|| ValueError::NotTlsVersion { found: text.to_owned() })
}

/// Reads the name of a key-exchange group.
///
/// # Errors
/// When there is no such group.
pub(crate) fn tls_group(text: &str) -> Result<Group, ValueError> {
    Group::from_name(text.trim()).ok_or_else(|| ValueError::NotTlsGroup { found: text.to_owned() })
}

/// Reads `full`, `resume` or `mixed:P`, P being the per cent of full handshakes.
///
/// # Errors
/// When the text is none of them.
pub(crate) fn tls_resume(text: &str) -> Result<Resume, ValueError> {
    let mixed = |percent: &str| match percent.trim_end_matches('%').parse() {
        Ok(full_percent) if full_percent <= 100 => Some(Resume::Mixed { full_percent }),
        _ => None,
    };
    match text.trim() {
        "full" => Some(Resume::Full),
        "resume" => Some(Resume::Resume),
        other => other.strip_prefix("mixed:").and_then(mixed),
    }
    .ok_or_else(|| ValueError::NotTlsResume { found: text.to_owned() })
}

/// A duration in the form that [`duration`] reads, without loss: `1m30s`, `1.5s`, `250ms`.
pub(crate) struct Shown(pub(crate) Duration);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, ns) = (self.0.as_secs(), self.0.subsec_nanos());
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        for (value, unit) in [(hours, "h"), (minutes, "m")] {
            if value > 0 {
                write!(f, "{value}{unit}")?;
            }
        }
        let below_minute = Duration::new(seconds, ns);
        if !below_minute.is_zero() || self.0.is_zero() {
            // `Duration` prints an exact decimal in the largest unit that fits: 1.5s, 250ms, 3µs.
            write!(f, "{}", format!("{below_minute:?}").replace('µ', "u"))?;
        }
        Ok(())
    }
}

/// `digits × 10^-scale`.
struct Decimal {
    digits: u128,
    scale: u32,
}

enum Inexact {
    NotWhole,
    TooLarge,
}

impl Decimal {
    /// Splits a text into the number that it begins with and the rest.
    fn read<'t>(text: &'t str, expected: &'static str) -> Result<(Self, &'t str), ValueError> {
        let no_number = || ValueError::NoNumber { found: text.to_owned(), expected };
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, rest) = text.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return Err(no_number());
        }
        let fraction = fraction.trim_end_matches('0');
        let mut digits = 0_u128;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let shifted = digits.checked_mul(10).and_then(|d| d.checked_add((digit - b'0').into()));
            digits = shifted.ok_or_else(|| ValueError::TooLarge {
                found: number.to_owned(),
                limit: "38 digits",
            })?;
        }
        // A text of 2^32 decimals is no argument; saturating makes it inexact, as it is.
        let scale = u32::try_from(fraction.len()).unwrap_or(u32::MAX);
        Ok((Self { digits, scale }, rest))
    }

    fn times(&self, multiplier: u64) -> Result<u64, Inexact> {
        let product = self.digits.checked_mul(multiplier.into()).ok_or(Inexact::TooLarge)?;
        let divisor = match 10_u128.checked_pow(self.scale) {
            Some(divisor) => divisor,
            None if product == 0 => return Ok(0),
            None => return Err(Inexact::NotWhole),
        };
        if !product.is_multiple_of(divisor) {
            return Err(Inexact::NotWhole);
        }
        u64::try_from(product / divisor).map_err(|_| Inexact::TooLarge)
    }
}

fn multiplier(suffix: &str) -> Result<u64, ValueError> {
    match suffix {
        "" => Ok(1),
        "k" | "K" => Ok(1_000),
        "M" => Ok(1_000_000),
        "G" => Ok(1_000_000_000),
        _ => Err(ValueError::UnknownUnit { found: suffix.to_owned(), expected: "k, M or G" }),
    }
}

fn unit_ns(unit: &str) -> Result<u64, ValueError> {
    match unit {
        "ns" => Ok(1),
        "us" | "µs" => Ok(1_000),
        "ms" => Ok(1_000_000),
        "s" => Ok(NS_PER_S),
        "m" => Ok(60 * NS_PER_S),
        "h" => Ok(3_600 * NS_PER_S),
        _ => Err(ValueError::UnknownUnit { found: unit.to_owned(), expected: "us, ms, s, m or h" }),
    }
}

const NS_PER_S: u64 = 1_000_000_000;
const DURATION_FORM: &str = "a duration such as 10s, 1m30s or 250ms (a bare number is seconds)";
const COUNT_FORM: &str = "a number such as 100, 1.5k or 2M";
const RATE_FORM: &str = "a rate such as 1000, 2.5/s, 500/ms or 100/10s";
const RATE_LIMIT: &str = "a fraction of two 64-bit numbers";
const RESOLVE_FORM: &str = "HOST:PORT:ADDRESS, such as example.com:80:127.0.0.1 or h:80:[::1]";

#[cfg(test)]
mod tests;
