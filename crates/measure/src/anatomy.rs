//! Where the time of a request went: what was ours before the wire, what was the wire and the
//! server, what was ours behind it.
//!
//! One request in a few is sent with a request to the kernel to say when it handed the last byte
//! to the device. Of such a request every stretch is known:
//!
//! ```text
//! due → dispatched → sent → transmitted → end → read
//!     lateness  queue wait  transmit     wire   wakeup
//! ```
//!
//! What makes up a percentile cannot be read off the percentiles of the stretches: the request
//! that waited longest in one is seldom the one that waited longest in another. So the stretches
//! are summed by response time, in narrow cells, and a percentile is taken apart by the shares
//! that they have in the requests whose response times lie nearest to it.
//!
//! Invariant: a cell's sums of `lateness`, `queue_wait`, `transmit` and `wire` add up to the sum of
//! its response times, exactly.

use crate::Sample;

/// The stretches of sampled requests, summed by response time.
#[derive(Clone, Debug)]
pub struct Anatomy {
    cells: Box<[Stretches; CELLS]>,
    count: u64,
}

/// Sums of the stretches of some requests, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// Requests.
    pub count: u64,
    /// `dispatched − due`.
    pub lateness_ns: u64,
    /// `sent − dispatched`.
    pub queue_wait_ns: u64,
    /// `transmitted − sent`: in the kernel's send path.
    pub transmit_ns: u64,
    /// `end − transmitted`: the network, and the server.
    pub wire_ns: u64,
    /// `read − end`: not part of the response time.
    pub wakeup_ns: u64,
}

/// What a response time is made of, by the shares that the stretches have in the sampled requests
/// nearest to it. All but `wakeup_ns`, their mean, add up to `of_ns`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakdown {
    /// The response time that was asked for.
    pub of_ns: u64,
    /// Sampled requests that the shares are of.
    pub count: u64,
    /// `dispatched − due`.
    pub lateness_ns: f64,
    /// `sent − dispatched`.
    pub queue_wait_ns: f64,
    /// `transmitted − sent`.
    pub transmit_ns: f64,
    /// `end − transmitted`.
    pub wire_ns: f64,
    /// `read − end`.
    pub wakeup_ns: f64,
}

impl Stretches {
    /// The stretches of one request; `None` unless every instant of it is known.
    #[must_use]
    pub fn of(sample: &Sample) -> Option<Self> {
        let (dispatched, sent) = (sample.dispatched?, sample.sent?);
        let transmitted = sample.transmitted?;
        Some(Self {
            count: 1,
            lateness_ns: dispatched.since(sample.due),
            queue_wait_ns: sent.since(dispatched),
            transmit_ns: transmitted.since(sent),
            wire_ns: sample.end.since(transmitted),
            wakeup_ns: sample.read.since(sample.end),
        })
    }

    /// Adds other requests.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.lateness_ns += other.lateness_ns;
        self.queue_wait_ns += other.queue_wait_ns;
        self.transmit_ns += other.transmit_ns;
        self.wire_ns += other.wire_ns;
        self.wakeup_ns += other.wakeup_ns;
    }
}

impl Anatomy {
    /// Nothing sampled.
    #[must_use]
    pub fn new() -> Self {
        Self { cells: Box::new([Stretches::default(); CELLS]), count: 0 }
    }

    /// Files a sampled request under its response time.
    pub fn file(&mut self, response_ns: u64, stretches: &Stretches) {
        self.add(cell_of(response_ns), stretches);
    }

    /// Adds sums to a cell, as [`Anatomy::cells`] gave them; cells that do not exist count as the
    /// last one.
    pub fn add(&mut self, cell: usize, stretches: &Stretches) {
        self.cells[cell.min(CELLS - 1)].add(stretches);
        self.count += stretches.count;
    }

    /// Sampled requests.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The cells that have something, rising by response time.
    pub fn cells(&self) -> impl Iterator<Item = (usize, &Stretches)> {
        // An empty one is not walked through: most windows of most runs ask for this once.
        let cells = if self.count == 0 { &[][..] } else { &self.cells[..] };
        cells.iter().enumerate().filter(|(_, stretches)| stretches.count > 0)
    }

    /// Adds what another one has.
    pub fn merge(&mut self, other: &Self) {
        for (cell, stretches) in other.cells() {
            self.add(cell, stretches);
        }
    }

    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        if self.count > 0 {
            self.cells.fill(Stretches::default());
            self.count = 0;
        }
    }

    /// What a response time is made of, from at least ten of the sampled requests with response
    /// times nearest to it; `None` when fewer lie within a factor of two.
    #[must_use]
    pub fn breakdown(&self, response_ns: u64) -> Option<Breakdown> {
        let middle = cell_of(response_ns);
        let mut sum = self.cells[middle];
        for distance in 1..=CELLS_FURTHEST {
            if sum.count >= NEAREST_COUNT {
                break;
            }
            if let Some(below) = middle.checked_sub(distance) {
                sum.add(&self.cells[below]);
            }
            if let Some(above) = self.cells.get(middle + distance) {
                sum.add(above);
            }
        }
        let whole_ns = sum.lateness_ns + sum.queue_wait_ns + sum.transmit_ns + sum.wire_ns;
        let share = |part_ns: u64| response_ns as f64 * part_ns as f64 / whole_ns as f64;
        (sum.count >= NEAREST_COUNT && whole_ns > 0).then(|| Breakdown {
            of_ns: response_ns,
            count: sum.count,
            lateness_ns: share(sum.lateness_ns),
            queue_wait_ns: share(sum.queue_wait_ns),
            transmit_ns: share(sum.transmit_ns),
            wire_ns: share(sum.wire_ns),
            wakeup_ns: sum.wakeup_ns as f64 / sum.count as f64,
        })
    }
}

impl Default for Anatomy {
    fn default() -> Self {
        Self::new()
    }
}

/// The cell of a response time: eight to a doubling, from 1 µs up.
fn cell_of(response_ns: u64) -> usize {
    let shifted = response_ns >> FIRST_BITS;
    if shifted == 0 {
        return 0;
    }
    let doubling = shifted.ilog2();
    let eighth = (response_ns >> (doubling + FIRST_BITS - 3)) & 7;
    // At most 54 · 8 + 8: it fits.
    ((u64::from(doubling) * 8 + eighth) as usize).min(CELLS - 1)
}

/// Response times below 2^10 ns share the first cell.
const FIRST_BITS: u32 = 10;

/// 32 doublings from 1 µs: beyond an hour.
const CELLS: usize = 256;

/// Sampled requests that a breakdown takes at least.
const NEAREST_COUNT: u64 = 10;

/// A breakdown looks no further than eight cells: a factor of two.
const CELLS_FURTHEST: usize = 8;

#[cfg(test)]
mod tests;
