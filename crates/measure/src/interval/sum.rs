//! Several intervals added up, in counters that no run overflows.

use std::ops::RangeInclusive;

use hdrhistogram::Histogram;

use super::{Counts, Interval, STATUS_CODES};
use crate::Metric;
use crate::distribution::empty_histogram;

/// What several intervals add up to. Its size does not depend on how many they are.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub(crate) counts: Counts,
    status: Box<[u64; STATUS_CODES]>,
    histograms: [Histogram<u64>; Metric::ALL.len()],
}

impl Sum {
    /// The sum of nothing.
    pub(crate) fn new() -> Self {
        Self {
            counts: Counts::default(),
            status: Box::new([0; STATUS_CODES]),
            histograms: std::array::from_fn(|_| empty_histogram()),
        }
    }

    /// The sum that these parts were taken of; codes that cannot be filed are left out.
    ///
    /// # Errors
    /// The first one of `histogram`.
    pub(crate) fn of<E>(
        counts: Counts,
        statuses: &[(u16, u64)],
        histogram: impl Fn(Metric) -> Result<Histogram<u64>, E>,
    ) -> Result<Self, E> {
        let mut sum = Self { counts, ..Self::new() };
        for &(code, count) in statuses {
            if let Some(place) = sum.status.get_mut(usize::from(code)) {
                *place = count;
            }
        }
        for (metric, place) in Metric::ALL.into_iter().zip(&mut sum.histograms) {
            *place = histogram(metric)?;
        }
        Ok(sum)
    }

    /// Adds an interval, whatever its window.
    pub(crate) fn add(&mut self, interval: &Interval) {
        self.counts.merge(&interval.counts);
        for (mine, &more) in self.status.iter_mut().zip(interval.status.iter()) {
            *mine += u64::from(more);
        }
        for (mine, more) in self.histograms.iter_mut().zip(&interval.durations) {
            more.fold_into(mine);
        }
    }

    /// The durations of one metric.
    pub(crate) fn histogram(&self, metric: Metric) -> &Histogram<u64> {
        &self.histograms[metric.index()]
    }

    /// How many answers had a status among `codes`.
    pub(crate) fn status_count(&self, codes: RangeInclusive<u16>) -> u64 {
        let codes = usize::from(*codes.start())..=usize::from(*codes.end());
        self.status.get(codes).unwrap_or_default().iter().sum()
    }
}
