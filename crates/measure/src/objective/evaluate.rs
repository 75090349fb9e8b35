//! Setting an objective against a run.

use std::fmt;

use super::quantity::Kind;
use super::{Comparison, Objective, Statistic, Subject};
use crate::distribution::Percentile;
use crate::{Summary, format};

/// What a run says about an objective.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The condition of failure is false.
    Held,
    /// The condition of failure is true.
    Failed {
        /// The comparisons that made it so, as measured.
        measured: Vec<Measured>,
    },
    /// The run does not decide it.
    NotEnoughData {
        /// What could not be decided, and why.
        why: Vec<(Subject, Shortage)>,
    },
}

/// A number that met the condition of failure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// What it is.
    pub subject: Subject,
    /// Nanoseconds, per second, a ratio or a count.
    pub value: f64,
    /// Whether it is only known to be at least that much.
    pub at_least: bool,
}

/// Why a comparison is undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortage {
    /// There is nothing that it could be of.
    NoSamples,
    /// A percentile needs more samples.
    TooFewSamples {
        /// How many there are.
        count: u64,
        /// How many it takes.
        needed_count: u64,
    },
    /// It lies among unanswered requests, and their bound does not decide.
    Unanswered {
        /// What is known: it is at least this many nanoseconds.
        at_least_ns: f64,
    },
}

/// What is known of a number.
enum Known {
    Exactly(f64),
    AtLeast(f64),
    Nothing(Shortage),
}

/// What a comparison comes to.
enum Truth {
    True(Measured),
    False,
    Unknown(Subject, Shortage),
}

impl Objective {
    /// Sets the objective against a run.
    #[must_use]
    pub fn evaluate(&self, summary: &Summary) -> Judgement {
        let mut undecided = Vec::new();
        for conjunction in &self.conjunctions {
            match all_of(conjunction, summary) {
                Judgement::Held => {}
                Judgement::NotEnoughData { why } => undecided.extend(why),
                failed @ Judgement::Failed { .. } => return failed,
            }
        }
        if undecided.is_empty() {
            return Judgement::Held;
        }
        Judgement::NotEnoughData { why: undecided }
    }
}

/// One false comparison decides; without one, an unknown comparison leaves it open.
fn all_of(conjunction: &[Comparison], summary: &Summary) -> Judgement {
    let (mut measured, mut why) = (Vec::new(), Vec::new());
    for comparison in conjunction {
        match comparison.truth(summary) {
            Truth::True(value) => measured.push(value),
            Truth::False => return Judgement::Held,
            Truth::Unknown(subject, shortage) => why.push((subject, shortage)),
        }
    }
    if why.is_empty() { Judgement::Failed { measured } } else { Judgement::NotEnoughData { why } }
}

impl Comparison {
    fn truth(&self, summary: &Summary) -> Truth {
        let &Self { subject, operator, value } = self;
        let truth = |holds, measured, at_least| match holds {
            true => Truth::True(Measured { subject, value: measured, at_least }),
            false => Truth::False,
        };
        match known(subject, summary) {
            Known::Exactly(measured) => truth(operator.holds(measured, value), measured, false),
            Known::AtLeast(bound) => match operator.holds_from(bound, value) {
                Some(holds) => truth(holds, bound, true),
                None => Truth::Unknown(subject, Shortage::Unanswered { at_least_ns: bound }),
            },
            Known::Nothing(shortage) => Truth::Unknown(subject, shortage),
        }
    }
}

fn known(subject: Subject, summary: &Summary) -> Known {
    let exactly = |count: u64| Known::Exactly(count as f64);
    match subject {
        Subject::Duration(..) => duration(subject, summary),
        Subject::ErrorRatio => match summary.error_ratio() {
            Some(ratio) => Known::Exactly(ratio),
            None => Known::Nothing(Shortage::NoSamples),
        },
        Subject::OfferedRate => Known::Exactly(summary.rates.offered_per_s),
        Subject::AchievedRate => Known::Exactly(summary.rates.achieved_per_s),
        Subject::OkRate => Known::Exactly(summary.rates.ok_per_s),
        Subject::Planned => exactly(summary.planned),
        Subject::Outcome(outcome) => exactly(summary.outcome(outcome)),
    }
}

fn duration(subject: Subject, summary: &Summary) -> Known {
    let Some((statistic, distribution)) = subject.distribution(summary) else {
        return Known::Nothing(Shortage::NoSamples);
    };
    let exact_or_bound = |value: Option<f64>| match value {
        None => Known::Nothing(Shortage::NoSamples),
        Some(value) if distribution.censored_count > 0 => Known::AtLeast(value),
        Some(value) => Known::Exactly(value),
    };
    match statistic {
        Statistic::Min => match distribution.min_ns {
            Some(ns) => Known::Exactly(ns as f64),
            None => Known::Nothing(Shortage::NoSamples),
        },
        Statistic::Mean => exact_or_bound(distribution.mean_ns),
        Statistic::Max => exact_or_bound(distribution.max_ns.map(|ns| ns as f64)),
        Statistic::At(level) => match distribution.at(level) {
            Percentile::Value(ns) => Known::Exactly(ns as f64),
            Percentile::AtLeast(ns) => Known::AtLeast(ns as f64),
            Percentile::NotEnough { needed_count } => {
                let count = distribution.count;
                Known::Nothing(Shortage::TooFewSamples { count, needed_count })
            }
        },
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.at_least { ">" } else { "=" };
        let value = match self.subject.kind() {
            Kind::Duration => format::duration(self.value),
            Kind::Ratio => format::percent(self.value),
            Kind::Rate => format!("{}/s", format::rate(self.value)),
            Kind::Count => format::count(self.value as u64),
        };
        write!(f, "{} {sign} {value}", self.subject.label())
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoSamples => f.write_str("nothing was measured"),
            Self::TooFewSamples { count, needed_count } => write!(
                f,
                "needs {} samples, has {}",
                format::count(needed_count),
                format::count(count)
            ),
            Self::Unanswered { at_least_ns } => write!(
                f,
                "lies among unanswered requests, known only to be at least {}",
                format::duration(at_least_ns)
            ),
        }
    }
}
