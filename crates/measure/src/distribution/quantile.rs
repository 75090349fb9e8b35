//! Any percentile: its rank, the samples that it needs, its value over arrivals.

use std::fmt;

use hdrhistogram::Histogram;

use super::{Percentile, TAIL_SAMPLES, fold, values_at};

/// A percentile above p0 and below p100 with at most four decimals.
///
/// Kept in millionths, so that ranks are formed without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantile {
    millionths: u32,
}

/// Millionths in a whole.
const WHOLE: u32 = 1_000_000;

/// Millionths in a percent.
const PERCENT: u32 = 10_000;

/// Decimals of a percent that millionths resolve.
const DECIMALS: usize = 4;

impl Quantile {
    /// The percentile of so many millionths; `None` unless it is above 0 and below a whole.
    #[must_use]
    pub fn of_millionths(millionths: u32) -> Option<Self> {
        (0 < millionths && millionths < WHOLE).then_some(Self { millionths })
    }

    /// Reads `p97.5`, or `p97_5` as JSON names have it; `None` when it is no such percentile.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let percent = name.strip_prefix('p')?;
        let (whole, decimals) = percent.split_once(['.', '_']).unwrap_or((percent, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // `p05` would be taken for p0.5 by some and for p5 by others.
        let ambiguous = whole.len() > 1 && whole.starts_with('0');
        if !digits(whole) || !digits(decimals) || ambiguous || decimals.len() > DECIMALS {
            return None;
        }
        let whole: u32 = whole.parse().ok().filter(|&percent| percent < 100)?;
        let decimals: u32 = format!("{decimals:0<DECIMALS$}").parse().ok()?;
        Self::of_millionths(whole * PERCENT + decimals)
    }

    /// The rank of this percentile among `count` samples, from 1: `⌈p·count⌉`.
    #[must_use]
    pub fn rank(self, count: u64) -> u64 {
        let rank = (u128::from(count) * u128::from(self.millionths)).div_ceil(WHOLE.into());
        u64::try_from(rank).expect("p < 1, so the rank is at most the count")
    }

    /// The smallest count that supports this percentile: `count·(1 − p) ≥` [`TAIL_SAMPLES`].
    #[must_use]
    pub fn needed_count(self) -> u64 {
        (TAIL_SAMPLES * u64::from(WHOLE)).div_ceil(u64::from(WHOLE - self.millionths))
    }

    /// This percentile over all arrivals, by the rules of
    /// [`Distribution::of_arrivals`](super::Distribution::of_arrivals): `answered` values are
    /// known, `unanswered` values are lower bounds, of `unknown_count` more nothing is known.
    #[must_use]
    pub fn of_arrivals(
        self,
        answered: &Histogram<u64>,
        unanswered: &Histogram<u64>,
        unknown_count: u64,
    ) -> Percentile {
        let count = answered.len() + unanswered.len() + unknown_count;
        let needed_count = self.needed_count();
        if count < needed_count {
            return Percentile::NotEnough { needed_count };
        }
        let rank = self.rank(count);
        if rank <= answered.len() {
            let [ns] = values_at(answered, &[rank], |value| answered.highest_equivalent(value));
            return Percentile::Value(ns);
        }
        let mut bounds = answered.clone();
        fold(&mut bounds, unanswered);
        let rank = rank.saturating_sub(unknown_count);
        let [ns] = values_at(&bounds, &[rank], |value| bounds.lowest_equivalent(value));
        Percentile::AtLeast(ns)
    }
}

/// The name for people and in objectives: `p99`, `p97.5`.
impl fmt::Display for Quantile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.millionths / PERCENT, self.millionths % PERCENT);
        if decimals == 0 {
            return write!(f, "p{whole}");
        }
        let decimals = format!("{decimals:0DECIMALS$}");
        write!(f, "p{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests;
