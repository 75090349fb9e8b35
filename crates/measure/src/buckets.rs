//! Counting durations as cheaply as they can be counted.
//!
//! A worker files six durations for each request. [`Buckets`] counts them in the layout of an
//! HdrHistogram of three digits from 1 ns to [`HIGHEST_NS`], so nothing is lost or
//! rounded twice when they become one, and costs a tenth of its `record`. It remembers which
//! blocks it has touched: merging, emptying and memory cost those only.

use std::ops::Range;

use hdrhistogram::{Counter, Histogram};

use crate::metric::HIGHEST_NS;

/// Counts of durations.
///
/// Values below 2^11 have a bucket each; each further doubling has 2^10, so a value is filed at
/// most 1 part in 1,024 away from itself (HdrHistogram's layout for three digits).
#[derive(Clone, Debug)]
pub struct Buckets {
    counts: Box<[u32; BUCKETS]>,
    /// Which blocks of [`BLOCK`] buckets were touched, a bit for each.
    touched: u64,
}

impl Buckets {
    /// No durations. Memory is claimed as it is touched.
    #[must_use]
    pub fn new() -> Self {
        // By way of a vector, so that the zeros are the system's and not written here.
        let counts = vec![0; BUCKETS].into_boxed_slice();
        let counts = counts.try_into().unwrap_or_else(|_| Box::new([0; BUCKETS]));
        Self { counts, touched: 0 }
    }

    /// Counts one duration; one beyond [`HIGHEST_NS`] counts as that.
    #[inline(always)]
    pub fn record(&mut self, duration_ns: u64) {
        let index = index_of(duration_ns.min(HIGHEST_NS));
        // An interval lasts seconds: 32 bits do not overflow at any rate of recording.
        self.counts[index] = self.counts[index].wrapping_add(1);
        self.touched |= 1 << (index / BLOCK);
    }

    /// How many durations were counted. Walks over the touched blocks.
    #[must_use]
    pub fn len(&self) -> u64 {
        let count =
            |block: Range<usize>| self.counts[block].iter().map(|&n| u64::from(n)).sum::<u64>();
        self.touched_blocks().map(count).sum()
    }

    /// Whether none was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.touched == 0
    }

    /// How many durations were filed at [`HIGHEST_NS`], being that long or longer.
    #[must_use]
    pub fn saturated(&self) -> u64 {
        u64::from(self.counts[BUCKETS - 1])
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for block in other.touched_blocks() {
            for (mine, others) in self.counts[block.clone()].iter_mut().zip(&other.counts[block]) {
                *mine = mine.saturating_add(*others);
            }
        }
        self.touched |= other.touched;
    }

    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        for block in self.touched_blocks() {
            self.counts[block].fill(0);
        }
        self.touched = 0;
    }

    /// The counts, in the order of an HdrHistogram's, up to the last one that is not zero.
    pub(crate) fn counts(&self) -> &[u32] {
        let behind = self.touched_blocks().last().map_or(0, |block| block.end);
        let last = self.counts[..behind].iter().rposition(|&count| count > 0);
        &self.counts[..last.map_or(0, |last| last + 1)]
    }

    /// Adds the counts to a histogram of the same layout.
    pub fn fold_into(&self, histogram: &mut Histogram<u64>) {
        for index in self.touched_blocks().flatten() {
            let count = u64::from(self.counts[index]);
            if count > 0 {
                histogram.saturating_record_n(lowest_of(index), count);
            }
        }
    }

    /// Adds the counts of a histogram of the same layout.
    pub(crate) fn add<T: Counter>(&mut self, histogram: &Histogram<T>) {
        for step in histogram.iter_recorded() {
            let index = index_of(step.value_iterated_to().min(HIGHEST_NS));
            let count = step.count_since_last_iteration();
            let mine = &mut self.counts[index];
            *mine = mine.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
            self.touched |= 1 << (index / BLOCK);
        }
    }

    /// How many buckets there are.
    pub(crate) const COUNT: usize = BUCKETS;

    /// The least value of a bucket.
    pub(crate) fn lowest_of(index: usize) -> Option<u64> {
        (index < BUCKETS).then(|| lowest_of(index))
    }

    /// The touched parts in rising order.
    fn touched_blocks(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let touched = self.touched;
        (0..BUCKETS.div_ceil(BLOCK))
            .filter(move |block| touched & (1 << block) != 0)
            .map(|block| block * BLOCK..((block + 1) * BLOCK).min(BUCKETS))
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self::new()
    }
}

/// The bucket of a value: which doubling it is in, and which of that doubling's buckets.
#[inline]
fn index_of(value: u64) -> usize {
    let doubling = u64::BITS - LINEAR_BITS - (value | (LINEAR - 1)).leading_zeros();
    // At most 2^11 · 32: it fits.
    (u64::from(doubling) * (LINEAR / 2) + (value >> doubling)) as usize
}

/// The least value of a bucket.
fn lowest_of(index: usize) -> u64 {
    let index = index as u64;
    if index < LINEAR {
        return index;
    }
    let doubling = index / (LINEAR / 2) - 1;
    (index - doubling * (LINEAR / 2)) << doubling
}

/// Values below 2^11 have a bucket each.
const LINEAR_BITS: u32 = 11;
const LINEAR: u64 = 1 << LINEAR_BITS;

/// Buckets whose being touched is remembered together: one doubling.
const BLOCK: usize = 1024;

/// One more than the index of [`HIGHEST_NS`]; a test holds them together.
const BUCKETS: usize = 33_421;

#[cfg(test)]
mod tests;
