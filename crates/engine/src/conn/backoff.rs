//! How soon to try again what has just failed.

use throng_measure::Nanos;

/// Exponential back-off over consecutive failures to get an answer from a new connection.
///
/// A server that refuses, or accepts and resets, costs a few attempts a second, not a spinning
/// core; one that comes back is noticed within [`DELAY_NS_MAX`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    next_attempt: Nanos,
}

impl Backoff {
    /// A connection could not be opened, or broke before its first answer.
    pub(crate) fn failed(&mut self, now: Nanos) {
        if self.failures > 0 && now < self.next_attempt {
            // Attempts that were started together fail together: that is one failure.
            return;
        }
        let delay_ns = DELAY_NS_MIN << self.failures.min(16);
        self.failures = self.failures.saturating_add(1);
        self.next_attempt = now.plus(delay_ns.min(DELAY_NS_MAX));
    }

    /// A connection has brought an answer.
    #[inline]
    pub(crate) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// When the next attempt may start; `None` when nothing holds it back.
    pub(crate) fn holds_until(&self) -> Option<Nanos> {
        (self.failures > 0).then_some(self.next_attempt)
    }
}

const DELAY_NS_MIN: u64 = 5_000_000;
const DELAY_NS_MAX: u64 = 500_000_000;
