use proptest::prelude::*;

use super::*;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

fn histogram(values: impl IntoIterator<Item = u64>) -> Histogram<u64> {
    let mut histogram = empty_histogram();
    values.into_iter().for_each(|value| histogram.saturating_record(value));
    histogram
}

/// At most one thousandth away: the histogram's resolution.
#[track_caller]
fn assert_near(measured: u64, truth: u64) {
    assert!(measured.abs_diff(truth) <= truth / 1_000, "{measured} is not near {truth}");
}

#[test]
fn a_percentile_needs_ten_samples_beyond_it() {
    let needed: Vec<_> = Level::ALL.into_iter().map(Level::needed_count).collect();
    assert_eq!(needed, [20, 40, 100, 200, 1_000, 10_000, 100_000]);
    let of = |count| Distribution::of(&histogram(std::iter::repeat_n(5, count)));
    assert_eq!(of(999).at(Level::P99), Percentile::NotEnough { needed_count: 1_000 });
    assert_eq!(of(1_000).at(Level::P99), Percentile::Value(5));
}

#[test]
fn an_empty_distribution_states_nothing() {
    for empty in [
        Distribution::of(&empty_histogram()),
        Distribution::of_arrivals(&empty_histogram(), &empty_histogram(), 0),
    ] {
        assert_eq!(empty.count, 0);
        assert_eq!((empty.min_ns, empty.max_ns), (None, None));
        assert_eq!((empty.mean_ns, empty.stdev_ns), (None, None));
        for level in Level::ALL {
            assert!(matches!(empty.at(level), Percentile::NotEnough { .. }));
        }
    }
}

#[test]
fn ranks_are_formed_without_rounding() {
    assert_eq!(Level::P99.rank(100), 99);
    assert_eq!(Level::P99.rank(101), 100);
    assert_eq!(Level::P99_99.rank(u64::MAX), u64::MAX - u64::MAX / 10_000);
    assert_eq!(Level::P50.rank(0), 0);
}

/// Gil Tene's example: 100 requests per second at 1 ms for 100 s, then a stall of 100 s. Of the
/// 10,000 arrivals of the stall, the one due at `t` waits `100 s − t`.
#[test]
fn a_stall_of_half_the_run_is_seen_in_mean_and_percentiles() {
    let fast = std::iter::repeat_n(MS, 10_000);
    let stalled = (1..=10_000).map(|i| i * 10 * MS);
    let stall = Distribution::of(&histogram(fast.chain(stalled)));
    let mean = stall.mean_ns.unwrap();
    assert!((mean / (25.0 * S as f64) - 1.0).abs() < 0.001, "{mean}");
    assert_near(stall.at(Level::P50).value().unwrap(), MS);
    assert_near(stall.at(Level::P75).value().unwrap(), 50 * S);
    assert_near(stall.at(Level::P99).value().unwrap(), 98 * S);
    assert_near(stall.at(Level::P99_9).value().unwrap(), 99_800 * MS);
    assert_near(stall.max_ns.unwrap(), 100 * S);
}

#[test]
fn unanswered_requests_rank_behind_every_answer() {
    let answered = histogram(std::iter::repeat_n(MS, 9_900));
    let unanswered = histogram(std::iter::repeat_n(30 * S, 100));
    let all = Distribution::of_arrivals(&answered, &unanswered, 0);
    assert_eq!((all.count, all.censored_count), (10_000, 100));
    assert_near(all.at(Level::P99).value().unwrap(), MS);
    let Percentile::AtLeast(bound) = all.at(Level::P99_9) else { panic!("{all:?}") };
    assert!(bound <= 30 * S, "a bound may not be rounded up");
    assert_near(bound, 30 * S);
    assert_eq!(all.stdev_ns, None, "nothing bounds it");
    let mean = all.mean_ns.unwrap();
    assert!((mean / (0.99 * MS as f64 + 0.01 * 30.0 * S as f64) - 1.0).abs() < 0.001, "{mean}");
    assert_near(all.min_ns.unwrap(), MS);
}

#[test]
fn a_dropped_request_cannot_improve_a_percentile() {
    let answered = histogram((1..=9_900).map(|i| i * MS));
    let before = Distribution::of(&answered);
    // Dropped the moment they were due: a bound of nothing.
    let dropped = histogram(std::iter::repeat_n(0, 1_000));
    let after = Distribution::of_arrivals(&answered, &dropped, 0);
    assert!(after.at(Level::P90).value() > before.at(Level::P90).value());
    assert!(matches!(after.at(Level::P99), Percentile::AtLeast(_)));
}

#[test]
fn arrivals_of_which_nothing_is_known_stay_in_the_denominator() {
    let answered = histogram((1..=9_000).map(|i| i * MS));
    let all = Distribution::of_arrivals(&answered, &empty_histogram(), 1_000);
    assert_eq!((all.count, all.censored_count), (10_000, 1_000));
    assert_near(all.at(Level::P50).value().unwrap(), 5_000 * MS);
    let Percentile::AtLeast(bound) = all.at(Level::P99) else { panic!("{all:?}") };
    assert_near(bound, 8_900 * MS);
    let mean = all.mean_ns.unwrap();
    assert!((mean / (0.9 * 4_500.5 * MS as f64) - 1.0).abs() < 0.001, "{mean}");
}

#[test]
fn nothing_but_unknown_arrivals_is_bounded_by_nothing() {
    let all = Distribution::of_arrivals(&empty_histogram(), &empty_histogram(), 50);
    assert_eq!(all.at(Level::P50), Percentile::AtLeast(0));
    assert_eq!(all.min_ns, None);
}

#[test]
fn folding_narrow_counters_keeps_every_bucket() {
    let mut narrow = Histogram::<u32>::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap();
    [0, 1, 999, 12_345, 7 * S, HIGHEST_NS].into_iter().for_each(|v| narrow.saturating_record(v));
    let mut wide = empty_histogram();
    fold(&mut wide, &narrow);
    fold(&mut wide, &narrow);
    assert_eq!(wide.len(), 12);
    for step in narrow.iter_recorded() {
        assert_eq!(wide.count_at(step.value_iterated_to()), 2);
    }
    assert_eq!((wide.min(), wide.max()), (narrow.min(), narrow.max()));
}

/// A distribution with the intervals that ten windows with these samples give it, each of which
/// has every tenth.
fn with_intervals(answered: &[u64], unanswered_count: u64) -> Distribution {
    let known = histogram(answered.iter().copied());
    let unanswered = histogram(std::iter::repeat_n(0, usize::try_from(unanswered_count).unwrap()));
    let mut distribution = Distribution::of_arrivals(&known, &unanswered, 0);
    let mut splits = Splits::at(&distribution, &known);
    for window in 0..10 {
        splits.begin_window();
        answered.iter().skip(window).step_by(10).for_each(|&value| {
            splits.add(known.lowest_equivalent(value), 1);
        });
        splits.add_unanswered(unanswered_count / 10);
    }
    distribution.add_intervals(&splits);
    distribution
}

#[test]
fn intervals_are_read_off_the_samples_of_their_ranks() {
    let found = with_intervals(&(1..=10_000).map(|i| i * MS).collect::<Vec<_>>(), 0);
    // 1.96 · √(10,000 · 0.25) = 98 ranks on both sides, and one more.
    let median = found.ci95(Level::P50).unwrap();
    assert_near(median.low_ns.unwrap(), 4_902 * MS);
    assert_near(median.high_ns.unwrap(), 5_099 * MS);
    let p99_9 = found.ci95(Level::P99_9).unwrap();
    assert_near(p99_9.low_ns.unwrap(), 9_983 * MS);
    assert_near(p99_9.high_ns.unwrap(), 9_998 * MS);
    assert_eq!(found.ci95(Level::P99_99), None, "10,000 samples do not support it");
    assert_eq!(Distribution::of(&histogram([MS; 100])).ci95(Level::P50), None, "not asked for");
}

#[test]
fn an_interval_has_its_percentile_within_it_even_when_all_samples_are_equal() {
    let found = with_intervals(&[123_456_789; 2_000], 0);
    for level in [Level::P50, Level::P99] {
        let (value, ends) = (found.at(level).value().unwrap(), found.ci95(level).unwrap());
        assert!(ends.low_ns.unwrap() <= 123_456_789 && ends.high_ns.unwrap() >= value);
        assert_near(ends.low_ns.unwrap(), ends.high_ns.unwrap());
    }
}

#[test]
fn an_interval_that_reaches_unanswered_requests_has_no_upper_end() {
    let answered: Vec<_> = (1..=9_910).map(|i| i * MS).collect();
    let found = with_intervals(&answered, 90);
    let p99 = found.ci95(Level::P99).unwrap();
    // Ranks 9,880 and 9,921: the second is one of the 90.
    assert_near(p99.low_ns.unwrap(), 9_880 * MS);
    assert_eq!(p99.high_ns, None);
    assert!(matches!(found.at(Level::P99_9), Percentile::AtLeast(_)));
    assert_eq!(found.ci95(Level::P99_9), None);
    assert!(found.ci95(Level::P95).unwrap().high_ns.is_some());
}

/// The value of a percentile's rank in a sorted vector.
fn brute(sorted: &[u64], level: Level) -> u64 {
    let rank = (sorted.len() as u128 * u128::from(LEVELS[level.index()].3)).div_ceil(10_000);
    sorted[usize::try_from(rank).unwrap() - 1]
}

/// Response times over nine orders of magnitude.
fn values(count: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<u64>> {
    let value =
        (0_u32..42, any::<u64>()).prop_map(|(bits, v)| (v & ((1 << bits) - 1)).min(HIGHEST_NS));
    prop::collection::vec(value, count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn percentiles_are_those_of_a_sorted_vector(mut values in values(1..3_000)) {
        let measured = Distribution::of(&histogram(values.iter().copied()));
        values.sort_unstable();
        for level in Level::ALL {
            if let Some(value) = measured.at(level).value() {
                assert_near(value, brute(&values, level));
            }
        }
        assert_near(measured.max_ns.unwrap(), *values.last().unwrap());
        assert_near(measured.min_ns.unwrap(), values[0]);
    }

    /// Whatever the hidden response times are, as long as they respect the bounds.
    #[test]
    fn a_bound_never_exceeds_the_true_percentile(
        answered in values(0..500),
        unanswered in prop::collection::vec((0_u64..100 * S, 0_u64..100 * S), 1..500),
        unknown in prop::collection::vec(0_u64..100 * S, 0..100),
    ) {
        let bounds = unanswered.iter().map(|&(bound, _)| bound);
        let all = Distribution::of_arrivals(
            &histogram(answered.iter().copied()),
            &histogram(bounds),
            unknown.len() as u64,
        );
        let hidden = unanswered.iter().map(|&(bound, more)| bound + more);
        let mut truth: Vec<_> = answered.iter().copied().chain(hidden).chain(unknown).collect();
        truth.sort_unstable();
        for level in Level::ALL {
            match all.at(level) {
                Percentile::AtLeast(bound) => assert!(bound <= brute(&truth, level)),
                // Endless is the worst that an unanswered request can be.
                Percentile::Value(value) => assert!(value >= brute(&truth, level)),
                Percentile::NotEnough { needed_count } => {
                    assert!((truth.len() as u64) < needed_count);
                }
            }
        }
    }
}
