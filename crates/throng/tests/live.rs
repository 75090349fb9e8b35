//! Runs against nginx. What is timed here only bounds from below what a test itself imposed.

mod common;

use std::process::{Child, Stdio};
use std::time::Duration;

use common::nginx::{Nginx, has_ipv6};
use common::{Done, command, throng};
use serde_json::Value;

/// Runs with the report as JSON.
fn measure(arguments: &[&str]) -> Value {
    report_of(&throng(&[&["--json", "-"], arguments].concat()))
}

fn report_of(done: &Done) -> Value {
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    serde_json::from_str(&done.stdout).expect("JSON")
}

fn start(arguments: &[&str]) -> Child {
    let mut command = command(&[&["--json", "-"], arguments].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("throng starts")
}

fn finish(child: Child) -> Value {
    report_of(&child.wait_with_output().expect("throng ends").into())
}

fn outcome(report: &Value, name: &str) -> u64 {
    report["outcomes"][name].as_u64().unwrap_or_else(|| panic!("{name} in {report}"))
}

#[allow(clippy::disallowed_methods, reason = "the test imposes a stall of this length")]
fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

#[test]
fn our_count_is_nginx_s_own() {
    let nginx = Nginx::start();
    // nginx closes each connection after 1,000 requests: that must cost none.
    let report = measure(&["-n", "20011", "-c", "7", "-t", "2", &nginx.url("/")]);
    assert_eq!(outcome(&report, "ok"), 20_011);
    assert_eq!(report["status"]["200"], 20_011);
    let log = nginx.end();
    assert_eq!(log.len(), 20_011);
    assert!(log.iter().all(|line| line.starts_with("200 ")));
}

#[test]
fn errors_bodies_and_methods_arrive_as_nginx_sends_them() {
    let nginx = Nginx::start();
    let report = measure(&["-n", "50", &nginx.url("/missing")]);
    assert_eq!(outcome(&report, "http_error"), 50);
    assert_eq!(report["status"]["404"], 50);
    let report = measure(&["-n", "20", "-c", "4", &nginx.url("/big")]);
    assert_eq!(outcome(&report, "ok"), 20);
    assert!(report["bytes"]["received"].as_u64() > Some(20 * 3_000_000));
    let report = measure(&["-n", "20", "-X", "HEAD", &nginx.url("/big")]);
    assert_eq!(outcome(&report, "ok"), 20);
    assert!(report["bytes"]["received"].as_u64() < Some(20 * 1000));
    let report = measure(&["-n", "20", "-b", "x=1", &nginx.url("/")]);
    assert_eq!(report["status"]["405"], 20);
    assert_eq!(nginx.end().len(), 110);
}

#[test]
fn every_way_to_connect_counts_the_same() {
    let nginx = Nginx::start();
    let once = nginx.url("/once");
    let report = measure(&["-n", "500", "-c", "5", &once]);
    assert_eq!(outcome(&report, "ok"), 500);
    assert_eq!(report["connections"]["opened"], 500);
    let report = measure(&["-n", "500", "-c", "5", "--no-keepalive", &nginx.url("/")]);
    assert_eq!(outcome(&report, "ok"), 500);
    assert_eq!(report["connections"]["opened"], 500);
    let report = measure(&["-n", "5000", "-c", "3", "--pipeline", "16", &nginx.url("/")]);
    assert_eq!(outcome(&report, "ok"), 5000);
    let socket = nginx.socket().display().to_string();
    let report = measure(&["-n", "500", "--unix", &socket, "http://nginx/"]);
    assert_eq!(outcome(&report, "ok"), 500);
    // A pipelined request behind a connection's last is sent again, and nginx never saw it.
    assert_eq!(nginx.end().len(), 6500);
}

#[test]
fn addresses_of_one_name_are_used_in_turn() {
    let nginx = Nginx::start();
    let port = nginx.port();
    let resolve = format!("two.test:{port}:127.0.0.1,127.0.0.2");
    let url = format!("http://two.test:{port}/");
    let report = measure(&["-n", "400", "-c", "4", "--resolve", &resolve, &url]);
    assert_eq!(outcome(&report, "ok"), 400);
    if has_ipv6() {
        let report = measure(&["-n", "100", &format!("http://[::1]:{port}/")]);
        assert_eq!(outcome(&report, "ok"), 100);
    }
    let log = nginx.end();
    let to = |address: &str| log.iter().filter(|line| line.ends_with(address)).count();
    assert_eq!(to(" ::1"), if has_ipv6() { 100 } else { 0 });
    // Two connections each: how many requests they carry is the server's doing.
    assert!(to(" 127.0.0.1") >= 50 && to(" 127.0.0.2") >= 50, "{} {}", to(".1"), to(".2"));
}

#[test]
fn a_server_stopped_for_a_second_shows_in_response_time() {
    let nginx = Nginx::start();
    let child = start(&["-R", "1000", "-d", "4", &nginx.url("/")]);
    pause(1500);
    nginx.freeze();
    pause(1000);
    nginx.thaw();
    let report = finish(child);
    assert_eq!(report["planned"], 4000);
    assert_eq!(outcome(&report, "ok"), 4000);
    // A quarter of the arrivals met the stall: by the closed form their waits are spread over it,
    // so a twentieth of all waited for over 0.8 s.
    let at = |percentile: &str| report["response_time_ns"][percentile].as_u64().expect("a value");
    assert!(at("max") >= 950_000_000, "{}", at("max"));
    assert!(at("p95") >= 700_000_000, "{}", at("p95"));
    assert_eq!(nginx.end().len(), 4000);
}

#[test]
fn a_server_stopped_at_the_very_end_leaves_its_requests_unfinished() {
    let nginx = Nginx::start();
    let child = start(&["-R", "1000", "-d", "3", "--grace", "300ms", &nginx.url("/")]);
    pause(2000);
    nginx.freeze();
    let report = finish(child);
    nginx.thaw();
    assert_eq!(report["planned"], 3000);
    let (ok, unfinished) = (outcome(&report, "ok"), outcome(&report, "unfinished"));
    assert_eq!(ok + unfinished, 3000);
    assert!(unfinished >= 500, "{unfinished}");
    // Their response times are unknown but bounded: a percentile among them is no value.
    assert_eq!(report["response_time_ns"]["p95"], Value::Null);
    assert!(report["response_time_ns"]["at_least"]["p95"].as_u64() > Some(0));
}

#[test]
fn memory_does_not_grow_with_the_number_of_requests() {
    let nginx = Nginx::start();
    let max_rss = |requests: &str| {
        let report = measure(&["-n", requests, "-c", "50", &nginx.url("/")]);
        report["generator"]["max_rss_bytes"].as_u64().expect("a number")
    };
    let (few, many) = (max_rss("5000"), max_rss("200000"));
    assert!(many < few + 6_000_000, "{few} bytes, then {many}");
    assert!(many < 30_000_000, "{many} bytes");
}
