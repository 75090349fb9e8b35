//! What an objective can be about: the tables of names.
//!
//! Names are read, written, suggested and documented from here. A new duration is one row of
//! [`QUANTITIES`].

use std::fmt;
use std::ops::RangeInclusive;

use crate::distribution::{Level, Quantile};
use crate::{Metric, Outcome, format};

/// What a comparison is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A duration, in nanoseconds.
    Duration(Statistic, Quantity),
    /// Something per second.
    Rate(Flow),
    /// A number of requests.
    Count(Class),
    /// Their share of the planned requests, 0..=1.
    Ratio(Class),
}

/// What is asked of a duration's distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistic {
    At(Quantile),
    Min,
    Mean,
    Stdev,
    Max,
}

/// A duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// The response time of every arrival, those without an answer as bounds.
    Response,
    /// One histogram, in which every value is known.
    Of(Metric),
}

/// What flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Requests planned.
    Offered,
    /// Answers.
    Achieved,
    /// Answers that were `ok`.
    Ok,
}

/// Some of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Planned,
    /// Those that did not end `ok`.
    Error,
    Outcome(Outcome),
    Status(Codes),
}

/// One status, or one class of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codes {
    One(u16),
    /// The first digit.
    Hundred(u16),
}

/// How a subject's value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Duration,
    Ratio,
    Rate,
    Count,
}

/// Every duration by its name, the one that is meant without a name first.
const QUANTITIES: &[(&str, Quantity)] = &[
    ("response_time", Quantity::Response),
    ("ok_response_time", Quantity::Of(Metric::ResponseOk)),
    ("service_time", Quantity::Of(Metric::Service)),
    ("lateness", Quantity::Of(Metric::Lateness)),
    ("queue_wait", Quantity::Of(Metric::QueueWait)),
    ("first_byte", Quantity::Of(Metric::FirstByte)),
    ("connect_time", Quantity::Of(Metric::Connect)),
    ("tls_full_time", Quantity::Of(Metric::TlsFull)),
    ("tls_resumed_time", Quantity::Of(Metric::TlsResumed)),
    ("wakeup", Quantity::Of(Metric::Wakeup)),
    ("transmit", Quantity::Of(Metric::Transmit)),
    ("wire", Quantity::Of(Metric::Wire)),
    ("stall", Quantity::Of(Metric::Stall)),
];

/// The statistics beside the percentiles.
const STATISTICS: &[(&str, Statistic)] = &[
    ("min", Statistic::Min),
    ("mean", Statistic::Mean),
    ("stdev", Statistic::Stdev),
    ("max", Statistic::Max),
];

const FLOWS: &[(&str, Flow)] =
    &[("offered_rate", Flow::Offered), ("achieved_rate", Flow::Achieved), ("ok_rate", Flow::Ok)];

/// Two of the statuses that can be named.
const STATUS_EXAMPLES: [Codes; 2] = [Codes::One(503), Codes::Hundred(5)];

const RATIO: &str = "_ratio";
const STATUS: &str = "status_";

/// The name of a row's value. Every value that is asked for has a row: it was read from there.
fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table.iter().find(|row| row.1 == *value).map_or("", |row| row.0)
}

fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|row| row.0 == name).map(|row| row.1)
}

impl Quantity {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        named(QUANTITIES, name)
    }

    pub(crate) fn names() -> impl Iterator<Item = String> {
        QUANTITIES.iter().map(|row| row.0.to_owned())
    }
}

impl Statistic {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        named(STATISTICS, name).or_else(|| Quantile::from_name(name).map(Self::At))
    }

    /// Whether it can only be meant as a percentile: `p`, then a digit.
    pub(crate) fn is_like_percentile(name: &str) -> bool {
        name.strip_prefix('p').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// The percentiles that reports state, and every other statistic.
    pub(crate) fn names() -> impl Iterator<Item = String> {
        let levels = Level::ALL.into_iter().map(|level| level.label().to_owned());
        levels.chain(STATISTICS.iter().map(|row| row.0.to_owned()))
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(quantile) => quantile.fmt(f),
            other => f.write_str(name_of(STATISTICS, other)),
        }
    }
}

impl Class {
    fn from_name(name: &str) -> Option<Self> {
        if let Some(codes) = name.strip_prefix(STATUS).and_then(Codes::from_name) {
            return Some(Self::Status(codes));
        }
        Self::all().find(|class| class.to_string() == name)
    }

    /// Every class; of statuses examples.
    fn all() -> impl Iterator<Item = Self> {
        let outcomes = Outcome::ALL.into_iter().map(Self::Outcome);
        let statuses = STATUS_EXAMPLES.into_iter().map(Self::Status);
        [Self::Planned, Self::Error].into_iter().chain(outcomes).chain(statuses)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Planned => f.write_str("planned"),
            Self::Error => f.write_str("error"),
            Self::Outcome(outcome) => f.write_str(outcome.name()),
            Self::Status(Codes::One(code)) => write!(f, "{STATUS}{code}"),
            Self::Status(Codes::Hundred(digit)) => write!(f, "{STATUS}{digit}xx"),
        }
    }
}

impl Codes {
    /// `503` or `5xx`.
    fn from_name(name: &str) -> Option<Self> {
        let (first, rest) = name.split_at_checked(1)?;
        let digit = first.parse::<u16>().ok().filter(|&digit| digit > 0)?;
        if rest.eq_ignore_ascii_case("xx") {
            return Some(Self::Hundred(digit));
        }
        let digits = rest.len() == 2 && rest.bytes().all(|b| b.is_ascii_digit());
        let code = name.parse().ok().filter(|_| digits)?;
        Some(Self::One(code))
    }

    pub(crate) fn range(self) -> RangeInclusive<u16> {
        match self {
            Self::One(code) => code..=code,
            Self::Hundred(digit) => digit * 100..=digit * 100 + 99,
        }
    }
}

impl Subject {
    /// The subjects that are not durations.
    pub(crate) fn scalar(name: &str) -> Option<Self> {
        let ratio = || name.strip_suffix(RATIO).and_then(Class::from_name).and_then(Self::ratio);
        let count = || Class::from_name(name).map(Self::Count);
        named(FLOWS, name).map(Self::Rate).or_else(count).or_else(ratio)
    }

    /// The share of the planned requests that were planned is no number to ask for.
    fn ratio(class: Class) -> Option<Self> {
        (class != Class::Planned).then_some(Self::Ratio(class))
    }

    /// Whether it can only be meant as a status.
    pub(crate) fn is_like_status(name: &str) -> bool {
        name.starts_with(STATUS)
    }

    /// Every name that a comparison can begin with, in the order of the documentation; of
    /// percentiles and statuses examples.
    pub(crate) fn names() -> impl Iterator<Item = String> {
        let rates = FLOWS.iter().map(|row| Self::Rate(row.1));
        let ratios = Class::all().filter_map(Self::ratio);
        let counts = Class::all().map(Self::Count);
        let scalars = rates.chain(ratios).chain(counts);
        Statistic::names().chain(scalars.map(|subject| subject.to_string()))
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Duration(..) => Kind::Duration,
            Self::Ratio(_) => Kind::Ratio,
            Self::Rate(_) => Kind::Rate,
            Self::Count(_) => Kind::Count,
        }
    }
}

/// The name for people: `p99`, `p99 of service_time`, `timeout`.
impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duration(statistic, Quantity::Response) => statistic.fmt(f),
            Self::Duration(statistic, quantity) => {
                write!(f, "{statistic} of {}", name_of(QUANTITIES, quantity))
            }
            Self::Rate(flow) => f.write_str(name_of(FLOWS, flow)),
            Self::Count(class) => class.fmt(f),
            Self::Ratio(class) => write!(f, "{class}{RATIO}"),
        }
    }
}

impl Kind {
    /// A value of this kind for people.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::Duration => format::duration(value),
            Self::Ratio => format::percent(value),
            Self::Rate => format!("{}/s", format::rate(value)),
            Self::Count => format::count(value as u64),
        }
    }
}
