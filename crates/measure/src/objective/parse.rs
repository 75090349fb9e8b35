//! Words to conditions: recursive descent, one function per rule of the grammar.

use super::error::nearest;
use super::scan::{Scanner, Word};
use super::subject::Kind;
use super::{
    Comparison, Condition, Expected, ObjectiveError, Operator, Quantity, Scope, Statistic, Subject,
    value,
};

/// The comparisons of an expression in their order, and how they are joined.
pub(crate) fn expression(text: &str) -> Result<(Vec<Comparison>, Condition), ObjectiveError> {
    let mut parser = Parser { scanner: Scanner::new(text), comparisons: Vec::new(), depth: 0 };
    let condition = parser.expression()?;
    if parser.scanner.at_end() {
        return Ok((parser.comparisons, condition));
    }
    let found = parser.scanner.peek();
    Err(parser.error(found, Expected::Joint, JOINTS.map(str::to_owned)))
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    comparisons: Vec<Comparison>,
    /// How many `not` and `(` the present place is inside of.
    depth: usize,
}

impl<'a> Parser<'a> {
    fn expression(&mut self) -> Result<Condition, ObjectiveError> {
        let mut parts = vec![self.conjunction()?];
        while self.scanner.keyword(OR) {
            parts.push(self.conjunction()?);
        }
        Ok(joined(parts, Condition::Any))
    }

    fn conjunction(&mut self) -> Result<Condition, ObjectiveError> {
        let mut parts = vec![self.condition()?];
        while self.scanner.keyword(AND) {
            parts.push(self.condition()?);
        }
        Ok(joined(parts, Condition::All))
    }

    fn condition(&mut self) -> Result<Condition, ObjectiveError> {
        let here = self.scanner.peek();
        if self.depth > NESTING_MAX {
            return Err(self.error(here, Expected::Shallower, []));
        }
        self.depth += 1;
        let condition = if self.scanner.keyword(NOT) {
            Condition::Not(Box::new(self.condition()?))
        } else if self.scanner.sign(&[((), "(")]).is_some() {
            self.parenthesis()?
        } else {
            let comparison = self.comparison()?;
            self.comparisons.push(comparison);
            Condition::Comparison(self.comparisons.len() - 1)
        };
        self.depth -= 1;
        Ok(condition)
    }

    /// What follows a `(`, up to its `)`.
    fn parenthesis(&mut self) -> Result<Condition, ObjectiveError> {
        let condition = self.expression()?;
        if self.scanner.sign(&[((), ")")]).is_some() {
            return Ok(condition);
        }
        let found = self.scanner.peek();
        Err(self.error(found, Expected::Close, JOINTS.map(str::to_owned)))
    }

    fn comparison(&mut self) -> Result<Comparison, ObjectiveError> {
        let subject = self.subject()?;
        let Some(operator) = self.scanner.sign(&Operator::SIGNS) else {
            let found = self.scanner.peek();
            return Err(self.error(found, Expected::Operator, []));
        };
        let value = match subject.kind() {
            Kind::Duration => self.value(value::duration_ns, Expected::Duration)?,
            Kind::Ratio => self.value(value::ratio, Expected::Ratio)?,
            Kind::Rate => self.value(value::rate, Expected::Rate)?,
            Kind::Count => self.value(value::amount, Expected::Count)?,
        };
        let scope = self.scope()?;
        Ok(Comparison { subject, operator, value, scope })
    }

    /// `for` and `after`, each at most once.
    fn scope(&mut self) -> Result<Scope, ObjectiveError> {
        let (mut lasting_s, mut after_s) = (None, None);
        loop {
            if lasting_s.is_none() && self.scanner.keyword(FOR) {
                let seconds = |text: &str| value::whole_seconds(text).filter(|&s| s > 0);
                lasting_s = Some(self.value(seconds, Expected::For)?);
            } else if after_s.is_none() && self.scanner.keyword(AFTER) {
                // The warm-up is no part of the measured time: nothing is left out of that.
                after_s = Some(match self.scanner.keyword(WARMUP) {
                    true => 0,
                    false => self.value(value::whole_seconds, Expected::After)?,
                });
            } else {
                return Ok(Scope { after_s: after_s.unwrap_or(0), lasting_s });
            }
        }
    }

    fn value<T>(
        &mut self,
        read: impl Fn(&str) -> Option<T>,
        expected: Expected,
    ) -> Result<T, ObjectiveError> {
        let here = self.scanner.peek();
        let word = self.scanner.value();
        let found = if word.text.is_empty() { here } else { word };
        read(word.text).ok_or_else(|| self.error(found, expected, []))
    }

    fn subject(&mut self) -> Result<Subject, ObjectiveError> {
        let here = self.scanner.peek();
        let word = self.scanner.name();
        if let Some(statistic) = Statistic::from_name(word.text) {
            if !self.scanner.keyword(OF) {
                return Ok(Subject::Duration(statistic, Quantity::Response));
            }
            let name = self.scanner.name();
            return match Quantity::from_name(name.text) {
                Some(quantity) => Ok(Subject::Duration(statistic, quantity)),
                None => Err(self.error(name, Expected::Quantity, Quantity::names())),
            };
        }
        if let Some(scalar) = Subject::scalar(word.text) {
            return Ok(scalar);
        }
        if word.text.is_empty() {
            return Err(self.error(here, Expected::Metric, []));
        }
        self.dotted(word)
    }

    /// `service_time.p99`: the first dot divides, `p99.9` has one of its own.
    fn dotted(&self, word: Word<'a>) -> Result<Subject, ObjectiveError> {
        let Some((quantity, statistic)) = word.text.split_once('.') else {
            return Err(self.unknown(word));
        };
        match (Quantity::from_name(quantity), Statistic::from_name(statistic)) {
            (Some(quantity), Some(statistic)) => Ok(Subject::Duration(statistic, quantity)),
            (Some(_), None) => {
                let expected = match Statistic::is_like_percentile(statistic) {
                    true => Expected::Percentile,
                    false => Expected::Statistic,
                };
                let mut error = self.error(word, expected, []);
                error.nearest = nearest(statistic, Statistic::names());
                Err(error)
            }
            (None, Some(_)) => {
                let mut error = self.error(word, Expected::Quantity, []);
                error.nearest = nearest(quantity, Quantity::names());
                Err(error)
            }
            (None, None) => Err(self.unknown(word)),
        }
    }

    /// A word that is no subject.
    fn unknown(&self, word: Word<'a>) -> ObjectiveError {
        // A duration's name alone lacks its statistic.
        if Quantity::from_name(word.text).is_some() {
            return self.error(word, Expected::Metric, []);
        }
        let expected = match word.text {
            text if Statistic::is_like_percentile(text) => Expected::Percentile,
            text if Subject::is_like_status(text) => Expected::Status,
            _ => Expected::Metric,
        };
        self.error(word, expected, Subject::names())
    }

    fn error(
        &self,
        found: Word<'a>,
        expected: Expected,
        names: impl IntoIterator<Item = String>,
    ) -> ObjectiveError {
        ObjectiveError {
            column: self.scanner.column(found),
            found: found.text.to_owned(),
            expected,
            nearest: nearest(found.text, names),
        }
    }
}

/// A single part needs no joint.
fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() > 1 { join(parts) } else { parts.swap_remove(0) }
}

pub(crate) const AND: &str = "and";
pub(crate) const OR: &str = "or";
pub(crate) const NOT: &str = "not";
pub(crate) const OF: &str = "of";
pub(crate) const FOR: &str = "for";
pub(crate) const AFTER: &str = "after";
pub(crate) const WARMUP: &str = "warmup";

/// What can follow a comparison.
const JOINTS: [&str; 4] = [AND, OR, FOR, AFTER];

/// How deep conditions may be nested; whoever needs more has made a mistake.
pub(crate) const NESTING_MAX: usize = 16;
