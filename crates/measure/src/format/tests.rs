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

#[test]
fn days_are_those_of_the_calendar() {
    const DAY_NS: i64 = 86_400_000_000_000;
    // Days since 1970 as GNU date gives them: `date -ud 2000-02-29 +%s`, divided by 86,400.
    for (days, text) in [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (58, "1970-02-28"),
        (59, "1970-03-01"),
        (11_016, "2000-02-29"),
        (11_017, "2000-03-01"),
        (19_722, "2023-12-31"),
        (19_723, "2024-01-01"),
        (20_778, "2026-11-21"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ] {
        assert_eq!(date(days * DAY_NS), text);
        assert_eq!(date(days * DAY_NS + DAY_NS - 1), text, "its last nanosecond");
    }
    assert_eq!([date(i64::MIN), date(i64::MAX)], ["1677-09-21", "2262-04-11"]);
}
