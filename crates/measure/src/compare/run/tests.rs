use super::super::tests::{Second, closed, run};
use super::*;
use crate::Outcome;
use crate::testing::MS;
use crate::testing::random::Random;

fn run_of(completed: &[u64]) -> Run {
    let parts: Vec<_> = completed.iter().map(|&count| [(count, Outcome::Ok, MS)]).collect();
    run(&closed(), &parts.iter().map(|part| part as Second<'_>).collect::<Vec<_>>())
}

#[test]
fn a_second_without_an_answer_counts_as_one() {
    assert_eq!(run_of(&[5, 0, 7, 0]).completed, [5, 0, 7, 0]);
}

#[test]
fn the_interval_of_the_rate_holds_the_truth_however_seconds_resemble_their_neighbours() {
    let mut random = Random::new(4);
    // Only what `rate_bounds` looks at is filled in.
    let mut run = run_of(&[]);
    for phi in [0.0, 0.5] {
        let trials = 1_000;
        let covered = (0..trials).filter(|_| {
            let seconds = random.autoregressive(phi, 60);
            let completed: Vec<u64> =
                seconds.iter().map(|value| (1_000.0 + 100.0 * value) as u64).collect();
            let mean = completed.iter().sum::<u64>() as f64 / 60.0;
            (run.summary.rates.achieved_per_s, run.completed) = (mean, completed);
            let (_, low, high) = run.rate_bounds().unwrap();
            (low..=high).contains(&1_000.0)
        });
        let covered = covered.count() as f64 / f64::from(trials);
        assert!((0.91..=0.99).contains(&covered), "φ = {phi}: {covered}");
    }
}

#[test]
fn a_skewed_rate_reaches_further_towards_its_rare_values() {
    // One second in ten has a burst; more bursts would mean a higher rate.
    let completed: Vec<u64> = (0..40).map(|i| if i % 10 == 3 { 500 } else { 100 }).collect();
    let (rate, low, high) = run_of(&completed).rate_bounds().unwrap();
    assert_eq!(rate, 140.0);
    assert!(high - rate > rate - low, "{low} {rate} {high}");
}

#[test]
fn fewer_seconds_than_an_interval_takes_bound_nothing() {
    assert_eq!(run_of(&[5, 6, 5, 6]).rate_bounds(), None);
    assert!(run_of(&[5, 6, 5, 6, 5]).rate_bounds().is_some());
}
