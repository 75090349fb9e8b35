use super::*;
use proptest::prelude::*;

proptest! {
    /// Against the library's reader and the histogram that would have counted the same.
    #[test]
    fn buckets_are_encoded_as_the_histogram_with_their_counts(
        values in prop::collection::vec((0_u64..=u64::MAX, 22_u32..64, 1_u32..1000), 0..200),
    ) {
        let mut encoder = Encoder::new();
        let (mut buckets, mut expected) = (Buckets::new(), crate::distribution::empty_histogram());
        for (bits, shift, times) in values {
            for _ in 0..times {
                buckets.record(bits >> shift);
            }
        }
        buckets.fold_into(&mut expected);
        // Twice: what is kept between calls must not show.
        for _ in 0..2 {
            let bytes = encoder.encode_buckets(&buckets);
            let decoded: Histogram<u64> = decode(Metric::Service, bytes).unwrap();
            prop_assert!(decoded == expected);
        }
    }

    #[test]
    fn walking_finds_the_counts_of_every_bucket(
        values in prop::collection::vec((0_u64..=u64::MAX, 22_u32..64, 1_u32..1000), 0..200),
    ) {
        let mut buckets = Buckets::new();
        for (bits, shift, times) in values {
            (0..times).for_each(|_| buckets.record(bits >> shift));
        }
        let mut expected = Vec::new();
        let mut histogram = crate::distribution::empty_histogram();
        buckets.fold_into(&mut histogram);
        for step in histogram.iter_recorded() {
            let lowest = histogram.lowest_equivalent(step.value_iterated_to());
            expected.push((lowest, step.count_since_last_iteration()));
        }
        let (mut encoder, mut walker) = (Encoder::new(), Walker::new());
        let bytes = encoder.encode_buckets(&buckets);
        // Twice: what is kept between calls must not show.
        for _ in 0..2 {
            let mut found = Vec::new();
            walker.for_each(Metric::Service, bytes, |value, count| found.push((value, count)))?;
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn walking_over_damage_is_an_error_or_finds_counts(
        values in prop::collection::vec(0_u64..10_000_000, 1..100),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        kept in any::<Option<prop::sample::Index>>(),
    ) {
        let mut buckets = Buckets::new();
        values.iter().for_each(|&value| buckets.record(value));
        let mut bytes = Encoder::new().encode_buckets(&buckets).to_vec();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(kept.map_or(bytes.len(), |kept| kept.index(bytes.len())));
        let _ = Walker::new().for_each(Metric::Service, &bytes, |_, _| ());
    }

    #[test]
    fn damaged_counts_are_refused_or_within_the_range(
        counts in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let _ = walk::walk(&counts, |value, _| assert!(value <= HIGHEST_NS));
    }
}
