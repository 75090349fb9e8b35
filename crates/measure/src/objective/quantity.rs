//! What an objective can be about: the table of names.

use crate::distribution::{Distribution, Level};
use crate::{Outcome, Summary};

/// A duration that objectives can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields of Summary say what each is")]
pub enum Quantity {
    ResponseTime,
    OkResponseTime,
    ServiceTime,
    Lateness,
    QueueWait,
    FirstByte,
    ConnectTime,
    Wakeup,
}

/// What is asked of a duration's distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// A percentile.
    At(Level),
    /// The shortest.
    Min,
    /// The mean.
    Mean,
    /// The longest.
    Max,
}

/// What a comparison is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A duration, in nanoseconds.
    Duration(Statistic, Quantity),
    /// The share of planned requests that did not end `ok`.
    ErrorRatio,
    /// Requests planned per second.
    OfferedRate,
    /// Answers per second.
    AchievedRate,
    /// Answers per second that were `ok`.
    OkRate,
    /// Requests planned.
    Planned,
    /// Requests that ended this way.
    Outcome(Outcome),
}

/// How a subject's value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Duration,
    Ratio,
    Rate,
    Count,
}

const QUANTITIES: [(Quantity, &str); 8] = [
    (Quantity::ResponseTime, "response_time"),
    (Quantity::OkResponseTime, "ok_response_time"),
    (Quantity::ServiceTime, "service_time"),
    (Quantity::Lateness, "lateness"),
    (Quantity::QueueWait, "queue_wait"),
    (Quantity::FirstByte, "first_byte"),
    (Quantity::ConnectTime, "connect_time"),
    (Quantity::Wakeup, "wakeup"),
];

const SCALARS: [(Subject, &str); 5] = [
    (Subject::ErrorRatio, "error_ratio"),
    (Subject::OfferedRate, "offered_rate"),
    (Subject::AchievedRate, "achieved_rate"),
    (Subject::OkRate, "ok_rate"),
    (Subject::Planned, "planned"),
];

impl Quantity {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        QUANTITIES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Every name, in the order of the documentation.
    pub fn names() -> impl Iterator<Item = &'static str> {
        QUANTITIES.iter().map(|row| row.1)
    }

    fn name(self) -> &'static str {
        QUANTITIES[self as usize].1
    }

    fn of(self, summary: &Summary) -> &Distribution {
        match self {
            Self::ResponseTime => &summary.response_time,
            Self::OkResponseTime => &summary.response_time_ok,
            Self::ServiceTime => &summary.service_time,
            Self::Lateness => &summary.lateness,
            Self::QueueWait => &summary.queue_wait,
            Self::FirstByte => &summary.first_byte,
            Self::ConnectTime => &summary.connect_time,
            Self::Wakeup => &summary.wakeup,
        }
    }
}

impl Statistic {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "min" => Some(Self::Min),
            "mean" => Some(Self::Mean),
            "max" => Some(Self::Max),
            // `p99_9` too: that is its name in JSON.
            _ => Level::ALL
                .into_iter()
                .find(|level| level.label() == name || level.name() == name)
                .map(Self::At),
        }
    }

    /// Every name, in the order of the documentation.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Level::ALL.into_iter().map(Level::label).chain(["min", "mean", "max"])
    }

    fn name(self) -> &'static str {
        match self {
            Self::At(level) => level.label(),
            Self::Min => "min",
            Self::Mean => "mean",
            Self::Max => "max",
        }
    }
}

impl Subject {
    /// The subjects that are not durations.
    pub(crate) fn scalar(name: &str) -> Option<Self> {
        let scalar = SCALARS.iter().find(|row| row.1 == name).map(|row| row.0);
        let outcome = || Outcome::ALL.into_iter().find(|outcome| outcome.name() == name);
        scalar.or_else(|| outcome().map(Self::Outcome))
    }

    /// Every name that a comparison can begin with.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Statistic::names()
            .chain(SCALARS.iter().map(|row| row.1))
            .chain(Outcome::ALL.into_iter().map(Outcome::name))
    }

    /// The name for people: `p99`, `p99 of service_time`, `timeout`.
    #[must_use]
    pub fn label(self) -> String {
        match self {
            Self::Duration(statistic, Quantity::ResponseTime) => statistic.name().into(),
            Self::Duration(statistic, quantity) => {
                format!("{} of {}", statistic.name(), quantity.name())
            }
            Self::Outcome(outcome) => outcome.name().into(),
            scalar => SCALARS.iter().find(|row| row.0 == scalar).map_or("", |row| row.1).to_owned(),
        }
    }

    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Duration(..) => Kind::Duration,
            Self::ErrorRatio => Kind::Ratio,
            Self::OfferedRate | Self::AchievedRate | Self::OkRate => Kind::Rate,
            Self::Planned | Self::Outcome(_) => Kind::Count,
        }
    }

    /// The distribution behind a duration.
    pub(crate) fn distribution(self, summary: &Summary) -> Option<(Statistic, &Distribution)> {
        match self {
            Self::Duration(statistic, quantity) => Some((statistic, quantity.of(summary))),
            _ => None,
        }
    }
}
