use proptest::prelude::*;

use super::*;
use crate::testing::{MS, S, summary};
use crate::{Outcome, Summary};

fn judge(expression: &str, summary: &Summary) -> Judgement {
    Objective::parse(expression).unwrap_or_else(|e| panic!("{expression}: {e}")).evaluate(summary)
}

fn held(expression: &str, summary: &Summary) -> Option<bool> {
    match judge(expression, summary) {
        Judgement::Held => Some(true),
        Judgement::Failed { .. } => Some(false),
        Judgement::NotEnoughData { .. } => None,
    }
}

/// 1,000 requests in one second: 980 ok at 10 ms, 15 errors at 1 ms, 5 timeouts at 1 s.
fn run() -> Summary {
    summary(&[(980, Outcome::Ok, 10 * MS), (15, Outcome::HttpError, MS), (5, Outcome::Timeout, S)])
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
        ("error_ratio > 1%", false),
        ("error_ratio > 0.02", true),
        ("error_ratio >= 2%", false),
        ("timeout > 0", false),
        ("timeout > 5", true),
        ("http_error != 15", true),
        ("io_error == 0", false),
        ("planned < 1k", true),
        ("planned <= 1_000", false),
        ("offered_rate < 50k", false),
        ("achieved_rate < 995", true),
        ("ok_rate < 981/s", false),
        ("p99 > 50ms or timeout > 0", false),
        ("p99 > 5ms and timeout > 5", true),
        ("p99 > 50ms and timeout > 0 or planned > 1", false),
        ("planned > 1 or p99 > 50ms and timeout > 0", false),
        ("lateness.p99 > 1h", true),
        ("P99 > 5ms", false),
    ] {
        let expression = expression.replace('P', "p");
        assert_eq!(held(&expression, &run), Some(expected), "{expression}");
    }
}

#[test]
fn a_percentile_among_the_unanswered_is_decided_by_its_bound_where_that_does() {
    // The 99th percentile of 1,000 is the 990th: among the 20 that got no answer within 1 s.
    let run = summary(&[(980, Outcome::Ok, 10 * MS), (20, Outcome::Timeout, S)]);
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
        ("mean > 20ms", Some(false)),
        ("mean > 40ms", None),
        ("max > 900ms", Some(false)),
        ("max > 2s", None),
        ("p95 > 20ms", Some(true)),
        // What is known decides where the rest does not matter.
        ("p99 > 2s and timeout == 0", Some(true)),
        ("p99 > 2s or timeout > 0", Some(false)),
        ("p99 > 2s or timeout == 0", None),
    ] {
        assert_eq!(held(expression, &run), expected, "{expression}");
    }
}

#[test]
fn too_few_samples_leave_a_percentile_undecided() {
    let judgement = judge("p99.9 > 1ms", &run());
    let Judgement::NotEnoughData { why } = judgement else { panic!("{judgement:?}") };
    let (subject, shortage) = why[0];
    assert_eq!(subject.label(), "p99.9");
    assert_eq!(shortage.to_string(), "needs 10,000 samples, has 1,000");
    assert_eq!(held("p99 of connect_time > 1ms", &run()), None);
    assert_eq!(held("mean of connect_time > 1ms", &run()), None);
}

#[test]
fn nothing_planned_decides_nothing_about_errors() {
    assert_eq!(held("error_ratio > 0", &summary(&[])), None);
    assert_eq!(held("achieved_rate < 1", &summary(&[])), Some(false));
}

#[test]
fn a_failure_shows_what_was_measured() {
    let judgement = judge("p99 > 5ms and timeout > 0 and error_ratio > 1%", &run());
    let Judgement::Failed { measured } = judgement else { panic!("{judgement:?}") };
    let shown: Vec<_> = measured.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["p99 = 10.0 ms", "timeout = 5", "error_ratio = 2.00 %"]);
    let judgement = judge("max of response_time > 5ms", &run());
    let Judgement::Failed { measured } = judgement else { panic!("{judgement:?}") };
    assert_eq!(measured[0].to_string(), "max > 1.00 s");
}

#[test]
fn a_mistake_is_named_with_its_place_and_a_remedy() {
    for (expression, message, hint) in [
        (
            "",
            "column 1: expected a metric such as p99, error_ratio or timeout, found the end",
            None,
        ),
        (
            "p98 > 1ms",
            "column 1: expected a metric such as p99, error_ratio or timeout, found `p98`",
            Some("did you mean `p90`?"),
        ),
        (
            "eror_ratio > 1%",
            "column 1: expected a metric such as p99, error_ratio or timeout, found `eror_ratio`",
            Some("did you mean `error_ratio`?"),
        ),
        ("p99 50ms", "column 5: expected one of < <= > >= == !=, found `50ms`", None),
        ("p99 = 50ms", "column 5: expected one of < <= > >= == !=, found `=`", None),
        ("p99 > 50", "column 7: expected a duration with its unit, such as 50ms, found `50`", None),
        ("p99 >", "column 6: expected a duration with its unit, such as 50ms, found the end", None),
        (
            "p99 of servce_time > 50ms",
            "column 8: expected a duration such as response_time or service_time, found \
             `servce_time`",
            Some("did you mean `service_time`?"),
        ),
        (
            "service_time.p98 > 50ms",
            "column 1: expected p50 … p99.99, min, mean or max, found `service_time.p98`",
            Some("did you mean `p90`?"),
        ),
        (
            "error_ratio > 5",
            "column 15: expected a share from 0 to 1 or in percent, such as 0.01 or 1%, found `5`",
            None,
        ),
        (
            "ok_rate < 5ms",
            "column 11: expected a rate per second, such as 500 or 50k, found `5ms`",
            None,
        ),
        ("timeout > -1", "column 11: expected a count, such as 0 or 10k, found `-1`", None),
        (
            "p99 > 5ms xor p50 > 1ms",
            "column 11: expected `and`, `or` or the end, found `xor`",
            Some("did you mean `or`?"),
        ),
        (
            "p99 > 5ms and",
            "column 14: expected a metric such as p99, error_ratio or timeout, found the end",
            None,
        ),
    ] {
        let error = Objective::parse(expression).unwrap_err();
        assert_eq!(error.to_string(), message, "{expression}");
        assert_eq!(error.hint().as_deref(), hint, "{expression}");
    }
}

#[test]
fn every_documented_name_can_be_compared() {
    for name in Subject::names() {
        let forms = ["0", "1ms"].map(|value| Objective::parse(&format!("{name} > {value}")));
        assert!(forms.iter().any(Result::is_ok), "{name}");
    }
    for quantity in Quantity::names() {
        for statistic in Statistic::names() {
            let of = Objective::parse(&format!("{statistic} of {quantity} > 1ms")).unwrap();
            let dotted = Objective::parse(&format!("{quantity}.{statistic} > 1ms")).unwrap();
            assert_eq!(of.conjunctions, dotted.conjunctions);
        }
    }
}

proptest! {
    #[test]
    fn no_expression_panics(text in any::<String>()) {
        let _ = Objective::parse(&text).map_err(|error| error.to_string());
    }

    /// Near the grammar, where the branches are.
    #[test]
    fn no_nearly_right_expression_panics(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "p99", "p99.9", "of", "service_time", ".", "µs", "50ms", ">", "<=", "and", "or",
                "1%", "1e400", "9".repeat(400).leak(), "timeout", "error_ratio", "=", "é", "",
            ]),
            0..12,
        ),
        joint in prop::sample::select(vec!["", " ", "\u{a0}"]),
    ) {
        if let Ok(objective) = Objective::parse(&words.join(joint)) {
            for comparison in objective.conjunctions.iter().flatten() {
                prop_assert!(comparison.value.is_finite());
            }
        }
    }
}
