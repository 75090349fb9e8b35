//! Open model, equal gaps.

use throng_measure::Nanos;

use super::{Due, Share, Workload};
use crate::plan::Rate;

/// Arrivals at equal gaps.
///
/// Arrival `k` is due at `(k + 1/2) · per / count`, rounded down, formed in 128 bits so that it does
/// not drift: repeatedly adding a rounded 1_428 ns for 700_000/s would end an hour 1.4 s early.
/// The half gap centres each arrival in its slice, so that any window of whole slices holds
/// exactly its share.
#[derive(Debug)]
pub struct Constant {
    rate: Rate,
    /// The global number of the next arrival of this worker.
    pub(super) next: u64,
    stride: u64,
    limit: Option<u64>,
    /// The due time of `next`.
    due: Nanos,
}

impl Constant {
    /// The arrivals of one worker.
    #[must_use]
    pub fn new(rate: Rate, share: Share, limit: Option<u64>) -> Self {
        let next = u64::from(share.worker);
        let due = due_of(rate, next);
        Self { rate, next, stride: u64::from(share.workers), limit, due }
    }
}

impl Workload for Constant {
    #[inline]
    fn next_due(&self) -> Due {
        if self.limit.is_some_and(|limit| self.next >= limit) {
            Due::Never
        } else {
            Due::At(self.due)
        }
    }

    #[inline]
    fn take(&mut self) {
        self.next = self.next.saturating_add(self.stride);
        self.due = due_of(self.rate, self.next);
    }

    fn finished(&mut self, _end: Nanos) {}

    fn over_at(&self) -> Option<Nanos> {
        self.limit.map(|limit| slice_start(self.rate, limit))
    }
}

/// `(2k + 1) · per / (2 · count)`. The product stays below 2^64 · 2 · 2^64 / 1, which 128 bits hold
/// for every `k` below 2^63.
fn due_of(rate: Rate, k: u64) -> Nanos {
    let numerator = (2 * u128::from(k) + 1).saturating_mul(u128::from(rate.per_ns));
    saturated(numerator / (2 * u128::from(rate.count)))
}

/// Where slice `k` begins: `k · per / count`.
pub(super) fn slice_start(rate: Rate, k: u64) -> Nanos {
    saturated(u128::from(k) * u128::from(rate.per_ns) / u128::from(rate.count))
}

fn saturated(ns: u128) -> Nanos {
    Nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}
