//! The windows of a distribution, each split at every percentile: what intervals are made from.

use std::num::NonZero;

use hdrhistogram::Histogram;

use super::{Distribution, LEVEL_COUNT, Level, values_at};
use crate::confidence::{ConfidenceInterval, Split, mean_reach, rank_interval};

/// How many samples of each window lie between one percentile of the whole run and the next.
///
/// Memory: 176 bytes for each window, 0.6 megabytes for an hour.
pub(crate) struct Splits<'a> {
    /// The answered requests of all windows.
    known: &'a Histogram<u64>,
    /// The least value of the bucket of each percentile, rising. Those that have no value come
    /// last, and beyond all samples.
    estimates: [u64; LEVEL_COUNT],
    windows: Vec<Window>,
    /// The answered samples of the last window, and its own percentiles once it is whole.
    present: Vec<(u64, u64)>,
    percentiles: Vec<[Option<NonZero<u64>>; LEVEL_COUNT]>,
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
        let (windows, present, percentiles) = (Vec::new(), Vec::new(), Vec::new());
        Self { known, estimates, windows, present, percentiles }
    }

    /// What is added from here on belongs to the next window.
    pub(crate) fn begin_window(&mut self) {
        self.end_window();
        self.windows.push([0; 2 * LEVEL_COUNT + 1]);
    }

    /// Adds answered requests to the window, all of the bucket whose least value this is.
    pub(crate) fn add(&mut self, lowest_ns: u64, count: u64) {
        self.present.push((lowest_ns, count));
        let place = self.place(lowest_ns);
        let equal = self.estimates.get(place) == Some(&lowest_ns);
        if let Some(window) = self.windows.last_mut() {
            window[2 * place + usize::from(equal)] += count;
        }
    }

    /// Nothing more will be added to the last window.
    pub(crate) fn end_window(&mut self) {
        let Some(window) = self.windows.last() else { return };
        let count = window.iter().sum::<u64>();
        self.present.sort_unstable();
        let percentile = |level: Level| {
            let mut left = level.rank(count);
            let mut samples = self.present.iter().filter(|_| count >= level.needed_count());
            let at = samples.find(|(_, count)| {
                let found = *count >= left;
                left = left.saturating_sub(*count);
                found
            });
            at.and_then(|(value, _)| NonZero::new(*value))
        };
        self.percentiles.push(Level::ALL.map(percentile));
        self.present.clear();
    }

    /// How far a percentile may lie from its estimate, by the windows' own percentiles; `None` when
    /// a notable part of the samples is in windows that are too small to have one.
    fn own_reach_ns(&self, level: Level) -> Option<u64> {
        let (mut values, mut told, mut samples) = (Vec::new(), 0, 0);
        for (window, percentiles) in self.windows.iter().zip(&self.percentiles) {
            let count = window.iter().sum::<u64>();
            samples += count;
            if let Some(value) = percentiles[level.index()] {
                values.push(value.get() as f64);
                told += count;
            }
        }
        if (told as f64) < TOLD_RATIO * samples as f64 {
            return None;
        }
        mean_reach(&values).map(|reach| reach.ceil() as u64)
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
        let value_at = |rank: u64| {
            (rank <= self.known.len()).then(|| values_at(self.known, &[rank], |value| value)[0])
        };
        let estimate = self.estimates[level.index()];
        // No rank: beyond the samples.
        let moved = |by: fn(u64, u64) -> u64| self.own_reach_ns(level).map(|ns| by(estimate, ns));
        let low = ranks.low.map_or_else(|| moved(u64::saturating_sub), value_at);
        let high = ranks.high.map_or_else(|| moved(u64::saturating_add), value_at);
        Some(ConfidenceInterval {
            low_ns: low.map(|value| self.known.lowest_equivalent(value)),
            high_ns: high.map(|value| self.known.highest_equivalent(value)),
        })
    }
}

/// The share of the samples that windows with a percentile of their own must have: a run's last
/// window may be short.
const TOLD_RATIO: f64 = 0.9;

impl Distribution {
    /// Adds the intervals of its percentiles.
    pub(crate) fn add_intervals(&mut self, splits: &Splits<'_>) {
        self.ci95 =
            Level::ALL.map(|level| self.at(level).value().and_then(|_| splits.interval(level)));
    }
}
