//! `for` and `after`.

use super::super::*;
use super::{detail, held};
use crate::testing::{self, MS, Parts, S, end, interval, tick};
use crate::{Outcome, Place, RunFile, RunWriter};

const FAST: Parts<'_> = &[(1_000, Outcome::Ok, MS)];
const SLOW: Parts<'_> = &[(1_000, Outcome::Ok, 100 * MS)];
const FEW: Parts<'_> = &[(500, Outcome::Ok, 100 * MS)];
const NONE: Parts<'_> = &[];

#[test]
fn for_asks_for_windows_in_a_row() {
    let run = testing::run(&[FAST, SLOW, SLOW, FAST, SLOW, SLOW, SLOW, FAST]);
    for (expression, expected) in [
        ("p99 > 50ms for 1s", "failed: p99 > 50.0 ms for 3 s in a row, from second 4 on"),
        ("p99 > 50ms for 3s", "failed: p99 > 50.0 ms for 3 s in a row, from second 4 on"),
        ("p99 > 50ms for 4s", "held: p99 > 50.0 ms for 3 s in a row, from second 4 on"),
        ("p99 > 1s for 1s", "held: p99 > 1.00 s in no second"),
        (
            "p99 > 50ms for 3s after 4s",
            "failed: p99 > 50.0 ms after 4 s for 3 s in a row, from second 4 on",
        ),
        (
            "p99 > 50ms for 3s after 5s",
            "held: p99 > 50.0 ms after 5 s for 2 s in a row, from second 5 on",
        ),
        (
            "not p99 < 50ms for 2s and p50 > 1us",
            "failed: p99 < 50.0 ms for 1 s in a row, from second 0 on, p50 = 100 ms",
        ),
    ] {
        assert_eq!(detail(expression, &run), expected, "{expression}");
    }
}

#[test]
fn an_undecided_window_breaks_a_stretch_but_not_the_doubt() {
    let run = testing::run(&[SLOW, FEW, SLOW, SLOW, FAST, SLOW]);
    assert_eq!(held("p99 > 50ms for 2s", &run), Some(false));
    assert_eq!(
        detail("p99 > 50ms for 3s", &run),
        "not enough data: p99 needs 1,000 samples in each second, second 1 has 500"
    );
    assert_eq!(held("p99 > 50ms for 4s", &run), None);
    assert_eq!(held("p99 > 50ms for 5s", &run), Some(true), "a fast second is in every stretch");
}

#[test]
fn a_window_among_the_unanswered_is_undecided_by_its_bound() {
    let late: Parts<'_> = &[(900, Outcome::Ok, MS), (100, Outcome::Timeout, S)];
    let run = testing::run(&[late, late]);
    assert_eq!(held("p99 > 500ms for 2s", &run), Some(false));
    assert_eq!(
        detail("p99 > 2s for 2s", &run),
        "not enough data: p99 in second 0 > 1.00 s, no more is known because of unanswered requests"
    );
}

#[test]
fn counts_ratios_and_rates_of_a_window_are_its_own() {
    let bad: Parts<'_> = &[(60, Outcome::Ok, MS), (40, Outcome::HttpError, MS)];
    let run = testing::run(&[FAST, bad, bad, NONE, NONE, FAST]);
    for (expression, expected) in [
        ("error_ratio > 30% for 2s", Some(false)),
        ("error_ratio > 40% for 3s", Some(true)),
        ("status_5xx == 40 for 2s", Some(false)),
        ("status_503 > 40 for 1s", Some(true)),
        ("planned == 100 for 2s", Some(false)),
        ("offered_rate < 101 for 4s", Some(false)),
        ("achieved_rate < 100 for 2s", Some(false)),
        ("achieved_rate < 100 for 3s", Some(true)),
        ("ok_rate < 61 for 4s", Some(false)),
        ("ok_rate < 61 for 5s", Some(true)),
        // Nothing was planned in two of the seconds, so they have no ratio.
        ("ok_ratio < 70% for 3s", None),
        ("ok_ratio < 70% for 5s", Some(true)),
    ] {
        assert_eq!(held(expression, &run), expected, "{expression}");
    }
}

#[test]
fn a_window_of_which_nothing_was_written_is_a_window_without_requests() {
    let mut writer = testing::temporary();
    writer.add(&interval(0, 10, Outcome::Ok, MS));
    writer.add(&interval(3, 10, Outcome::Ok, MS));
    let run = writer.finish(&end(6, 20, 0)).unwrap();
    for (expression, expected) in [
        ("achieved_rate < 1 for 2s", Some(false)),
        ("achieved_rate < 1 for 2s after 1s", Some(false)),
        ("achieved_rate < 1 for 2s after 2s", Some(false)),
        ("achieved_rate < 1 for 3s", Some(true)),
        ("achieved_rate < 11 for 6s", Some(false)),
    ] {
        assert_eq!(held(expression, &run), expected, "{expression}");
    }
}

#[test]
fn a_second_that_the_end_cut_short_is_no_window() {
    let mut writer = testing::temporary();
    for window in 0..3 {
        writer.add(&interval(window, 100, Outcome::Ok, MS));
    }
    writer.add(&interval(3, 40, Outcome::Ok, MS));
    let mut end = end(3, 340, 0);
    end.span.until = end.span.until.plus(400 * MS);
    let run = writer.finish(&end).unwrap();
    assert_eq!(held("achieved_rate < 100 for 1s", &run), Some(true), "40 in 0.4 s are 100/s");
    assert_eq!(held("achieved_rate == 100 after 2s", &run), Some(false), "140 in 1.4 s");
    assert_eq!(held("planned == 140 after 2s", &run), Some(false));
}

#[test]
fn after_leaves_out_whole_seconds_of_the_beginning() {
    let run = testing::run(&[SLOW, SLOW, FAST, FAST, &[(1_000, Outcome::HttpError, 2 * MS)]]);
    for (expression, expected) in [
        ("p99 > 50ms", "failed: p99 = 100 ms"),
        ("p99 > 50ms after 1s", "failed: p99 after 1 s = 100 ms"),
        ("p99 > 50ms after 2s", "held: p99 after 2 s = 2.00 ms"),
        ("max of service_time > 5ms after 2s", "held: max of service_time after 2 s = 2.00 ms"),
        ("error_ratio > 30% after 2s", "failed: error_ratio after 2 s = 33.3 %"),
        ("status_503_ratio == 50% after 3s", "failed: status_503_ratio after 3 s = 50.0 %"),
        ("ok_rate == 500 after 3s", "failed: ok_rate after 3 s = 500/s"),
        ("p99.9 > 1s after 3s", "not enough data: p99.9 after 3 s needs 10,000 samples, has 2,000"),
    ] {
        assert_eq!(detail(expression, &run), expected, "{expression}");
    }
}

#[test]
fn a_run_shorter_than_the_scope_does_not_decide() {
    let run = testing::run(&[FAST, FAST, FAST]);
    for (expression, expected) in [
        ("p99 > 5ms for 4s", "p99 needs 4 s of measured time, has 3.00 s"),
        ("timeout > 0 after 3s", "timeout after 3 s needs 4 s of measured time, has 3.00 s"),
        ("timeout > 0 for 2s after 2s", "timeout after 2 s needs 4 s of measured time, has 3.00 s"),
        (
            "timeout > 0 for 1s after 1h",
            "timeout after 3600 s needs 3,601 s of measured time, has 3.00 s",
        ),
    ] {
        assert_eq!(detail(expression, &run), format!("not enough data: {expected}"));
    }
}

#[test]
fn several_objectives_get_a_finding_each_in_their_order() {
    let run = testing::run(&[FAST, SLOW]);
    let objectives =
        ["p99 > 50ms for 1s and planned > 1 or error > 0", "p99 > 1s", "error > 0 after 1s"]
            .map(|text| Objective::parse(text).unwrap());
    let findings = judge(&objectives, &run, &run.summary().unwrap()).unwrap();
    let details: Vec<_> = findings.iter().map(Finding::detail).collect();
    assert_eq!(
        details,
        [
            "p99 > 50.0 ms for 1 s in a row, from second 1 on, planned = 2,000",
            "p99 = 100 ms",
            "error after 1 s = 0",
        ]
    );
}

/// Requests whose end was never written can belong to any window.
#[test]
fn counts_of_windows_of_a_cut_run_are_lower_bounds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.throng");
    let mut writer = RunWriter::create(Place::File(&path), &testing::header()).unwrap();
    for window in 0..3 {
        writer.add(&interval(window, 1_000, Outcome::Ok, MS));
    }
    writer.commit(&tick(4, 3_100)).unwrap();
    drop(writer);
    let run = RunFile::open(&path).unwrap();
    for (expression, expected) in [
        ("ok >= 1k for 3s", Some(false)),
        ("ok < 1k for 1s", Some(true)),
        ("ok > 1k for 1s", None),
        ("timeout > 0 for 3s", None),
        ("offered_rate < 1001 for 3s", None),
        ("achieved_rate < 1001 for 3s", Some(false)),
        ("max > 5ms after 1s", None),
        ("max of service_time < 500us after 1s", Some(true)),
        ("min > 5ms after 1s", Some(true)),
        ("min > 500us after 1s", None),
        // Of the whole run it is known that they were not answered.
        ("unfinished == 100", Some(false)),
        ("max > 5ms", None),
    ] {
        assert_eq!(held(expression, &run), expected, "{expression}");
    }
}
