//! Comparisons: of URLs in turns, and of run files.

mod common;

use std::fs;
use std::net::TcpListener;
use std::process::Stdio;

use common::{Done, Sink, command, signal, throng};
use serde_json::Value;

/// Rounds that are short: what they find is not the point, or so large that it is found anyhow.
const SHORT: [&str; 4] = ["--rounds", "6", "--round-duration", "400ms"];

fn versus(arguments: &[&str]) -> Done {
    throng(&[&["versus"], &SHORT[..], arguments].concat())
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

fn figure<'a>(report: &'a Value, name: &str) -> &'a Value {
    let figures = report["comparisons"][0]["figures"].as_array().expect("figures");
    figures.iter().find(|figure| figure["figure"] == name).expect(name)
}

fn number(figure: &Value, key: &str) -> f64 {
    figure[key].as_f64().unwrap_or_else(|| panic!("{key} of {figure}"))
}

#[test]
fn a_server_that_takes_half_as_long_again_is_found_to_be_slower() {
    let sink = Sink::start();
    let (a, b) = (sink.url("/delay/20ms"), sink.url("/delay/30ms"));
    let done = versus(&["--json", "-", "--fail-if", "p50_change < 0%", &a, &b]);
    let report = json(&done);
    assert_eq!(report["method"], "rounds");
    let p50 = figure(&report, "p50");
    // The machine is shared, so how sure it is of that is not held to anything.
    let change = number(p50, "change_ratio");
    assert!((0.25..0.75).contains(&change), "{p50}");
    assert!(number(p50, "low_ratio") < change && change < number(p50, "high_ratio"), "{p50}");
    assert!(number(figure(&report, "rate"), "change_ratio") < 0.0, "{report}");
    for side in 0..2 {
        assert_eq!(report["sides"][side]["runs"].as_array().map(Vec::len), Some(6));
    }
    // What the condition asks is far from what is so; only an interval of no use leaves it open.
    let result = report["fail_if"][0]["result"].as_str().expect("a result");
    assert_ne!(result, "failed", "{report}");
    assert_eq!(done.status, Some(i32::from(result != "held")), "{done:?}");
}

#[test]
fn a_server_against_itself_has_an_interval_that_its_sentence_follows_from() {
    let sink = Sink::start();
    let url = sink.url("/delay/2ms");
    let report = json(&versus(&["--json", "-", &url, &url]));
    let sentence = report["comparisons"][0]["sentence"].as_str().expect("a sentence");
    let p50 = figure(&report, "p50");
    let [low, ratio, high] =
        ["low_ratio", "change_ratio", "high_ratio"].map(|key| number(p50, key));
    assert!(low < ratio && ratio < high, "{p50}");
    // Narrower than histograms resolve is a claim that nothing supports.
    assert!(high - low >= 0.0019, "{p50}");
    let figures = report["comparisons"][0]["figures"].as_array().expect("figures");
    for figure in figures.iter().filter(|figure| figure["found"] == "measured") {
        let [low, high] = ["low_ratio", "high_ratio"].map(|key| number(figure, key));
        let is_significant = figure["significant"].as_bool().expect("a boolean");
        // Whatever the machine did meanwhile: nothing is called significant that could be nothing.
        assert!(!is_significant || low > 0.0 || high < 0.0, "{figure}");
    }
    let any = figures.iter().any(|figure| figure["significant"] == true);
    assert_eq!(sentence.starts_with("B shows no significant change"), !any, "{sentence}");
}

#[test]
fn rounds_take_turns_and_meet_the_same_arrivals() {
    let sink = Sink::start();
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("rounds");
    let keep = keep.to_str().expect("text");
    let options = ["-R", "500", "--arrivals", "poisson", "--seed", "40", "--keep", keep];
    let done = versus(&[&options[..], &["--json", "-", &sink.url("/"), &sink.url("/")]].concat());
    assert_eq!(done.status, Some(0), "{done:?}");
    let report = json(&done);
    let mut order = Vec::new();
    for (side, name) in [(0, "A"), (1, "B")] {
        for (place, run) in (1..).zip(report["sides"][side]["runs"].as_array().expect("runs")) {
            let file = run["file"].as_str().expect("kept");
            assert_eq!(file, format!("{keep}/{name}-{place:02}.throng"));
            order.push((run["started_unix_ns"].as_u64().expect("an instant"), name));
            let kept = json(&throng(&["report", file, "-f", "json"]));
            assert_eq!(kept["plan"]["seed"], 39 + place);
            assert_eq!(kept["plan"]["stop"]["duration_ns"], 400_000_000);
            assert_eq!(kept["warmup"]["duration_s"], 0.08);
            assert_eq!(kept["planned"], run["planned"]);
        }
    }
    order.sort_unstable();
    let order: String = order.into_iter().map(|(_, name)| name).collect();
    assert_eq!(order, "ABBAABBAABBA");
    let planned = |side: usize, round: usize| &report["sides"][side]["runs"][round]["planned"];
    for round in 0..6 {
        assert_eq!(planned(0, round), planned(1, round));
    }

    // The same rounds as runs of two sides, which is what they are without their order.
    let files = |name: &str| -> Vec<String> {
        (1..=6).map(|round| format!("{keep}/{name}-{round:02}.throng")).collect()
    };
    let (a, b) = (files("A"), files("B"));
    let mut arguments = vec!["compare", "--json", "-"];
    arguments.extend(a.iter().map(String::as_str));
    arguments.push("--with");
    arguments.extend(b.iter().map(String::as_str));
    let again = throng(&arguments);
    assert_eq!(again.status, Some(0), "{again:?}");
    let again = json(&again);
    assert_eq!(again["method"], "runs");
    for key in ["a", "b"] {
        assert_eq!(figure(&again, "p50")[key], figure(&report, "p50")[key]);
    }
}

#[test]
fn run_files_are_compared_and_what_is_not_alike_is_said() {
    let sink = Sink::start();
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name).to_str().expect("text").to_owned();
    let (a, b, out) = (at("a.throng"), at("b.throng"), at("out.json"));
    for (file, connections, path) in [(&a, "4", "/delay/1ms"), (&b, "8", "/status/500")] {
        let done = throng(&["-q", "-n", "300", "-c", connections, "-o", file, &sink.url(path)]);
        assert_eq!(done.status, Some(0), "{done:?}");
    }
    let done = throng(&["compare", &a, &b, "--json", &out, "--fail-if", "p99_change > 5%"]);
    // Runs of a fraction of a second have no interval.
    assert_eq!((done.status, &*done.stderr), (Some(1), ""), "{done:?}");
    let page = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        &format!("closed model: 4 connections, GET {}, {a}", sink.url("/delay/1ms")),
        "Not alike: connections: 4 in A; 8 in B.",
        "B: 300 of 300 requests (100.0 %) did not end ok; error answers count like others",
        "One run of each cannot show how much runs of one and the same server differ",
        "B cannot be compared with A; the rate, p50, p75, p90 and p95 are not compared: the rate \
         has no interval: too short a run",
        "fail-if p99_change > 5%: not enough data: p99 needs 1,000 requests; A had 300; it takes \
         longer runs",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    let report: Value =
        serde_json::from_str(&fs::read_to_string(&out).expect("written")).expect("JSON");
    assert_eq!(
        (&report["method"], &report["sides"][0]["runs"][0]["file"]),
        (&"single_runs".into(), &a.as_str().into())
    );

    let quiet = throng(&["compare", "-q", &a, &b, "--fail-if", "p99_change > 5%"]);
    assert_eq!((quiet.status, &*quiet.stdout), (Some(1), ""));
    assert!(quiet.stderr.starts_with("fail-if p99_change > 5%: not enough data: "), "{quiet:?}");
}

#[test]
fn wrong_arguments_are_refused_with_the_value_and_the_remedy() {
    let directory = tempfile::tempdir().expect("a directory");
    let notes = directory.path().join("notes.txt");
    fs::write(&notes, "mine").expect("written");
    let (notes, folder) = (notes.to_str().expect("text"), directory.path().to_str().expect("text"));
    let (url, other) = ("http://127.0.0.1:9/", "http://127.0.0.1:9/x");
    for (arguments, parts) in [
        (&["compare"][..], &["<FILE>"][..]),
        (&["compare", "a"], &["a alone has nothing to be compared with", "\n hint: name the run"]),
        (&["compare", "a", "./a", "a"], &["a is given twice", "\n hint: "]),
        (&["compare", notes, "--with", notes], &["is given twice", "\n hint: "]),
        (&["compare", "a", "b", "--with", "c"], &["2 runs of A and 1 of B", "\n hint: give more"]),
        (&["compare", "a", "--with"], &["--with <FILE>..."]),
        (
            &["compare", "/no/such", "b"],
            &["cannot compare /no/such: ", "No such file", "\n hint: "],
        ),
        (&["compare", notes, "b"], &["cannot compare ", "is not a throng run file", "\n hint: "]),
        (
            &["compare", "a", "b", "--fail-if", "p99 > 5%"],
            &["--fail-if 'p99 > 5%'", "\n hint: did"],
        ),
        (&["compare", "a", "b", "-o", "c"], &["unexpected argument '-o'"]),
        (&["versus"], &["two URLs, and none was given", "\n hint: throng versus http"]),
        (&["versus", url], &["only one was given", "\n hint: "]),
        (&["versus", url, other, url], &["3 were given", "\n hint: "]),
        (&["versus", url, "localhost:80"], &["'localhost:80' has no scheme"]),
        (&["versus", "-d", "10s", url, other], &["-d does not go with throng versus", "\n hint: "]),
        (&["versus", "-n", "10", url, other], &["-n does not go with throng versus", "\n hint: "]),
        (&["versus", "-o", "f", url, other], &["-o does not go with", "\n hint: give a directory"]),
        (&["versus", "--rounds", "5", url, other], &["--rounds 5 is odd", "\n hint: "]),
        (&["versus", "--rounds", "2", url, other], &["too few blocks", "\n hint: "]),
        (&["versus", "--rounds", "x", url, other], &["'x' for '--rounds <N>'"]),
        (&["versus", "--round-duration", "0", url, other], &["ends before", "\n hint: "]),
        (&["versus", "--warmup", "9s", url, other], &["leaves nothing of a round", "\n hint: "]),
        (&["versus", "--keep", folder, url, other], &["is not empty", "\n hint: give a new"]),
        (&["versus", "--keep", notes, url, other], &["cannot be used", "\n hint: "]),
        (&["versus", "--json", "/no/such/f", url, other], &["no directory /no/such", "\n hint: "]),
        (&["versus", "--unix", "/no/such", url, other], &["no Unix socket at", "\n hint: "]),
    ] {
        let done = throng(arguments);
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{arguments:?}: {done:?}");
        for part in ["error: "].iter().chain(parts) {
            let said = &done.stderr;
            assert!(said.contains(part), "{arguments:?}: '{part}' is not in:\n{said}");
        }
    }
    assert_eq!(fs::read_to_string(notes).expect("readable"), "mine");
}

#[test]
fn a_server_that_is_not_there_is_named_and_ends_it_with_status_3() {
    let sink = Sink::start();
    // Bound, then released: nobody listens there now.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let gone = format!("http://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let done = versus(&["--grace", "100ms", &sink.url("/"), &gone]);
    assert_eq!((done.status, &*done.stdout), (Some(3), ""), "{done:?}");
    assert!(done.stderr.contains(&format!("error: B, {gone}: no connection")), "{done:?}");
    assert!(done.stderr.contains("\n hint: check that the server runs"), "{done:?}");
}

#[test]
fn ctrl_c_before_three_blocks_leaves_nothing_to_say() {
    let done = interrupted_at("A-01.throng", &[]);
    assert_eq!((done.status, &*done.stdout), (Some(3), ""), "{done:?}");
    assert!(done.stderr.contains("stopped after 0 whole blocks"), "{done:?}");
}

#[test]
fn ctrl_c_after_three_blocks_compares_the_whole_ones() {
    // Seven rounds of A: its last is in the fourth block.
    let options = ["--rounds", "200", "--round-duration", "200ms", "--json", "-"];
    let done = interrupted_at("A-07.throng", &options);
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    let report = json(&done);
    let rounds = |side: usize| report["sides"][side]["runs"].as_array().expect("runs").len();
    assert_eq!(rounds(0), rounds(1));
    assert!(rounds(0) >= 6 && rounds(0).is_multiple_of(2) && rounds(0) < 200, "{report}");
    let note = format!("Stopped after {} of 100 blocks.", rounds(0) / 2);
    assert_eq!(report["notes"][0], note);
}

/// What `throng versus` does when it is interrupted as soon as a round has begun, and so listens
/// to signals.
fn interrupted_at(file: &str, options: &[&str]) -> Done {
    let sink = Sink::start();
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("rounds");
    let (path, url) = (keep.to_str().expect("text"), sink.url("/delay/1ms"));
    let mut command = command(&[&["versus", "--keep", path, &url, &url], options].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    for _ in 0..PATIENCE_TENTHS {
        if keep.join(file).exists() {
            break;
        }
        pause();
    }
    signal(&child, "INT");
    Done::from(child.wait_with_output().expect("it ends"))
}

#[allow(clippy::disallowed_methods, reason = "no run is measured here")]
fn pause() {
    std::thread::sleep(std::time::Duration::from_millis(100));
}

const PATIENCE_TENTHS: u32 = 200;

#[test]
fn both_commands_explain_themselves() {
    for (name, parts) in [
        ("compare", &["A1 A2... --with B1 B2...", "p99_change > 5%", "baseline"][..]),
        ("versus", &["URL_A URL_B", "--rounds <N>", "--keep <DIR>", "p99_change > 5%", "Load:"]),
    ] {
        for flag in ["-h", "--help"] {
            let done = throng(&[name, flag]);
            assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{name}");
            for part in parts {
                assert!(done.stdout.contains(part), "{name}: '{part}' is not in:\n{}", done.stdout);
            }
            for hidden in ["--duration <TIME>  ", "--requests", "--out"] {
                assert!(!done.stdout.contains(hidden), "{name}: {hidden} in\n{}", done.stdout);
            }
        }
    }
}
