//! Open model, one arrival at a random instant of each equal slice.

use throng_measure::Nanos;

use super::constant::slice_start;
use super::{Due, Share, Workload, unit_interval};
use crate::plan::Rate;

/// Stratified arrivals: arrival `k` is due at `(k + U_k) · per / count` with `U_k` uniform in [0, 1)
/// and a function of (seed, k) alone. Counts are exact in every slice, yet nothing is in step with
/// a server's own periods.
#[derive(Debug)]
pub struct Uniform {
    rate: Rate,
    seed: u64,
    pub(super) next: u64,
    stride: u64,
    limit: Option<u64>,
    due: Nanos,
}

impl Uniform {
    /// The arrivals of one worker.
    #[must_use]
    pub fn new(rate: Rate, share: Share, limit: Option<u64>, seed: u64) -> Self {
        let next = u64::from(share.worker);
        let due = due_of(rate, seed, next);
        Self { rate, seed, next, stride: u64::from(share.workers), limit, due }
    }
}

impl Workload for Uniform {
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
        self.due = due_of(self.rate, self.seed, self.next);
    }

    fn finished(&mut self, _end: Nanos) {}

    fn over_at(&self) -> Option<Nanos> {
        self.limit.map(|limit| slice_start(self.rate, limit))
    }
}

fn due_of(rate: Rate, seed: u64, k: u64) -> Nanos {
    let start = slice_start(rate, k);
    let length_ns = slice_start(rate, k.saturating_add(1)).since(start);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a random instant inside the slice: its last bits carry no meaning"
    )]
    let within_ns = (unit_interval(seed, k) * length_ns as f64) as u64;
    start.plus(within_ns.min(length_ns.saturating_sub(1)))
}
