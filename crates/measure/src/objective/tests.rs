use super::*;
use crate::testing::{self, MS, S};
use crate::{Outcome, RunFile};

mod language;
mod scopes;

/// What a run says about an expression.
fn find(expression: &str, run: &RunFile) -> Finding {
    let objective = Objective::parse(expression).unwrap_or_else(|e| panic!("{expression}: {e}"));
    let mut findings = judge(&[objective], run, &run.summary().unwrap()).unwrap();
    assert_eq!(findings.len(), 1);
    findings.remove(0)
}

fn detail(expression: &str, run: &RunFile) -> String {
    let finding = find(expression, run);
    format!("{}: {}", finding.judgement(), finding.detail())
}

/// `Some(true)`: it held.
fn held(expression: &str, run: &RunFile) -> Option<bool> {
    match find(expression, run).judgement() {
        Judgement::Held => Some(true),
        Judgement::Failed => Some(false),
        Judgement::NotEnoughData => None,
    }
}

/// 1,000 requests in one second: 980 ok at 10 ms, 15 errors at 1 ms, 5 timeouts at 1 s.
fn run() -> RunFile {
    testing::run(&[&[
        (980, Outcome::Ok, 10 * MS),
        (15, Outcome::HttpError, MS),
        (5, Outcome::Timeout, S),
    ]])
}

#[test]
fn an_expression_states_when_a_run_fails() {
    let run = run();
    for (expression, expected) in [
        ("p99 > 50ms", true),
        ("p99 > 5ms", false),
        ("p99>5ms", false),
        ("p50 of service_time > 9ms", false),
        ("service_time.p95 >= 20ms", true),
        ("response_time.p95 < 1us", true),
        ("p95 of ok_response_time > 9999us", false),
        ("min < 1500us", false),
        ("stdev of service_time > 1ms", false),
        ("stdev of service_time > 2ms", true),
        // Rank 15 of 1,000 is the last of the errors, rank 16 the first success.
        ("p1.5 < 2ms", false),
        ("p1.6 < 2ms", true),
        ("p97.5 > 9ms", false),
        ("error_ratio > 1%", false),
        ("error_ratio > 0.02", true),
        ("error_ratio >= 2%", false),
        ("error == 20", false),
        ("ok_ratio < 98.1%", false),
        ("ok_ratio < 98%", true),
        ("timeout_ratio > 0.4%", false),
        ("timeout_ratio > 0.5%", true),
        ("http_error_ratio >= 0.015", false),
        ("status_503 == 15", false),
        ("status_503 == 14", true),
        ("status_504 > 0", true),
        ("status_5xx > 14", false),
        ("status_4xx > 0", true),
        ("status_2xx < 980", true),
        ("status_200 < 981", false),
        ("status_5xx_ratio > 1.4%", false),
        ("status_503_ratio > 1.5%", true),
        ("timeout > 0", false),
        ("timeout > 5", true),
        ("http_error != 15", true),
        ("io_error == 0", false),
        ("planned < 1k", true),
        ("planned <= 1_000", false),
        ("offered_rate < 50k", false),
        ("achieved_rate < 995", true),
        ("achieved_rate < 996", false),
        ("ok_rate < 981/s", false),
        ("p99 > 50ms or timeout > 0", false),
        ("p99 > 5ms and timeout > 5", true),
        ("p99 > 50ms and timeout > 0 or planned > 1", false),
        ("planned > 1 or p99 > 50ms and timeout > 0", false),
        ("(planned > 1 or p99 > 50ms) and timeout > 5", true),
        ("not p99 > 50ms", false),
        ("not (p99 < 50ms and error_ratio < 1%)", false),
        ("not (p99 < 50ms and error_ratio < 3%)", true),
        ("not not timeout > 0", false),
        ("not timeout > 0 or timeout > 0", false),
        ("lateness.p99 > 1h", true),
        ("p99 > 5ms after warmup", false),
    ] {
        assert_eq!(held(expression, &run), Some(expected), "{expression}");
    }
}

#[test]
fn a_percentile_among_the_unanswered_is_decided_by_its_bound_where_that_does() {
    // The 99th percentile of 1,000 is the 990th: among the 20 that got no answer within 1 s.
    let run = testing::run(&[&[(980, Outcome::Ok, 10 * MS), (20, Outcome::Timeout, S)]]);
    for (expression, expected) in [
        ("p99 > 500ms", Some(false)),
        ("p99 >= 500ms", Some(false)),
        ("p99 < 500ms", Some(true)),
        ("p99 <= 500ms", Some(true)),
        ("p99 == 500ms", Some(true)),
        ("p99 != 500ms", Some(false)),
        ("p99 > 2s", None),
        ("p99 < 2s", None),
        ("p99 == 2s", None),
        ("p98.5 > 500ms", Some(false)),
        ("p98 > 500ms", Some(true)),
        ("mean > 20ms", Some(false)),
        ("mean > 40ms", None),
        ("stdev > 1ns", None),
        ("max > 900ms", Some(false)),
        ("max > 2s", None),
        ("p95 > 20ms", Some(true)),
        // What is known decides where the rest does not matter.
        ("p99 > 2s and timeout == 0", Some(true)),
        ("p99 > 2s or timeout > 0", Some(false)),
        ("p99 > 2s or timeout == 0", None),
        ("not p99 > 2s", None),
    ] {
        assert_eq!(held(expression, &run), expected, "{expression}");
    }
}

#[test]
fn nothing_planned_decides_nothing_about_shares() {
    let run = testing::run(&[&[]]);
    assert_eq!(held("error_ratio > 0", &run), None);
    assert_eq!(held("ok_ratio < 99%", &run), None);
    assert_eq!(held("achieved_rate < 1", &run), Some(false));
    assert_eq!(held("planned < 1", &run), Some(false));
}

#[test]
fn every_result_shows_the_numbers_that_decide_it() {
    let run = run();
    for (expression, expected) in [
        ("p99 > 50ms", "held: p99 = 10.0 ms"),
        ("p97.50 > 50ms", "held: p97.5 = 10.0 ms"),
        ("p99 > 5ms and timeout > 0", "failed: p99 = 10.0 ms, timeout = 5"),
        // One that is false decides `and`, one that is true decides `or`.
        ("p99 > 5ms and timeout > 5", "held: timeout = 5"),
        ("p99 > 50ms or timeout > 0", "failed: timeout = 5"),
        ("p99 > 50ms or timeout > 5", "held: p99 = 10.0 ms, timeout = 5"),
        ("not (p99 < 5ms or error_ratio < 1%)", "failed: p99 = 10.0 ms, error_ratio = 2.00 %"),
        ("max of response_time > 5ms", "failed: max > 1.00 s"),
        ("service_time.max > 50ms", "held: max of service_time = 10.0 ms"),
        ("status_5xx_ratio > 1%", "failed: status_5xx_ratio = 1.50 %"),
        ("ok_rate < 990", "failed: ok_rate = 980/s"),
        ("p99.9 > 1ms", "not enough data: p99.9 needs 10,000 samples, has 1,000"),
        ("p99.95 > 1ms or p99 > 50ms", "not enough data: p99.95 needs 20,000 samples, has 1,000"),
        (
            "p99 of connect_time > 1ms",
            "not enough data: p99 of connect_time needs 1,000 samples, has 0",
        ),
        ("mean of connect_time > 1ms", "not enough data: mean of connect_time has no samples"),
        (
            "max > 2s",
            "not enough data: max > 1.00 s, no more is known because of unanswered requests",
        ),
        ("stdev > 2s", "not enough data: stdev has no bound because of unanswered requests"),
    ] {
        assert_eq!(detail(expression, &run), expected, "{expression}");
    }
}

#[test]
fn every_duration_of_the_run_file_can_be_asked_for() {
    use subject::Quantity;
    for metric in crate::Metric::ALL {
        // These two are parts of the response time.
        let is_part = matches!(metric, crate::Metric::ResponseError | crate::Metric::Unanswered);
        let named =
            Quantity::names().any(|name| Quantity::from_name(&name) == Some(Quantity::Of(metric)));
        assert!(named || is_part, "{} has no name in QUANTITIES", metric.name());
    }
}
