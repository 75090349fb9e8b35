//! Seconds in which the generator was not fit to measure.

use super::facts::{Facts, SecondFacts, Tail};
use super::table::Limit;
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
    /// What figure it looks at.
    pub(super) figure: &'static str,
    /// From where the second is doubtful.
    pub(super) doubtful: Limit,
    /// From where it is bad.
    pub(super) bad: Option<Limit>,
    find: fn(&SecondFacts) -> Option<Found>,
}

/// What a flag's figure is in a second.
struct Found {
    figure: f64,
    /// The duration behind a ratio.
    duration_ns: u64,
    /// For a person.
    text: String,
}

/// Every flag.
pub(super) const FLAGS: &[FlagHelp] = &[
    FlagHelp {
        flag: Flag::Stalled,
        name: "stalled",
        figure: "time in which workers were kept from their work, 1 ms and more at a time, in sum",
        doubtful: Limit::duration(20 * MS),
        bad: Some(Limit::duration(100 * MS)),
        find: stalled,
    },
    FlagHelp {
        flag: Flag::Late,
        name: "late",
        figure: "lateness as a share of response time, at the highest of p99, p90, p50 that the \
                 second's requests support",
        doubtful: Limit::ratio(0.50).with_floor(MS),
        bad: Some(Limit::ratio(0.50).with_floor(10 * MS)),
        find: late,
    },
    FlagHelp {
        flag: Flag::Stolen,
        name: "stolen",
        figure: "processor time that the hypervisor gave to others",
        doubtful: Limit::ratio(0.05),
        bad: Some(Limit::ratio(0.20)),
        find: stolen,
    },
    FlagHelp {
        flag: Flag::ClockStep,
        name: "clock_step",
        figure: "times that the wall clock was set",
        doubtful: Limit::count(1),
        bad: None,
        find: clock_step,
    },
];

const MS: u64 = 1_000_000;

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
    let found: Vec<_> = FLAGS.iter().filter_map(|row| row.look_at(second)).collect();
    Some(FlaggedSecond {
        window: second.window,
        grade: found.iter().map(|(_, grade, _)| *grade).max()?,
        flags: found.iter().map(|(flag, ..)| *flag).collect(),
        findings: found.into_iter().map(|(.., finding)| finding).collect(),
    })
}

impl FlagHelp {
    fn look_at(&self, second: &SecondFacts) -> Option<(Flag, Grade, String)> {
        let found = (self.find)(second)?;
        let crosses = |limit: Limit| limit.is_crossed(found.figure, found.duration_ns);
        let grade = if self.bad.is_some_and(crosses) {
            Grade::Bad
        } else if crosses(self.doubtful) {
            Grade::Doubtful
        } else {
            return None;
        };
        Some((self.flag, grade, found.text))
    }
}

fn stalled(second: &SecondFacts) -> Option<Found> {
    let duration_ns = second.stalled_ns;
    let text = format!("stalled for {}", duration(duration_ns as f64));
    Some(Found { figure: duration_ns as f64, duration_ns, text })
}

fn late(second: &SecondFacts) -> Option<Found> {
    let Tail { share, lateness_ns, response_ns } = second.tail?;
    Some(Found {
        figure: lateness_ns as f64 / response_ns.max(1) as f64,
        duration_ns: lateness_ns,
        text: format!("sent late by {} (p{:.0})", duration(lateness_ns as f64), share * 100.0),
    })
}

fn stolen(second: &SecondFacts) -> Option<Found> {
    let ratio = second.steal_ratio?;
    let text = format!("{} stolen by the hypervisor", percent(ratio));
    Some(Found { figure: ratio, duration_ns: 0, text })
}

fn clock_step(second: &SecondFacts) -> Option<Found> {
    let text = "the wall clock was set".to_owned();
    Some(Found { figure: second.clock_steps as f64, duration_ns: 0, text })
}
