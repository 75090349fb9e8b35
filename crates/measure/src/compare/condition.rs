//! Conditions on a comparison: `--fail-if 'p99_change > 5% or rate_change < -2%'`.
//!
//! A condition states what makes a comparison *fail*. It is set against 95 % confidence intervals,
//! so it has three results:
//!
//! ```text
//! condition   = conjunction { "or" conjunction }
//! conjunction = limit { "and" limit }
//! limit       = figure "_change" ( "<" | "<=" | ">" | ">=" ) [ "+" | "-" ] NUMBER "%"
//! figure      = "rate" | "p50" | … | "p99.99"
//! ```
//!
//! A limit is true when the whole interval is beyond it, false when the whole interval is not, and
//! undecided when it lies within, or when the figure was not compared. A condition is decided where
//! its value does not depend on what is undecided. An estimate alone decides nothing: the condition
//! of a regression that two runs cannot tell from chance is not met, and not refuted either.
//!
//! Not here: what follows from it (the exit status).

mod parse;

use std::fmt;

pub use parse::{ConditionError, Expected};

use super::wording::{self, list, signed};
use super::{Comparison, Figure, Found, Row};

/// A condition on the changes of a comparison under which it fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    /// True when every limit of any of these is.
    conjunctions: Vec<Vec<Limit>>,
}

/// One `figure_change operator value`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    figure: Figure,
    operator: Operator,
    /// 0.05 for 5 %.
    ratio: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// What a comparison says about a condition. The texts name what was looked at, with its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The condition of failure is false.
    Held,
    /// The condition of failure is true.
    Failed(String),
    /// The comparison does not decide it.
    NotEnoughData(String),
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// [`ConditionError`] names the column, what stands there and what was expected.
    pub fn parse(text: &str) -> Result<Self, ConditionError> {
        Ok(Self { text: text.trim().to_owned(), conjunctions: parse::condition(text)? })
    }

    /// Sets the condition against a comparison.
    #[must_use]
    pub fn judge(&self, comparison: &Comparison) -> Judgement {
        let mut undecided = Vec::new();
        for conjunction in &self.conjunctions {
            let truths: Vec<_> = conjunction.iter().map(|limit| limit.truth(comparison)).collect();
            if truths.contains(&Some(false)) {
                continue;
            }
            let open = conjunction.iter().zip(&truths).filter(|(_, truth)| truth.is_none());
            let open: Vec<_> = open.map(|(limit, _)| limit.explain(comparison)).collect();
            if open.is_empty() {
                let met = conjunction.iter().map(|limit| limit.explain(comparison));
                return Judgement::Failed(list(&met.collect::<Vec<_>>(), "and"));
            }
            undecided.extend(open);
        }
        if undecided.is_empty() {
            Judgement::Held
        } else {
            Judgement::NotEnoughData(list(&undecided, "and"))
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Limit {
    /// Whether the change is beyond the limit; `None` when that is not decided.
    fn truth(&self, comparison: &Comparison) -> Option<bool> {
        let (low, high) = match comparison.row(self.figure).found {
            Found::Measured { change, .. } => (change.low_ratio(), change.high_ratio()),
            Found::Given { ratio } => (ratio, ratio),
            Found::NotCompared(_) => return None,
        };
        let [low, high] = [low, high].map(|end| self.operator.holds(end, self.ratio));
        (low == high).then_some(low)
    }

    /// "p99_change is +5.4 % (+4.1 to +6.8 %)".
    fn explain(&self, comparison: &Comparison) -> String {
        let Row { figure, found, .. } = comparison.row(self.figure);
        let label = figure.label();
        match found {
            Found::Measured { change, .. } => format!(
                "{label}_change is {} ({})",
                wording::change(change),
                wording::interval(change)
            ),
            Found::Given { ratio } => format!("{label}_change is {} % by plan", signed(*ratio, 1)),
            Found::NotCompared(why) => format!("{label} {}", why.explain(&comparison.name)),
        }
    }
}

impl Operator {
    /// Every operator with its sign, longer signs before those they begin with.
    const SIGNS: [(Self, &'static str); 4] =
        [(Self::AtMost, "<="), (Self::AtLeast, ">="), (Self::Below, "<"), (Self::Above, ">")];

    fn holds(self, ratio: f64, limit: f64) -> bool {
        match self {
            Self::Above => ratio > limit,
            Self::AtLeast => ratio >= limit,
            Self::Below => ratio < limit,
            Self::AtMost => ratio <= limit,
        }
    }
}

#[cfg(test)]
mod tests;
