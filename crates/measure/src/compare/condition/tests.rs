use proptest::prelude::*;

use super::super::{Change, Method, Side, Why};
use super::*;
use crate::Level;

/// p99 +4.1 to +6.8 %, p50 −1 to +1 %, p99.9 not compared, the rate given with +50 %; the other
/// percentiles 10 to 12 % down.
fn comparison() -> Comparison {
    let found = |figure| {
        let (low, high) = match figure {
            Figure::Rate => return Found::Given { ratio: 0.5 },
            Figure::At(Level::P99_9) => {
                return Found::NotCompared(Why::TooFew {
                    needed_count: 10_000,
                    count: 5_000,
                    side: Side::B,
                    method: Method::Rounds,
                });
            }
            Figure::At(Level::P99) => (0.041, 0.068),
            Figure::At(Level::P50) => (-0.01, 0.01),
            Figure::At(_) => (-0.12, -0.1),
        };
        Found::Measured { change: Change::between(low, high), significant: false }
    };
    let row = |figure| Row { figure, a: None, b: None, found: found(figure) };
    Comparison { name: "B".into(), rows: Figure::ALL.map(row).into() }
}

fn judge(condition: &str) -> Judgement {
    Condition::parse(condition).unwrap_or_else(|e| panic!("{condition}: {e}")).judge(&comparison())
}

#[test]
fn a_condition_is_decided_by_the_whole_interval() {
    for (condition, expected) in [
        ("p99_change > 4%", Some(true)),
        ("p99_change > 5%", None),
        ("p99_change > 7%", Some(false)),
        ("p99_change>7%", Some(false)),
        ("p99_change >= 4.1%", Some(true)),
        ("p99_change < 7%", Some(true)),
        ("p99_change < 4%", Some(false)),
        ("p99_change <= 5%", None),
        ("p50_change > 0%", None),
        ("p50_change > +2%", Some(false)),
        ("p90_change < -2%", Some(true)),
        ("p90_change < -11.5%", None),
        ("p90_change < -15%", Some(false)),
        ("p99.9_change > 5%", None),
        ("p99_9_change > 5%", None),
        // By plan, so it is known exactly.
        ("rate_change < -2%", Some(false)),
        ("rate_change > 49%", Some(true)),
        // What is decided decides where the rest does not matter.
        ("p99_change > 5% and p90_change > 0%", Some(false)),
        ("p99_change > 5% or p90_change < 0%", Some(true)),
        ("p99_change > 5% or p90_change > 0%", None),
        ("p99_change > 4% and p90_change < 0%", Some(true)),
        ("p99_change > 5% and p90_change < 0%", None),
        ("p99_change > 7% or p90_change > 0% and p99_change > 5%", Some(false)),
    ] {
        let judged = match judge(condition) {
            Judgement::Held => Some(false),
            Judgement::Failed(_) => Some(true),
            Judgement::NotEnoughData(_) => None,
        };
        assert_eq!(judged, expected, "{condition}");
    }
}

#[test]
fn a_judgement_shows_what_it_rests_on() {
    for (condition, expected) in [
        ("p99_change > 4%", Judgement::Failed("p99_change is +5.4 % (+4.1 to +6.8 %)".into())),
        (
            "p99_change > 4% and rate_change > 0%",
            Judgement::Failed(
                "p99_change is +5.4 % (+4.1 to +6.8 %) and rate_change is +50.0 % by plan".into(),
            ),
        ),
        (
            "p99_change > 5% or p99.9_change > 5%",
            Judgement::NotEnoughData(
                "p99_change is +5.4 % (+4.1 to +6.8 %) and p99.9 needs 10,000 requests a round; B \
                 had one with 5,000"
                    .into(),
            ),
        ),
        ("p99_change > 9%", Judgement::Held),
    ] {
        assert_eq!(judge(condition), expected, "{condition}");
    }
}

#[test]
fn a_mistake_is_named_with_its_place_and_a_remedy() {
    let figure = "expected a change such as p99_change or rate_change";
    let percent = "expected a change above -100 % in percent, such as 5% or -2.5%";
    for (condition, column, expected, found, hint) in [
        ("", 1, figure, "the end", None),
        ("p99 > 5%", 1, figure, "`p99`", Some("did you mean `p99_change`?")),
        ("p98_change > 5%", 1, figure, "`p98_change`", Some("did you mean `p90_change`?")),
        ("rat_change > 5%", 1, figure, "`rat_change`", Some("did you mean `rate_change`?")),
        ("error_ratio > 5%", 1, figure, "`error_ratio`", None),
        ("p99_change = 5%", 12, "expected one of < <= > >=", "`=`", None),
        ("p99_change == 5%", 12, "expected one of < <= > >=", "`==`", None),
        ("p99_change 5%", 12, "expected one of < <= > >=", "`5%`", None),
        ("p99_change > 5", 14, percent, "`5`", None),
        ("p99_change > 5ms", 14, percent, "`5ms`", None),
        ("p99_change > ", 14, percent, "the end", None),
        ("p99_change > %", 14, percent, "`%`", None),
        ("p99_change > 1e3%", 14, percent, "`1e3%`", None),
        ("p99_change > --5%", 14, percent, "`--5%`", None),
        ("rate_change < -100%", 15, percent, "`-100%`", None),
        ("p99_change > 5 %", 14, percent, "`5`", None),
        ("p99_change > 5% xor", 17, "expected `and`, `or` or the end", "`xor`", None),
        ("p99_change > 5% and", 20, figure, "the end", None),
    ] {
        let error = Condition::parse(condition).unwrap_err();
        assert_eq!(error.to_string(), format!("column {column}: {expected}, found {found}"));
        assert_eq!(error.hint().as_deref(), hint, "{condition}");
    }
}

#[test]
fn every_figure_can_be_named_in_both_spellings() {
    for figure in Figure::ALL {
        for name in [figure.name(), figure.label()] {
            let condition = Condition::parse(&format!(" {name}_change > -1.5% ")).unwrap();
            assert_eq!(condition.conjunctions[0][0].figure, figure);
            assert_eq!(condition.conjunctions[0][0].ratio, -0.015);
            assert_eq!(condition.to_string(), format!("{name}_change > -1.5%"));
        }
    }
}

proptest! {
    #[test]
    fn no_condition_panics(text in any::<String>()) {
        let _ = Condition::parse(&text).map_err(|error| error.to_string());
    }

    /// Near the grammar, where the branches are.
    #[test]
    fn no_nearly_right_condition_panics(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "p99_change", "p99.9_change", "rate_change", "_change", ">", "<=", "and", "or",
                "5%", "-2%", "+%", "9".repeat(400).leak(), "1.2.3%", "_%", "é", "",
            ]),
            0..10,
        ),
        joint in prop::sample::select(vec!["", " ", "\u{a0}"]),
    ) {
        if let Ok(condition) = Condition::parse(&words.join(joint)) {
            let _ = condition.judge(&comparison());
        }
    }
}
