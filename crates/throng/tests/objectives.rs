//! `--fail-if` and `--abort`, from the command line to the status.

mod common;

use common::{Done, Sink, throng};
use serde_json::Value;
use tempfile::TempDir;

/// A directory, and the name of a run file in it.
fn place() -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("run.throng").to_str().expect("text").to_owned();
    (directory, path)
}

fn json(done: &Done) -> Value {
    serde_json::from_str(&done.stdout).expect("JSON only")
}

#[test]
fn a_run_is_ended_by_the_objective_that_is_met() {
    let sink = Sink::start();
    let (_directory, run) = place();
    let objective = "status_5xx_ratio > 50% for 2s";
    let live = throng(&[
        "-R",
        "200",
        "-d",
        "10m",
        "--fail-if",
        "p50 > 1m for 1s",
        "--fail-if",
        objective,
        "--abort",
        "-o",
        &run,
        "--json",
        "-",
        &sink.url("/status/500"),
    ]);
    assert_eq!(live.status, Some(1), "{live:?}");
    let report = json(&live);
    assert_eq!(report["aborted"], objective);
    assert_eq!(report["interrupted"], false);
    assert_eq!((&report["complete"], &report["identity_holds"]), (&true.into(), &true.into()));
    // Two seconds that have settled, and not much more than that.
    let span_s = report["span_s"].as_f64().expect("a number");
    assert!((4.0..600.0).contains(&span_s), "{span_s}");
    let results: Vec<_> = [0, 1].map(|i| report["objectives"][i]["result"].clone()).to_vec();
    assert_eq!(results, ["held", "failed"]);
    assert!(live.stderr.starts_with(&format!("fail-if {objective}: failed (")), "{live:?}");
    assert!(live.stderr.ends_with("; it ended the run\n"), "{live:?}");

    let later = throng(&["report", &run]);
    assert_eq!((later.status, &*later.stderr), (Some(1), ""));
    let aborted = format!("; aborted: fail-if {objective} was met\n");
    assert!(later.stdout.contains(&aborted), "{}", later.stdout);
    assert!(later.stdout.contains("\nfail-if p50 > 1m for 1s: held ("), "{}", later.stdout);
    assert!(later.stdout.ends_with("; it ended the run\n"), "{}", later.stdout);
    assert_eq!(throng(&["report", &run, "-f", "json"]).stdout, live.stdout);
}

#[test]
fn a_run_whose_objectives_hold_is_not_ended() {
    let sink = Sink::start();
    let abort = ["--abort", "--fail-if", "error > 0 for 1s", "--fail-if", "ok < 1k"];
    let run = ["-n", "2k", "-R", "500", "--json", "-", &sink.url("/")];
    let done = throng(&[&abort[..], &run].concat());
    assert_eq!((done.status, &*done.stderr), (Some(0), ""), "{done:?}");
    let report = json(&done);
    assert_eq!((&report["aborted"], &report["planned"]), (&Value::Null, &2_000.into()));
}

#[test]
fn a_run_with_nothing_left_to_send_is_not_ended_by_an_objective() {
    let sink = Sink::start();
    // All five are due within 50 ms; what is met three seconds later ends nothing.
    let run = ["-n", "5", "-R", "100", "--grace", "4s", "--json", "-", &sink.url("/stall")];
    let abort = ["--abort", "--fail-if", "achieved_rate < 1 for 1s"];
    let done = throng(&[&abort[..], &run].concat());
    let report = json(&done);
    assert_eq!((&report["aborted"], &report["interrupted"]), (&Value::Null, &false.into()));
    assert_eq!(report["outcomes"]["unfinished"], 5);
    assert_eq!(report["objectives"][0]["result"], "not_enough_data");
    assert_eq!(done.status, Some(1), "{done:?}");
}

#[test]
fn a_report_judges_again_and_by_what_is_given_to_it() {
    let sink = Sink::start();
    let (_directory, run) = place();
    let live = throng(&[
        "-n",
        "2k",
        "--fail-if",
        "error_ratio > 1%",
        "-o",
        &run,
        &sink.url("/status/500"),
    ]);
    assert_eq!(live.status, Some(1), "{live:?}");
    let later = throng(&["report", &run]);
    assert_eq!((later.status, later.stdout, &*later.stderr), (Some(1), live.stdout, ""));

    let (_directory, run) = place();
    let live = throng(&["-n", "2k", "-o", &run, &sink.url("/status/500")]);
    assert_eq!(live.status, Some(0), "{live:?}");
    let given = ["--fail-if", "p97.5 > 1m", "--fail-if", "status_500 != 2k"];
    let held = throng(&[&["report", &*run], &given[..]].concat());
    assert_eq!((held.status, &*held.stderr), (Some(0), ""));
    assert!(held.stdout.starts_with(&live.stdout), "{held:?}");
    assert!(held.stdout.contains("\n\nfail-if p97.5 > 1m: held (p97.5 = "), "{held:?}");
    assert!(held.stdout.ends_with("\nfail-if status_500 != 2k: held (status_500 = 2,000)\n"));

    let failed = throng(&["report", &run, "-f", "csv", "--fail-if", "status_5xx > 0"]);
    assert_eq!(failed.status, Some(1));
    assert_eq!(failed.stderr, "fail-if status_5xx > 0: failed (status_5xx = 2,000)\n");
    assert_eq!(failed.stdout, throng(&["report", &run, "-f", "csv"]).stdout);

    let undecided = throng(&["report", &run, "--fail-if", "p99 > 1ms for 1h"]);
    assert_eq!(undecided.status, Some(1));
    let line =
        "fail-if p99 > 1ms for 1h: not enough data (p99 needs 3,600 s of measured time, has ";
    assert!(undecided.stdout.contains(line), "{}", undecided.stdout);

    let wrong = throng(&["report", &run, "--fail-if", "p99 > 50"]);
    assert_eq!((wrong.status, &*wrong.stdout), (Some(2), ""));
    assert!(wrong.stderr.starts_with("error: --fail-if 'p99 > 50': column 7: "), "{wrong:?}");
}

#[test]
fn the_help_names_what_can_be_compared() {
    for arguments in [&["--help"][..], &["report", "--help"]] {
        let help = throng(arguments).stdout;
        for name in throng_measure::objective::subject_names() {
            assert!(help.contains(&name), "{name} is not in the help of {arguments:?}");
        }
    }
}
