//! Whole runs against the sink: what is printed where, and the status.

mod common;

use std::net::TcpListener;
use std::process::{Child, Stdio};

use common::{Done, Sink, command, shell, signal, throng};
use tempfile::TempDir;

#[test]
fn a_run_prints_its_report_and_nothing_else() {
    let sink = Sink::start();
    let done = throng(&["-n", "100", "-c", "3", &sink.url("/")]);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    assert!(done.stdout.contains("100"), "{}", done.stdout);
    assert!(!done.stdout.contains('\u{1b}'), "no terminal control sequence");
    assert_eq!(sink.end("TERM").stderr, "served 100 requests\n");
}

#[test]
fn a_number_of_requests_is_exact_whatever_the_remainder() {
    let sink = Sink::start();
    for arguments in [
        &["-n", "7", "-c", "3", "-t", "2"][..],
        &["-n", "101", "-c", "10", "-t", "4", "--pipeline", "3"],
        &["-n", "13", "-R", "1k", "-t", "2"],
        &["-n", "5", "-c", "2", "--no-keepalive"],
    ] {
        let done = throng(&[arguments, &["-q", &sink.url("/")]].concat());
        assert_eq!((done.status, &*done.stdout, &*done.stderr), (Some(0), "", ""), "{arguments:?}");
    }
    assert_eq!(sink.end("TERM").stderr, "served 126 requests\n");
}

#[test]
fn json_on_standard_output_stands_alone() {
    let sink = Sink::start();
    let done = throng(&["-n", "50", "--json", "-", &sink.url("/status/404")]);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON only");
    assert_eq!(json["planned"], 50);
    assert_eq!(json["outcomes"]["http_error"], 50);
    assert_eq!(json["status"]["404"], 50);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""));
}

#[test]
fn a_run_file_gives_the_report_that_the_live_run_printed() {
    let sink = Sink::start();
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name).to_str().expect("text").to_owned();
    let (run, json) = (at("run.throng"), at("run.json"));
    let live = throng(&["-n", "200", "-o", &run, "--json", &json, &sink.url("/")]);
    assert_eq!(live.status, Some(0), "{live:?}");
    let later = throng(&["report", &run]);
    assert_eq!((later.status, later.stdout, later.stderr), (Some(0), live.stdout, String::new()));
    let later = throng(&["report", &run, "--format", "json"]);
    assert_eq!(later.stdout, std::fs::read_to_string(json).expect("written"));
    for format in ["csv", "hgrm", "hlog"] {
        let done = throng(&["report", &run, "-f", format]);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{format}");
        assert!(!done.stdout.is_empty(), "{format}");
    }
    // An older run file is replaced.
    let again = throng(&["-n", "3", "-q", "-o", &run, &sink.url("/")]);
    assert_eq!(again.status, Some(0), "{again:?}");
    let piped = shell(&format!("{{ \"$0\" report {run} -f csv; echo $? >&2; }} | true"));
    assert_eq!(piped.stderr, "0\n", "a closed pipe is no failure");
}

#[test]
fn objectives_decide_the_status_and_say_why() {
    let sink = Sink::start();
    let url = sink.url("/status/500");
    let done =
        throng(&["-n", "2k", "--fail-if", "p50 > 1m", "--fail-if", "error_ratio > 1%", &url]);
    assert_eq!(done.status, Some(1), "{done:?}");
    assert!(done.stdout.contains("fail-if p50 > 1m: held (p50 = "), "{}", done.stdout);
    assert!(done.stdout.contains("fail-if error_ratio > 1%: failed ("), "{}", done.stdout);

    let few = throng(&["-n", "5", "-q", "--fail-if", "p99.99 > 1m", &url]);
    assert_eq!((few.status, &*few.stdout), (Some(1), ""));
    assert!(few.stderr.starts_with("fail-if p99.99 > 1m: not enough data ("), "{few:?}");

    let held = throng(&["-n", "5", "-q", "--fail-if", "timeout > 0", &url]);
    assert_eq!((held.status, &*held.stdout, &*held.stderr), (Some(0), "", ""));
}

#[test]
fn a_server_that_is_not_there_ends_with_status_3_and_the_cause() {
    // Bound, then released: nobody listens there now.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let done = throng(&["-d", "300ms", "--grace", "100ms", "-q", &url]);
    assert_eq!((done.status, &*done.stdout), (Some(3), ""), "{done:?}");
    assert!(done.stderr.contains("error: no connection could be opened: "), "{done:?}");
    assert!(done.stderr.contains("most because the peer refused the connection"), "{done:?}");
    assert!(done.stderr.contains("\n hint: check that the server runs"), "{done:?}");
}

#[test]
fn requests_go_through_a_name_given_with_resolve() {
    let sink = Sink::start();
    let port = sink.address.port();
    let resolve = format!("any.invalid:{port}:127.0.0.1");
    let url = format!("http://any.invalid:{port}/");
    let done = throng(&["-n", "10", "-q", "--resolve", &resolve, &url]);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    assert_eq!(sink.end("TERM").stderr, "served 10 requests\n");
}

#[test]
fn the_first_ctrl_c_ends_the_run_with_a_whole_report() {
    let sink = Sink::start();
    let run = Running::start(&["-d", "60s", "--json", "-", &sink.url("/")]);
    signal(&run.child, "INT");
    let done = Done::from(run.child.wait_with_output().expect("it ends"));
    let json: serde_json::Value = serde_json::from_str(&done.stdout).expect("a whole report");
    assert_eq!((done.status, &*done.stderr), (Some(0), ""));
    assert!(json["outcomes"]["ok"].as_u64().expect("a count") > 0);
}

#[test]
fn a_run_that_was_killed_can_be_reported_on() {
    let sink = Sink::start();
    let mut run = Running::start(&["-d", "60s", &sink.url("/")]);
    signal(&run.child, "KILL");
    run.child.wait().expect("it ends");
    let done = throng(&["report", &run.path, "-f", "json"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let json: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert!(json["outcomes"]["ok"].as_u64().expect("a count") > 0, "{json}");
}

#[test]
fn the_second_ctrl_c_ends_the_run_at_once() {
    let sink = Sink::start();
    // Stalled answers keep the run waiting for the whole of its grace period.
    let url = sink.url("/stall");
    let mut run = Running::start(&["-d", "60s", "--grace", "60s", "--timeout", "60s", &url]);
    signal(&run.child, "INT");
    pause();
    assert_eq!(run.child.try_wait().expect("known"), None, "it waits for answers");
    signal(&run.child, "INT");
    assert_eq!(run.child.wait().expect("it ends").code(), Some(130));
}

/// A run that is under way, with its run file.
struct Running {
    child: Child,
    path: String,
    _directory: TempDir,
}

impl Running {
    /// Starts a run and returns once its run file has a second.
    fn start(arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("run.throng").to_str().expect("text").to_owned();
        let mut command = command(&[&["-o", &*path], arguments].concat());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        for _ in 0..PATIENCE_HALF_SECONDS {
            pause();
            assert_eq!(child.try_wait().expect("known"), None, "it runs");
            let report = throng(&["report", &path, "-f", "json"]).stdout;
            let json: serde_json::Value = serde_json::from_str(&report).unwrap_or_default();
            if json["planned"].as_u64().is_some_and(|planned| planned > 0) {
                return Self { child, path, _directory: directory };
            }
        }
        panic!("nothing was written to {path}");
    }
}

#[allow(clippy::disallowed_methods, reason = "no run is measured here")]
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(500));
}

const PATIENCE_HALF_SECONDS: u32 = 40;

#[test]
fn the_demo_needs_nothing() {
    let done = throng(&["demo"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert_eq!(done.stderr.trim_end().lines().count(), 2, "{}", done.stderr);
    assert!(done.stderr.contains("throng -R 2000 --arrivals poisson -d 5s http://127.0.0.1:"));
    assert!(done.stdout.contains("open model: 2,000/s Poisson"), "{}", done.stdout);
}
