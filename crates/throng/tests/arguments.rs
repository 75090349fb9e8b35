//! Every wrong argument: status 2, nothing on standard output, the fact and the remedy on standard
//! error, before anything is sent.

mod common;

use std::fs;

use common::{shell, throng};

const URL: &str = "http://127.0.0.1:9/";

fn refused(arguments: &[&str], parts: &[&str]) {
    let done = throng(arguments);
    assert_eq!(done.status, Some(2), "{arguments:?}: {done:?}");
    assert_eq!(done.stdout, "", "{arguments:?}");
    for part in ["error: "].iter().chain(parts) {
        assert!(done.stderr.contains(part), "{arguments:?}: '{part}' is not in:\n{}", done.stderr);
    }
}

#[test]
fn every_wrong_argument_is_refused_with_the_value_and_the_remedy() {
    for (arguments, parts) in [
        (&["-c", "0"][..], &["-c 0 opens no connection", "\n hint: give at least 1"][..]),
        (&["-c", "ten"], &["'ten' for '--connections <N>'", "a number such as 100, 1.5k or 2M"]),
        (&["-c", "1.5"], &["not a whole number"]),
        (&["-c", "2M"], &["-c 2000000 is too many: the most is 1000000"]),
        (&["-t", "0"], &["-t 0 leaves no thread", "\n hint: "]),
        (&["-d", "0"], &["-d 0 ends before the first request", "\n hint: "]),
        (&["-d", "10x"], &["'10x' for '--duration <TIME>'", "'x' is not a unit; expected us, ms"]),
        (&["-d", "1m30"], &["'30' has no unit"]),
        (&["-n", "0"], &["-n 0 sends no request", "\n hint: "]),
        (&["-n", "many"], &["'many' for '--requests <N>'"]),
        (&["-R", "0"], &["'0' is zero; expected a rate such as"]),
        (&["-R", "5/fortnight"], &["'fortnight' is not a unit"]),
        (
            &["-R", "20M"],
            &["a rate of 20000000/s is too high: the most is 10000000/s", "\n hint: "],
        ),
        (&["--arrivals", "poisson"], &["there is no -R", "\n hint: give a rate with -R"]),
        (&["-R", "5", "--arrivals", "bursty"], &["'bursty'", "constant, poisson, uniform"]),
        (&["--max-connections", "5"], &["there is no -R", "\n hint: "]),
        (&["-R", "5", "-c", "5", "--max-connections", "5"], &["-c makes a pool", "\n hint: "]),
        (&["--warmup", "10s"], &["--warmup 10s leaves nothing of a run of 10s", "\n hint: "]),
        (&["--timeout", "0"], &["--timeout 0 lets no request be answered", "\n hint: "]),
        (&["--timeout", "2h"], &["--timeout 2h is too long", "\n hint: give --timeout 1h"]),
        (&["--pipeline", "0"], &["--pipeline 0", "\n hint: "]),
        (&["--pipeline", "4k"], &["--pipeline 4000 is too many: the most is 1024", "\n hint: "]),
        (&["--pipeline", "4", "--no-keepalive"], &["--no-keepalive forbids it", "\n hint: "]),
        (&["-b", "a", "-B", "f"], &["-b and -B both give a body", "\n hint: "]),
        (&["-B", "/no/such/file"], &["cannot read the body from /no/such/file: No such file"]),
        (&["-X", "HEAD", "-b", "a"], &["HEAD requests have no body", "\n hint: "]),
        (&["-X", "G T"], &["'G T' is not an HTTP method", "\n hint: "]),
        (&["-H", "x"], &["header 'x' has no colon", "\n hint: "]),
        (&["-H", "Content-Length: 1"], &["header 'Content-Length'", "\n hint: "]),
        (&["--seed", "x"], &["'x' for '--seed <N>'"]),
        (&["--resolve", "h"], &["expected HOST:PORT:ADDRESS"]),
        (&["--resolve", "h:80:1.2.3.4"], &["--resolve names h:80, but the URL", "\n hint: "]),
        (&["--unix", "s", "--resolve", "127.0.0.1:9:::1"], &["--unix and --resolve", "\n hint: "]),
        (&["--unix", "/no/such/socket"], &["no Unix socket at /no/such/socket", "\n hint: start"]),
        (&["--unix", "/dev/null"], &["/dev/null is not a Unix socket", "\n hint: "]),
        (&["-4", "-6"], &["-4 and -6 together leave no address", "\n hint: "]),
        (&["-6"], &["'127.0.0.1' has no IPv6 address", "\n hint: leave -6 out"]),
        (&["--fail-if", "p99 > 50"], &["--fail-if 'p99 > 50'", "\n hint: "]),
        (&["--fail-if", "p999 > 50ms"], &["--fail-if 'p999 > 50ms'", "\n hint: did you mean"]),
        (&["--abort"], &["--abort ends the run when a --fail-if is met", "\n hint: "]),
        (&["-o", "-"], &["cannot go to standard output", "\n hint: "]),
        (&["-o", "/"], &["-o / is a directory", "\n hint: -o /run.throng"]),
        (&["-o", "/no/such/a.throng"], &["there is no directory /no/such", "\n hint: mkdir -p"]),
        (&["--json", "/no/such/a.json"], &["there is no directory /no/such", "\n hint: mkdir -p"]),
        (&["--json", "f", "-o", "f"], &["--json and -o name the same file", "\n hint: "]),
        (&["--no-such-option"], &["'--no-such-option'"]),
    ] {
        refused(&[arguments, &[URL]].concat(), parts);
    }
}

#[test]
fn urls_that_cannot_be_measured_are_refused_with_the_remedy() {
    for (arguments, parts) in [
        (&[][..], &["there is no URL to measure", "\n hint: throng http://127.0.0.1:8080/"][..]),
        (&["localhost:8080"], &["has no scheme: write http://localhost:8080"]),
        (&["snik"], &["'snik' has no scheme", "throng --help"]),
        (&["http:///"], &["'http:///'"]),
        (&["http://no-such-host.invalid/"], &["'no-such-host.invalid'", "\n hint: check the spel"]),
        (
            &[URL, "http://b/"],
            &["'http://b/' is a second URL", "\n hint: measure one after the other"],
        ),
        (&[URL, "sink"], &["'sink' is a second URL"]),
        (
            &["-c", "5", "sink"],
            &["'sink' has no scheme", "\n hint: a command such as demo comes first"],
        ),
    ] {
        refused(arguments, parts);
    }
}

#[test]
fn commands_refuse_what_they_do_not_take() {
    for (arguments, parts) in [
        (&["sink", "--address", "localhost"][..], &["found 'localhost'; expected an address"][..]),
        (&["sink", "--address", "203.0.113.1:0"], &["203.0.113.1", "\n hint: "]),
        (&["sink", "--workers", "0"], &["'0' for '--workers <N>'"]),
        (&["sink", "extra"], &["unexpected argument 'extra'"]),
        (&["demo", "extra"], &["unexpected argument 'extra'"]),
        (&["report"], &["<FILE>"]),
        (&["report", "/no/such/file"], &["/no/such/file", "No such file", "\n hint: "]),
        (&["report", "/dev/null", "-f", "pdf"], &["'pdf'", "text, json, csv, hgrm, hlog"]),
    ] {
        refused(arguments, parts);
    }
}

#[test]
fn a_file_that_throng_did_not_write_is_neither_replaced_nor_reported_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("notes.txt");
    fs::write(&path, "mine").expect("written");
    let path = path.to_str().expect("text");
    refused(&["-o", path, URL], &["exists and is not a run file", "\n hint: give another name"]);
    refused(&["report", path], &["is not a throng run file", "\n hint: "]);
    assert_eq!(fs::read_to_string(path).expect("readable"), "mine");
}

#[test]
fn too_few_file_descriptors_are_named_with_the_number_needed() {
    let done = shell(&format!("ulimit -n 64; exec \"$0\" -c 100 -t 1 {URL}"));
    assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{done:?}");
    assert!(done.stderr.contains("needs 136 file descriptors, the limit is 64"), "{done:?}");
    assert!(done.stderr.contains("\n hint: ulimit -n 136"), "{done:?}");
}

#[test]
fn help_shows_the_groups_the_commands_and_the_examples() {
    for flag in ["-h", "--help"] {
        let done = throng(&[flag]);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{flag}");
        for part in [
            "HTTP load testing that proves its numbers",
            "Usage: throng [OPTIONS] URL",
            "\nCommands:\n  sink",
            "\nLoad:\n",
            "\nTime:\n",
            "\nRequest:\n",
            "\nConnection:\n",
            "\nResult:\n",
            "-R, --rate <RATE>",
            "\nExamples:\n",
            "Exit status: 0",
        ] {
            assert!(done.stdout.contains(part), "{flag}: '{part}' is not in:\n{}", done.stdout);
        }
    }
    assert!(throng(&["--help"]).stdout.len() > throng(&["-h"]).stdout.len());
}

#[test]
fn every_command_explains_itself() {
    for (name, part) in [("sink", "/delay/"), ("demo", "nothing to set up"), ("report", "hgrm")] {
        let done = throng(&[name, "--help"]);
        assert_eq!(done.status, Some(0), "{name}");
        assert!(done.stdout.contains(part), "{name}: {}", done.stdout);
    }
    assert!(throng(&["--version"]).stdout.starts_with("throng "));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let done = shell("{ \"$0\" --help; echo \"status $?\" >&2; } | head -n 1");
    assert!(done.stderr.ends_with("status 0\n"), "{done:?}");
    assert!(!done.stderr.contains("panicked"), "{done:?}");
}
