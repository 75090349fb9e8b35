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
    pub nearest: Option<String>,
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
    /// A percentile that there is.
    Percentile,
    /// A status or a class of them.
    Status,
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
    /// How long a comparison is to hold.
    For,
    /// How much of the beginning is left out.
    After,
    /// `for`, `after`, `and`, `or` or the end.
    Joint,
    /// The same inside a parenthesis.
    Close,
    /// A condition that is nested less deep.
    Shallower,
}

impl Expected {
    fn describe(self) -> &'static str {
        match self {
            Self::Metric => "a metric such as p99, error_ratio or timeout",
            Self::Quantity => "a duration such as response_time or service_time",
            Self::Statistic => "a percentile such as p99, min, mean, stdev or max",
            Self::Percentile => {
                "a percentile above p0 and below p100 with at most four decimals, such as p97.5"
            }
            Self::Status => "a status such as status_503 or a class such as status_5xx",
            Self::Operator => "one of < <= > >= == !=",
            Self::Duration => "a duration with its unit, such as 50ms",
            Self::Ratio => "a share from 0 to 1 or in percent, such as 0.01 or 1%",
            Self::Rate => "a rate per second, such as 500 or 50k",
            Self::Count => "a count, such as 0 or 10k",
            Self::For => "a whole number of seconds from 1s on, such as 10s or 2m",
            Self::After => "`warmup` or a whole number of seconds, such as 30s",
            Self::Joint => "`for`, `after`, `and`, `or` or the end",
            Self::Close => "`for`, `after`, `and`, `or` or `)`",
            Self::Shallower => "at most 16 parentheses and nots inside each other",
        }
    }
}

impl ObjectiveError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
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
pub(crate) fn nearest(found: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let length = found.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) {
        return None;
    }
    let distance_limit = (length / 3).clamp(1, 3);
    names
        .into_iter()
        // A dot that was left out is no distance: `p999` is meant as p99.9, not as p99.
        .map(|name| (edits(found, &name).min(edits(found, &name.replace('.', ""))), name))
        .min_by_key(|&(distance, _)| distance)
        // A right word in the wrong place is not misspelt.
        .filter(|(distance, name)| *distance <= distance_limit && name != found)
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
