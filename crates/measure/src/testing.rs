//! Runs made up for the tests of several modules.

pub(crate) mod random;

use serde_json::json;

use crate::{
    Cause, Environment, Gauges, Generator, Interval, Nanos, Outcome, Place, RunEnd, RunFile,
    RunHeader, RunWriter, Sample, Second, Span, Summary, Tick,
};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000 * MS;

pub(crate) fn header() -> RunHeader {
    RunHeader {
        version: "0.1.0".into(),
        plan: json!({"url": "http://localhost/"}),
        title: "open model: 100/s".into(),
        started_unix_ns: 1_700_000_000_000_000_000,
        warmup_ns: S,
        closed: false,
        connections_max: 10,
        keep_alive: true,
        transmit_sampling: 64,
        tls_verified: None,
        environment: Environment { cpu_count: 4, ..Environment::default() },
        objectives: Vec::new(),
    }
}

/// The interval of `count` requests due in `window` that ended in `outcome` after `took_ns`.
pub(crate) fn interval(window: i64, count: u64, outcome: Outcome, took_ns: u64) -> Interval {
    let mut interval = Interval::new();
    interval.window = window;
    for _ in 0..count {
        interval.add(&Sample {
            due: Nanos::ZERO,
            dispatched: Some(Nanos(10)),
            sent: Some(Nanos(30)),
            transmitted: None,
            first_byte: Some(Nanos(took_ns)),
            end: Nanos(took_ns),
            read: Nanos(took_ns),
            outcome,
            cause: (!outcome.is_answered()).then_some(Cause::WaitingForAnswer),
            status: if outcome == Outcome::HttpError { 503 } else { 200 },
        });
    }
    if outcome.is_answered() {
        interval.counts.completed = count;
        interval.counts.completed_ok = if outcome == Outcome::Ok { count } else { 0 };
    }
    interval
}

pub(crate) fn tick(elapsed_s: u64, planned: u64) -> Tick {
    let gauges = Gauges { planned, open: 3, ..Gauges::default() };
    Tick { elapsed_ns: elapsed_s * S, gauges, ..Tick::default() }
}

pub(crate) fn end(span_s: u64, planned: u64, planned_warmup: u64) -> RunEnd {
    RunEnd {
        elapsed_ns: (span_s + 1) * S + MS,
        span: Span { from: Nanos(S), until: Nanos((span_s + 1) * S) },
        interrupted: false,
        aborted: None,
        gauges: Gauges { planned, planned_warmup, clock_steps: 2, ..Gauges::default() },
        generator: Generator { user_ns: S, system_ns: S, max_rss_bytes: 1, steal_ratio: Some(0.5) },
        second: Second::default(),
    }
}

/// The end of a run that nothing disturbed.
pub(crate) fn quiet_end(span_s: u64, planned: u64) -> RunEnd {
    let mut end = end(span_s, planned, 0);
    end.gauges.clock_steps = 0;
    end.generator.steal_ratio = Some(0.0);
    end
}

pub(crate) fn temporary() -> RunWriter {
    RunWriter::create(Place::Temporary, &header()).unwrap()
}

/// Requests of one window: how many, how they ended, after how long.
pub(crate) type Parts<'a> = &'a [(u64, Outcome, u64)];

/// The summary of an open run of one second.
pub(crate) fn summary(parts: Parts<'_>) -> Summary {
    run(&[parts]).summary().unwrap()
}

/// An open run with one window per second.
pub(crate) fn run(windows: &[Parts<'_>]) -> RunFile {
    let mut writer = temporary();
    for (window, parts) in (0..).zip(windows) {
        for &(count, outcome, took_ns) in *parts {
            writer.add(&interval(window, count, outcome, took_ns));
        }
    }
    let planned = windows.iter().flat_map(|parts| parts.iter()).map(|part| part.0).sum();
    writer.finish(&quiet_end(windows.len() as u64, planned)).unwrap()
}
