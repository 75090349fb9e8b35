//! Words to comparisons: recursive descent, one function per rule of the grammar.

use super::error::nearest;
use super::quantity::Kind;
use super::scan::{Scanner, Word};
use super::{Comparison, Expected, ObjectiveError, Operator, Quantity, Statistic, Subject};

pub(crate) fn expression(text: &str) -> Result<Vec<Vec<Comparison>>, ObjectiveError> {
    let mut scanner = Scanner::new(text);
    let mut conjunctions = vec![conjunction(&mut scanner)?];
    while scanner.keyword("or") {
        conjunctions.push(conjunction(&mut scanner)?);
    }
    if scanner.at_end() {
        return Ok(conjunctions);
    }
    let found = scanner.peek();
    Err(error(&scanner, found, Expected::Joint, ["and", "or"].into_iter()))
}

fn conjunction(scanner: &mut Scanner<'_>) -> Result<Vec<Comparison>, ObjectiveError> {
    let mut comparisons = vec![comparison(scanner)?];
    while scanner.keyword("and") {
        comparisons.push(comparison(scanner)?);
    }
    Ok(comparisons)
}

fn comparison(scanner: &mut Scanner<'_>) -> Result<Comparison, ObjectiveError> {
    let subject = subject(scanner)?;
    let Some(operator) = scanner.sign(&Operator::SIGNS) else {
        let found = scanner.peek();
        return Err(error(scanner, found, Expected::Operator, std::iter::empty()));
    };
    let word = scanner.value();
    let (value, expected) = match subject.kind() {
        Kind::Duration => (duration_ns(word.text), Expected::Duration),
        Kind::Ratio => (ratio(word.text), Expected::Ratio),
        Kind::Rate => (amount(word.text.trim_end_matches("/s")), Expected::Rate),
        Kind::Count => (amount(word.text), Expected::Count),
    };
    match value {
        Some(value) => Ok(Comparison { subject, operator, value }),
        None => {
            let found = if word.text.is_empty() { scanner.peek() } else { word };
            Err(error(scanner, found, expected, std::iter::empty()))
        }
    }
}

fn subject(scanner: &mut Scanner<'_>) -> Result<Subject, ObjectiveError> {
    let word = scanner.name();
    if let Some(statistic) = Statistic::from_name(word.text) {
        if !scanner.keyword("of") {
            return Ok(Subject::Duration(statistic, Quantity::ResponseTime));
        }
        let name = scanner.name();
        let Some(quantity) = Quantity::from_name(name.text) else {
            return Err(error(scanner, name, Expected::Quantity, Quantity::names()));
        };
        return Ok(Subject::Duration(statistic, quantity));
    }
    if let Some(scalar) = Subject::scalar(word.text) {
        return Ok(scalar);
    }
    dotted(scanner, word)
}

/// `service_time.p99`: the first dot divides, `p99.9` has one of its own.
fn dotted(scanner: &Scanner<'_>, word: Word<'_>) -> Result<Subject, ObjectiveError> {
    let Some((quantity, statistic)) = word.text.split_once('.') else {
        // A duration's name alone lacks its statistic.
        if Quantity::from_name(word.text).is_some() {
            return Err(error(scanner, word, Expected::Metric, std::iter::empty()));
        }
        return Err(error(scanner, word, Expected::Metric, Subject::names()));
    };
    match (Quantity::from_name(quantity), Statistic::from_name(statistic)) {
        (Some(quantity), Some(statistic)) => Ok(Subject::Duration(statistic, quantity)),
        (Some(_), None) => {
            let mut error = error(scanner, word, Expected::Statistic, std::iter::empty());
            error.nearest = nearest(statistic, Statistic::names());
            Err(error)
        }
        (None, Some(_)) => {
            let mut error = error(scanner, word, Expected::Quantity, std::iter::empty());
            error.nearest = nearest(quantity, Quantity::names());
            Err(error)
        }
        (None, None) => Err(error(scanner, word, Expected::Metric, Subject::names())),
    }
}

fn error(
    scanner: &Scanner<'_>,
    found: Word<'_>,
    expected: Expected,
    names: impl Iterator<Item = &'static str>,
) -> ObjectiveError {
    ObjectiveError {
        column: scanner.column(found),
        found: found.text.to_owned(),
        expected,
        nearest: nearest(found.text, names),
    }
}

fn duration_ns(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let (_, length_ns) = DURATIONS.iter().find(|row| row.0 == unit)?;
    // Zero is the same in every unit.
    if unit.is_empty() && number != 0.0 {
        return None;
    }
    finite(number * length_ns)
}

fn ratio(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let ratio = match unit {
        "" => number,
        "%" => number / 100.0,
        _ => return None,
    };
    (ratio <= 1.0).then_some(ratio)
}

fn amount(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let (_, factor) = AMOUNTS.iter().find(|row| row.0 == unit)?;
    finite(number * factor)
}

/// A number of digits, `_` between them, at most one dot; and the rest.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((number.replace('_', "").parse().ok()?, unit))
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

const DURATIONS: [(&str, f64); 8] = [
    ("", 1.0),
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
    ("m", 60e9),
    ("h", 3_600e9),
];

const AMOUNTS: [(&str, f64); 4] = [("", 1.0), ("k", 1e3), ("M", 1e6), ("G", 1e9)];
