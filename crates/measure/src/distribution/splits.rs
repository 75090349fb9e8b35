//! The windows of a distribution, each split at every percentile: what intervals are made from.

use hdrhistogram::Histogram;

use super::{Distribution, LEVEL_COUNT, Level, values_at};
use crate::confidence::{ConfidenceInterval, Split, rank_interval};

/// How many samples of each window lie between one percentile of the whole run and the next.
///
/// Memory: 120 bytes for each window, less than half a megabyte for an hour.
pub(crate) struct Splits<'a> {
    /// The answered requests of all windows.
    known: &'a Histogram<u64>,
    /// The least value of the bucket of each percentile, rising. Those that have no value come
    /// last, and beyond all samples.
    estimates: [u64; LEVEL_COUNT],
    windows: Vec<Window>,
}

/// Samples that are less than the first estimate, equal to it, between it and the second, equal
/// to that, …, and beyond the last. Of estimates that are equal the first one has them.
type Window = [u64; 2 * LEVEL_COUNT + 1];

impl<'a> Splits<'a> {
    /// No windows yet, to be split at the percentiles of `distribution`; `known` are its answered
    /// requests.
    pub(crate) fn at(distribution: &Distribution, known: &'a Histogram<u64>) -> Self {
        let estimates = Level::ALL.map(|level| {
            let value = distribution.at(level).value();
            value.map_or(u64::MAX, |value| known.lowest_equivalent(value))
        });
        Self { known, estimates, windows: Vec::new() }
    }

    /// What is added from here on belongs to the next window.
    pub(crate) fn begin_window(&mut self) {
        self.windows.push([0; 2 * LEVEL_COUNT + 1]);
    }

    /// Adds answered requests to the window, all of the bucket whose least value this is.
    pub(crate) fn add(&mut self, lowest_ns: u64, count: u64) {
        let place = self.place(lowest_ns);
        let equal = self.estimates.get(place) == Some(&lowest_ns);
        if let Some(window) = self.windows.last_mut() {
            window[2 * place + usize::from(equal)] += count;
        }
    }

    /// Adds requests without an answer to the window: they are above any percentile.
    pub(crate) fn add_unanswered(&mut self, count: u64) {
        if let Some([.., above]) = self.windows.last_mut() {
            *above += count;
        }
    }

    /// The first estimate that is not less than a value.
    fn place(&self, lowest_ns: u64) -> usize {
        self.estimates.partition_point(|&estimate| estimate < lowest_ns)
    }

    /// The windows, split at one percentile. Samples in its bucket may be on either side of it, and
    /// in one bucket may be half of a run: each counts for such a part of one below as brings all
    /// of those below to the share.
    fn at_level(&self, level: Level) -> Vec<Split> {
        let place = 2 * self.place(self.estimates[level.index()]);
        let below = |window: &Window| window[..=place].iter().sum::<u64>() as f64;
        let equal = |window: &Window| window[place + 1] as f64;
        let count = |window: &Window| window.iter().sum::<u64>();
        let sum = |of: &dyn Fn(&Window) -> f64| self.windows.iter().map(of).sum::<f64>();
        let wanted = level.share() * sum(&|window| count(window) as f64);
        let part = ((wanted - sum(&below)) / sum(&equal)).clamp(0.0, 1.0);
        let split = |w: &Window| Split { below: below(w) + part * equal(w), count: count(w) };
        self.windows.iter().map(split).collect()
    }

    /// The interval of a percentile that has a value. Ends are rounded outwards, to the edges of
    /// the histogram's buckets.
    fn interval(&self, level: Level) -> Option<ConfidenceInterval> {
        let ranks = rank_interval(level.share(), &self.at_level(level))?;
        // Beyond the answered, the sample of a rank is not known.
        let [low, high] = [ranks.low, ranks.high].map(|rank| {
            let rank = rank.filter(|&rank| rank <= self.known.len())?;
            Some(values_at(self.known, &[rank], |value| value)[0])
        });
        Some(ConfidenceInterval {
            low_ns: low.map(|value| self.known.lowest_equivalent(value)),
            high_ns: high.map(|value| self.known.highest_equivalent(value)),
        })
    }
}

impl Distribution {
    /// Adds the intervals of its percentiles.
    pub(crate) fn add_intervals(&mut self, splits: &Splits<'_>) {
        self.ci95 =
            Level::ALL.map(|level| self.at(level).value().and_then(|_| splits.interval(level)));
    }
}
