//! The sink's clock: CLOCK_MONOTONIC, in nanoseconds since the machine started.
//!
//! It is the clock that timerfd understands; `Instant` would not tell its nanoseconds.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// What the monotonic clock shows.
pub(crate) fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// What the wall clock shows, in nanoseconds since 1970.
pub(crate) fn unix_now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

/// The monotonic instant of a wall-clock one that has passed.
///
/// Both clocks are read now, so only a step of the wall clock since `unix_ns` misplaces it, and
/// then never into the future.
pub(crate) fn from_unix_ns(unix_ns: u64) -> u64 {
    let age_ns = unix_now_ns().saturating_sub(unix_ns);
    now_ns().saturating_sub(age_ns)
}

fn nanoseconds(time: Timespec) -> u64 {
    // Neither is negative: these clocks count from the start of the machine and from 1970.
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}
