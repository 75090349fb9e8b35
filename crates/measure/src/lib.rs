//! Samples to numbers: what a request's instants become on their way to a report.
//!
//! A worker's [`Recorder`] files each [`Sample`] into the [`Interval`] of the second it was *due*
//! in. Once a second the intervals travel to the conductor, which adds them to the run file
//! ([`runfile`]). Every report, live or later, is made from a [`Summary`] read back from that
//! file, so `throng report FILE` prints what the live run printed.
//!
//! Invariant: nothing here reads a clock, opens a socket or starts a thread.
#![forbid(unsafe_code)]

mod anatomy;
pub mod audit;
mod buckets;
mod cause;
pub mod compare;
pub mod confidence;
pub mod distribution;
pub mod format;
mod interval;
mod metric;
mod nanos;
pub mod objective;
mod outcome;
pub mod probability;
pub mod reading;
mod recorder;
pub mod runfile;
mod sample;
mod summary;
#[cfg(test)]
mod testing;
mod tls;
pub mod trend;

pub use anatomy::{Anatomy, Breakdown, Stretches};
pub use buckets::Buckets;
pub use cause::Cause;
pub use confidence::ConfidenceInterval;
pub use distribution::{Distribution, Level, Percentile};
pub use interval::{Connections, Counts, Gauges, Interval, STATUS_CODES, Traffic, WINDOW_NS};
pub use metric::{HIGHEST_NS, Metric, SIGNIFICANT_DIGITS, STALL_NS};
pub use nanos::Nanos;
pub use objective::{Finding, Judgement, Objective, ObjectiveError, Objectives};
pub use outcome::Outcome;
pub use recorder::{Exchange, Recorder, Span};
pub use runfile::{
    Capacity, Environment, Generator, Place, Progress, RunEnd, RunFile, RunFileError, RunHeader,
    RunWriter, Second, Tick,
};
pub use sample::Sample;
pub use summary::{GeneratorUse, Model, Rates, Summary, Warmup};
pub use tls::{Agreement, Agreements, TlsUse};
