use proptest::prelude::*;

use super::*;
use crate::distribution::{Distribution, Level, empty_histogram};

#[test]
fn names_are_read_exactly_and_written_without_needless_zeros() {
    for (name, millionths, written) in [
        ("p50", 500_000, "p50"),
        ("p97.5", 975_000, "p97.5"),
        ("p99.95", 999_500, "p99.95"),
        ("p99_9", 999_000, "p99.9"),
        ("p99.90", 999_000, "p99.9"),
        ("p5", 50_000, "p5"),
        ("p0.5", 5_000, "p0.5"),
        ("p99.9999", 999_999, "p99.9999"),
        ("p0.0001", 1, "p0.0001"),
        ("p99.0101", 990_101, "p99.0101"),
    ] {
        let quantile = Quantile::from_name(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((quantile.millionths, &*quantile.to_string()), (millionths, written));
    }
    for name in [
        "p",
        "p0",
        "p100",
        "p100.0",
        "p0.0",
        "p99.99999",
        "p05",
        "p00",
        "p.5",
        "p99.",
        "p+5",
        "p-5",
        "q50",
        "p999",
        "50",
        "P50",
        "p9 9",
        "p99.9.9",
        "p99._",
        "p4294967297",
        "p9٩",
    ] {
        assert_eq!(Quantile::from_name(name), None, "{name}");
    }
}

#[test]
fn ten_samples_must_lie_beyond_it() {
    for (name, needed_count) in
        [("p50", 20), ("p97.5", 400), ("p99.95", 20_000), ("p99.9999", 10_000_000), ("p1", 11)]
    {
        let quantile = Quantile::from_name(name).unwrap();
        assert_eq!(quantile.needed_count(), needed_count, "{name}");
        let beyond = |count| count - quantile.rank(count);
        assert!(beyond(needed_count) >= TAIL_SAMPLES, "{name}");
        assert!(beyond(needed_count - 1) < TAIL_SAMPLES, "{name}");
    }
}

fn histogram(values: &[u64]) -> Histogram<u64> {
    let mut histogram = empty_histogram();
    values.iter().for_each(|&value| histogram.record(value).unwrap());
    histogram
}

/// Values below 2,048 have a bucket each, so the histogram is exact.
fn values() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(1_u64..2_000, 0..300)
}

proptest! {
    #[test]
    fn a_level_has_the_same_value_by_either_way(
        answered in values(), unanswered in values(), unknown_count in 0_u64..40,
    ) {
        let (answered, unanswered) = (histogram(&answered), histogram(&unanswered));
        let all = Distribution::of_arrivals(&answered, &unanswered, unknown_count);
        for level in Level::ALL {
            let quantile = Quantile::from_name(level.label()).unwrap();
            prop_assert_eq!(quantile, level.quantile());
            let alone = quantile.of_arrivals(&answered, &unanswered, unknown_count);
            prop_assert_eq!(alone, all.at(level), "{}", quantile);
        }
    }

    #[test]
    fn a_known_percentile_is_the_value_of_its_rank(
        mut answered in values(), millionths in 1_u32..1_000_000,
    ) {
        let quantile = Quantile::of_millionths(millionths).unwrap();
        let found = quantile.of_arrivals(&histogram(&answered), &histogram(&[]), 0);
        answered.sort_unstable();
        let rank = (answered.len() as f64 * f64::from(millionths) / 1e6).ceil() as usize;
        if answered.len() - rank < 10 {
            let needed_count = quantile.needed_count();
            prop_assert_eq!(found, Percentile::NotEnough { needed_count });
        } else {
            prop_assert_eq!(found, Percentile::Value(answered[rank - 1]));
        }
    }

    #[test]
    fn what_is_written_is_read_back(millionths in 1_u32..1_000_000) {
        let quantile = Quantile::of_millionths(millionths).unwrap();
        prop_assert_eq!(Quantile::from_name(&quantile.to_string()), Some(quantile));
    }
}
