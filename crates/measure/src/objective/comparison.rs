//! One `subject operator value`, and when it is to hold.

use std::fmt;

use super::Subject;
use super::evidence::{Evidence, Known};
use super::finding::Shortage;

/// One `subject operator value`, and when it is to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) subject: Subject,
    pub(crate) operator: Operator,
    /// In nanoseconds, per second, a ratio 0..=1, or a count, as the subject's kind says.
    pub(crate) value: f64,
    pub(crate) scope: Scope,
}

/// The part of the measured time that a comparison is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Seconds left out at the beginning.
    pub(crate) after_s: u32,
    /// It is to hold in so many one-second windows in a row; `None`: for the whole at once.
    pub(crate) lasting_s: Option<u32>,
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

/// What a comparison comes to over one stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Truth {
    True(Known),
    False(Known),
    Unknown(Shortage),
}

impl Comparison {
    /// Sets the measured number against the value.
    pub(crate) fn truth(&self, evidence: &dyn Evidence) -> Truth {
        let known = match self.subject.known(evidence) {
            Ok(known) => known,
            Err(shortage) => return Truth::Unknown(shortage),
        };
        let holds = match known {
            Known::Exactly(measured) => Some(self.operator.holds(measured, self.value)),
            Known::AtLeast(bound) => self.operator.holds_from(bound, self.value),
            Known::AtMost(bound) => self.operator.holds_up_to(bound, self.value),
        };
        match holds {
            Some(true) => Truth::True(known),
            Some(false) => Truth::False(known),
            None => Truth::Unknown(Shortage::Bounded(known)),
        }
    }
}

impl Truth {
    pub(crate) fn is_true(self) -> bool {
        matches!(self, Self::True(_))
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

    fn holds(self, measured: f64, value: f64) -> bool {
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
    fn holds_from(self, bound: f64, value: f64) -> Option<bool> {
        match self {
            Self::Greater | Self::NotEqual if bound > value => Some(true),
            Self::GreaterOrEqual if bound >= value => Some(true),
            Self::LessOrEqual | Self::Equal if bound > value => Some(false),
            Self::Less if bound >= value => Some(false),
            _ => None,
        }
    }

    /// Whether it holds for every number that is at most `bound`, for none, or depends.
    fn holds_up_to(self, bound: f64, value: f64) -> Option<bool> {
        match self {
            Self::Less | Self::NotEqual if bound < value => Some(true),
            Self::LessOrEqual if bound <= value => Some(true),
            Self::GreaterOrEqual | Self::Equal if bound < value => Some(false),
            Self::Greater if bound <= value => Some(false),
            _ => None,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = Self::SIGNS.iter().find(|row| row.0 == *self).map_or("", |row| row.1);
        f.write_str(sign)
    }
}

/// `p99 > 50.0 ms`, without its scope.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, operator, value, .. } = self;
        write!(f, "{subject} {operator} {}", subject.kind().show(*value))
    }
}
