//! Samples to numbers: what a request's instants become on their way to a report.
//!
//! A worker's [`Recorder`] files each [`Sample`] into the [`Interval`] of the second it was *due*
//! in. Once a second the intervals travel to the conductor, which adds them to the run file
//! ([`runfile`]). Every report, live or later, is made from a [`Summary`] read back from that
//! file, so `throng report FILE` prints what the live run printed.
//!
//! Invariant: nothing here reads a clock, opens a socket or starts a thread.
#![forbid(unsafe_code)]

mod cause;
mod interval;
mod metric;
mod nanos;
mod outcome;
mod recorder;
mod sample;

pub use cause::Cause;
pub use interval::{Connections, Counts, Gauges, Interval, STATUS_CODES, WINDOW_NS};
pub use metric::{HIGHEST_NS, Metric, SIGNIFICANT_DIGITS};
pub use nanos::Nanos;
pub use outcome::Outcome;
pub use recorder::{Exchange, Recorder, Span};
pub use sample::Sample;
