use super::super::{BLOCK, Side};
use super::*;
use crate::probability::normal_quantile;
use crate::testing::random::Random;

fn close(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

/// The values of A's and B's rounds, in the order in which they ran: `value` of the place in time
/// and of the side.
fn rounds(
    order: [Side; 4],
    blocks: usize,
    mut value: impl FnMut(usize, Side) -> f64,
) -> [Vec<f64>; 2] {
    let mut rounds = [Vec::new(), Vec::new()];
    for (place, side) in order.into_iter().cycle().take(4 * blocks).enumerate() {
        rounds[usize::from(side == Side::B)].push(value(place, side));
    }
    rounds
}

#[test]
fn a_drift_that_is_a_line_in_time_cancels_within_each_block() {
    // B is larger by 0.5; everything becomes larger by 0.25 with every round.
    let drifting =
        |place: usize, side| place as f64 * 0.25 + if side == Side::B { 0.5 } else { 0.0 };
    let [a, b] = rounds(BLOCK, 5, drifting);
    assert_eq!(block_differences(&a, &b), [0.5; 5]);
    // The same rounds in simple turns take the drift for a difference.
    let [a, b] = rounds([Side::A, Side::B, Side::A, Side::B], 5, drifting);
    assert_eq!(block_differences(&a, &b), [0.75; 5]);
}

#[test]
fn half_a_block_does_not_count() {
    assert_eq!(block_differences(&[1.0, 3.0, 9.0], &[4.0, 6.0, 9.0]), [3.0]);
    assert_eq!(Change::of_blocks(&[0.1, 0.2]), None);
}

#[test]
fn the_interval_over_blocks_is_student_s() {
    // Mean 3, s² = 2.5, n = 5: 3 ± 2.776445 · √0.5.
    let change = Change::of_blocks(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    assert!(close(change.ln, 3.0, 1e-12));
    assert!(close(change.high_ln, 4.963_243, 1e-5), "{change:?}");
    assert!(close(change.low_ln, 1.036_757, 1e-5), "{change:?}");
}

/// How often, of `trials`, something was so.
fn share(trials: u32, mut happens: impl FnMut() -> bool) -> f64 {
    f64::from((0..trials).map(|_| u32::from(happens())).sum::<u32>()) / f64::from(trials)
}

#[test]
fn the_interval_over_blocks_holds_the_truth_19_times_in_20() {
    // Rounds differ by more than their requests can tell, and the machine drifts.
    let mut random = Random::new(1);
    for blocks in [3, 6, 20] {
        let covered = share(4_000, || {
            let drift = random.normal();
            let [a, b] = rounds(BLOCK, blocks, |place, side| {
                let truth = if side == Side::B { 0.05 } else { 0.0 };
                truth + drift * place as f64 + 0.03 * random.normal()
            });
            let change = Change::of_blocks(&block_differences(&a, &b)).unwrap();
            change.low_ln <= 0.05 && 0.05 <= change.high_ln
        });
        assert!(close(covered, 0.95, 0.012), "{blocks} blocks: {covered}");
    }
}

/// R's `sleep`: hours of sleep gained with two drugs (Student, Biometrika 6, 1908). `t.test(extra ~
/// group)` gives t = −1.8608, 17.776 degrees of freedom, and −3.3654832 to 0.2054832 for the first
/// less the second.
const SLEEP: [[f64; 10]; 2] = [
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
];

#[test]
fn the_interval_over_runs_is_welch_s() {
    let change = Change::of_runs(&SLEEP[0], &SLEEP[1]).unwrap();
    assert!(close(change.ln, 1.58, 1e-9), "{change:?}");
    assert!(close(change.degrees, 17.776, 1e-3), "{change:?}");
    assert!(close(change.low_ln, -0.205_483_2, 1e-6), "{change:?}");
    assert!(close(change.high_ln, 3.365_483_2, 1e-6), "{change:?}");
}

#[test]
fn runs_that_do_not_vary_at_all_make_an_interval_without_width() {
    let change = Change::of_runs(&[1.0, 1.0], &[2.0, 2.0, 2.0]).unwrap();
    assert_eq!((change.low_ln, change.ln, change.high_ln), (1.0, 1.0, 1.0));
    assert_eq!(change.degrees, 1.0);
    assert!(change.differs_at(0.01));
    let wider = change.at_least_as_wide_as(2.0);
    assert_eq!((wider.low_ln, wider.high_ln), (-1.0, 3.0));
    assert!(!wider.differs_at(0.05));
    assert_eq!(Change::of_runs(&[1.0], &[1.0, 2.0]), None);
}

/// A share of `n` with Wilson's interval.
fn wilson(of: f64, n: f64) -> Bounds {
    let (z, p) = (normal_quantile(0.975), of / n);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    Bounds { ln: p, low_ln: middle - reach, high_ln: middle + reach, degrees: f64::INFINITY }
}

#[test]
fn intervals_that_are_not_symmetrical_are_subtracted_as_published() {
    // Newcombe, Statistics in Medicine 17, 1998, table II, contrasts (a) and (d), method 10.
    for (b, a, low, high) in
        [((56.0, 70.0), (48.0, 80.0), 0.0524, 0.3339), ((5.0, 56.0), (0.0, 29.0), -0.0381, 0.1926)]
    {
        let change = Change::of_bounds(&wilson(a.0, a.1), &wilson(b.0, b.1)).unwrap();
        assert!(close(change.low_ln, low, 5e-5), "{change:?}");
        assert!(close(change.high_ln, high, 5e-5), "{change:?}");
    }
}

#[test]
fn an_end_that_one_run_does_not_bound_is_open_and_the_other_still_decides() {
    let bounds = |ln, low_ln, high_ln| Bounds { ln, low_ln, high_ln, degrees: 20.0 };
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    let slow = bounds(1.0, 0.9, high);
    let change = Change::of_bounds(&bounds(0.0, -0.1, 0.1), &slow).unwrap();
    assert_eq!((change.high_ln, change.high_ratio()), (high, high));
    assert!(close(change.low_ln, 1.0 - 0.1 * 2.0_f64.sqrt(), 1e-12), "{change:?}");
    assert!(change.differs_at(0.05), "it is larger, however much");
    // The other way round only what is no longer bounded is less.
    let change = Change::of_bounds(&slow, &bounds(0.0, -0.1, 0.1)).unwrap();
    assert_eq!((change.low_ln, change.low_ratio()), (low, -1.0));
    assert!(change.differs_at(0.05), "it is smaller, however much");
    let change = Change::of_bounds(&bounds(0.0, -0.1, high), &bounds(1.0, 0.9, 1.1)).unwrap();
    assert!(!change.differs_at(0.05), "A may be as large as B, or larger");
    assert_eq!(Change::of_bounds(&slow, &slow), None);
    assert_eq!(Change::of_bounds(&bounds(0.0, low, high), &bounds(1.0, 0.9, 1.1)), None);
}

/// A change with a standard error of 1 and this p-value.
fn with_p_value(p: f64) -> Change {
    let ln = normal_quantile(1.0 - p / 2.0);
    let half_width = normal_quantile(0.975);
    Change { ln, low_ln: ln - half_width, high_ln: ln + half_width, degrees: f64::INFINITY }
}

#[test]
fn holm_steps_down_from_the_clearest_change() {
    for (p_values, expected) in [
        (&[0.01, 0.04, 0.03, 0.005][..], &[true, false, false, true][..]),
        // Bonferroni would stop after the first.
        (&[0.04, 0.02, 0.01], &[true, true, true]),
        (&[0.018, 0.02, 0.04], &[false, false, false]),
        (&[0.049], &[true]),
        (&[0.051], &[false]),
        (&[], &[]),
    ] {
        let changes: Vec<_> = p_values.iter().copied().map(with_p_value).collect();
        assert_eq!(holm(&changes, 0.05), expected, "{p_values:?}");
    }
}

#[test]
fn equal_servers_are_called_different_in_at_most_1_of_20_comparisons() {
    let mut random = Random::new(2);
    let mut any = |marks: fn(&[Change]) -> Vec<bool>| {
        share(1_500, || {
            let figure = |_| {
                let blocks: Vec<_> = (0..6).map(|_| random.normal()).collect();
                Change::of_blocks(&blocks).unwrap()
            };
            let changes: Vec<_> = (0..8).map(figure).collect();
            marks(&changes).contains(&true)
        })
    };
    let alarms = any(|changes| holm(changes, 0.05));
    assert!((0.03..=0.056).contains(&alarms), "{alarms}");
    // Without it: 1 − 0.95⁸ = 34 %.
    let alarms = any(|changes| changes.iter().map(|change| change.differs_at(0.05)).collect());
    assert!(close(alarms, 0.337, 0.03), "{alarms}");
}

#[test]
fn ratios_are_those_of_the_logarithms() {
    let change = Change::between(-0.5, 1.0);
    assert!(close(change.ratio(), 0.0, 1e-12));
    assert!(close(change.low_ratio(), -0.5, 1e-12) && close(change.high_ratio(), 1.0, 1e-12));
}
