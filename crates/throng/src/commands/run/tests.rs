use throng_measure::objective::Subject;
use throng_measure::objective::{Measured, Shortage};

use super::*;

fn objective(text: &str) -> Objective {
    Objective::parse(text).expect("an objective")
}

#[test]
fn every_objective_gets_a_line_that_says_how_it_stands_and_why() {
    let (p99, errors) = (objective("p99 > 50ms"), objective("error_ratio > 1%"));
    let measured = Measured { subject: Subject::ErrorRatio, value: 0.25, at_least: false };
    let shortage = Shortage::TooFewSamples { count: 20, needed_count: 1_000 };
    let verdicts = [
        Verdict { objective: &p99, judgement: Judgement::Held },
        Verdict { objective: &errors, judgement: Judgement::Failed { measured: vec![measured] } },
        Verdict {
            objective: &p99,
            judgement: Judgement::NotEnoughData { why: vec![(Subject::OkRate, shortage)] },
        },
    ];
    let text = lines(verdicts.iter());
    let found = text.lines().collect::<Vec<_>>();
    assert_eq!(found[0], "fail-if p99 > 50ms: held");
    assert_eq!(found[1], "fail-if error_ratio > 1%: failed (error_ratio = 25.0 %)");
    assert_eq!(
        found[2],
        "fail-if p99 > 50ms: not enough data (ok_rate needs 1,000 samples, has 20)"
    );
    assert!(verdicts[0].held() && !verdicts[1].held() && !verdicts[2].held());
}

#[test]
fn a_run_without_a_connection_ends_with_status_3_and_the_cause() {
    let error = NothingMeasured::NoConnection {
        failed_count: 12,
        most_frequent: Some("the peer refused the connection"),
    };
    assert_eq!(error.exit(), Exit::NothingMeasured);
    assert_eq!(
        error.to_string(),
        "no connection could be opened: 12 attempts failed, most because the peer refused the \
         connection"
    );
}
