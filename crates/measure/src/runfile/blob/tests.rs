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
}
