//! The monotonic clock of a run, and the wall clock's distance from it.

use throng_measure::Nanos;

/// One monotonic clock, shared by copying. Instants count from its origin.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin_ns: u64,
}

impl Clock {
    /// A clock whose zero is now.
    #[must_use]
    pub fn start() -> Self {
        Self { origin_ns: read_ns(libc::CLOCK_MONOTONIC) }
    }

    /// Nanoseconds since the origin; 0 before it.
    #[inline]
    #[must_use]
    pub fn now(self) -> Nanos {
        Nanos(read_ns(libc::CLOCK_MONOTONIC).saturating_sub(self.origin_ns))
    }

    /// The same clock with `start` as its zero.
    #[must_use]
    pub fn from(self, start: Nanos) -> Self {
        Self { origin_ns: self.origin_ns + start.0 }
    }
}

/// Processor time of the calling thread, in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    read_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The wall clock: nanoseconds since 1970, UTC.
#[must_use]
pub fn unix_ns() -> i64 {
    i64::try_from(read_ns(libc::CLOCK_REALTIME)).unwrap_or(i64::MAX)
}

/// The wall clock's distance from the monotonic clock, refreshed now and then.
///
/// Kernel receive timestamps are in CLOCK_REALTIME. They are mapped to the run's clock by this
/// distance, so a step of the wall clock (NTP, an administrator) would falsify the stamps until
/// the next refresh: stamps are also held between the request's `sent` and `read`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WallClock {
    /// Wall-clock nanoseconds at the run clock's zero.
    offset_ns: i128,
    refreshed: Nanos,
    pub(crate) steps: u64,
}

impl WallClock {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { offset_ns: offset_ns(clock), refreshed: clock.now(), steps: 0 }
    }

    /// Measures the distance again when the last time is long enough ago.
    pub(crate) fn refresh(&mut self, clock: Clock, now: Nanos) {
        if now.since(self.refreshed) < REFRESH_NS {
            return;
        }
        let offset_ns = offset_ns(clock);
        // NTP slews by at most 500 ppm: 50 µs in 100 ms. More is a step.
        let slew_ns_max = i128::from(now.since(self.refreshed)) / 1000 + STEP_NS;
        self.steps += u64::from((offset_ns - self.offset_ns).abs() > slew_ns_max);
        self.offset_ns = offset_ns;
        self.refreshed = now;
    }

    /// The run's instant of a wall-clock time.
    #[inline]
    pub(crate) fn instant(&self, seconds: i64, nanoseconds: i64) -> Nanos {
        let wall_ns = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        Nanos(u64::try_from(wall_ns - self.offset_ns).unwrap_or(0))
    }
}

/// The wall clock is read between two readings of the monotonic clock; the narrowest of a few
/// such brackets is the most exact.
fn offset_ns(clock: Clock) -> i128 {
    let bracket = || {
        let before = clock.now();
        let wall_ns = i128::from(read_ns(libc::CLOCK_REALTIME));
        let after = clock.now();
        (after.since(before), wall_ns - i128::from(before.0 / 2 + after.0 / 2))
    };
    let (_, offset_ns) = (0..3).map(|_| bracket()).min().unwrap_or_else(bracket);
    offset_ns
}

#[inline]
fn read_ns(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the call to fill. It cannot fail: both clocks exist
    // on every Linux.
    unsafe { libc::clock_gettime(id, &raw mut time) };
    // The clocks used are never negative.
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

const REFRESH_NS: u64 = 100_000_000;
const STEP_NS: i128 = 100_000;
