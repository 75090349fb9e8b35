//! The audit: how far a run can be believed.
//!
//! A load generator that is late, kept from its processor or short of connections produces numbers
//! about itself. The audit looks for each such thing, in this order:
//!
//! 1. [`Facts`] are read from the run file: how each second went;
//! 2. each second is flagged by what was wrong in it (`seconds`), so that a bad second is marked
//!    and not averaged away;
//! 3. each [`Check`] of the table [`CHECKS`] looks at the whole run and says nothing, or gives a
//!    [`Reason`] with its figure, its threshold and what to do;
//! 4. the [`Verdict`] is the worst that any reason gives.
//!
//! Invariant: the audit is a function of the run file. `throng report FILE` gives the verdict that
//! the live run gave.
//!
//! Not here: whether the server was good enough ([`crate::objective`]), what the numbers mean when
//! they can be believed ([`crate::reading`]).

mod facts;
mod rules;
mod seconds;
mod store;
mod table;

use std::fmt;

pub use facts::{Facts, SecondFacts};
pub use seconds::{Flag, FlaggedSecond, Grade};
pub(crate) use store::{TABLES, read, write};
pub use table::{
    BUSY_RATIO, CHECKS, Check, CheckHelp, LATE_FLOOR_NS, RATE_REACHED_RATIO, documentation,
};

use crate::{RunFile, RunFileError, Summary};

/// How far a run can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Nothing speaks against the numbers.
    #[default]
    Valid,
    /// Some of the numbers are not, or not only, the server's; the reasons say which.
    Suspect,
    /// The numbers do not say what they claim to.
    Invalid,
}

/// Why a run cannot be believed, or not wholly.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The check that found it.
    pub check: Check,
    /// How bad it is by itself.
    pub verdict: Verdict,
    /// What was found, a sentence with its figures.
    pub finding: String,
    /// The figure that was held against the threshold, in the check's unit.
    pub figure: f64,
    /// The threshold that it crossed, for a person: `suspect from 10 % and 100 µs`.
    pub threshold: String,
}

/// What the audit of a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// The worst of the reasons.
    pub verdict: Verdict,
    /// What was found, the worst first.
    pub reasons: Vec<Reason>,
    /// The seconds with something wrong in them, in the order of time.
    pub seconds: Vec<FlaggedSecond>,
}

impl Verdict {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Valid, "valid"), (Self::Suspect, "suspect"), (Self::Invalid, "invalid")];

    /// The name in JSON, in the run file and in text.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The verdict of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Reason {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        self.check.help().remedy
    }
}

impl Audit {
    /// Audits a run.
    ///
    /// # Errors
    /// Those of reading the run file.
    pub fn of(run: &RunFile, summary: &Summary) -> Result<Self, RunFileError> {
        Ok(Self::judge(summary, &Facts::read(run, summary)?))
    }

    /// Judges a run by its summary and its seconds.
    #[must_use]
    pub fn judge(summary: &Summary, facts: &Facts) -> Self {
        let seconds = seconds::flag(facts);
        let mut reasons = rules::reasons(summary, facts, &seconds);
        // Stable: among equals, the order of the table.
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
        let verdict = reasons.first().map_or(Verdict::Valid, |reason| reason.verdict);
        Self { verdict, reasons, seconds }
    }

    /// What was wrong in a window; `None` when nothing was.
    #[must_use]
    pub fn second(&self, window: i64) -> Option<&FlaggedSecond> {
        let place = self.seconds.binary_search_by_key(&window, |second| second.window);
        place.ok().map(|place| &self.seconds[place])
    }
}

#[cfg(test)]
mod tests;
