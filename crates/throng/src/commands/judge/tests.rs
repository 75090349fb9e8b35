use serde_json::json;
use throng_measure::{
    Environment, Gauges, Generator, Nanos, Place, RunEnd, RunHeader, RunWriter, Second, Span,
};

use super::*;

/// A run of one second without requests, ended by `aborted`.
fn run(aborted: Option<&str>) -> RunFile {
    let header = RunHeader {
        version: "0.1.0".into(),
        plan: json!({}),
        title: "nothing".into(),
        started_unix_ns: 0,
        warmup_ns: 0,
        connections_max: 1,
        keep_alive: true,
        transmit_sampling: 0,
        tls_verified: None,
        closed: false,
        environment: Environment::default(),
        objectives: Vec::new(),
    };
    let end = RunEnd {
        elapsed_ns: 1_000_000_000,
        span: Span { from: Nanos::ZERO, until: Nanos(1_000_000_000) },
        interrupted: false,
        aborted: aborted.map(str::to_owned),
        gauges: Gauges::default(),
        generator: Generator::default(),
        second: Second::default(),
    };
    RunWriter::create(Place::Temporary, &header).unwrap().finish(&end).unwrap()
}

/// The lines, and the status that follows.
fn lines(texts: &[&str], aborted: Option<&str>) -> (Vec<String>, Exit) {
    let objectives: Vec<_> = texts.iter().map(|text| Objective::parse(text).unwrap()).collect();
    let run = run(aborted);
    let judged = judge(&objectives, &run, &run.summary().unwrap()).unwrap();
    (judged.iter().map(ToString::to_string).collect(), exit(&judged))
}

#[test]
fn every_objective_gets_a_line_that_says_how_it_stands_and_why() {
    let (lines, exit) = lines(&["planned > 0", "ok_rate < 1", "p99 > 1s"], None);
    assert_eq!(
        lines,
        [
            "fail-if planned > 0: held (planned = 0)",
            "fail-if ok_rate < 1: failed (ok_rate = 0.00/s)",
            "fail-if p99 > 1s: not enough data (p99 needs 1,000 samples, has 0)",
        ]
    );
    assert_eq!(exit, Exit::ObjectiveFailed);
}

#[test]
fn only_what_held_is_a_success() {
    assert_eq!(lines(&[], None).1, Exit::Success);
    assert_eq!(lines(&["planned > 0", "error > 0"], None).1, Exit::Success);
    assert_eq!(lines(&["planned > 0", "planned < 1"], None).1, Exit::ObjectiveFailed);
    assert_eq!(lines(&["p99 > 1s"], None).1, Exit::ObjectiveFailed);
}

#[test]
fn an_objective_that_ended_the_run_failed_it_whatever_the_final_numbers_say() {
    let (held, exit) = lines(&["error > 0", "planned > 0"], Some("planned > 0"));
    assert_eq!(
        held,
        [
            "fail-if error > 0: held (error = 0)",
            "fail-if planned > 0: held (planned = 0) by the final numbers, but it was met before \
             and ended the run",
        ]
    );
    assert_eq!(exit, Exit::ObjectiveFailed);
    let (failed, exit) = lines(&["planned < 1"], Some("planned < 1"));
    assert_eq!(failed, ["fail-if planned < 1: failed (planned = 0); it ended the run"]);
    assert_eq!(exit, Exit::ObjectiveFailed);
}
