//! What is compared.

use crate::Level;

/// A number that every run has and that two runs are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Requests per second: achieved, or in the open model offered while both kept up.
    Rate,
    /// A percentile of response time, over all arrivals.
    At(Level),
}

impl Figure {
    /// Every figure, in the order of reports.
    pub const ALL: [Self; 1 + Level::ALL.len()] = {
        let mut all = [Self::Rate; 1 + Level::ALL.len()];
        let mut i = 0;
        while i < Level::ALL.len() {
            all[1 + i] = Self::At(Level::ALL[i]);
            i += 1;
        }
        all
    };

    /// Its place in [`Figure::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::Rate => 0,
            Self::At(level) => 1 + level.index(),
        }
    }

    /// The name in JSON: `rate`, `p99_9`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::At(level) => level.name(),
        }
    }

    /// The name for people and in conditions: `rate`, `p99.9`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Rate => "rate",
            Self::At(level) => level.label(),
        }
    }
}
