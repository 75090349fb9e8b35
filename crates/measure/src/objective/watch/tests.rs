use super::*;
use crate::testing::{MS, Parts, S, interval, temporary, tick};
use crate::{Outcome, RunWriter};

/// A run that is going on, one second at a time.
struct Live {
    writer: RunWriter,
    measured_s: u64,
}

const FAST: Parts<'_> = &[(100, Outcome::Ok, MS)];
const SLOW: Parts<'_> = &[(100, Outcome::Ok, 100 * MS)];
const BAD: Parts<'_> = &[(40, Outcome::Ok, MS), (60, Outcome::HttpError, MS)];

impl Live {
    fn watching(expressions: &[&str]) -> Self {
        let parse = |text: &&str| Objective::parse(text).unwrap();
        let mut writer = temporary();
        writer.watch(&expressions.iter().map(parse).collect::<Vec<_>>());
        Self { writer, measured_s: 0 }
    }

    fn add(&mut self, window: u64, parts: Parts<'_>) {
        for &(count, outcome, took_ns) in parts {
            self.writer.add(&interval(window.cast_signed(), count, outcome, took_ns));
        }
    }

    /// The end of a second in which this was due, and what is met then.
    fn second(&mut self, parts: Parts<'_>) -> Option<String> {
        self.add(self.measured_s, parts);
        self.measured_s += 1;
        // The warm-up of these runs is a second long.
        self.writer.commit(&tick(self.measured_s + 1, 0)).unwrap();
        self.writer.met().map(|objective| objective.text().to_owned())
    }

    /// The second at whose end something is met first, when every second is like this.
    fn first_met(&mut self, seconds: u64, parts: Parts<'_>) -> Option<u64> {
        (0..seconds).find_map(|_| self.second(parts).map(|_| self.measured_s))
    }
}

#[test]
fn a_stretch_is_met_when_its_last_window_has_settled() {
    let mut live = Live::watching(&["p50 > 50ms for 3s"]);
    for parts in [FAST, SLOW, SLOW, FAST] {
        assert_eq!(live.second(parts), None);
    }
    // Windows 4, 5 and 6; the last one ends at 7 s.
    assert_eq!(live.first_met(20, SLOW), Some(7 + SETTLING_S));
}

#[test]
fn the_whole_is_not_judged_before_five_seconds() {
    assert_eq!(Live::watching(&["error_ratio > 50%"]).first_met(20, BAD), Some(PATIENCE_S));
    let mut rest = Live::watching(&["error_ratio > 50% after 3s"]);
    assert_eq!(rest.first_met(20, BAD), Some(3 + PATIENCE_S));
    // A stretch need not wait for that.
    let mut either = Live::watching(&["p50 > 1h or error_ratio > 50% for 1s"]);
    assert_eq!(either.first_met(20, BAD), Some(1 + SETTLING_S));
}

#[test]
fn the_objective_that_is_met_is_named() {
    let mut live = Live::watching(&["p50 > 1h for 1s", "error_ratio > 70%", "error_ratio > 50%"]);
    assert_eq!((0..9).find_map(|_| live.second(BAD)).as_deref(), Some("error_ratio > 50%"));
}

#[test]
fn what_the_rest_of_the_run_can_change_is_not_decided() {
    for (expression, can_be_met) in [
        ("error > 100", true),
        ("error != 1", true),
        ("status_503 > 100", true),
        ("ok < 1G", false),
        ("timeout == 0", false),
        ("planned < 1G", false),
        ("not planned > 1G", false),
        ("offered_rate < 1G", false),
        ("offered_rate > 99", true),
        ("min > 500us", false),
        ("min < 2ms", true),
        ("max < 1h", false),
        ("max > 500us", true),
        ("mean < 1h", true),
        ("p50 < 1h", true),
        ("p99 < 1h", false),
        ("not p50 > 1h", true),
        ("achieved_rate < 101", true),
        ("achieved_rate < 100", false),
        ("p50 > 1h for 1s", false),
        // A later stretch can still make it true.
        ("not p50 > 1h for 1s", false),
        ("error < 100 for 2s", false),
        ("error > 10 for 2s", true),
    ] {
        // 800 requests: too few for p99.
        let met = Live::watching(&[expression]).first_met(8, BAD);
        assert_eq!(met.is_some(), can_be_met, "{expression}");
    }
}

#[test]
fn timeouts_count_for_the_second_in_which_the_request_was_due() {
    let mut live = Live::watching(&["timeout_ratio > 5% for 2s"]);
    for window in 0..10 {
        assert_eq!(live.second(FAST), None, "{window}");
    }
    // Ten seconds later, when the windows have long been written out.
    let late: Parts<'_> = &[(10, Outcome::Timeout, 10 * S)];
    live.add(0, late);
    assert_eq!(live.second(FAST), None);
    live.add(1, late);
    assert!(live.second(FAST).is_some());
}

#[test]
fn a_second_whose_answers_are_under_way_is_no_lack_of_answers() {
    for expression in
        ["achieved_rate < 100", "ok_rate < 100 after 1s", "achieved_rate < 100 for 1s"]
    {
        let mut live = Live::watching(&[expression]);
        let half: Parts<'_> = &[(50, Outcome::Ok, MS)];
        for window in 0..10 {
            // The other half of each window comes a second late.
            live.add(window, half);
            if window > 0 {
                live.add(window - 1, half);
            }
            assert_eq!(live.second(&[]), None, "{expression} in window {window}");
        }
    }
}

#[test]
fn a_second_without_anything_is_seen() {
    let mut live = Live::watching(&["achieved_rate < 1 for 3s"]);
    for _ in 0..3 {
        assert_eq!(live.second(FAST), None);
    }
    assert_eq!(live.first_met(20, &[]), Some(3 + 3 + SETTLING_S));
}

#[test]
fn the_warm_up_is_not_judged() {
    let mut live = Live::watching(&["error > 0", "error > 0 for 1s"]);
    live.writer.add(&interval(-1, 60, Outcome::HttpError, MS));
    assert_eq!(live.first_met(8, FAST), None);
}

#[test]
fn the_last_second_says_what_the_run_file_says() {
    use crate::testing::run;
    let windows = [FAST, BAD, BAD, FAST, SLOW, SLOW, SLOW, BAD, FAST, FAST, FAST];
    for expression in [
        "error_ratio > 30% for 2s",
        "error_ratio > 30% for 3s",
        "p50 > 50ms for 3s after 2s",
        "p50 > 50ms for 2s after 6s",
        "error_ratio > 10%",
        "error_ratio > 10% after 8s",
        "ok_rate < 90",
        "ok_rate < 93 after 3s",
        "ok_rate < 92 after 3s",
        "stdev of service_time > 20ms and p90 of service_time > 50ms",
    ] {
        let objective = Objective::parse(expression).unwrap();
        let mut live = Live::watching(&[expression]);
        // Two seconds more, for the last windows to settle.
        let met_live =
            windows.iter().chain([&FAST, &FAST]).map(|w| live.second(w)).last().flatten();
        let file = run(&windows);
        let later = super::super::judge(&[objective], &file, &file.summary().unwrap()).unwrap();
        assert_eq!(met_live.is_some(), later[0].judgement() == Judgement::Failed, "{expression}");
    }
}

#[test]
fn memory_does_not_grow_with_the_run() {
    let objective = Objective::parse("p50 > 1s for 10s").unwrap();
    let Part::Lasting(mut recent) = Part::of(&objective.comparisons[0]) else { panic!() };
    for window in 0..100_000 {
        recent.set(window, || window == 99_000 || window >= 99_990);
        assert!(recent.is_true.len() <= LATE_S + 10);
    }
    assert!(!recent.has_lasted(99_999));
    assert!(recent.has_lasted(100_000));
    recent.set(5, || panic!("long forgotten"));
}
