use super::*;
use crate::distribution::empty_histogram;
use proptest::prelude::*;

#[test]
fn the_highest_duration_has_the_last_bucket() {
    assert_eq!(index_of(HIGHEST_NS) + 1, BUCKETS);
}

#[test]
fn bucket_numbers_and_least_values_agree() {
    for index in 0..BUCKETS {
        assert_eq!(index_of(lowest_of(index)), index);
        assert!(index == 0 || index_of(lowest_of(index) - 1) == index - 1);
    }
}

#[test]
fn cleared_buckets_are_as_new() {
    let mut buckets = Buckets::new();
    [0, 5, HIGHEST_NS, u64::MAX].into_iter().for_each(|ns| buckets.record(ns));
    assert_eq!(buckets.len(), 4);
    buckets.clear();
    assert!(buckets.is_empty() && buckets.counts.iter().all(|&count| count == 0));
    assert_eq!(buckets.touched_blocks().count(), 0);
}

proptest! {
    /// Against HdrHistogram itself, over every doubling; beyond an hour it would find room in its
    /// last doubling, we do not.
    #[test]
    fn buckets_become_the_histogram_that_would_have_counted_the_same(
        values in prop::collection::vec((0_u64..=u64::MAX, 0_u32..64), 0..300),
    ) {
        let (mut halves, mut expected) = ([Buckets::new(), Buckets::new()], empty_histogram());
        for (i, (bits, shift)) in values.into_iter().enumerate() {
            let value = bits >> shift;
            halves[i % 2].record(value);
            expected.saturating_record(value.min(HIGHEST_NS));
        }
        let [mut buckets, other] = halves;
        buckets.merge(&other);
        let mut actual = empty_histogram();
        buckets.fold_into(&mut actual);
        // Not `_eq`: a histogram's text is 33,000 numbers.
        prop_assert!(actual == expected);
        prop_assert_eq!(buckets.len(), expected.len());
        let mut again = Buckets::new();
        again.add(&actual);
        prop_assert!(again.counts == buckets.counts);
    }
}
