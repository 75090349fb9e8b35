//! What goes into a run file beside the samples.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Gauges, Objective, Span};

/// Where a run is written.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// A file. An older run file of that name is replaced; anything else is left alone, with an
    /// error.
    File(&'a Path),
    /// SQLite's private temporary database: gone when it is closed.
    Temporary,
}

/// What is known when a run begins.
#[derive(Clone, Debug)]
pub struct RunHeader {
    /// throng's version.
    pub version: String,
    /// The plan, complete.
    pub plan: serde_json::Value,
    /// The plan in one line: `closed model: 20 connections, GET http://…`.
    pub title: String,
    /// When the run began, in nanoseconds since 1970, UTC.
    pub started_unix_ns: i64,
    /// The length of the warm-up: window 0 begins here.
    pub warmup_ns: u64,
    /// Whether the model is closed: the next request waits for an answer.
    pub closed: bool,
    /// The most connections that the plan may have open at one time.
    pub connections_max: u32,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
    /// One request in so many was to have its transmission stamped by the kernel; 0: none.
    pub transmit_sampling: u32,
    /// Over TLS: whether the server's certificate is verified.
    pub tls_verified: Option<bool>,
    /// The machine.
    pub environment: Environment,
    /// The conditions under which the run fails.
    pub objectives: Vec<Objective>,
}

/// The machine that generated the load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// `uname -r` of the generating host.
    pub host_kernel: String,
    /// The processor's name.
    pub cpu_model: String,
    /// Processors that throng may run on.
    pub cpu_count: u32,
    /// Worker threads.
    pub worker_count: u32,
    /// What it can generate at most, where it was calibrated for a run like this one.
    pub capacity: Option<Capacity>,
}

/// What a machine can generate at most in runs of one kind, as `throng calibrate` found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// Requests per second.
    pub rate_per_s: u64,
    /// Whether it was concluded from a lower rate, because the generator was never the limit.
    pub estimated: bool,
    /// When the calibration began, in nanoseconds since 1970, UTC.
    pub calibrated_unix_ns: i64,
}

/// The state of the run when a second ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tick {
    /// Since the run began.
    pub elapsed_ns: u64,
    /// The workers' states, added up; the maxima too, which makes them upper bounds.
    pub gauges: Gauges,
    /// What generating the load has cost so far.
    pub generator: Generator,
    /// How it went since the tick before.
    pub second: Second,
}

/// How the generating machine was between one tick and the next; `None` where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Second {
    /// The share of the time in which the busiest worker's thread had a processor, 0..=1.
    pub busiest_worker_ratio: Option<f64>,
    /// The share of processor time that the hypervisor gave to others, 0..=1.
    pub steal_ratio: Option<f64>,
    /// TCP segments that the whole host sent again (`RetransSegs` of `/proc/net/snmp`).
    pub host_retransmitted: Option<u64>,
}

/// What generating the load cost, since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Generator {
    /// Processor time in user space, of all threads.
    pub user_ns: u64,
    /// Processor time in the kernel, of all threads.
    pub system_ns: u64,
    /// The most memory resident at one time.
    pub max_rss_bytes: u64,
    /// The share of processor time that the hypervisor gave to others, 0..=1.
    pub steal_ratio: Option<f64>,
}

/// What is known when a run has ended.
#[derive(Clone, Debug)]
pub struct RunEnd {
    /// Since the run began, until the last request had ended.
    pub elapsed_ns: u64,
    /// The measured part.
    pub span: Span,
    /// Whether the run was told to end before its plan did.
    pub interrupted: bool,
    /// The objective that ended the run before its plan did.
    pub aborted: Option<String>,
    /// The workers' last states, added up.
    pub gauges: Gauges,
    /// What generating the load cost.
    pub generator: Generator,
    /// How it went since the last tick.
    pub second: Second,
}

/// How the run stands, as of the last [`commit`](super::RunWriter::commit).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Since the run began.
    pub elapsed_ns: u64,
    /// Answers per second over the last tick, in the warm-up too.
    pub rate_per_s: f64,
    /// Median response time of all arrivals since the warm-up; `None` while the samples do not
    /// support it or it lies among unanswered requests.
    pub p50_ns: Option<u64>,
    /// The 99th percentile likewise.
    pub p99_ns: Option<u64>,
    /// Requests planned since the warm-up.
    pub planned: u64,
    /// Answers since the warm-up.
    pub completed: u64,
    /// Requests since the warm-up that ended, but not `ok`.
    pub failed: u64,
    /// Connections open.
    pub open_count: u32,
    /// Requests that wait for a connection.
    pub queued: u32,
    /// Requests sent and not answered.
    pub in_flight: u32,
}
