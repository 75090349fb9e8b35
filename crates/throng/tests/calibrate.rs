//! `throng calibrate` and what later runs make of its result. Nothing here depends on speed.

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::Stdio;

use common::{Done, Sink, command, signal, throng};
use serde_json::{Value, json};

/// Runs with the calibration in a file.
fn with_calibration(file: &str, arguments: &[&str]) -> Done {
    let mut command = command(arguments);
    command.env("THRONG_CALIBRATION", file).output().expect("the command starts").into()
}

fn report(file: &str, arguments: &[&str]) -> Value {
    let done = with_calibration(file, &[&["--json", "-"], arguments].concat());
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    serde_json::from_str(&done.stdout).expect("JSON")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[test]
fn a_calibration_is_printed_and_kept_and_later_runs_say_their_share_of_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let (store, json) = (directory.path().join("state/c.json"), directory.path().join("c.json"));
    let done = throng(
        &[
            &["calibrate", "-t", "1", "--duration", "200ms"],
            &["--store", text(&store), "--json", text(&json)][..],
        ]
        .concat(),
    );
    assert_eq!(done.status, Some(0), "{done:?}");
    for row in [
        "What throng can generate on this machine",
        "\nMachine ",
        "\nMethod        1 worker thread against ",
        "\nClosed model ",
        "\n                        1 ",
        "\n                       10 ",
        "\n                      100 ",
        "\nOpen model ",
        "\nAdded delay ",
        "\n  25 % ",
        "\n  50 % ",
        "\n  75 % ",
        "\n  90 % ",
        "\nTimer error ",
    ] {
        assert!(done.stdout.contains(row), "{row:?} is not in\n{}", done.stdout);
    }
    assert!(done.stderr.starts_with("Measuring this machine in up to 15 steps"), "{done:?}");
    assert!(done.stderr.contains(&format!("Stored in {}", store.display())), "{done:?}");
    let kept = fs::read_to_string(&store).expect("stored");
    assert_eq!(kept, fs::read_to_string(&json).expect("written"));
    let calibration: Value = serde_json::from_str(&kept).expect("JSON");
    let schema = include_str!("../../../docs/calibration.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &calibration), "{calibration}");
    share_of(calibration, &store);
}

/// What runs make of a calibration, and of one that is not of this machine.
fn share_of(mut calibration: Value, store: &Path) {
    let sink = Sink::start();
    let url = sink.url("/");
    let like = ["-n", "3000", "-c", "10", "-t", "1", &url];
    let found = report(text(store), &like);
    let share = found["generator"]["capacity_ratio"].as_f64();
    let ceiling = calibration["closed"][1]["ceiling"]["rate_per_s"].as_f64();
    let achieved = found["rate_per_s"]["achieved"].as_f64().expect("a rate");
    assert_eq!(share.is_some(), ceiling.is_some(), "{calibration}");
    if let (Some(share), Some(ceiling)) = (share, ceiling) {
        assert!(is_close(share, achieved / ceiling), "{share} of {calibration}");
    }

    // From here on with a ceiling, whatever this machine could do.
    calibration["closed"][1]["ceiling"] = json!({"rate_per_s": 1_000_000, "estimated": false});
    fs::write(store, calibration.to_string()).expect("written");
    let found = report(text(store), &like);
    let achieved = found["rate_per_s"]["achieved"].as_f64().expect("a rate");
    let share = found["generator"]["capacity_ratio"].as_f64().expect("a share");
    assert!(is_close(share, achieved / 1e6), "{share}");
    assert_eq!(found["environment"]["capacity"]["rate_per_s"], 1_000_000);
    let page = with_calibration(text(store), &like).stdout;
    assert!(page.contains(" of what this machine can generate (calibrated 20"), "{page}");

    let unlike = ["-n", "100", "-c", "10", "-t", "1", "--pipeline", "2", &url];
    for (file, arguments) in [(text(store), &unlike[..]), ("", &like), ("/no/such/file", &like)] {
        let found = report(file, arguments);
        assert_eq!(found["generator"]["capacity_ratio"], Value::Null, "{file:?} {arguments:?}");
        assert_eq!(found["environment"]["capacity"], Value::Null);
    }
    calibration["machine"]["host_kernel"] = json!("another");
    fs::write(store, calibration.to_string()).expect("written");
    let found = report(text(store), &like);
    assert_eq!(found["generator"]["capacity_ratio"], Value::Null, "another machine's");
    let page = with_calibration(text(store), &like);
    assert!(!page.stdout.contains("this machine can generate"), "{page:?}");
    assert_eq!(page.stderr, "", "not a word about it");
}

/// Numbers that went through JSON differ in their last digit at most.
fn is_close(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

#[test]
fn a_store_that_cannot_be_written_fails_after_the_report() {
    let done =
        throng(&["calibrate", "--duration", "30ms", "--json", "-", "--store", "/dev/null/c.json"]);
    assert_eq!(done.status, Some(2), "{done:?}");
    let calibration: Value = serde_json::from_str(&done.stdout).expect("the report alone");
    assert_eq!(calibration["format"], 1);
    assert!(done.stderr.contains("error: cannot store it: there is no directory /dev/null"));
    assert!(done.stderr.contains("\n hint: name a file that you may write: --store"), "{done:?}");
}

#[test]
fn an_interrupted_calibration_stores_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = directory.path().join("c.json");
    let mut command = command(&["calibrate", "--duration", "10s"]);
    command.env("THRONG_CALIBRATION", &store).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("it says what it does");
    signal(&child, "INT");
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    let done = Done::from(child.wait_with_output().expect("it ends"));
    assert_eq!((done.status, &*done.stdout), (Some(3), ""), "{done:?}");
    assert!(rest.starts_with("error: interrupted: nothing was stored\n hint: "), "{rest}");
    assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 0);
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_measured() {
    for (arguments, parts) in [
        (&["--duration", "0"][..], &["--duration 0 measures nothing", "\n hint: "][..]),
        (&["--duration", "3x"], &["'3x' for '--duration <TIME>'"]),
        (&["-t", "0"], &["-t 0 leaves no thread", "\n hint: "]),
        (&["-t", "5k"], &["-t 5000 is too many", "\n hint: "]),
        (&["--json", "/no/such/a.json"], &["there is no directory /no/such", "\n hint: mkdir"]),
        (&["extra"], &["unexpected argument 'extra'"]),
    ] {
        let done = throng(&[&["calibrate"], arguments].concat());
        assert_eq!((done.status, &*done.stdout), (Some(2), ""), "{arguments:?}: {done:?}");
        for part in [&["error: "], parts].concat() {
            assert!(done.stderr.contains(part), "{arguments:?}: '{part}' is not in {done:?}");
        }
    }
    let help = throng(&["calibrate", "--help"]);
    assert_eq!(help.status, Some(0));
    assert!(help.stdout.contains("THRONG_CALIBRATION"), "{}", help.stdout);
}
