use super::*;
use crate::testing::random::Random;
use crate::testing::{MS, S, header, interval, quiet_end};
use crate::{Level, Outcome, Place, RunHeader, RunWriter};

/// One second of a run: requests, and how they ended after how long.
pub(super) type Second<'a> = &'a [(u64, Outcome, u64)];

/// A run of these seconds in the closed model, or in the open one with `offered` requests planned.
pub(super) fn run(header: &RunHeader, seconds: &[Second<'_>]) -> Run {
    let mut writer = RunWriter::create(Place::Temporary, header).unwrap();
    for (window, second) in (0..).zip(seconds) {
        for &(count, outcome, took_ns) in *second {
            writer.add(&interval(window, count, outcome, took_ns));
        }
    }
    let planned = seconds.iter().copied().flatten().map(|part| part.0).sum();
    let span_s = seconds.len() as u64;
    Run::of(&writer.finish(&quiet_end(span_s, planned)).unwrap()).unwrap()
}

pub(super) fn closed() -> RunHeader {
    RunHeader { closed: true, ..header() }
}

/// A round of 2,000 requests a second, half of them at `p50_ns`, half at ten times that.
fn round(p50_ns: f64) -> Run {
    let [fast, slow] = [p50_ns, 10.0 * p50_ns].map(|ns| ns as u64);
    run(&closed(), &[&[(1_010, Outcome::Ok, fast), (990, Outcome::Ok, slow)]])
}

fn ratio_at(comparison: &Comparison, level: Level) -> (f64, f64, f64) {
    let change = comparison.row(Figure::At(level)).change().expect("a change");
    (change.low_ratio(), change.ratio(), change.high_ratio())
}

#[test]
fn rounds_are_compared_by_blocks_on_logarithms() {
    // Block by block B is 10, 12 and 14 % slower; A drifts from block to block by far more.
    let a: Vec<_> = [1.0, 1.0, 3.0, 3.0, 2.0, 2.0].map(|x| round(x * 1e6)).into();
    let b: Vec<_> = [1.1, 1.1, 3.36, 3.36, 2.28, 2.28].map(|x| round(x * 1e6)).into();
    let comparison = compare(Method::Rounds, "B", &a, &b);
    for level in [Level::P50, Level::P99] {
        let (low, ratio, high) = ratio_at(&comparison, level);
        assert!((ratio - 0.12).abs() < 0.002, "{ratio}");
        // ln: 0.0953, 0.1133, 0.1310; s = 0.01785; t(2) = 4.303: ± 0.0443.
        assert!((low - 0.0714).abs() < 0.003 && (high - 0.1706).abs() < 0.003, "{low} {high}");
    }
    let row = comparison.row(Figure::At(Level::P50));
    // The geometric means: the cube root of 6, and 12 % more.
    assert!((row.a.unwrap() / 1e6 - 1.817).abs() < 0.003, "{row:?}");
    assert!((row.b.unwrap() / row.a.unwrap() - 1.12).abs() < 0.002, "{row:?}");
    // The rate is the same in every round: a change of nothing, and no significance in it.
    let rate = comparison.row(Figure::Rate);
    assert!((rate.a.unwrap() - 2_000.0).abs() < 1e-6, "{rate:?}");
    assert_eq!(rate.change().unwrap().ratio(), 0.0);
    assert!(!rate.is_significant());
}

#[test]
fn a_percentile_that_a_round_cannot_support_is_not_compared_and_says_why() {
    let long = || round(1e6);
    let short = || run(&closed(), &[&[(900, Outcome::Ok, MS)]]);
    let a: Vec<_> = (0..6).map(|_| long()).collect();
    let b: Vec<_> = (0..6).map(|i| if i == 4 { short() } else { long() }).collect();
    let comparison = compare(Method::Rounds, "B", &a, &b);
    let found = |level| comparison.row(Figure::At(level)).found;
    let few = |needed_count, count, side| {
        Found::NotCompared(Why::TooFew { needed_count, count, side, method: Method::Rounds })
    };
    assert!(matches!(found(Level::P95), Found::Measured { .. }));
    assert_eq!(found(Level::P99), few(1_000, 900, Side::B));
    assert_eq!(found(Level::P99_9), few(10_000, 2_000, Side::A));
    let row = comparison.row(Figure::At(Level::P99));
    assert!(row.a.is_some() && row.b.is_none(), "{row:?}");
}

#[test]
fn a_percentile_among_the_unanswered_is_not_compared() {
    let hung = || run(&closed(), &[&[(1_900, Outcome::Ok, MS), (100, Outcome::Timeout, S)]]);
    let comparison = compare(Method::Runs, "B", &[hung(), hung()], &[hung(), hung()]);
    let found = comparison.row(Figure::At(Level::P99)).found;
    assert_eq!(found, Found::NotCompared(Why::Unanswered(Side::A)));
    assert!(comparison.row(Figure::At(Level::P90)).change().is_some());
}

#[test]
fn a_server_that_answered_nothing_has_no_rate_to_compare() {
    let silent = || run(&closed(), &[&[(10, Outcome::Timeout, S)]]);
    let comparison = compare(Method::Runs, "B", &[round(1e6), round(1e6)], &[silent(), silent()]);
    let found = comparison.row(Figure::Rate).found;
    assert_eq!(found, Found::NotCompared(Why::Zero(Side::B)));
    let nothing = run(&closed(), &[]);
    let comparison = compare(Method::Single, "B", &[round(1e6)], &[nothing]);
    assert!(comparison.rows.iter().all(|row| row.change().is_none()), "{comparison:?}");
}

#[test]
fn the_rate_of_the_open_model_is_given_until_one_falls_behind() {
    let kept = |per_s| run(&header(), &[&[(per_s, Outcome::Ok, MS)]]);
    let fell_behind = || run(&header(), &[&[(2_000, Outcome::Ok, MS), (30, Outcome::Timeout, S)]]);
    let rate = |a: [Run; 2], b: [Run; 2]| *compare(Method::Runs, "B", &a, &b).row(Figure::Rate);
    let same = rate([kept(2_000), kept(2_000)], [kept(2_000), kept(2_000)]);
    assert_eq!(same.found, Found::Given { ratio: 0.0 });
    let more = rate([kept(2_000), kept(2_000)], [kept(3_000), kept(3_000)]);
    assert!(matches!(more.found, Found::Given { ratio } if (ratio - 0.5).abs() < 1e-9), "{more:?}");
    let short = rate([kept(2_000), kept(2_000)], [kept(2_030), fell_behind()]);
    assert!(short.change().is_some(), "{short:?}");
    assert!((short.b.unwrap() - (2_000.0_f64 * 2_030.0).sqrt()).abs() < 0.1, "{short:?}");
}

#[test]
fn a_difference_finer_than_histograms_keep_is_no_change() {
    // Neighbouring buckets, in every round of B.
    let rounds = |ns: u64| -> Vec<Run> {
        (0..20).map(|_| run(&closed(), &[&[(100, Outcome::Ok, ns)]])).collect()
    };
    let (a, b) = (rounds(2_000_000), rounds(2_001_000));
    let row = *compare(Method::Rounds, "B", &a, &b).row(Figure::At(Level::P50));
    assert!(row.a < row.b, "{row:?}");
    assert!(!row.is_significant(), "{row:?}");
}

/// Six seconds of 1,000 requests each, whose times are those of `scale` of the second.
fn single(scales: &[f64]) -> Run {
    let times = |scale: &f64| -> Vec<(u64, Outcome, u64)> {
        (1..=100).map(|i| (10, Outcome::Ok, (f64::from(i) * scale * 1e4) as u64)).collect()
    };
    let seconds: Vec<_> = scales.iter().map(times).collect();
    run(&closed(), &seconds.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

#[test]
fn single_runs_are_compared_by_their_own_intervals() {
    let a = single(&[1.0, 1.02, 0.98, 1.01, 0.99, 1.0, 1.03, 0.97]);
    let b = single(&[1.5, 1.53, 1.47, 1.51, 1.49, 1.5, 1.54, 1.46]);
    let [ci_a, ci_b] =
        [&a, &b].map(|run| run.summary.response_time.ci95(Level::P50).expect("an interval"));
    let comparison = compare(Method::Single, "B", &[a], &[b]);
    let (low, ratio, high) = ratio_at(&comparison, Level::P50);
    assert!((ratio - 0.5).abs() < 0.02, "{ratio}");
    // Not wider than the worst of one against the best of the other.
    let ends =
        |ci: crate::ConfidenceInterval| (ci.low_ns.unwrap() as f64, ci.high_ns.unwrap() as f64);
    let ((low_a, high_a), (low_b, high_b)) = (ends(ci_a), ends(ci_b));
    assert!(low_b / high_a - 1.0 < low && low < ratio && ratio < high, "{low} {ratio} {high}");
    assert!(high < high_b / low_a - 1.0, "{high}");
}

#[test]
fn a_run_that_is_too_short_for_an_interval_says_so() {
    let comparison = compare(Method::Single, "B", &[single(&[1.0, 1.0])], &[single(&[1.0, 1.0])]);
    for figure in [Figure::Rate, Figure::At(Level::P50)] {
        let row = comparison.row(figure);
        assert_eq!(row.found, Found::NotCompared(Why::NoInterval(Method::Single)));
        assert!(row.a.is_some() && row.b.is_some());
    }
}

#[test]
fn equal_servers_with_noise_between_rounds_are_seldom_called_different() {
    // Whole comparisons: rounds differ by 5 % for no reason, in all percentiles alike.
    let mut random = Random::new(3);
    let mut rounds =
        || -> Vec<Run> { (0..12).map(|_| round(1e6 * (0.05 * random.normal()).exp())).collect() };
    let alarms = (0..16).filter(|_| {
        let comparison = compare(Method::Rounds, "B", &rounds(), &rounds());
        comparison.rows.iter().any(Row::is_significant)
    });
    // More, at 1 in 20, is a chance of 1 in 140.
    assert!(alarms.count() <= 3);
}

#[test]
fn the_order_of_figures_is_their_index() {
    for (i, figure) in Figure::ALL.into_iter().enumerate() {
        assert_eq!(figure.index(), i);
    }
    assert_eq!(Figure::ALL[7].label(), "p99.99");
}
