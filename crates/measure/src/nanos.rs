//! The one unit of time inside the engine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instant: nanoseconds since the run began, on one monotonic clock.
///
/// 64 bits last 584 years. Durations are plain `u64` with `_ns` in their name, so that an instant
/// and a duration cannot be confused.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The run's first instant.
    pub const ZERO: Self = Self(0);
    /// Later than every instant of a run: "never".
    pub const MAX: Self = Self(u64::MAX);

    /// Nanoseconds from `earlier` to here; 0 when `earlier` is in fact later.
    #[inline]
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The instant `duration_ns` later; [`Nanos::MAX`] when that exceeds 64 bits.
    #[inline]
    #[must_use]
    pub fn plus(self, duration_ns: u64) -> Self {
        Self(self.0.saturating_add(duration_ns))
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09} s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
