//! A run through the sink's queue, as the plan, the sink's log and throng's report have it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use throng_engine::plan::Plan;
use throng_engine::workload::{self, Share};
use throng_measure::Nanos;

use crate::common::sink_log::LoggingSink;
use crate::common::throng;
use crate::machine::Ticks;
use crate::statistics::{self, Estimate, mean, quantile};

/// Requests of an open plan through the queue, seen from all three sides.
pub(crate) struct Queued {
    pub(crate) report: Value,
    pub(crate) seconds: f64,
    pub(crate) busy_ratio: f64,
    /// When each was due, arrived and departed: in ns since the start of the plan, in the order of
    /// arrival.
    pub(crate) due: Vec<f64>,
    pub(crate) arrival: Vec<f64>,
    pub(crate) departure: Vec<f64>,
    pub(crate) service: Vec<f64>,
}

impl Queued {
    /// Sends [`RATE_PER_S`] with Poisson arrivals to `path`, for so many seconds on so many
    /// connections.
    pub(crate) fn measure(path: &str, seconds: u64, connections: u64) -> Self {
        let _alone = alone();
        let sink = LoggingSink::start();
        let (rate, duration) = (RATE_PER_S.to_string(), format!("{seconds}s"));
        let connections = connections.to_string();
        let open = ["-R", &rate, "--arrivals", "poisson", "-d", &duration, "-c", &connections];
        let ticks = Ticks::now();
        let report = measure(&open, &sink.url(path));
        let busy_ratio = ticks.busy_ratio();
        let lines = sink.end();
        let mut queued = Self {
            busy_ratio,
            due: due_of(&report),
            arrival: lines.iter().map(|line| line.arrival_ns).collect(),
            departure: lines.iter().map(|line| line.departure_ns.expect("whole")).collect(),
            service: lines.iter().map(|line| line.service_ns.expect("queued")).collect(),
            report,
            seconds: seconds as f64,
        };
        assert_eq!(queued.due.len(), lines.len(), "every request that was due arrived");
        let late = queued.arrival.iter().zip(&queued.due).map(|(arrival, due)| arrival - due);
        let start = late.fold(f64::INFINITY, f64::min);
        queued.arrival.iter_mut().chain(&mut queued.departure).for_each(|at| *at -= start);
        queued
    }

    /// From due to departure, as the plan and the log have it.
    pub(crate) fn response(&self) -> Vec<f64> {
        self.departure.iter().zip(&self.due).map(|(departure, due)| departure - due).collect()
    }

    pub(crate) fn late_arrival(&self) -> Vec<f64> {
        self.arrival.iter().zip(&self.due).map(|(arrival, due)| arrival - due).collect()
    }

    pub(crate) fn late_departure(&self) -> Vec<f64> {
        let times = statistics::sojourns(&self.arrival, &self.service);
        let through = self.arrival.iter().zip(times).map(|(arrival, time)| arrival + time);
        self.departure.iter().zip(through).map(|(departure, through)| departure - through).collect()
    }

    /// The times in the queue, had all arrived when they were due.
    pub(crate) fn planned_sojourns(&self) -> Vec<f64> {
        statistics::sojourns(&self.due, &self.service)
    }

    /// The mean over requests of what `value` makes of those times.
    fn planned(&self, value: impl Fn(f64) -> f64) -> Estimate {
        let times = self.planned_sojourns();
        let waits = times.iter().zip(&self.service).map(|(time, service)| time - service);
        let found_empty: Vec<bool> = waits.map(|wait| wait < 1.0).collect();
        let values: Vec<f64> = times.into_iter().map(value).collect();
        statistics::regenerative(&values, &found_empty)
    }

    pub(crate) fn reports_what_happened(&self) {
        let response = self.response();
        let truth = [("mean", mean(&response)), ("p99", quantile(&response, 0.99))];
        for (name, expected) in truth {
            let reported = number(&self.report, &format!("/response_time_ns/{name}"));
            println!("{name}: {reported} ns reported, {expected} ns in log and plan");
            assert!(is_within(reported, expected, 0.02), "{name}: {reported} {expected}");
        }
    }

    /// The sink's part of the claim: it is a queue, and its answers leave when they should.
    pub(crate) fn was_served_in_time(&self) {
        let late = self.late_departure();
        assert!(quantile(&late, 0.01) >= 0.0, "before their time: {}", quantile(&late, 0.01));
        assert!(quantile(&late, 0.5) <= NETWORK_NS, "late: {}", quantile(&late, 0.5));
    }

    pub(crate) fn is_the_queue_of_the_book(&self, mean_ns: f64, p99_ns: f64) {
        let time = self.planned(|time| time);
        let beyond = self.planned(|time| if time > p99_ns { 1.0 } else { 0.0 });
        println!("time in the queue: {time:?} for {mean_ns}; beyond the p99: {beyond:?}");
        assert!((time.mean - mean_ns).abs() <= 3.0 * time.standard_error, "{time:?} {mean_ns}");
        assert!((beyond.mean - 0.01).abs() <= 3.0 * beyond.standard_error, "{beyond:?}");
        // Wider than this, the bounds would let an M/D/1 pass for an M/M/1.
        assert!(time.standard_error <= 0.08 * mean_ns && beyond.standard_error <= 0.005);
    }
}

/// Only one test at a time keeps time: they would disturb each other.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures with the report as JSON.
pub(crate) fn measure(arguments: &[&str], url: &str) -> Value {
    let done = throng(&[&["-t", "1", "--json", "-"], arguments, &[url]].concat());
    assert_eq!(done.status, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).expect("JSON")
}

pub(crate) fn number(report: &Value, pointer: &str) -> f64 {
    report.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}: {report}"))
}

/// The instants at which the plan of a report has requests due.
fn due_of(report: &Value) -> Vec<f64> {
    let plan: Plan = serde_json::from_value(report["plan"].clone()).expect("the plan");
    let stop = plan.stop.duration_ns.map_or(Nanos::MAX, Nanos);
    let mut workload = workload::of_plan(&plan, Share { worker: 0, workers: 1 });
    let due = std::iter::from_fn(|| workload.take_due(Nanos::MAX, stop));
    due.map(|due| due.0 as f64).collect()
}

/// Whether the processors were free enough for threads to run when they should.
pub(crate) fn is_calm(busy_ratio: f64) -> bool {
    println!("the processors were busy for {busy_ratio} of the time");
    busy_ratio <= BUSY_RATIO_MAX
}

/// Whether `found` is `expected`, within that ratio and what the network takes.
pub(crate) fn is_within(found: f64, expected: f64, ratio: f64) -> bool {
    (found - expected).abs() <= ratio * expected + NETWORK_NS
}

/// A utilisation of 0.5 at a mean service time of 2 ms.
pub(crate) const RATE_PER_S: u64 = 250;
/// More connections than ever are busy: a pool of this size is never waited for.
pub(crate) const AMPLE: u64 = 64;
pub(crate) const SERVICE_NS: f64 = 2_000_000.0;
/// The mean time in that M/M/1 queue.
pub(crate) const MEAN_NS: f64 = 2.0 * SERVICE_NS;
/// What the way there and back may add on loopback: 0.1 ms.
pub(crate) const NETWORK_NS: f64 = 100_000.0;
/// See the top.
pub(crate) const BUSY_RATIO_MAX: f64 = 0.5;
