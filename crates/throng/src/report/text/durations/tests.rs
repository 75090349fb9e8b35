use super::*;

#[test]
fn an_interval_says_its_unit_once_and_leaves_out_open_ends() {
    for (low_ns, high_ns, text) in [
        (Some(112_400), Some(118_600), "112 to 119 µs"),
        (Some(850), Some(851), "850 to 851 ns"),
        (Some(999_000), Some(1_020_000), "999 µs to 1.02 ms"),
        (Some(5_000_100), Some(5_000_200), "5.00 ms"),
        (Some(1_020_000), None, "1.02 ms or more"),
        (None, Some(112_000), "112 µs or less"),
        (None, None, ""),
    ] {
        let found = interval(ConfidenceInterval { low_ns, high_ns });
        assert_eq!(found, text);
        assert!(found.chars().count() + 2 <= 19, "{found} fits its column");
    }
}
