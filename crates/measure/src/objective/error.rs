//! Why an expression cannot be read.

use std::fmt;

/// Why an expression cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectiveError {
    /// The place, in characters from 1.
    pub column: usize,
    /// What stands there; empty at the end of the expression.
    pub found: String,
    /// What would have been right.
    pub expected: Expected,
    /// The known name nearest to `found`.
    pub nearest: Option<&'static str>,
}

/// What would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// The name of something measured.
    Metric,
    /// The name of a duration, after `of` or before a dot.
    Quantity,
    /// A statistic, after a duration and a dot.
    Statistic,
    /// `<`, `<=`, `>`, `>=`, `==` or `!=`.
    Operator,
    /// A number with a unit of time.
    Duration,
    /// A share, with or without a percent sign.
    Ratio,
    /// A number per second.
    Rate,
    /// A number.
    Count,
    /// `and`, `or` or the end.
    Joint,
}

impl Expected {
    fn describe(self) -> &'static str {
        match self {
            Self::Metric => "a metric such as p99, error_ratio or timeout",
            Self::Quantity => "a duration such as response_time or service_time",
            Self::Statistic => "p50 … p99.99, min, mean or max",
            Self::Operator => "one of < <= > >= == !=",
            Self::Duration => "a duration with its unit, such as 50ms",
            Self::Ratio => "a share from 0 to 1 or in percent, such as 0.01 or 1%",
            Self::Rate => "a rate per second, such as 500 or 50k",
            Self::Count => "a count, such as 0 or 10k",
            Self::Joint => "`and`, `or` or the end",
        }
    }
}

impl ObjectiveError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.nearest.map(|nearest| format!("did you mean `{nearest}`?"))
    }
}

impl fmt::Display for ObjectiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, found, expected, .. } = self;
        write!(f, "column {column}: expected {}, found ", expected.describe())?;
        if found.is_empty() { f.write_str("the end") } else { write!(f, "`{found}`") }
    }
}

impl std::error::Error for ObjectiveError {}

/// The name nearest to `found`, when it is near enough to be what was meant.
pub(crate) fn nearest(
    found: &str,
    names: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    if found.is_empty() || found.chars().count() > LONGEST_NAME {
        return None;
    }
    let distance_limit = (found.chars().count() / 3).clamp(1, 3);
    names
        .map(|name| (edits(found, name), name))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= distance_limit)
        .map(|(_, name)| name)
}

/// Levenshtein's distance: insertions, deletions and replacements from `a` to `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Words longer than this are not compared with the known names.
const LONGEST_NAME: usize = 40;
