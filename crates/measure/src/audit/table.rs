//! The checks and their thresholds: the one table that the audit decides by and that the
//! documentation is made from.

use std::fmt::Write as _;

use super::Verdict;
use crate::format::{count, duration, percent};

/// Something that can be wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "CHECKS below says of each what it looks at")]
pub enum Check {
    Accounts,
    Cut,
    NoAnswer,
    Late,
    LateTail,
    ReadLate,
    BadSeconds,
    WorkerBusy,
    Steal,
    ClockStep,
    Starved,
    Dropped,
    ConnectionLimited,
    Overloaded,
    RisingOutstanding,
    DriftP50,
    DriftP99,
    Retransmits,
    FewSamples,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CheckHelp {
    /// The check.
    pub check: Check,
    /// Its name in JSON and in the run file.
    pub name: &'static str,
    /// What figure it looks at.
    pub figure: &'static str,
    /// From where the run is suspect.
    pub suspect: Option<Limit>,
    /// From where it is invalid.
    pub invalid: Option<Limit>,
    /// What it means when it is found.
    pub meaning: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
}

/// A threshold: from `value` on, and, where a floor is given, only when the duration behind the
/// figure is at least that long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    value: Value,
    floor_ns: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    /// The figure is a ratio, 0..=1.
    Ratio(f64),
    /// The figure is a ratio of which less is worse.
    RatioBelow(f64),
    /// The figure is a duration in nanoseconds.
    Duration(u64),
    /// The figure is a count.
    Count(u64),
    /// The figure is a count of which less is worse.
    CountBelow(u64),
    /// It either is so or it is not.
    Always,
}

impl Limit {
    pub(super) const fn ratio(from: f64) -> Self {
        Self { value: Value::Ratio(from), floor_ns: None }
    }

    pub(super) const fn count(from: u64) -> Self {
        Self { value: Value::Count(from), floor_ns: None }
    }

    pub(super) const fn duration(from_ns: u64) -> Self {
        Self { value: Value::Duration(from_ns), floor_ns: None }
    }

    pub(super) const fn with_floor(self, floor_ns: u64) -> Self {
        Self { floor_ns: Some(floor_ns), ..self }
    }
}

const fn from(ratio: f64) -> Option<Limit> {
    Some(Limit::ratio(ratio))
}

const fn from_with(ratio: f64, floor_ns: u64) -> Option<Limit> {
    Some(Limit::ratio(ratio).with_floor(floor_ns))
}

const fn below(ratio: f64) -> Option<Limit> {
    Some(Limit { value: Value::RatioBelow(ratio), floor_ns: None })
}

const fn fewer(count: u64) -> Option<Limit> {
    Some(Limit { value: Value::CountBelow(count), floor_ns: None })
}

const fn any(count: u64) -> Option<Limit> {
    Some(Limit::count(count))
}

const ALWAYS: Option<Limit> = Some(Limit { value: Value::Always, floor_ns: None });

/// Lateness and wake-up delay below this are what a general-purpose kernel does to anyone.
pub const LATE_FLOOR_NS: u64 = 100 * US;

/// From this share of the time on a processor, a worker is at its limit.
pub const BUSY_RATIO: f64 = 0.90;

/// A rate is reached when this share of what is offered is answered.
pub const RATE_REACHED_RATIO: f64 = 0.99;

const US: u64 = 1_000;
const MS: u64 = 1_000 * US;

/// Every check, in the order in which reasons of the same weight are told.
pub const CHECKS: &[CheckHelp] = &[
    CheckHelp {
        check: Check::Accounts,
        name: "accounts",
        figure: "planned requests that are missing among the outcomes, or counted twice",
        suspect: None,
        invalid: any(1),
        meaning: "throng lost or invented requests: a defect of throng",
        remedy: "report it with the run file; do not use these numbers",
    },
    CheckHelp {
        check: Check::Cut,
        name: "cut",
        figure: "whether the run has an end",
        suspect: ALWAYS,
        invalid: None,
        meaning: "the run was killed or is still going on; up to its last second is missing",
        remedy: "let the run come to its end",
    },
    CheckHelp {
        check: Check::NoAnswer,
        name: "no_answer",
        figure: "requests that were answered",
        suspect: None,
        invalid: fewer(1),
        meaning: "there is nothing to measure",
        remedy: "look at the outcomes and causes: is it the right address, does the server run?",
    },
    CheckHelp {
        check: Check::Late,
        name: "late",
        figure: "lateness as a share of response time, at each stated percentile up to p99",
        suspect: from_with(0.10, LATE_FLOOR_NS),
        invalid: from_with(0.50, MS),
        meaning: "that part of the response time is the generator's own: it sent requests later \
                  than they were due",
        remedy: "use more threads (-t), a lower rate, or a machine with less other work; service \
                 time is free of it",
    },
    CheckHelp {
        check: Check::LateTail,
        name: "late_tail",
        figure: "lateness as a share of response time, at p99.9 and p99.99 where they are stated",
        suspect: from_with(0.10, MS),
        invalid: from_with(0.50, 10 * MS),
        meaning: "the far tail is partly the generator's own; lower percentiles may be sound",
        remedy: "use a machine with less other work, or read the tail from service time",
    },
    CheckHelp {
        check: Check::ReadLate,
        name: "read_late",
        figure: "wake-up delay (answer in the kernel until read) as a share of service time, at \
                 p50 and p99",
        suspect: from_with(0.50, MS),
        invalid: from_with(1.00, 10 * MS),
        meaning: "answers lay unread: the generator is near its limit. Response times are stamped \
                  by the kernel and do not contain this; in a closed model it is in the lateness of \
                  the next request",
        remedy: "use more threads (-t) or fewer connections",
    },
    CheckHelp {
        check: Check::BadSeconds,
        name: "bad_seconds",
        figure: "seconds in which the generator was kept from its work (see the flags)",
        suspect: any(1),
        invalid: from(0.10),
        meaning: "what is measured in these seconds is the generating machine",
        remedy: "look at the flagged seconds; give the generator processors of its own",
    },
    CheckHelp {
        check: Check::WorkerBusy,
        name: "worker_busy",
        figure: "mean share of the time that the busiest worker's thread was on a processor",
        suspect: from(BUSY_RATIO),
        invalid: None,
        meaning: "the generator is at its limit: in a closed model it, and not the server, may \
                  decide the rate",
        remedy: "use more threads (-t) or more machines",
    },
    CheckHelp {
        check: Check::Steal,
        name: "steal",
        figure: "share of processor time that the hypervisor gave to others",
        suspect: from(0.01),
        invalid: from(0.10),
        meaning: "the machine stood still without knowing it",
        remedy: "use a machine that is not shared, or repeat when it is quieter",
    },
    CheckHelp {
        check: Check::ClockStep,
        name: "clock_step",
        figure: "times that the wall clock was set during the run",
        suspect: any(1),
        invalid: None,
        meaning: "kernel timestamps were off for up to 100 ms; they are held between sending and \
                  reading, so a response time can be wrong by its wake-up delay",
        remedy: "let the clock be slewed, not stepped, while measuring",
    },
    CheckHelp {
        check: Check::Starved,
        name: "starved",
        figure: "attempts to open a connection that failed for want of a file or a local port",
        suspect: any(1),
        invalid: None,
        meaning: "the generator could not open the connections that the plan wanted",
        remedy: "raise the limit on open files (ulimit -n), keep connections alive, or use more \
                 local addresses",
    },
    CheckHelp {
        check: Check::Dropped,
        name: "dropped",
        figure: "share of planned requests that were never started, as too many waited already",
        suspect: any(1),
        invalid: from(0.01),
        meaning: "the server was sent less than the plan said",
        remedy: "lower the rate, or allow more connections",
    },
    CheckHelp {
        check: Check::ConnectionLimited,
        name: "connection_limited",
        figure: "share of requests that waited for a connection while the pool was at its size",
        suspect: from(0.01),
        invalid: None,
        meaning: "the pool decides this result: the server never saw more than the pool let through",
        remedy: "rerun with more connections (-c, --max-connections), unless the pool's size is \
                 what you want to test",
    },
    CheckHelp {
        check: Check::Overloaded,
        name: "overloaded",
        figure: "achieved rate as a share of the offered rate over the second half of the run, where \
                 the shortfall is more than chance makes (open model)",
        suspect: below(RATE_REACHED_RATIO),
        invalid: None,
        meaning: "more was sent than was answered: waiting grows for as long as the run lasts, so \
                  response times tell the run's length and not the server's speed",
        remedy: "lower the rate until it is reached; the achieved rate is what was answered",
    },
    CheckHelp {
        check: Check::RisingOutstanding,
        name: "rising_outstanding",
        figure: "rise of outstanding requests over the run, as a share of their median, where the \
                 trend is significant (Mann-Kendall, p < 0.001) and at least 10 requests (open \
                 model)",
        suspect: from(0.20),
        invalid: None,
        meaning: "requests pile up: this rate is not sustainable",
        remedy: "lower the rate, or run for longer to see where it ends",
    },
    CheckHelp {
        check: Check::DriftP50,
        name: "drift_p50",
        figure: "change of the per-second p50 of response time over the run, as a share of its \
                 median, where the trend is significant (Mann-Kendall, p < 0.001)",
        suspect: from_with(0.20, 100 * US),
        invalid: None,
        meaning: "response time has not settled: another run length gives another result",
        remedy: "rising: lower the rate; falling: use a longer --warmup; or run for longer",
    },
    CheckHelp {
        check: Check::DriftP99,
        name: "drift_p99",
        figure: "the same for the per-second p99",
        suspect: from_with(0.20, 100 * US),
        invalid: None,
        meaning: "the tail has not settled: another run length gives another result",
        remedy: "rising: lower the rate; falling: use a longer --warmup; or run for longer",
    },
    CheckHelp {
        check: Check::Retransmits,
        name: "retransmits",
        figure: "TCP segments sent again on the run's connections, three or more, as a share of \
                 requests; of the whole host, from 1 % on",
        suspect: from(0.001),
        invalid: None,
        meaning: "the network lost packets, each of which delays a request by 200 ms or more: the \
                  tail may be the network's",
        remedy: "look for drops on the way (nstat, ethtool -S), or for a listener's full backlog",
    },
    CheckHelp {
        check: Check::FewSamples,
        name: "few_samples",
        figure: "requests in the measured time",
        suspect: fewer(1_000),
        invalid: None,
        meaning: "p99 cannot be stated: fewer than ten requests lie beyond it",
        remedy: "run for longer",
    },
];

impl Check {
    /// Its row.
    #[must_use]
    pub fn help(self) -> &'static CheckHelp {
        &CHECKS[self as usize]
    }

    /// The check of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        CHECKS.iter().find(|row| row.name == name).map(|row| row.check)
    }

    /// What a figure comes to, and the threshold that it crossed. `duration_ns` is the duration
    /// behind a ratio, for limits with a floor.
    #[must_use]
    pub(super) fn weigh(self, figure: f64, duration_ns: u64) -> Option<(Verdict, String)> {
        self.weigh_apart(figure, figure, duration_ns)
    }

    /// The same where one figure makes a run suspect and another one invalid.
    #[must_use]
    pub(super) fn weigh_apart(
        self,
        suspect_figure: f64,
        invalid_figure: f64,
        duration_ns: u64,
    ) -> Option<(Verdict, String)> {
        let row = self.help();
        let crossed = |limit: Option<Limit>, figure| {
            limit.filter(|limit| limit.is_crossed(figure, duration_ns))
        };
        let invalid = crossed(row.invalid, invalid_figure).map(|limit| (Verdict::Invalid, limit));
        let suspect = || crossed(row.suspect, suspect_figure).map(|l| (Verdict::Suspect, l));
        let (verdict, limit) = invalid.or_else(suspect)?;
        Some((verdict, format!("{verdict} {limit}")))
    }
}

impl Limit {
    pub(super) fn is_crossed(self, figure: f64, duration_ns: u64) -> bool {
        let crossed = match self.value {
            Value::Ratio(limit) => figure >= limit,
            Value::RatioBelow(limit) => figure < limit,
            Value::Count(limit) | Value::Duration(limit) => figure >= limit as f64,
            Value::CountBelow(limit) => figure < limit as f64,
            Value::Always => figure > 0.0,
        };
        crossed && self.floor_ns.is_none_or(|floor_ns| duration_ns >= floor_ns)
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value {
            Value::Ratio(ratio) => write!(f, "from {}", percent(ratio))?,
            Value::RatioBelow(ratio) => write!(f, "below {}", percent(ratio))?,
            Value::Duration(ns) => write!(f, "from {}", duration(ns as f64))?,
            Value::Count(limit) => write!(f, "from {}", count(limit))?,
            Value::CountBelow(limit) => write!(f, "below {}", count(limit))?,
            Value::Always => f.write_str("if so")?,
        }
        match self.floor_ns {
            Some(floor_ns) => write!(f, " and {}", duration(floor_ns as f64)),
            None => Ok(()),
        }
    }
}

/// The table as Markdown: what `docs/measurement.md` contains.
#[must_use]
pub fn documentation() -> String {
    let mut text = String::from(
        "| check | looks at | suspect | invalid | meaning | what to do |\n|---|---|---|---|---|---|\n",
    );
    let limit =
        |limit: Option<Limit>| limit.map_or_else(|| "–".to_owned(), |limit| limit.to_string());
    for row in CHECKS {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            row.name,
            row.figure,
            limit(row.suspect),
            limit(row.invalid),
            row.meaning,
            row.remedy
        );
    }
    text.push_str("\n| flag of a second | doubtful | bad | what is flagged |\n|---|---|---|---|\n");
    for row in super::seconds::FLAGS {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            row.name,
            row.doubtful,
            limit(row.bad),
            row.figure
        );
    }
    text
}
