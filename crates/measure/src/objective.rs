//! Objectives: `--fail-if 'p99 > 50ms for 10s or error_ratio > 1%'`.
//!
//! An expression states what makes a run *fail*:
//!
//! ```text
//! expression  = conjunction { "or" conjunction }
//! conjunction = condition { "and" condition }
//! condition   = "not" condition | "(" expression ")" | comparison
//! comparison  = subject operator value { "for" SECONDS | "after" ( "warmup" | SECONDS ) }
//! subject     = statistic [ "of" quantity ] | quantity "." statistic
//!             | "offered_rate" | "achieved_rate" | "ok_rate"
//!             | class | class "_ratio"
//! statistic   = PERCENTILE | "min" | "mean" | "stdev" | "max"
//! class       = "planned" | "error" | OUTCOME | "status_" CODE | "status_" DIGIT "xx"
//! operator    = "<" | "<=" | ">" | ">=" | "==" | "!="
//! value       = NUMBER ( "ns" | "us" | "ms" | "s" | "m" | "h" )     durations
//!             | NUMBER [ "%" ]                                      ratios
//!             | NUMBER [ "k" | "M" | "G" ]                          rates and counts
//! ```
//!
//! A percentile is `p` and a number above 0 and below 100 with at most four decimals. A statistic
//! without a quantity is of the response time. Ratios are shares of the planned requests.
//! `docs/objectives.md` explains each with examples.
//!
//! # What a comparison is about
//!
//! The measured time, which the warm-up is never part of. `after 30s` leaves out what was due in
//! its first 30 seconds. `for 10s` compares each one-second window by itself: the comparison is
//! true if it is in 10 windows in a row. Windows are those of the run file, by due time; a second
//! that the end of the run cut short is no window.
//!
//! # Three values
//!
//! A run can leave a comparison undecided: a percentile has too few samples, or lies among
//! unanswered requests of which only a lower bound is known, or the run was shorter than its
//! scope. Such a comparison is neither true nor false (Kleene's logic), and an expression is
//! decided where its value does not depend on it. Undecided windows break a stretch of true ones,
//! and leave the whole undecided if they could have completed it.
//!
//! # One value of a subject, three places
//!
//! `evidence` says what a subject's value is over a stretch of time; `judge` asks it about a run
//! file, `watch` about a run that is still going on.
//!
//! Not here: what follows from a failed objective (the exit status).

mod comparison;
pub(crate) mod error;
mod evidence;
mod finding;
mod judge;
mod lasting;
mod parse;
pub(crate) mod scan;
mod subject;
mod value;
mod watch;

use std::fmt;

pub(crate) use comparison::{Comparison, Operator, Scope};
pub use error::{Expected, ObjectiveError};
pub use finding::{Finding, Judgement};
pub use judge::judge;
use subject::{Quantity, Statistic, Subject};
pub(crate) use watch::Watch;

/// A condition on a run's numbers under which the run fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    text: String,
    comparisons: Vec<Comparison>,
    condition: Condition,
}

/// How comparisons are joined.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// The place in [`Objective::comparisons`].
    Comparison(usize),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

/// What is wanted of a run.
#[derive(Clone, Debug, Default)]
pub struct Objectives {
    /// The conditions under which it fails.
    pub conditions: Vec<Objective>,
    /// Whether it ends as soon as one of them is met.
    pub abort: bool,
}

impl Objective {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ObjectiveError`] names the column, what stands there and what was expected.
    pub fn parse(text: &str) -> Result<Self, ObjectiveError> {
        let (comparisons, condition) = parse::expression(text)?;
        // Blanks can be line feeds, which would break the lines of a report.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { text, comparisons, condition })
    }

    /// The expression as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What comes of it, given a finding for each comparison.
    fn finding(&self, comparisons: &[Finding]) -> Finding {
        self.condition.finding(comparisons)
    }
}

impl Condition {
    /// Recursion ends: the parser limits how deep conditions are nested.
    fn finding(&self, comparisons: &[Finding]) -> Finding {
        let of = |parts: &[Self]| -> Vec<_> {
            parts.iter().map(|part| part.finding(comparisons)).collect()
        };
        match self {
            Self::Comparison(place) => comparisons[*place].clone(),
            Self::Not(condition) => condition.finding(comparisons).negated(),
            Self::All(parts) => Finding::joined(of(parts), false),
            Self::Any(parts) => Finding::joined(of(parts), true),
        }
    }
}

/// Every name that a comparison can begin with; of percentiles and statuses examples.
pub fn subject_names() -> impl Iterator<Item = String> {
    Subject::names()
}

/// The name of every duration.
pub fn quantity_names() -> impl Iterator<Item = String> {
    Quantity::names()
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests;
