//! Objectives: `--fail-if 'p99 > 50ms or error_ratio > 1%'`.
//!
//! An expression states what makes a run *fail*. It is comparisons joined by `and` and `or`, `and`
//! binding tighter:
//!
//! ```text
//! expression = conjunction { "or" conjunction }
//! conjunction = comparison { "and" comparison }
//! comparison = metric operator value
//! metric     = statistic [ "of" quantity ] | quantity "." statistic
//!            | "error_ratio" | "offered_rate" | "achieved_rate" | "ok_rate" | "planned" | OUTCOME
//! statistic  = "p50" | … | "p99.99" | "min" | "mean" | "max"
//! operator   = "<" | "<=" | ">" | ">=" | "==" | "!="
//! value      = NUMBER ( "ns" | "us" | "ms" | "s" | "m" | "h" )     durations
//!            | NUMBER [ "%" ]                                      error_ratio
//!            | NUMBER [ "k" | "M" | "G" ]                          rates and counts
//! ```
//!
//! A statistic without a quantity is of the response time. A run can be too short to decide a
//! comparison: a percentile with too few samples, or one among unanswered requests of which only a
//! lower bound is known. Such a comparison is neither true nor false, and an expression is decided
//! only where its value does not depend on it.
//!
//! Not here: what follows from a failed objective (the exit status).

pub(crate) mod error;
mod evaluate;
mod parse;
mod quantity;
pub(crate) mod scan;

use std::fmt;

pub use error::{Expected, ObjectiveError};
pub use evaluate::{Judgement, Measured, Shortage};
pub use quantity::{Quantity, Statistic, Subject};

/// A condition on a run's numbers under which the run fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    text: String,
    /// True when every comparison of any of these is true.
    conjunctions: Vec<Vec<Comparison>>,
}

/// One `metric operator value`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) subject: Subject,
    pub(crate) operator: Operator,
    /// In nanoseconds, per second, a ratio 0..=1, or a count, as the subject's kind says.
    pub(crate) value: f64,
}

/// How a measured number is set against the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Objective {
    /// Reads an expression.
    ///
    /// # Errors
    /// [`ObjectiveError`] names the column, what stands there and what was expected.
    pub fn parse(text: &str) -> Result<Self, ObjectiveError> {
        let conjunctions = parse::expression(text)?;
        Ok(Self { text: text.trim().to_owned(), conjunctions })
    }

    /// The expression as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Operator {
    /// Every operator with its sign, longer signs before those they begin with.
    pub(crate) const SIGNS: [(Self, &'static str); 6] = [
        (Self::LessOrEqual, "<="),
        (Self::GreaterOrEqual, ">="),
        (Self::Equal, "=="),
        (Self::NotEqual, "!="),
        (Self::Less, "<"),
        (Self::Greater, ">"),
    ];

    pub(crate) fn holds(self, measured: f64, value: f64) -> bool {
        match self {
            Self::Less => measured < value,
            Self::LessOrEqual => measured <= value,
            Self::Greater => measured > value,
            Self::GreaterOrEqual => measured >= value,
            Self::Equal => measured == value,
            Self::NotEqual => measured != value,
        }
    }

    /// Whether it holds for every number that is at least `bound`, for none, or depends.
    pub(crate) fn holds_from(self, bound: f64, value: f64) -> Option<bool> {
        match self {
            Self::Greater | Self::NotEqual if bound > value => Some(true),
            Self::GreaterOrEqual if bound >= value => Some(true),
            Self::LessOrEqual | Self::Equal if bound > value => Some(false),
            Self::Less if bound >= value => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
