use super::*;

#[test]
fn counts_are_grouped_in_threes() {
    for (number, text) in
        [(0, "0"), (999, "999"), (1_000, "1,000"), (123_456, "123,456"), (1_234_567, "1,234,567")]
    {
        assert_eq!(count(number), text);
    }
}

#[test]
fn durations_have_three_digits_in_a_fitting_unit() {
    for (ns, text) in [
        (0.0, "0 ns"),
        (999.0, "999 ns"),
        (999.9, "1.00 µs"),
        (1_234.0, "1.23 µs"),
        (12_340.0, "12.3 µs"),
        (999_600.0, "1.00 ms"),
        (999_400.0, "999 µs"),
        (1_200_000_000.0, "1.20 s"),
        (3_600_000_000_000.0, "3,600 s"),
    ] {
        assert_eq!(duration(ns), text, "{ns}");
    }
}

#[test]
fn a_share_is_never_rounded_to_none_or_all() {
    for (ratio, text) in [
        (0.0, "0 %"),
        (0.000_001, "< 0.01 %"),
        (0.005, "0.50 %"),
        (0.123, "12.3 %"),
        (0.999_1, "99.91 %"),
        (0.999_999, "> 99.99 %"),
        (1.0, "100.0 %"),
    ] {
        assert_eq!(percent(ratio), text, "{ratio}");
    }
}

#[test]
fn rates_and_bytes_are_grouped_or_scaled() {
    assert_eq!(rate(0.5), "0.50");
    assert_eq!(rate(999.4), "999");
    assert_eq!(rate(12_345.6), "12,346");
    assert_eq!(bytes(512.0), "512 B");
    assert_eq!(bytes(1_234.0), "1.23 kB");
    assert_eq!(bytes(999_999.0), "1.00 MB");
    assert_eq!(bytes(2.5e18), "2,500 PB");
}
