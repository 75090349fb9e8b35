//! A generator that is abused says so: each way of making its numbers wrong has its reason.
//!
//! `THRONG_CLEAN_RUNS=20 cargo test --release -p throng --test abuse clean -- --nocapture` on a
//! quiet machine: every one of so many clean runs is valid. Without it, a clean run may be doubted
//! for what other work on the machine does to it, and for nothing else.

mod common;

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use common::{Sink, command, signal, throng};
use serde_json::Value;

/// Starts a run that prints JSON.
fn start(arguments: &[&str]) -> Child {
    let mut command = command(&["--json", "-"]);
    let command = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

fn finish(child: Child) -> Value {
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

fn measure(arguments: &[&str]) -> Value {
    finish(start(arguments))
}

#[allow(clippy::disallowed_methods, reason = "no run is measured on this thread")]
fn pause(milliseconds: u64) {
    thread::sleep(Duration::from_millis(milliseconds));
}

/// The checks that speak against a run.
fn checks(report: &Value) -> BTreeSet<String> {
    let reasons = report["verdict"]["reasons"].as_array().expect("an array");
    reasons.iter().map(|reason| reason["check"].as_str().expect("a name").to_owned()).collect()
}

#[track_caller]
fn assert_found(report: &Value, check: &str) {
    assert_ne!(report["verdict"]["status"], "valid", "{:#}", report["verdict"]);
    assert!(checks(report).contains(check), "no {check}: {:#}", report["verdict"]);
}

/// What other work on this machine can do to any run.
const BY_THE_MACHINE: [&str; 6] =
    ["late", "late_tail", "read_late", "bad_seconds", "steal", "worker_busy"];

#[test]
fn a_clean_run_is_valid() {
    let runs = std::env::var("THRONG_CLEAN_RUNS").ok().and_then(|text| text.parse::<u32>().ok());
    let sink = Sink::start();
    let url = sink.url("/delay/5ms");
    for number in 0..runs.unwrap_or(1) {
        let report = measure(&["-R", "1000", "-d", "5", "--arrivals", "poisson", &url]);
        let mut found = checks(&report);
        println!("run {number}: {} {found:?}", report["verdict"]["status"]);
        if runs.is_none() {
            found.retain(|check| !BY_THE_MACHINE.contains(&check.as_str()));
        }
        assert!(found.is_empty(), "{:#}", report["verdict"]);
    }
}

#[test]
fn a_generator_that_was_stopped_marks_the_second() {
    let sink = Sink::start();
    let child = start(&["-R", "1000", "-d", "5", &sink.url("/delay/2ms")]);
    pause(2_300);
    signal(&child, "STOP");
    pause(200);
    signal(&child, "CONT");
    let report = finish(child);
    // 200 of 5,000 requests: p99 is the generator's.
    assert_eq!(report["verdict"]["status"], "invalid", "{:#}", report["verdict"]);
    assert_found(&report, "late");
    assert_found(&report, "bad_seconds");
    let windows = report["windows"].as_array().expect("an array");
    let bad = windows.iter().filter(|window| window["grade"] == "bad").count();
    assert!((1..=4).contains(&bad), "{bad} bad seconds");
    let stalled = windows.iter().any(|window| {
        window["flags"].as_array().is_some_and(|flags| flags.contains(&"stalled".into()))
    });
    assert!(stalled);
    // The server is innocent: what was sent late was not answered late.
    let p99 = |name: &str| report[name]["p99"].as_u64().expect("a value");
    assert!(p99("response_time_ns") > 50_000_000, "{}", p99("response_time_ns"));
    assert!(p99("service_time_ns") < p99("response_time_ns") / 2, "{}", p99("service_time_ns"));
}

#[test]
fn with_strict_an_invalid_run_has_a_status_of_its_own() {
    let sink = Sink::start();
    let url = sink.url("/stall");
    let arguments = ["-n", "20", "-c", "20", "--timeout", "100ms", &url];
    assert_eq!(throng(&arguments).status, Some(0));
    let done = throng(&[&["--strict"], &arguments[..]].concat());
    assert_eq!(done.status, Some(4), "{}", done.stderr);
    assert!(done.stdout.contains("Verdict      invalid\n  - None of 20 requests was answered"));
}

#[test]
fn a_busy_neighbour_on_the_same_core_is_seen() {
    let sink = Sink::start();
    let mut busy: Vec<_> = (0..2)
        .map(|_| {
            let mut command = Command::new("taskset");
            let command = command.args(["-c", "0", "sh", "-c", "while :; do :; done"]);
            command.spawn().expect("taskset and a shell")
        })
        .collect();
    let child = Command::new("taskset")
        .args(["-c", "0", env!("CARGO_BIN_EXE_throng"), "--json", "-"])
        .args(["-R", "20000", "-d", "4", "-c", "64", &sink.url("/")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("taskset");
    let report = finish(child);
    for neighbour in &mut busy {
        let _ = neighbour.kill();
        let _ = neighbour.wait();
    }
    assert_ne!(report["verdict"]["status"], "valid");
    let found = checks(&report);
    let by_machine = BY_THE_MACHINE.iter().any(|check| found.contains(*check));
    assert!(by_machine, "{:#}", report["verdict"]);
}

#[test]
fn a_generator_that_runs_out_of_files_says_so() {
    let sink = Sink::start();
    // A hundred connections at a time; then the limit is lowered under it.
    let url = sink.url("/delay/500ms");
    let child = start(&["-R", "200", "-d", "4", "--no-keepalive", &url]);
    pause(1_500);
    let pid = child.id().to_string();
    let limited = Command::new("prlimit").args(["--pid", &pid, "--nofile=60:60"]).status();
    assert!(limited.expect("prlimit exists").success());
    let report = finish(child);
    assert_found(&report, "starved");
    assert!(report["connections"]["starved"].as_u64() > Some(0));
}

#[test]
fn a_pool_that_is_too_small_decides_the_result() {
    let sink = Sink::start();
    let url = sink.url("/delay/5ms");
    let report = measure(&["-R", "300", "--arrivals", "poisson", "-d", "5", "-c", "2", &url]);
    assert_found(&report, "connection_limited");
    // With a pool that grows, nothing is limited.
    let report = measure(&["-R", "300", "--arrivals", "poisson", "-d", "5", &url]);
    assert!(!checks(&report).contains("connection_limited"), "{:#}", report["verdict"]);
}

#[test]
fn a_server_that_cannot_keep_up_makes_the_rate_unsustainable() {
    let sink = Sink::start();
    let url = sink.url("/queue/fixed/2ms");
    let report = measure(&["-R", "700", "-d", "6", "--grace", "10s", &url]);
    assert_found(&report, "overloaded");
    assert!(
        checks(&report).is_disjoint(&["drift_p50", "rising_outstanding"].map(String::from).into())
    );
}

#[test]
fn the_kernel_says_where_the_time_of_a_percentile_went() {
    let sink = Sink::start();
    let url = sink.url("/delay/2ms");
    let report = measure(&["-R", "2000", "-d", "3", "--tx-stamps", "8", &url]);
    let p50 = &report["breakdown_ns"]["p50"];
    let of = |name: &str| p50[name].as_f64().unwrap_or_else(|| panic!("no {name}: {p50}"));
    let whole = report["response_time_ns"]["p50"].as_f64().expect("a value");
    let sum = of("lateness") + of("queue_wait") + of("transmit") + of("wire");
    assert!((sum / whole - 1.0).abs() < 1e-9, "{sum} of {whole}");
    assert!(of("wire") >= 1_900_000.0 && of("wire") <= sum);
    let sampled = report["wire_ns"]["count"].as_u64().expect("a count");
    assert!((600..900).contains(&sampled), "{sampled} of 6,000, one in 8");
    assert_eq!(report["connections"]["untransmitted"], 0);

    // Where the kernel cannot say, nothing is made up.
    let report = measure(&["-n", "2000", "--tx-stamps", "0", &url, "-c", "50"]);
    assert_eq!(report["wire_ns"]["count"], 0);
    assert_eq!(report["breakdown_ns"]["p50"], Value::Null);
    let report = measure(&["-n", "2000", "--pipeline", "4", &sink.url("/")]);
    assert_eq!(report["wire_ns"]["count"], 0);
}
