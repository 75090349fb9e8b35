//! The highest rate that is held, by bisection.
//!
//! Whether a rate is held is noisy on a machine that does other things too: a rate once found
//! wanting is not tried again, so that noise makes the result smaller, never larger than what was
//! seen.

use crate::calibration::{Trial, Verdict};

/// The rates between which the limit lies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Bounds {
    /// The highest rate that was held.
    pub(super) held: Option<Trial>,
    /// The lowest rate that was not.
    pub(super) not_held: Option<Trial>,
}

/// Searches below `limit_per_s`, a rate that the open model cannot exceed: first its half, then
/// always the middle between the highest rate held and the lowest not held, until these are within
/// 5 % or [`TRIALS_MAX`] rates were tried.
///
/// # Errors
/// Those of `try_rate`.
pub(super) fn highest_held<E>(
    limit_per_s: u64,
    mut try_rate: impl FnMut(u64) -> Result<Trial, E>,
) -> Result<Bounds, E> {
    let mut bounds = Bounds::default();
    let (mut low, mut high) = (0, limit_per_s);
    for _ in 0..TRIALS_MAX {
        let middle = low + (high - low) / 2;
        if middle == low || high - low <= low / PRECISION {
            break;
        }
        let trial = try_rate(middle)?;
        match trial.verdict() {
            Verdict::Held => (low, bounds.held) = (middle, Some(trial)),
            Verdict::Late | Verdict::Unanswered => (high, bounds.not_held) = (middle, Some(trial)),
        }
    }
    Ok(bounds)
}

/// Rates tried at most: they resolve a 64th of the limit.
pub(super) const TRIALS_MAX: usize = 6;
/// 5 % is a twentieth.
const PRECISION: u64 = 20;
