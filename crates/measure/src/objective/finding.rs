//! What is found when an objective is set against measurements, and how that is told.

use std::fmt;

use super::comparison::Truth;
use super::evidence::{Evidence, Known};
use super::lasting::Lasting;
use super::subject::Kind;
use super::{Comparison, Scope};
use crate::format;

/// What was found: whether the condition of failure is met, and the numbers that decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    is_met: Option<bool>,
    facts: Vec<Fact>,
}

/// What a run says about an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The condition of failure is false.
    Held,
    /// The condition of failure is true.
    Failed,
    /// The run does not decide it.
    NotEnoughData,
}

/// One number, or the lack of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fact {
    pub(crate) comparison: Comparison,
    pub(crate) found: Found,
}

/// What was found for one comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found {
    /// Its subject's value.
    Value(Known),
    /// In how many windows in a row it was true.
    Lasted(Lasting),
    /// It is undecided.
    Lacking(Shortage),
    /// It is undecided, first in this window (seconds since the warm-up).
    LackingAt(usize, Shortage),
}

/// Why a comparison is undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shortage {
    /// There is nothing that it could be of.
    NoSamples,
    /// A percentile needs more samples.
    TooFewSamples { count: u64, needed_count: u64 },
    /// Only a bound is known, because of requests without an answer, and it does not decide.
    Bounded(Known),
    /// Requests without an answer leave it without any bound.
    Unbounded,
    /// The scope is not over yet, or would have been longer than the run.
    TooShort { measured_ns: u64, needed_s: u64 },
}

impl Judgement {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Failed => "failed",
            Self::NotEnoughData => "not_enough_data",
        }
    }
}

/// The name for people.
impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "held",
            Self::Failed => "failed",
            Self::NotEnoughData => "not enough data",
        })
    }
}

impl Finding {
    /// What was found for one comparison.
    pub(crate) fn of(comparison: Comparison, is_met: Option<bool>, found: Found) -> Self {
        Self { is_met, facts: vec![Fact { comparison, found }] }
    }

    /// A finding without its numbers, for whoever asks only whether.
    pub(crate) fn bare(is_met: Option<bool>) -> Self {
        Self { is_met, facts: Vec::new() }
    }

    /// What is found for a comparison that is about one stretch of time at once.
    pub(crate) fn at_once(comparison: Comparison, evidence: &dyn Evidence) -> Self {
        let (is_met, found) = match comparison.truth(evidence) {
            Truth::True(known) => (Some(true), Found::Value(known)),
            Truth::False(known) => (Some(false), Found::Value(known)),
            Truth::Unknown(shortage) => (None, Found::Lacking(shortage)),
        };
        Self::of(comparison, is_met, found)
    }

    /// The word for it.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        match self.is_met {
            Some(false) => Judgement::Held,
            Some(true) => Judgement::Failed,
            None => Judgement::NotEnoughData,
        }
    }

    /// The numbers that decide, or what is lacking: `p99 = 12.1 ms, timeout = 0`.
    #[must_use]
    pub fn detail(&self) -> String {
        self.facts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The opposite condition, decided by the same numbers.
    pub(crate) fn negated(self) -> Self {
        Self { is_met: self.is_met.map(|is_met| !is_met), ..self }
    }

    /// Several joined by `and` (`decisive` is false: one false part decides) or by `or` (`decisive`
    /// is true). Without a decisive part an undecided one leaves the whole undecided.
    pub(crate) fn joined(parts: Vec<Self>, decisive: bool) -> Self {
        let any = |is_met| parts.iter().any(|part| part.is_met == is_met);
        let is_met = [Some(decisive), None].into_iter().find(|&is_met| any(is_met));
        let is_met = is_met.unwrap_or(Some(!decisive));
        let deciding = parts.into_iter().filter(|part| part.is_met == is_met);
        Self { is_met, facts: deciding.flat_map(|part| part.facts).collect() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { subject, scope: Scope { after_s, .. }, .. } = self.comparison;
        let kind = subject.kind();
        let after = match after_s {
            0 => String::new(),
            seconds => format!(" after {seconds} s"),
        };
        match self.found {
            Found::Value(known) => write!(f, "{subject}{after} {}", known.show(kind)),
            Found::Lasted(lasting) => write!(f, "{}{after} {lasting}", self.comparison),
            Found::Lacking(shortage) => write!(f, "{subject}{after} {}", shortage.show(kind)),
            Found::LackingAt(window, Shortage::TooFewSamples { count, needed_count }) => write!(
                f,
                "{subject} needs {} samples in each second, second {window} has {}",
                format::count(needed_count),
                format::count(count)
            ),
            Found::LackingAt(window, shortage) => {
                write!(f, "{subject} in second {window} {}", shortage.show(kind))
            }
        }
    }
}

impl Known {
    fn show(self, kind: Kind) -> String {
        match self {
            Self::Exactly(value) => format!("= {}", kind.show(value)),
            Self::AtLeast(value) => format!("> {}", kind.show(value)),
            Self::AtMost(value) => format!("< {}", kind.show(value)),
        }
    }
}

impl Shortage {
    fn show(self, kind: Kind) -> String {
        match self {
            Self::NoSamples => "has no samples".into(),
            Self::TooFewSamples { count, needed_count } => format!(
                "needs {} samples, has {}",
                format::count(needed_count),
                format::count(count)
            ),
            Self::Bounded(known) => {
                format!("{}, no more is known because of unanswered requests", known.show(kind))
            }
            Self::Unbounded => "has no bound because of unanswered requests".into(),
            Self::TooShort { measured_ns, needed_s } => format!(
                "needs {} s of measured time, has {}",
                format::count(needed_s),
                format::duration(measured_ns as f64)
            ),
        }
    }
}
