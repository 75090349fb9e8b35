//! Seconds in which the generator was not fit to measure.

use super::{Facts, SecondFacts};
use crate::format::{duration, percent};

/// What can be wrong with a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "FLAGS below says of each what it is")]
pub enum Flag {
    Stalled,
    Late,
    Stolen,
    ClockStep,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// The far tail of the second may be the generator's.
    Doubtful,
    /// The second says nothing about the server.
    Bad,
}

/// A second with something wrong in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlaggedSecond {
    /// Seconds since the end of the warm-up.
    pub window: i64,
    /// The worst of its flags.
    pub grade: Grade,
    /// What was wrong.
    pub flags: Vec<Flag>,
    /// The same for a person: `stalled for 203 ms`.
    pub findings: Vec<String>,
}

/// A row of the table of flags.
pub(super) struct FlagHelp {
    flag: Flag,
    pub(super) name: &'static str,
    pub(super) doubtful_text: &'static str,
    pub(super) bad_text: &'static str,
    pub(super) about: &'static str,
    find: fn(&SecondFacts) -> Option<(Grade, String)>,
}

/// Every flag.
pub(super) const FLAGS: &[FlagHelp] = &[
    FlagHelp {
        flag: Flag::Stalled,
        name: "stalled",
        doubtful_text: "from 20.0 ms",
        bad_text: "from 100 ms",
        about: "time in which workers were kept from their work, 1 ms and more at a time, in sum",
        find: stalled,
    },
    FlagHelp {
        flag: Flag::Late,
        name: "late",
        doubtful_text: "from 50.0 % and 1.00 ms",
        bad_text: "from 50.0 % and 10.0 ms",
        about: "lateness as a share of response time, at the highest of p99, p90, p50 that the \
                second's requests support",
        find: late,
    },
    FlagHelp {
        flag: Flag::Stolen,
        name: "stolen",
        doubtful_text: "from 5.00 %",
        bad_text: "from 20.0 %",
        about: "processor time that the hypervisor gave to others",
        find: stolen,
    },
    FlagHelp {
        flag: Flag::ClockStep,
        name: "clock_step",
        doubtful_text: "from 1",
        bad_text: "–",
        about: "times that the wall clock was set",
        find: clock_step,
    },
];

const STALLED_DOUBTFUL_NS: u64 = 20_000_000;
const STALLED_BAD_NS: u64 = 100_000_000;
const LATE_RATIO: f64 = 0.5;
const LATE_DOUBTFUL_NS: u64 = 1_000_000;
const LATE_BAD_NS: u64 = 10_000_000;
const STOLEN_DOUBTFUL_RATIO: f64 = 0.05;
const STOLEN_BAD_RATIO: f64 = 0.20;

impl Flag {
    /// The name in JSON and in the run file.
    #[must_use]
    pub fn name(self) -> &'static str {
        FLAGS[self as usize].name
    }

    /// The flag of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        FLAGS.iter().find(|row| row.name == name).map(|row| row.flag)
    }
}

impl Grade {
    /// The name in JSON and in the run file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Doubtful => "doubtful",
            Self::Bad => "bad",
        }
    }

    /// The grade of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Doubtful, Self::Bad].into_iter().find(|grade| grade.name() == name)
    }
}

/// The seconds with something wrong in them.
pub(super) fn flag(facts: &Facts) -> Vec<FlaggedSecond> {
    facts.seconds.iter().filter_map(flag_second).collect()
}

fn flag_second(second: &SecondFacts) -> Option<FlaggedSecond> {
    let found: Vec<_> =
        FLAGS.iter().filter_map(|row| (row.find)(second).map(|found| (row.flag, found))).collect();
    let grade = found.iter().map(|(_, (grade, _))| *grade).max()?;
    Some(FlaggedSecond {
        window: second.window,
        grade,
        flags: found.iter().map(|(flag, _)| *flag).collect(),
        findings: found.into_iter().map(|(_, (_, finding))| finding).collect(),
    })
}

fn stalled(second: &SecondFacts) -> Option<(Grade, String)> {
    let grade = grade(second.stalled_ns, STALLED_DOUBTFUL_NS, STALLED_BAD_NS)?;
    Some((grade, format!("stalled for {}", duration(second.stalled_ns as f64))))
}

fn late(second: &SecondFacts) -> Option<(Grade, String)> {
    let tail = second.tail?;
    if (tail.lateness_ns as f64) < LATE_RATIO * tail.response_ns as f64 {
        return None;
    }
    let grade = grade(tail.lateness_ns, LATE_DOUBTFUL_NS, LATE_BAD_NS)?;
    let level = format!("p{:.0}", tail.share * 100.0);
    Some((grade, format!("sent late by {} ({level})", duration(tail.lateness_ns as f64))))
}

fn stolen(second: &SecondFacts) -> Option<(Grade, String)> {
    let ratio = second.steal_ratio?;
    let grade = grade(ratio, STOLEN_DOUBTFUL_RATIO, STOLEN_BAD_RATIO)?;
    Some((grade, format!("{} stolen by the hypervisor", percent(ratio))))
}

fn clock_step(second: &SecondFacts) -> Option<(Grade, String)> {
    (second.clock_steps > 0).then(|| (Grade::Doubtful, "the wall clock was set".to_owned()))
}

fn grade<T: PartialOrd>(figure: T, doubtful: T, bad: T) -> Option<Grade> {
    match figure {
        figure if figure >= bad => Some(Grade::Bad),
        figure if figure >= doubtful => Some(Grade::Doubtful),
        _ => None,
    }
}
