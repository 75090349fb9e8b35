use super::super::tests::{closed, run};
use super::*;
use crate::Outcome;
use crate::audit::{Reason, Verdict};
use crate::testing::{MS, S, header};

#[test]
fn runs_that_went_well_raise_no_doubt() {
    let good = run(&closed(), &[&[(1_000, Outcome::Ok, MS)]]);
    assert_eq!(doubts("A", &[good.clone(), good]), Vec::<String>::new());
}

#[test]
fn every_doubt_names_the_side_and_its_numbers() {
    let good = run(&closed(), &[&[(1_000, Outcome::Ok, MS)]]);
    let mut interrupted = good.clone();
    interrupted.summary.interrupted = true;
    let mut late = good.clone();
    late.summary.audit.reasons.push(Reason {
        check: Check::Late,
        verdict: Verdict::Invalid,
        finding: "at p99, all of it is late".into(),
        figure: 1.0,
        threshold: "invalid from 50.0 %".into(),
    });
    let failing = run(&closed(), &[&[(990, Outcome::Ok, MS), (10, Outcome::HttpError, MS)]]);
    let slow = run(&header(), &[&[(900, Outcome::Ok, MS), (100, Outcome::Unfinished, S)]]);
    for (runs, expected) in [
        (vec![interrupted.clone()], &["B was interrupted."][..]),
        (vec![late.clone()], &["B is invalid: at p99, all of it is late."]),
        (vec![good.clone(), late], &["B is invalid in 1 of 2 runs: at p99, all of it is late."]),
        (vec![good.clone(), interrupted], &["B was interrupted (1 of 2 runs)."]),
        (
            vec![good, failing],
            &["B: 10 of 2,000 requests (0.50 %) did not end ok; error answers count like others, \
               and can be faster."],
        ),
        (
            vec![slow],
            &[
                "B: 100 of 1,000 requests (10.0 %) did not end ok; error answers count like \
                 others, and can be faster.",
                "B was offered 1,000/s and answered 900/s in time: its response times depend on \
                 how long the run was.",
            ],
        ),
    ] {
        assert_eq!(doubts("B", &runs), expected);
    }
}
