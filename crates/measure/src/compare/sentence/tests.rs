use super::super::{Change, Method, Side};
use super::*;
use crate::Level::{P50, P75, P90, P95, P99, P99_9, P99_99};
use Figure::{At, Rate};

/// What a case says was found of a figure.
#[derive(Clone, Copy)]
enum Case {
    /// A significant change, by the ends of its interval.
    Changed(f64, f64),
    /// An interval that is not significant.
    Same,
    /// The plan decides it.
    Given,
    /// It takes so many requests.
    Few(u64),
    /// It is among the unanswered of B.
    Unanswered,
}

use Case::{Changed, Few, Given, Same, Unanswered};

impl Case {
    fn found(self) -> Found {
        let few = |needed_count| Why::TooFew {
            needed_count,
            count: 5_000,
            side: Side::B,
            method: Method::Rounds,
        };
        match self {
            Changed(low, high) => {
                Found::Measured { change: Change::between(low, high), significant: true }
            }
            Same => Found::Measured { change: Change::between(-0.01, 0.01), significant: false },
            Given => Found::Given { ratio: 0.0 },
            Few(needed_count) => Found::NotCompared(few(needed_count)),
            Unanswered => Found::NotCompared(Why::Unanswered(Side::B)),
        }
    }
}

/// The sentence of a comparison in which nothing else was looked at.
fn sentence_of(cases: &[(Figure, Case)]) -> String {
    let row = |&(figure, case): &(Figure, Case)| Row {
        figure,
        a: Some(1.0),
        b: Some(1.0),
        found: case.found(),
    };
    sentence(&Comparison { name: "B".into(), rows: cases.iter().map(row).collect() })
}

#[test]
fn what_changed_comes_first_then_what_did_not_then_what_was_not_compared() {
    let all = [
        (Rate, Changed(-0.05, -0.03)),
        (At(P50), Same),
        (At(P75), Changed(-0.021, -0.011)),
        (At(P90), Same),
        (At(P95), Changed(0.02, 0.03)),
        (At(P99), Changed(0.041, 0.068)),
        (At(P99_9), Few(10_000)),
        (At(P99_99), Few(100_000)),
    ];
    assert_eq!(
        sentence_of(&all),
        "B is 2.0–3.0 % slower at p95 and 4.1–6.8 % at p99, and is 1.1–2.1 % faster at p75, and \
         handles 3.0–5.0 % fewer requests per second; no significant change at p50 or p90; p99.9 \
         and p99.99 are not compared: p99.9 needs 10,000 requests a round; B had one with 5,000."
    );
}

#[test]
fn every_combination_is_a_sentence() {
    for (cases, expected) in [
        (
            &[(Rate, Same), (At(P50), Same), (At(P99), Changed(0.041, 0.068))][..],
            "B is 4.1–6.8 % slower at p99; no significant change at p50, nor in the rate.",
        ),
        (
            &[(Rate, Changed(0.03, 0.05)), (At(P50), Changed(-0.05, -0.03))],
            "B is 3.0–5.0 % faster at p50, and handles 3.0–5.0 % more requests per second.",
        ),
        (
            &[(Rate, Changed(0.03, 0.05)), (At(P50), Same)],
            "B handles 3.0–5.0 % more requests per second; no significant change at p50.",
        ),
        // The ends round to the same figure.
        (&[(At(P50), Changed(0.050_01, 0.050_02))], "B is 5.00 % slower at p50."),
        (
            &[(Rate, Same), (At(P50), Same), (At(P90), Same), (At(P99), Same)],
            "B shows no significant change at p50, p90 or p99, nor in the rate.",
        ),
        (&[(Rate, Same)], "B shows no significant change in the rate."),
        // The plan's rate is no result.
        (&[(Rate, Given), (At(P50), Same)], "B shows no significant change at p50."),
        (
            &[(At(P50), Same), (At(P99), Few(1_000))],
            "B shows no significant change at p50; p99 is not compared: it needs 1,000 requests a \
             round; B had one with 5,000.",
        ),
        (
            &[(At(P50), Changed(0.3, 0.7)), (At(P99), Unanswered), (At(P99_9), Few(10_000))],
            "B is 30.0–70.0 % slower at p50; p99 is not compared: it lies among the unanswered \
             requests of B; p99.9 is not compared: it needs 10,000 requests a round; B had one \
             with 5,000.",
        ),
        (
            &[(At(P50), Few(20)), (At(P99), Few(1_000))],
            "B cannot be compared with A; p50 and p99 are not compared: p50 needs 20 requests a \
             round; B had one with 5,000.",
        ),
        (&[(Rate, Given)], "B cannot be compared with A."),
    ] {
        assert_eq!(sentence_of(cases), expected);
    }
}

#[test]
fn an_interval_that_just_leaves_out_zero_is_not_called_a_change() {
    let rows = [(0.0001, 0.02), (0.04, 0.06)].map(|(low, high)| Change::between(low, high));
    let marks = super::super::change::holm(&rows, 0.05);
    assert_eq!(marks, [true, true], "of two, the second is clear, and the first stands alone then");
    let mut eight = vec![Change::between(0.0001, 0.02); 7];
    eight.push(Change::between(-0.01, 0.02));
    assert_eq!(super::super::change::holm(&eight, 0.05), [false; 8]);
}
