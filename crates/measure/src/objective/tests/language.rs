//! The language: what is read, what is refused, what is documented.

use proptest::prelude::*;

use super::super::*;
use crate::testing;

#[test]
fn a_mistake_is_named_with_its_place_and_a_remedy() {
    const METRIC: &str = "a metric such as p99, error_ratio or timeout";
    const PERCENTILE: &str =
        "a percentile above p0 and below p100 with at most four decimals, such as p97.5";
    const STATUS: &str = "a status such as status_503 or a class such as status_5xx";
    const FOR: &str = "a whole number of seconds from 1s on, such as 10s or 2m";
    const AFTER: &str = "`warmup` or a whole number of seconds, such as 30s";
    const JOINT: &str = "`for`, `after`, `and`, `or` or the end";
    const CLOSE: &str = "`for`, `after`, `and`, `or` or `)`";
    let meant = |name: &str| Some(format!("did you mean `{name}`?"));
    for (expression, column, expected, found, hint) in [
        ("", 1, METRIC, "the end", None),
        ("> 5ms", 1, METRIC, "`>`", None),
        ("p100 > 1ms", 1, PERCENTILE, "`p100`", None),
        ("p99.99999 > 1ms", 1, PERCENTILE, "`p99.99999`", meant("p99.99")),
        ("p999 > 1ms", 1, PERCENTILE, "`p999`", meant("p99.9")),
        ("p9999 > 1ms", 1, PERCENTILE, "`p9999`", meant("p99.99")),
        ("p0 > 1ms", 1, PERCENTILE, "`p0`", meant("p50")),
        ("q99 > 1ms", 1, METRIC, "`q99`", meant("p99")),
        ("eror_ratio > 1%", 1, METRIC, "`eror_ratio`", meant("error_ratio")),
        ("timeot_ratio > 1%", 1, METRIC, "`timeot_ratio`", meant("timeout_ratio")),
        ("planned_ratio > 1%", 1, METRIC, "`planned_ratio`", None),
        ("status_50 > 0", 1, STATUS, "`status_50`", meant("status_503")),
        ("status_5x > 0", 1, STATUS, "`status_5x`", meant("status_5xx")),
        ("status_099 > 0", 1, STATUS, "`status_099`", meant("status_503")),
        ("response_time > 5ms", 1, METRIC, "`response_time`", None),
        ("p99 50ms", 5, "one of < <= > >= == !=", "`50ms`", None),
        ("p99 = 50ms", 5, "one of < <= > >= == !=", "`=`", None),
        ("p99 > 50", 7, "a duration with its unit, such as 50ms", "`50`", None),
        ("p99 >", 6, "a duration with its unit, such as 50ms", "the end", None),
        (
            "p99 of servce_time > 50ms",
            8,
            "a duration such as response_time or service_time",
            "`servce_time`",
            meant("service_time"),
        ),
        ("service_time.p100 > 50ms", 1, PERCENTILE, "`service_time.p100`", None),
        (
            "service_time.average > 50ms",
            1,
            "a percentile such as p99, min, mean, stdev or max",
            "`service_time.average`",
            None,
        ),
        (
            "error_ratio > 5",
            15,
            "a share from 0 to 1 or in percent, such as 0.01 or 1%",
            "`5`",
            None,
        ),
        ("ok_rate < 5ms", 11, "a rate per second, such as 500 or 50k", "`5ms`", None),
        ("timeout > -1", 11, "a count, such as 0 or 10k", "`-1`", None),
        ("p99 > 5ms xor p50 > 1ms", 11, JOINT, "`xor`", meant("or")),
        ("p99 > 5ms foor 3s", 11, JOINT, "`foor`", meant("for")),
        ("p99 > 5ms)", 10, JOINT, "`)`", None),
        ("p99 > 5ms for 3s for 4s", 18, JOINT, "`for`", None),
        ("p99 > 5ms and", 14, METRIC, "the end", None),
        ("p99 > 5ms for", 14, FOR, "the end", None),
        ("p99 > 5ms for 10", 15, FOR, "`10`", None),
        ("p99 > 5ms for 500ms", 15, FOR, "`500ms`", None),
        ("p99 > 5ms for 1.5s", 15, FOR, "`1.5s`", None),
        ("p99 > 5ms for 0s", 15, FOR, "`0s`", None),
        ("p99 > 5ms for 1e9h", 15, FOR, "`1e9h`", None),
        ("p99 > 5ms after", 16, AFTER, "the end", None),
        ("p99 > 5ms after 100ms", 17, AFTER, "`100ms`", None),
        ("p99 > 5ms after lunch", 17, AFTER, "`lunch`", None),
        ("(p99 > 5ms", 11, CLOSE, "the end", None),
        ("not", 4, METRIC, "the end", None),
        ("()", 2, METRIC, "`)`", None),
    ] {
        let error = Objective::parse(expression).unwrap_err();
        let message = format!("column {column}: expected {expected}, found {found}");
        assert_eq!(error.to_string(), message, "{expression}");
        assert_eq!(error.hint(), hint, "{expression}");
    }
}

#[test]
fn conditions_are_nested_sixteen_deep_and_no_deeper() {
    for (open, close) in [("(", ")"), ("not ", ""), ("not(", ")")] {
        let nested =
            |depth: usize| format!("{}planned > 0{}", open.repeat(depth), close.repeat(depth));
        let levels = if open == "not(" { 2 } else { 1 };
        let most = parse::NESTING_MAX / levels;
        assert!(Objective::parse(&nested(most)).is_ok(), "{open}");
        for too_deep in [most + 1, 100_000] {
            let error = Objective::parse(&nested(too_deep)).unwrap_err();
            assert_eq!(error.expected, Expected::Shallower, "{open}");
            assert!(error.to_string().contains("at most 16 parentheses and nots"), "{error}");
        }
    }
}

#[test]
fn for_and_after_are_read_in_either_order() {
    let scope = |text: &str| Objective::parse(text).unwrap().comparisons[0].scope;
    let expected = Scope { after_s: 30, lasting_s: Some(120) };
    assert_eq!(scope("p99 > 5ms for 2m after 30s"), expected);
    assert_eq!(scope("p99 > 5ms after 0.5m for 120s"), expected);
    assert_eq!(scope("p99 > 5ms after warmup"), Scope::default());
}

#[test]
fn the_text_of_an_objective_is_one_line() {
    let objective = Objective::parse(" p99\n >\t\u{a0}5ms ").unwrap();
    assert_eq!(objective.text(), "p99 > 5ms");
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
            assert_eq!(of.comparisons, dotted.comparisons);
        }
    }
}

#[test]
fn a_subject_is_written_as_it_is_read() {
    for name in Subject::names() {
        let forms = ["0", "1ms"].map(|value| Objective::parse(&format!("{name} > {value}")));
        let objective = forms.into_iter().find_map(Result::ok).unwrap();
        assert_eq!(objective.comparisons[0].subject.to_string(), name);
    }
}

const DOCUMENT: &str = include_str!("../../../../../docs/objectives.md");

#[test]
fn the_document_has_every_name() {
    let keywords = [parse::AND, parse::OR, parse::NOT, parse::OF, parse::FOR, parse::AFTER];
    let keywords = keywords.into_iter().chain([parse::WARMUP]).map(str::to_owned);
    let operators = Operator::SIGNS.map(|row| row.1.to_owned());
    let names = Subject::names().filter(|name| !name.ends_with("_ratio"));
    for name in names.chain(Quantity::names()).chain(keywords).chain(operators) {
        assert!(DOCUMENT.contains(&format!("`{name}`")), "`{name}` is not in docs/objectives.md");
    }
}

#[test]
fn the_document_has_the_grammar_of_the_code() {
    let grammar = |text: &str| {
        let (_, behind) = text.split_once("```text\n").unwrap();
        behind.split_once("```").unwrap().0.trim().to_owned()
    };
    let code = include_str!("../../objective.rs").replace("//! ", "").replace("//!", "");
    assert_eq!(grammar(&code), grammar(DOCUMENT));
}

#[test]
fn the_examples_of_the_document_are_understood() {
    let examples: Vec<_> = DOCUMENT.split("--fail-if '").skip(1).collect();
    assert!(examples.len() >= 8);
    for example in examples {
        let (expression, _) = example.split_once('\'').unwrap();
        Objective::parse(expression).unwrap_or_else(|e| panic!("{expression}: {e}"));
    }
}

/// Words near the grammar, where the branches are.
const WORDS: [&str; 40] = [
    "p99",
    "p97.5",
    "p99.",
    "p",
    "p100",
    "of",
    "service_time",
    ".",
    "_",
    "µs",
    "50ms",
    ">",
    "<=",
    "and",
    "or",
    "not",
    "(",
    ")",
    "for",
    "after",
    "warmup",
    "10s",
    "0s",
    "1e400",
    "5",
    "1%",
    "timeout",
    "timeout_ratio",
    "status_503",
    "status_5xx_ratio",
    "status_",
    "error_ratio",
    "stdev",
    "offered_rate",
    "planned",
    "=",
    "é",
    "",
    "99999999999999999999999999h",
    "1s",
];

proptest! {
    #[test]
    fn no_expression_panics(text in any::<String>()) {
        let _ = Objective::parse(&text).map_err(|error| (error.to_string(), error.hint()));
    }

    #[test]
    fn no_nearly_right_expression_panics(
        words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..16),
        joint in prop::sample::select(vec!["", " ", "\u{a0}"]),
    ) {
        match Objective::parse(&words.join(joint)) {
            Err(error) => drop((error.to_string(), error.hint())),
            Ok(objective) => {
                for comparison in &objective.comparisons {
                    prop_assert!(comparison.value.is_finite());
                    prop_assert!(comparison.scope.lasting_s != Some(0));
                }
                // It is stored as text: that must read back as the same.
                let read_back = Objective::parse(objective.text());
                prop_assert_eq!(read_back, Ok(objective));
            }
        }
    }

    /// Whatever is asked, of whatever run.
    #[test]
    fn no_judgement_panics(expression in expression(), window_count in 0_usize..4) {
        let objective = Objective::parse(&expression).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let window: testing::Parts<'_> = &[(30, crate::Outcome::Ok, testing::MS)];
        let run = testing::run(&vec![window; window_count]);
        let findings = judge(&[objective], &run, &run.summary().unwrap()).unwrap();
        prop_assert!(!findings[0].detail().is_empty());
    }
}

/// Expressions of the language.
fn expression() -> impl Strategy<Value = String> {
    let names: Vec<_> = Subject::names().collect();
    let comparison = (
        prop::sample::select(names),
        prop::sample::select(Operator::SIGNS.map(|row| row.1).to_vec()),
        prop::sample::select(vec!["", " for 1s", " for 2s after 1s", " after 1s", " after warmup"]),
    );
    let comparison = comparison.prop_map(|(name, operator, scope)| {
        let value = if Statistic::from_name(&name).is_some() { "1ms" } else { "1" };
        format!("{name} {operator} {value}{scope}")
    });
    comparison.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| format!("not {a}")),
            inner.clone().prop_map(|a| format!("({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} and {b}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{a} or {b}")),
        ]
    })
}
