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
//! either. Both are what `NETWORK_NS` allows for. Whatever the machine does to a thread on either
//! side is on both sides of the comparison, so it holds on a busy machine too, and nothing here is
//! tried twice.
//!
//! Three claims, each with its own bound:
//! - **throng reports what happened**: its mean and p99 are those of the sum above, within 2 % and
//!   `NETWORK_NS`.
//! - **the plan and the draws are the queue of the book**: with the plan's due times for arrivals, the
//!   mean time in the queue is that of M/M/1 or M/D/1, and as many times as there should be are beyond
//!   the theoretical p99, within three standard errors. In 20 s there are 5,000 times which depend on
//!   each other, so the standard error of the mean is about 4 %, and 2 % cannot be asked for; it is
//!   estimated from the cycles between instants at which the queue is empty
//!   (`statistics::regenerative`). Both seeds are fixed, so these are the same times on every run.
//!   What connects them with the first claim: the median arrival and the median departure are within
//!   `NETWORK_NS` of where plan and recursion have them.
//! - **arrivals are those of the plan's kind**, judged at the server alone. This is the one claim that
//!   a busy machine makes false: a thread that does not run sends nothing. Where the kernel says that
//!   the processors were busy for more than half of the time (`BUSY_RATIO_MAX`; throng and the
//!   sink take less than a tenth), the shape of the gaps is printed and not judged; what is left then
//!   are medians, slopes, and the due times themselves.
//!
//! [`a_long_run_is_within_two_percent_of_theory`] asks for 2 % of theory itself. Only long runs can
//! be asked that: after 600 s the standard error is 0.7 % of the mean and 1.4 % of p99. To run it:
//! `THRONG_ORACLE_SECONDS=600 cargo test -p throng --test oracle -- --ignored --nocapture`.

#![allow(clippy::print_stdout, reason = "figures for who runs it with --nocapture")]

mod common;
#[path = "oracle/machine.rs"]
mod machine;
#[path = "oracle/queued.rs"]
mod queued;
#[path = "oracle/statistics.rs"]
mod statistics;

use std::sync::LazyLock;

use common::sink_log::{Line, LoggingSink};
use machine::Ticks;
use queued::{
    AMPLE, MEAN_NS, NETWORK_NS, Queued, RATE_PER_S, SERVICE_NS, alone, is_calm, is_within, measure,
    number,
};
use statistics::{ANDERSON_DARLING_1_PERCENT, mean, quantile};

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
    // The server never had two at once, so it served each in its drawn time.
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
        assert!((short_ratio - expected).abs() < 0.25, "{short_ratio}, {expected} are expected");
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
    assert!(half < 150_000.0, "{half}");
    assert!(!is_calm(busy_ratio) || most < 250_000.0, "{most}");
    // Drift: against instants at exactly the period, arrivals become neither later nor earlier.
    let lateness = arrivals.iter().enumerate().map(|(k, arrival)| arrival - k as f64 * period_ns);
    let drift = statistics::rise(&lateness.collect::<Vec<_>>()) / period_ns;
    println!("drift: {drift} of the period");
    assert!(drift.abs() < 1e-4, "{drift}");
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

/// Requests of one kind, and how they should end.
struct Kind {
    path: &'static str,
    options: &'static [&'static str],
    count: u64,
    outcome: &'static str,
    /// What throng counts, and what the sink logs.
    reported: Option<u16>,
    logged: Option<u16>,
    is_whole: bool,
}

impl Kind {
    /// Answers that come whole.
    const fn whole(path: &'static str, status: u16, outcome: &'static str) -> Self {
        let (reported, logged) = (Some(status), Some(status));
        Self { path, options: &[], count: 0, outcome, reported, logged, is_whole: true }
    }

    /// Answers that are cut, having got as far as that status.
    const fn cut(path: &'static str, logged: Option<u16>) -> Self {
        let (outcome, reported) = ("io_error", None);
        Self { path, options: &[], count: 0, outcome, reported, logged, is_whole: false }
    }

    const fn times(self, count: u64, options: &'static [&'static str]) -> Self {
        Self { count, options, ..self }
    }
}

#[test]
fn every_request_that_throng_counts_is_in_the_log_and_no_other() {
    let _alone = alone();
    let sink = LoggingSink::start();
    let kinds = [
        Kind::whole("/", 200, "ok").times(4_001, &["-n", "4001", "-c", "7"]),
        Kind::whole("/status/503", 503, "http_error").times(301, &["-n", "301"]),
        Kind::whole("/status/404", 404, "http_error").times(300, &["-R", "300", "-d", "1s"]),
        Kind::whole("/chunked/3000", 200, "ok").times(200, &["-n", "200", "--pipeline", "4"]),
        Kind::whole("/queue/fixed/100us", 200, "ok").times(500, &["-n", "500", "-c", "5"]),
        Kind::cut("/close/body", Some(200)).times(203, &["-n", "203", "-c", "3"]),
        Kind::cut("/close/head", Some(200)).times(103, &["-n", "103"]),
        Kind::cut("/close", None).times(53, &["-n", "53"]),
    ];
    for kind in &kinds {
        let report = measure(kind.options, &sink.url(kind.path));
        assert_eq!(report["planned"], kind.count, "{}", kind.path);
        assert_eq!(report["outcomes"][kind.outcome], kind.count, "{}: {report}", kind.path);
        assert_eq!(report["connections"]["retried"], 0, "{}", kind.path);
        let expected = kind.reported.map(|status| (status.to_string(), kind.count.into()));
        let expected: serde_json::Map<_, _> = expected.into_iter().collect();
        assert_eq!(report["status"].as_object(), Some(&expected), "{}", kind.path);
    }
    let lines = sink.end();
    assert_eq!(lines.len() as u64, kinds.iter().map(|kind| kind.count).sum::<u64>());
    for kind in &kinds {
        let is_such = |line: &&Line| {
            let is_whole = line.departure_ns.is_some();
            (&*line.path, line.status, is_whole) == (kind.path, kind.logged, kind.is_whole)
        };
        assert_eq!(lines.iter().filter(is_such).count() as u64, kind.count, "{}", kind.path);
    }
}

/// Takes as many seconds as `THRONG_ORACLE_SECONDS` says, or 600.
///
/// With both seeds at 1, the queue that the plan and the draws describe has a mean 0.15 % and a p99
/// 0.03 % above theory after 600 s (after 300 s: 0.24 % and 1.20 % below), so what is asked is not luck.
/// What throng reports is held against theory as it is where the processors were free. Where they
/// were not, what the log knows of lateness on both sides is taken out first.
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
    let is_calm = is_calm(queued.busy_ratio);
    let (response, planned) = (queued.response(), queued.planned_sojourns());
    let p99 = |values: &[f64]| quantile(values, 0.99);
    for (name, theory, of) in
        [("mean", MEAN_NS, &mean as &dyn Fn(&[f64]) -> f64), ("p99", MEAN_NS * 100_f64.ln(), &p99)]
    {
        let reported = number(&queued.report, &format!("/response_time_ns/{name}"));
        let had_nothing_been_late = reported - of(&response) + of(&planned);
        for (what, found) in [("as it is", reported), ("not late", had_nothing_been_late)] {
            let off_percent = (found / theory - 1.0) * 100.0;
            println!("{name} {what}: {found} ns, theory {theory} ns: {off_percent:+.2} %");
        }
        assert!(is_within(had_nothing_been_late, theory, 0.02), "{name}: {had_nothing_been_late}");
        assert!(!is_calm || is_within(reported, theory, 0.02), "{name}: {reported}");
    }
}
