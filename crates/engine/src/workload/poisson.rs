//! Open model, exponential gaps: users who know nothing of each other.

use throng_measure::Nanos;

use super::{Due, Share, Workload, unit_interval};
use crate::plan::Rate;

/// A Poisson process: arrival `k` is due at `S_k · per / count`, where `S_k` is the sum of `k + 1`
/// exponential variables of mean 1, each a function of (seed, number) alone.
///
/// Every worker walks the whole sum (a few nanoseconds per arrival) and keeps its own arrivals, so
/// the schedule does not depend on how many workers there are.
///
/// # Source
/// Inversion of the exponential distribution: `−ln(1 − U)`.
#[derive(Debug)]
pub struct Poisson {
    gap_ns: f64,
    seed: u64,
    share: Share,
    limit: Option<u64>,
    /// The global number of the next arrival of this worker, and the sum up to it.
    pub(super) next: u64,
    sum: Sum,
}

impl Poisson {
    /// The arrivals of one worker.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "a mean gap; 53 bits are ample")]
    pub fn new(rate: Rate, share: Share, limit: Option<u64>, seed: u64) -> Self {
        let gap_ns = rate.per_ns as f64 / rate.count as f64;
        let mut sum = Sum::default();
        for k in 0..=u64::from(share.worker) {
            sum.add(exponential(seed, k));
        }
        Self { gap_ns, seed, share, limit, next: u64::from(share.worker), sum }
    }
}

impl Workload for Poisson {
    #[inline]
    fn next_due(&self) -> Due {
        if self.limit.is_some_and(|limit| self.next >= limit) {
            return Due::Never;
        }
        Due::At(instant(self.sum.value(), self.gap_ns))
    }

    #[inline]
    fn take(&mut self) {
        for _ in 0..self.share.workers {
            self.next = self.next.saturating_add(1);
            self.sum.add(exponential(self.seed, self.next));
        }
    }

    fn finished(&mut self, _end: Nanos) {}

    fn over_at(&self) -> Option<Nanos> {
        let limit = self.limit?;
        let mut sum = self.sum;
        // Called when this worker's arrivals are over: `next` is at or just beyond the limit, and
        // at most `workers` arrivals away from it.
        if self.next <= limit {
            for k in self.next + 1..=limit {
                sum.add(exponential(self.seed, k));
            }
            return Some(instant(sum.value(), self.gap_ns));
        }
        for k in (limit + 1..=self.next).rev() {
            sum.add(-exponential(self.seed, k));
        }
        Some(instant(sum.value(), self.gap_ns))
    }
}

/// A sum that keeps what each addition rounds off, so that a day of arrivals does not drift.
///
/// # Source
/// Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    total: f64,
    rounded_off: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let total = self.total + term;
        self.rounded_off += if self.total.abs() >= term.abs() {
            (self.total - total) + term
        } else {
            (term - total) + self.total
        };
        self.total = total;
    }

    fn value(self) -> f64 {
        self.total + self.rounded_off
    }
}

fn exponential(seed: u64, k: u64) -> f64 {
    -(-unit_interval(seed, k)).ln_1p()
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded down to whole nanoseconds; a cast saturates"
)]
fn instant(sum: f64, gap_ns: f64) -> Nanos {
    Nanos((sum * gap_ns) as u64)
}
