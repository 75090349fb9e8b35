//! What a histogram says: mean, extremes and the percentiles that its count can support.
//!
//! # Percentiles with unanswered requests
//!
//! Let `N` arrivals have the true response times `T_1 … T_N`. For an answered request `T_i` is
//! known. For an unanswered one only a bound `B_i` is known, the time that throng waited, and
//! `T_i ≥ B_i`, possibly without end. (Right-censored; set `B_i = T_i` for the answered.)
//! The `p`-th percentile is the value of rank `r = ⌈p·N⌉`, counted over *all* arrivals:
//!
//! - `r ≤ answered`: the value of rank `r` among the answered. This ranks every unanswered request
//!   behind every answered one, as an endless response. It is the true percentile as soon as no
//!   bound is below it (a timeout longer than the percentile) and never less than the true one: a
//!   request added below rank `r` can only move the value of rank `r` down.
//! - `r > answered`: no value is known. Sorting preserves `T_i ≥ B_i` rank by rank, because at
//!   least `N − r + 1` of the `T_i` are at least the `B_i` of rank `r`. So the value of rank `r`
//!   of the merged `B_i` is a lower bound of the percentile: [`Percentile::AtLeast`].
//!
//! # Too few samples
//!
//! A percentile is stated when at least [`TAIL_SAMPLES`] samples lie beyond it, `N·(1 − p) ≥ 10`.
//! With fewer, its value is that of a handful of requests: [`Percentile::NotEnough`].

mod splits;

pub(crate) use splits::Splits;

use hdrhistogram::{Counter, Histogram};

use crate::confidence::ConfidenceInterval;
use crate::metric::{HIGHEST_NS, SIGNIFICANT_DIGITS};

/// A percentile that reports state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Level {
    P50,
    P75,
    P90,
    P95,
    P99,
    P99_9,
    P99_99,
}

/// One row per level: itself, its name in JSON, its name for people, its share in 1/10,000.
const LEVELS: [(Level, &str, &str, u64); LEVEL_COUNT] = [
    (Level::P50, "p50", "p50", 5_000),
    (Level::P75, "p75", "p75", 7_500),
    (Level::P90, "p90", "p90", 9_000),
    (Level::P95, "p95", "p95", 9_500),
    (Level::P99, "p99", "p99", 9_900),
    (Level::P99_9, "p99_9", "p99.9", 9_990),
    (Level::P99_99, "p99_99", "p99.99", 9_999),
];

/// How many percentiles reports state.
const LEVEL_COUNT: usize = 7;

/// The parts that [`Level`]s are counted in, so that ranks are formed without rounding.
const WHOLE: u64 = 10_000;

/// Samples that must lie beyond a percentile for it to be stated.
pub const TAIL_SAMPLES: u64 = 10;

impl Level {
    /// Every level, rising.
    pub const ALL: [Self; LEVEL_COUNT] =
        [Self::P50, Self::P75, Self::P90, Self::P95, Self::P99, Self::P99_9, Self::P99_99];

    /// Its place in [`Level::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in JSON: `p99_9`.
    #[must_use]
    pub fn name(self) -> &'static str {
        LEVELS[self.index()].1
    }

    /// The name for people and in objectives: `p99.9`.
    #[must_use]
    pub fn label(self) -> &'static str {
        LEVELS[self.index()].2
    }

    /// The share of samples that are at most this percentile: 0.999.
    #[must_use]
    pub fn share(self) -> f64 {
        LEVELS[self.index()].3 as f64 / WHOLE as f64
    }

    /// The rank of this percentile among `count` samples, from 1: `⌈p·count⌉`.
    #[must_use]
    pub fn rank(self, count: u64) -> u64 {
        let rank = (u128::from(count) * u128::from(LEVELS[self.index()].3)).div_ceil(WHOLE.into());
        u64::try_from(rank).expect("p < 1, so the rank is at most the count")
    }

    /// The smallest count that supports this percentile: `count·(1 − p) ≥` [`TAIL_SAMPLES`].
    #[must_use]
    pub fn needed_count(self) -> u64 {
        (TAIL_SAMPLES * WHOLE).div_ceil(WHOLE - LEVELS[self.index()].3)
    }
}

/// One percentile, as far as the samples support it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percentile {
    /// Nanoseconds.
    Value(u64),
    /// It lies among the unanswered requests: at least this many nanoseconds, possibly endless.
    AtLeast(u64),
    /// Fewer samples than this percentile needs.
    NotEnough {
        /// The smallest count that would do.
        needed_count: u64,
    },
}

impl Percentile {
    /// Nanoseconds, when they are known exactly (to the histogram's 0.1 %).
    #[must_use]
    pub fn value(self) -> Option<u64> {
        match self {
            Self::Value(ns) => Some(ns),
            Self::AtLeast(_) | Self::NotEnough { .. } => None,
        }
    }
}

/// What the samples of one duration say.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Samples, those without an answer included.
    pub count: u64,
    /// The part of `count` of which only a lower bound is known. While it is not 0, `mean_ns` and
    /// `max_ns` are lower bounds.
    pub censored_count: u64,
    /// The shortest known.
    pub min_ns: Option<u64>,
    /// The mean; a lower bound when something is censored.
    pub mean_ns: Option<f64>,
    /// The standard deviation; `None` when something is censored, for then nothing bounds it.
    pub stdev_ns: Option<f64>,
    /// The longest; a lower bound when something is censored.
    pub max_ns: Option<u64>,
    percentiles: [Percentile; LEVEL_COUNT],
    ci95: [Option<ConfidenceInterval>; LEVEL_COUNT],
}

impl Distribution {
    /// The distribution of a histogram in which every value is known.
    #[must_use]
    pub fn of<T: Counter>(histogram: &Histogram<T>) -> Self {
        let count = histogram.len();
        let ranks = Level::ALL.map(|level| level.rank(count));
        let values = values_at(histogram, &ranks, |value| histogram.highest_equivalent(value));
        let some = count > 0;
        Self {
            count,
            censored_count: 0,
            min_ns: some.then(|| histogram.min()),
            mean_ns: some.then(|| histogram.mean()),
            stdev_ns: some.then(|| histogram.stdev()),
            max_ns: some.then(|| histogram.max()),
            percentiles: Level::ALL.map(|level| match level.needed_count() {
                needed_count if count < needed_count => Percentile::NotEnough { needed_count },
                _ => Percentile::Value(values[level.index()]),
            }),
            ci95: [None; LEVEL_COUNT],
        }
    }

    /// The distribution over all arrivals: `answered` values are known, `unanswered` values are
    /// lower bounds, and of `unknown_count` more arrivals nothing is known (a bound of 0). See the
    /// module for the derivation.
    #[must_use]
    pub fn of_arrivals(
        answered: &Histogram<u64>,
        unanswered: &Histogram<u64>,
        unknown_count: u64,
    ) -> Self {
        let censored_count = unanswered.len() + unknown_count;
        if censored_count == 0 {
            return Self::of(answered);
        }
        let mut bounds = answered.clone();
        fold(&mut bounds, unanswered);
        let count = answered.len() + censored_count;
        let ranks = Level::ALL.map(|level| level.rank(count));
        let known = values_at(answered, &ranks, |value| answered.highest_equivalent(value));
        let bound_ranks = ranks.map(|rank| rank.saturating_sub(unknown_count));
        let least = values_at(&bounds, &bound_ranks, |value| bounds.lowest_equivalent(value));
        let known_share = bounds.len() as f64 / count as f64;
        Self {
            count,
            censored_count,
            min_ns: (!answered.is_empty()).then(|| answered.min()),
            mean_ns: Some(bounds.mean() * known_share),
            stdev_ns: None,
            max_ns: Some(bounds.max()),
            percentiles: Level::ALL.map(|level| match level.needed_count() {
                needed_count if count < needed_count => Percentile::NotEnough { needed_count },
                _ if ranks[level.index()] <= answered.len() => {
                    Percentile::Value(known[level.index()])
                }
                _ => Percentile::AtLeast(least[level.index()]),
            }),
            ci95: [None; LEVEL_COUNT],
        }
    }

    /// Some percentiles over all arrivals, without the rest, in one pass over `answered`; `None`
    /// where [`Distribution::of_arrivals`] has no [`Percentile::Value`]. Levels must rise.
    #[must_use]
    pub(crate) fn known<const N: usize>(
        levels: [Level; N],
        answered: &Histogram<u64>,
        censored_count: u64,
    ) -> [Option<u64>; N] {
        let count = answered.len() + censored_count;
        let ranks = levels.map(|level| level.rank(count));
        let values = values_at(answered, &ranks, |value| answered.highest_equivalent(value));
        std::array::from_fn(|i| {
            let is_known = count >= levels[i].needed_count() && ranks[i] <= answered.len();
            is_known.then_some(values[i])
        })
    }

    /// One percentile.
    #[must_use]
    pub fn at(&self, level: Level) -> Percentile {
        self.percentiles[level.index()]
    }

    /// Where one percentile lies, at 95 % confidence (see [`crate::confidence`]). `None` when it
    /// has no value, when there are too few windows to tell, and when nobody asked for it:
    /// intervals take a pass over the windows of a run, which only a summary makes, for response
    /// and service time.
    #[must_use]
    pub fn ci95(&self, level: Level) -> Option<ConfidenceInterval> {
        self.ci95[level.index()]
    }
}

/// The value of each rank (from 1; 0 gives 0), in one pass; `ranks` must rise. Ranks beyond the
/// count give 0: the caller has another answer for those.
fn values_at<T: Counter, const N: usize>(
    histogram: &Histogram<T>,
    ranks: &[u64; N],
    of_bucket: impl Fn(u64) -> u64,
) -> [u64; N] {
    let mut values = [0; N];
    let mut next = ranks.iter().take_while(|&&rank| rank == 0).count();
    let mut seen = 0;
    for step in histogram.iter_recorded() {
        seen += step.count_since_last_iteration();
        while next < N && ranks[next] <= seen {
            values[next] = of_bucket(step.value_iterated_to());
            next += 1;
        }
        if next == N {
            break;
        }
    }
    values
}

/// An empty histogram of nanoseconds that counts up to 64 bits.
#[must_use]
pub fn empty_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS)
        .expect("1 <= lowest, 2 * lowest <= highest, digits <= 5")
}

/// Adds `from` into `into`, whatever its counters' width.
pub fn fold<T: Counter>(into: &mut Histogram<u64>, from: &Histogram<T>) {
    if from.is_empty() {
        return;
    }
    for step in from.iter_recorded() {
        into.saturating_record_n(step.value_iterated_to(), step.count_since_last_iteration());
    }
}

#[cfg(test)]
mod tests;
