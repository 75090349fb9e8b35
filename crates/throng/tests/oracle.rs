//! throng against a server whose behaviour is known twice: from its own log, and from theory.
//!
//! The server is a sink with one first-come-first-served queue. It shares no code with throng, and
//! its log has the kernel's instants of arrival, the service times that it drew, and when the
//! answers left. From this and the plan, what throng should report follows without any of throng's
//! measurements:
//!
//! ```text
//! response time = late arrival + time in the queue + late departure
//!   late arrival       log's arrival - (start + plan's due time)   generator, and the way there
//!   time in the queue  Lindley's recursion over the log's arrivals and service times
//!   late departure     log's departure - that of the recursion     the sink's timer and thread
//! ```
//!
//! The start of the plan is not in the log. It is taken to be where the least late arrival is not
//! late at all, which hides the shortest way there (some 30 us); the way back is not in the log
//! either. Both are what [`NETWORK_NS`] allows for. Whatever the machine does to a thread on either
//! side is on both sides of the comparison, so it holds on a busy machine too, and nothing here is
//! tried twice.
//!
//! Three claims, each with its own bound:
//! - **throng reports what happened**: its mean and p99 are those of the sum above, within 2 % and
//!   [`NETWORK_NS`].
//! - **the plan and the draws are the queue of the book**: with the plan's due times for arrivals, the
//!   mean time in the queue is that of M/M/1 or M/D/1, and as many times as there should be are beyond
//!   the theoretical p99, within three standard errors. In 20 s there are 5,000 times which depend on
//!   each other, so the standard error of the mean is about 4 %, and 2 % cannot be asked for; it is
//!   estimated from the cycles between instants at which the queue is empty
//!   (`statistics::regenerative`). Both seeds are fixed, so these are the same times on every run.
//!   What connects them with the first claim: the median arrival and the median departure are within
//!   [`NETWORK_NS`] of where plan and recursion have them.
//! - **arrivals are those of the plan's kind**, judged at the server alone. This is the one claim that
//!   a busy machine makes false: a thread that does not run sends nothing. Where the kernel says that
//!   the processors were busy for more than half of the time ([`BUSY_RATIO_MAX`]; throng and the
//!   sink take less than a tenth), the shape of the gaps is printed and not judged; what is left then
//!   are medians, slopes, and the due times themselves.
//!
//! [`a_long_run_is_within_two_percent_of_theory`] asks for 2 % of theory itself. Only long runs can
//! be asked that: after 600 s the standard error is 0.7 % of the mean and 1.4 % of p99. To run it:
//! `THRONG_ORACLE_SECONDS=600 cargo test -p throng --test oracle -- --ignored --nocapture`.

mod common;
#[path = "oracle/machine.rs"]
mod machine;
#[path = "oracle/statistics.rs"]
mod statistics;

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use common::sink_log::{Line, LoggingSink};
use common::throng;
use machine::Ticks;
use serde_json::Value;
use statistics::{ANDERSON_DARLING_1_PERCENT, Estimate, mean, quantile};
use throng_engine::plan::Plan;
use throng_engine::workload::{self, Share};
use throng_measure::Nanos;

/// Requests of an open plan through the queue, seen from all three sides.
struct Queued {
    report: Value,
    seconds: f64,
    busy_ratio: f64,
    /// When each was due, arrived and departed: in ns since the start of the plan, in the order of
    /// arrival.
    due: Vec<f64>,
    arrival: Vec<f64>,
    departure: Vec<f64>,
    service: Vec<f64>,
}

/// Only one test at a time keeps time: they would disturb each other.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Measures with the report as JSON.
fn measure(arguments: &[&str], url: &str) -> Value {
    let done = throng(&[&["-t", "1", "--json", "-"], arguments, &[url]].concat());
    assert_eq!(done.status, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).expect("JSON")
}

/// The instants at which the plan of a report has requests due.
fn due_of(report: &Value) -> Vec<f64> {
    let plan: Plan = serde_json::from_value(report["plan"].clone()).expect("the plan");
    let stop = plan.stop.duration_ns.map_or(Nanos::MAX, Nanos);
    let mut workload = workload::of_plan(&plan, Share { worker: 0, workers: 1 });
    let due = std::iter::from_fn(|| workload.take_due(Nanos::MAX, stop));
    due.map(|due| due.0 as f64).collect()
}

fn number(report: &Value, pointer: &str) -> f64 {
    report.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}: {report}"))
}

impl Queued {
    /// Sends [`RATE_PER_S`] with Poisson arrivals to `path`, for so many seconds on so many
    /// connections.
    fn measure(path: &str, seconds: u64, connections: u64) -> Self {
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
    fn response(&self) -> Vec<f64> {
        self.departure.iter().zip(&self.due).map(|(departure, due)| departure - due).collect()
    }

    fn late_arrival(&self) -> Vec<f64> {
        self.arrival.iter().zip(&self.due).map(|(arrival, due)| arrival - due).collect()
    }

    fn late_departure(&self) -> Vec<f64> {
        let times = statistics::sojourns(&self.arrival, &self.service);
        let through = self.arrival.iter().zip(times).map(|(arrival, time)| arrival + time);
        self.departure.iter().zip(through).map(|(departure, through)| departure - through).collect()
    }

    /// The mean over requests of what `value` makes of their times in the queue, had all arrived
    /// when they were due.
    fn planned(&self, value: impl Fn(f64) -> f64) -> Estimate {
        let times = statistics::sojourns(&self.due, &self.service);
        let waits = times.iter().zip(&self.service).map(|(time, service)| time - service);
        let found_empty: Vec<bool> = waits.map(|wait| wait < 1.0).collect();
        let values: Vec<f64> = times.into_iter().map(value).collect();
        statistics::regenerative(&values, &found_empty)
    }

    fn reports_what_happened(&self) {
        let response = self.response();
        let truth = [("mean", mean(&response)), ("p99", quantile(&response, 0.99))];
        for (name, expected) in truth {
            let reported = number(&self.report, &format!("/response_time_ns/{name}"));
            println!("{name}: {reported} ns reported, {expected} ns in log and plan");
            assert!(is_within(reported, expected, 0.02), "{name}: {reported} {expected}");
        }
    }

    /// The sink's part of the claim: it is a queue, and its answers leave when they should.
    fn was_served_in_time(&self) {
        let late = self.late_departure();
        assert!(quantile(&late, 0.01) >= 0.0, "before their time: {}", quantile(&late, 0.01));
        assert!(quantile(&late, 0.5) <= NETWORK_NS, "late: {}", quantile(&late, 0.5));
    }

    fn is_the_queue_of_the_book(&self, mean_ns: f64, p99_ns: f64) {
        let time = self.planned(|time| time);
        let beyond = self.planned(|time| if time > p99_ns { 1.0 } else { 0.0 });
        println!("time in the queue: {time:?} for {mean_ns}; beyond the p99: {beyond:?}");
        assert!((time.mean - mean_ns).abs() <= 3.0 * time.standard_error, "{time:?} {mean_ns}");
        assert!((beyond.mean - 0.01).abs() <= 3.0 * beyond.standard_error, "{beyond:?}");
        // Wider than this, the bounds would let an M/D/1 pass for an M/M/1.
        assert!(time.standard_error <= 0.08 * mean_ns && beyond.standard_error <= 0.005);
    }
}

/// Whether the processors were free enough for threads to run when they should.
fn is_calm(busy_ratio: f64) -> bool {
    println!("the processors were busy for {busy_ratio} of the time");
    busy_ratio <= BUSY_RATIO_MAX
}

/// Whether `found` is `expected`, within that ratio and what the network takes.
fn is_within(found: f64, expected: f64, ratio: f64) -> bool {
    (found - expected).abs() <= ratio * expected + NETWORK_NS
}

/// A run that several tests look at.
static M_M_1: LazyLock<Queued> =
    LazyLock::new(|| Queued::measure("/queue/exponential/2ms", 20, AMPLE));

#[test]
fn response_time_through_an_m_m_1_queue_is_what_its_log_says() {
    M_M_1.reports_what_happened();
    M_M_1.was_served_in_time();
    assert!(quantile(&M_M_1.late_arrival(), 0.5) <= NETWORK_NS);
}

/// The same plan and the same draws on one connection: now the queue stands in throng, and the server
/// sees one request at a time. Who measures from sending would report the mean service time.
#[test]
fn a_queue_before_the_only_connection_is_part_of_response_time() {
    let queued = Queued::measure("/queue/exponential/2ms", 10, 1);
    queued.reports_what_happened();
    queued.was_served_in_time();
    // In a run this short: half of the requests found the connection busy.
    let service_ns = number(&queued.report, "/service_time_ns/mean");
    assert!(service_ns < 1.3 * SERVICE_NS, "{service_ns}");
    assert!(number(&queued.report, "/response_time_ns/mean") > 1.5 * service_ns);
}

#[test]
fn poisson_arrivals_at_an_exponential_server_make_an_m_m_1_queue() {
    // Time in M/M/1 is exponential with mean S / (1 - utilisation).
    M_M_1.is_the_queue_of_the_book(MEAN_NS, MEAN_NS * 100_f64.ln());
    // Both sides draw from a seed; one must not follow from the other.
    let gaps: Vec<f64> = M_M_1.due.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for services in [&M_M_1.service[1..], &M_M_1.service[..gaps.len()]] {
        let correlation = statistics::correlation(&gaps, services);
        assert!(correlation.abs() < 4.0 / (gaps.len() as f64).sqrt(), "{correlation}");
    }
}

#[test]
fn response_time_through_an_m_d_1_queue_is_what_its_log_and_theory_say() {
    let queued = Queued::measure("/queue/fixed/2ms", 12, AMPLE);
    queued.reports_what_happened();
    queued.was_served_in_time();
    // Mean wait: utilisation S / (2 (1 - utilisation)), which is half a service here.
    let p99_ns = SERVICE_NS * statistics::m_d_1_sojourn_quantile(0.5, 0.99);
    queued.is_the_queue_of_the_book(1.5 * SERVICE_NS, p99_ns);
}

/// Gaps below 0.2 ms are left out: after the machine has stopped a thread for a moment, what fell
/// due meanwhile arrives together, and this makes many tiny gaps out of few events. What exceeds
/// 0.2 ms has the same exponential distribution as the whole, because that has no memory.
#[test]
fn poisson_arrivals_are_exponentially_spaced_at_the_server() {
    const SHORT_NS: f64 = 200_000.0;
    let period_ns = 1e9 / RATE_PER_S as f64;
    let judge = |instants: &[f64], is_judged: bool| {
        let gaps: Vec<f64> = instants.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let excess = gaps.iter().map(|gap| gap - SHORT_NS).filter(|excess| *excess > 0.0);
        let excess: Vec<f64> = excess.collect();
        let statistic = statistics::anderson_darling_exponential(&excess);
        println!("A^2 = {statistic} over {} of {} gaps", excess.len(), gaps.len());
        assert!(!is_judged || statistic < ANDERSON_DARLING_1_PERCENT, "{statistic}");
        // Four standard errors of the mean of so many exponential gaps.
        let bound = 4.0 / (excess.len() as f64).sqrt();
        assert!(!is_judged || (mean(&excess) / period_ns - 1.0).abs() < bound, "{}", mean(&excess));
        // What was left out is what should be, and what the machine bunched: no bursts.
        let short_ratio = 1.0 - excess.len() as f64 / gaps.len() as f64;
        let expected = 1.0 - (-SHORT_NS / period_ns).exp();
        assert!((short_ratio - expected).abs() < 0.1, "{short_ratio}, {expected} are expected");
    };
    judge(&M_M_1.due, true);
    judge(&M_M_1.arrival, is_calm(M_M_1.busy_ratio));
    let late = M_M_1.late_arrival();
    assert!(quantile(&late, 0.5) <= NETWORK_NS, "{}", quantile(&late, 0.5));
}

/// The period is no whole number of milliseconds, so that a schedule on a clock of 1 ms would be
/// seen: its gaps would be 2 or 3 ms. A schedule in bursts has hardly a gap that is right. The
/// machine may do what it likes to one gap in ten.
#[test]
fn constant_arrivals_are_equally_spaced_at_the_server() {
    const CONSTANT_PER_S: u64 = 370;
    const SECONDS: u64 = 8;
    let _alone = alone();
    let sink = LoggingSink::start();
    let (rate, duration) = (CONSTANT_PER_S.to_string(), format!("{SECONDS}s"));
    let ticks = Ticks::now();
    measure(&["-R", &rate, "-d", &duration, "-c", "16"], &sink.url("/"));
    let busy_ratio = ticks.busy_ratio();
    let arrivals: Vec<f64> = sink.end().iter().map(|line| line.arrival_ns).collect();
    assert_eq!(arrivals.len() as u64, CONSTANT_PER_S * SECONDS);
    let period_ns = 1e9 / CONSTANT_PER_S as f64;
    let off = arrivals.windows(2).map(|pair| (pair[1] - pair[0] - period_ns).abs());
    let off: Vec<f64> = off.collect();
    let (half, most) = (quantile(&off, 0.5), quantile(&off, 0.9));
    println!("off by: p50 {half} ns, p90 {most} ns");
    assert!(half < 50_000.0, "{half}");
    assert!(!is_calm(busy_ratio) || most < 250_000.0, "{most}");
    // Drift: the line through all arrivals has the period for its slope.
    let slope = statistics::slope(&arrivals);
    println!("slope: {} of the period", slope / period_ns);
    assert!((slope / period_ns - 1.0).abs() < 1e-4, "{slope}");
    let gap_ns = (arrivals[arrivals.len() - 1] - arrivals[0]) / (arrivals.len() - 1) as f64;
    assert!((gap_ns / period_ns - 1.0).abs() < 1e-3, "{gap_ns}");
}

/// L = lambda W. L is counted by looking at the log (or log and plan) at 200,000 instants.
#[test]
fn the_mean_number_in_the_system_is_rate_times_mean_time() {
    const LOOKS: usize = 200_000;
    let run = &*M_M_1;
    let span = (0.0, run.seconds * 1e9);
    let number_of = |begins: &[f64]| {
        let intervals: Vec<_> = begins.iter().copied().zip(run.departure.iter().copied()).collect();
        statistics::mean_open(&intervals, span, LOOKS)
    };
    let times =
        run.departure.iter().zip(&run.arrival).map(|(departure, arrival)| departure - arrival);
    let rate_per_ns = run.arrival.len() as f64 / span.1;
    let (present, product) =
        (number_of(&run.arrival), rate_per_ns * mean(&times.collect::<Vec<_>>()));
    println!("log: {present} present, rate times mean {product}");
    assert!((present / product - 1.0).abs() < 0.01, "{present} {product}");
    // throng's own numbers against what was counted: at the server, and including what was late.
    let rate_per_s = number(&run.report, "/rate_per_s/ok");
    for (name, begins) in [("service_time_ns", &run.arrival), ("response_time_ns", &run.due)] {
        let reported = rate_per_s * number(&run.report, &format!("/{name}/mean")) / 1e9;
        let present = number_of(begins);
        println!("{name}: {present} present, rate times mean {reported}");
        let allowed = 0.01 * present + rate_per_s * NETWORK_NS / 1e9;
        assert!((reported - present).abs() <= allowed, "{name}: {reported} {present}");
    }
}

#[test]
fn every_request_that_throng_counts_is_in_the_log_and_no_other() {
    let _alone = alone();
    let sink = LoggingSink::start();
    // Path, options, how many, outcome, status in the report, status in the log, whether it is whole.
    let mix: [(&str, &[&str], u64, &str, Option<u16>, Option<u16>, bool); 8] = [
        ("/", &["-n", "4001", "-c", "7"], 4_001, "ok", Some(200), Some(200), true),
        ("/status/503", &["-n", "301"], 301, "http_error", Some(503), Some(503), true),
        ("/status/404", &["-R", "300", "-d", "1s"], 300, "http_error", Some(404), Some(404), true),
        ("/chunked/3000", &["-n", "200", "--pipeline", "4"], 200, "ok", Some(200), Some(200), true),
        ("/close/body", &["-n", "203", "-c", "3"], 203, "io_error", None, Some(200), false),
        ("/close/head", &["-n", "103"], 103, "io_error", None, Some(200), false),
        ("/close", &["-n", "53"], 53, "io_error", None, None, false),
        ("/queue/fixed/100us", &["-n", "500", "-c", "5"], 500, "ok", Some(200), Some(200), true),
    ];
    let mut total = 0;
    for (path, arguments, count, outcome, status, ..) in &mix {
        let report = measure(arguments, &sink.url(path));
        assert_eq!(report["planned"], *count, "{path}");
        assert_eq!(report["outcomes"][outcome], *count, "{path}: {}", report["outcomes"]);
        assert_eq!(report["connections"]["retried"], 0, "{path}");
        match status {
            Some(status) => assert_eq!(report["status"][status.to_string()], *count, "{path}"),
            None => assert_eq!(report["status"].as_object().map(|map| map.len()), Some(0)),
        }
        total += count;
    }
    let lines = sink.end();
    assert_eq!(lines.len() as u64, total);
    for (path, _, count, _, _, status, is_whole) in mix {
        let is_same = |line: &&Line| line.path == path && line.status == status;
        let logged: Vec<&Line> = lines.iter().filter(is_same).collect();
        assert_eq!(logged.len() as u64, count, "{path}");
        assert!(logged.iter().all(|line| line.departure_ns.is_some() == is_whole), "{path}");
    }
}

/// Takes as many seconds as `THRONG_ORACLE_SECONDS` says, or 600.
///
/// With both seeds at 1, the queue that the plan and the draws describe has a mean 0.15 % and a p99
/// 0.03 % above theory after 600 s (after 300 s: 0.24 % and 1.20 % below): what is asked is not luck.
#[test]
#[ignore = "takes ten minutes"]
fn a_long_run_is_within_two_percent_of_theory() {
    let seconds = std::env::var("THRONG_ORACLE_SECONDS");
    let seconds = seconds.map_or(600, |text| text.parse().expect("a number of seconds"));
    let queued = Queued::measure("/queue/exponential/2ms", seconds, AMPLE);
    queued.reports_what_happened();
    queued.was_served_in_time();
    queued.is_the_queue_of_the_book(MEAN_NS, MEAN_NS * 100_f64.ln());
    println!("late arrivals: mean {} ns", mean(&queued.late_arrival()));
    println!("late departures: mean {} ns", mean(&queued.late_departure()));
    for (name, theory) in [("mean", MEAN_NS), ("p99", MEAN_NS * 100_f64.ln())] {
        let reported = number(&queued.report, &format!("/response_time_ns/{name}"));
        println!(
            "{name}: {reported} ns, theory {theory} ns: {:+.2} %",
            (reported / theory - 1.0) * 100.0
        );
        assert!(is_within(reported, theory, 0.02), "{name}: {reported} {theory}");
    }
}

/// A utilisation of 0.5 at a mean service time of 2 ms.
const RATE_PER_S: u64 = 250;
/// More connections than ever are busy: a pool of this size is never waited for.
const AMPLE: u64 = 64;
const SERVICE_NS: f64 = 2_000_000.0;
/// The mean time in that M/M/1 queue.
const MEAN_NS: f64 = 2.0 * SERVICE_NS;
/// What the way there and back may add on loopback: 0.1 ms.
const NETWORK_NS: f64 = 100_000.0;
/// See the top.
const BUSY_RATIO_MAX: f64 = 0.5;
