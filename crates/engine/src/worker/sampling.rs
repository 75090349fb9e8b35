//! Which requests are sampled: those that the kernel stamps when it transmits them.

use throng_measure::Exchange;

use super::Worker;
use crate::io::{Io, Slot};
use crate::plan::Plan;
use crate::workload::{Share, mix};

/// Counts down to the next sampled request.
///
/// The gaps are random, 1 to `2·every − 1` and so `every` on average: with equal gaps, connections
/// or arrivals that come round with the same period would be sampled always or never.
#[derive(Debug)]
pub(super) struct Sampling {
    every: u32,
    /// Requests to go; 0 when nothing is sampled.
    left: u32,
    seed: u64,
}

impl Sampling {
    pub(super) fn of_plan(plan: &Plan, share: Share) -> Self {
        let every = if plan.pipeline == 1 { plan.transmit_sampling } else { 0 };
        let mut sampling = Self { every, left: 0, seed: mix(plan.seed ^ u64::from(share.worker)) };
        sampling.draw();
        sampling
    }

    /// Whether the next request is one.
    #[inline(always)]
    pub(super) fn next(&mut self) -> bool {
        if self.left != 1 {
            self.left = self.left.saturating_sub(1);
            return false;
        }
        self.draw();
        true
    }

    #[cold]
    fn draw(&mut self) {
        self.seed = mix(self.seed);
        let gaps = 2 * u64::from(self.every);
        // Below 2^33: the remainder of 2^32 - 1 gaps fits.
        let gap = if gaps == 0 { 0 } else { 1 + self.seed % (gaps - 1) };
        self.left = u32::try_from(gap).unwrap_or(u32::MAX);
    }
}

impl<I: Io, X: Exchange> Worker<'_, I, X> {
    /// The sampled request that is being sent on a connection will have no stamp of its own.
    #[cold]
    pub(super) fn forget_sample(&mut self, slot: Slot) {
        let connection = self.pool.get_mut(slot);
        if let Some(request) = self.in_flight.front_mut(slot, &connection.ring) {
            request.sampled = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(every: u32, count: usize) -> Vec<u32> {
        let mut sampling = Sampling { every, left: 0, seed: 7 };
        sampling.draw();
        let mut gap = 0;
        let mut gaps = Vec::new();
        for _ in 0..count {
            gap += 1;
            if sampling.next() {
                gaps.push(gap);
                gap = 0;
            }
        }
        gaps
    }

    #[test]
    fn one_in_so_many_is_sampled_at_unequal_gaps() {
        let gaps = gaps(64, 640_000);
        assert!((9_700..10_300).contains(&gaps.len()), "{}", gaps.len());
        let (least, most) = (gaps.iter().min(), gaps.iter().max());
        assert_eq!((least, most), (Some(&1), Some(&127)));
    }

    #[test]
    fn all_or_none_can_be_sampled() {
        assert_eq!(gaps(1, 100), vec![1; 100]);
        assert_eq!(gaps(0, 100), Vec::<u32>::new());
    }
}
