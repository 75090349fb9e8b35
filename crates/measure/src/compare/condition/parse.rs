//! Words to limits: recursive descent, one function per rule of the grammar.

use std::fmt;

use super::super::Figure;
use super::{Limit, Operator};
use crate::objective::error::nearest;
use crate::objective::scan::{Scanner, Word};

/// Why a condition cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError {
    /// The place, in characters from 1.
    pub column: usize,
    /// What stands there; empty at the end of the condition.
    pub found: String,
    /// What would have been right.
    pub expected: Expected,
    /// The known name nearest to `found`.
    nearest: Option<String>,
}

/// What would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// The change of a figure.
    Figure,
    /// `<`, `<=`, `>` or `>=`.
    Operator,
    /// A number of percent.
    Percent,
    /// `and`, `or` or the end.
    Joint,
}

pub(super) fn condition(text: &str) -> Result<Vec<Vec<Limit>>, ConditionError> {
    let mut scanner = Scanner::new(text);
    let mut conjunctions = vec![conjunction(&mut scanner)?];
    while scanner.keyword("or") {
        conjunctions.push(conjunction(&mut scanner)?);
    }
    if scanner.at_end() {
        return Ok(conjunctions);
    }
    let found = scanner.peek();
    Err(error(&scanner, found, Expected::Joint))
}

fn conjunction(scanner: &mut Scanner<'_>) -> Result<Vec<Limit>, ConditionError> {
    let mut limits = vec![limit(scanner)?];
    while scanner.keyword("and") {
        limits.push(limit(scanner)?);
    }
    Ok(limits)
}

fn limit(scanner: &mut Scanner<'_>) -> Result<Limit, ConditionError> {
    let word = scanner.name();
    let Some(figure) = figure(word.text) else {
        let mut error = error(scanner, word, Expected::Figure);
        error.nearest = meant(word.text);
        return Err(error);
    };
    let Some(operator) = scanner.sign(&Operator::SIGNS) else {
        let found = scanner.peek();
        return Err(error(scanner, found, Expected::Operator));
    };
    let word = scanner.value();
    match ratio(word.text) {
        Some(ratio) => Ok(Limit { figure, operator, ratio }),
        None => {
            let found = if word.text.is_empty() { scanner.peek() } else { word };
            Err(error(scanner, found, Expected::Percent))
        }
    }
}

/// `p99_change`, `p99.9_change`, `p99_9_change`, `rate_change`.
fn figure(name: &str) -> Option<Figure> {
    let name = name.strip_suffix(SUFFIX)?;
    Figure::ALL.into_iter().find(|figure| figure.label() == name || figure.name() == name)
}

/// What a name that is no figure's change was meant to be: `p99` is its change, `p98_change` is near
/// another.
fn meant(name: &str) -> Option<String> {
    let name = name.strip_suffix(SUFFIX).unwrap_or(name);
    let mut labels = Figure::ALL.into_iter().map(|figure| figure.label().to_owned());
    let label = labels.clone().find(|label| label == name).or_else(|| nearest(name, &mut labels));
    label.map(|label| format!("{label}{SUFFIX}"))
}

/// `5%`, `-2.5%`, `+10%`: without the sign 0.05 might mean either. Nothing falls by 100 %.
fn ratio(text: &str) -> Option<f64> {
    let number = text.strip_suffix('%')?;
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if !digits.starts_with(|c: char| c.is_ascii_digit())
        || !digits.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_')
    {
        return None;
    }
    let ratio = number.replace('_', "").parse::<f64>().ok()? / 100.0;
    (ratio.is_finite() && ratio > -1.0).then_some(ratio)
}

fn error(scanner: &Scanner<'_>, found: Word<'_>, expected: Expected) -> ConditionError {
    let column = scanner.column(found);
    ConditionError { column, found: found.text.to_owned(), expected, nearest: None }
}

impl Expected {
    fn describe(self) -> &'static str {
        match self {
            Self::Figure => "a change such as p99_change or rate_change",
            Self::Operator => "one of < <= > >=",
            Self::Percent => "a change above -100 % in percent, such as 5% or -2.5%",
            Self::Joint => "`and`, `or` or the end",
        }
    }
}

impl ConditionError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        self.nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
    }
}

impl fmt::Display for ConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, found, expected, .. } = self;
        write!(f, "column {column}: expected {}, found ", expected.describe())?;
        if found.is_empty() { f.write_str("the end") } else { write!(f, "`{found}`") }
    }
}

impl std::error::Error for ConditionError {}

const SUFFIX: &str = "_change";
