use proptest::prelude::*;

use super::*;

#[test]
fn durations_are_read_exactly() {
    for (text, ns) in [
        ("10s", 10 * NS_PER_S),
        ("10", 10 * NS_PER_S),
        ("0.5", NS_PER_S / 2),
        (".5s", NS_PER_S / 2),
        ("5.s", 5 * NS_PER_S),
        ("1m30s", 90 * NS_PER_S),
        ("1h1m1s1ms1us1ns", 3_661_001_001_001),
        ("1.5h", 5_400 * NS_PER_S),
        ("250ms", 250_000_000),
        ("7us", 7_000),
        ("7µs", 7_000),
        ("0.1us", 100),
        (" 2s ", 2 * NS_PER_S),
        ("0", 0),
        ("0.0000000000000000000000000000000000000000000000000000s", 0),
        ("1.000000000000000000000000000000000000000000000000000000s", NS_PER_S),
    ] {
        assert_eq!(duration(text), Ok(Duration::from_nanos(ns)), "{text}");
    }
}

#[test]
fn a_text_that_is_no_duration_is_refused_with_what_was_found() {
    for (text, message) in [
        ("", "found '' where a number belongs"),
        ("s", "found 's' where a number belongs"),
        (".", "found '.' where a number belongs"),
        ("1.2.3s", "found '1.2.3s' where a number belongs"),
        ("-5s", "found '-5s' where a number belongs"),
        ("5x", "'x' is not a unit; expected us, ms, s, m or h"),
        ("5 s", "' s' is not a unit"),
        ("10S", "'S' is not a unit"),
        ("1m30", "'30' has no unit"),
        ("30s1m", "unit 'm' follows a smaller or equal one"),
        ("1s1s", "unit 's' follows a smaller or equal one"),
        ("0.1ns", "'0.1ns' is not a whole number of nanoseconds"),
        ("99999999999h", "'99999999999h' is too large; expected at most 584 years"),
        ("5124095h3600000000s", "too large"),
        ("99999999999999999999999999999999999999999s", "expected at most 38 digits"),
    ] {
        let error = duration(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn counts_are_read_exactly() {
    for (text, value) in [
        ("0", 0),
        ("100", 100),
        ("1.5k", 1_500),
        ("1K", 1_000),
        ("2M", 2_000_000),
        ("0.5G", 500_000_000),
        ("3.0", 3),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(count(text), Ok(value), "{text}");
    }
}

#[test]
fn a_text_that_is_no_count_is_refused_with_what_was_found() {
    for (text, message) in [
        ("", "found '' where a number belongs; expected a number such as 100, 1.5k or 2M"),
        ("k", "found 'k' where a number belongs"),
        ("1.5", "'1.5' is not a whole number of ones"),
        ("1.0005k", "'1.0005k' is not a whole number of ones"),
        ("5m", "'m' is not a unit; expected k, M or G"),
        ("1e3", "'e3' is not a unit"),
        ("18446744073709551616", "too large; expected at most 18446744073709551615"),
        ("18446744073709552k", "too large"),
    ] {
        let error = count(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn a_rate_is_the_fraction_that_was_typed() {
    for (text, count, per_ns) in [
        ("1000", 1_000, NS_PER_S),
        ("1000/s", 1_000, NS_PER_S),
        ("20k", 20_000, NS_PER_S),
        ("1.5k", 1_500, NS_PER_S),
        ("2.5", 25, 10 * NS_PER_S),
        ("2.5/s", 25, 10 * NS_PER_S),
        ("0.333", 333, 1_000 * NS_PER_S),
        ("500/ms", 500, 1_000_000),
        ("60/m", 60, 60 * NS_PER_S),
        ("1/h", 1, 3_600 * NS_PER_S),
        ("100/10s", 100, 10 * NS_PER_S),
        ("1/1.5s", 1, 1_500_000_000),
        ("7/10", 7, 10 * NS_PER_S),
    ] {
        assert_eq!(rate(text), Ok(Rate { count, per_ns }), "{text}");
    }
}

#[test]
fn a_text_that_is_no_rate_is_refused_with_what_was_found() {
    for (text, message) in [
        ("", "expected a rate such as 1000, 2.5/s"),
        ("/s", "found '' where a number belongs"),
        ("fast", "found 'fast' where a number belongs"),
        ("5/", "found '' where a number belongs"),
        ("5/x", "'x' is not a unit"),
        ("5x", "'x' is not a unit; expected k, M or G"),
        ("0", "'0' is zero"),
        ("0.0/s", "'0.0/s' is zero"),
        ("5/0s", "'5/0s' is zero"),
        ("99999999999G", "too large"),
        ("0.00000000000000000000001/h", "too large; expected at most a fraction"),
    ] {
        let error = rate(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn resolve_takes_both_families() {
    for (text, host, port, addresses) in [
        ("example.com:80:127.0.0.1", "example.com", 80, &["127.0.0.1"][..]),
        ("h:8080:[::1]", "h", 8080, &["::1"]),
        ("h:8080:::1", "h", 8080, &["::1"]),
        ("h:80:10.0.0.1,[fe80::2]", "h", 80, &["10.0.0.1", "fe80::2"]),
        ("[::1]:80:10.0.0.1", "::1", 80, &["10.0.0.1"]),
    ] {
        let parsed = resolve(text).expect(text);
        let found = parsed.addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((parsed.host.as_str(), parsed.port, &*found), (host, port, &*owned(addresses)));
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

#[test]
fn a_text_that_is_no_resolve_is_refused_with_what_was_found() {
    for (text, message) in [
        ("", "found ''; expected HOST:PORT:ADDRESS"),
        ("example.com", "found 'example.com'"),
        ("example.com:80", "found 'example.com:80'"),
        (":80:1.2.3.4", "found ':80:1.2.3.4'"),
        ("[::1:80:1.2.3.4", "found '[::1:80:1.2.3.4'"),
        ("h:0:1.2.3.4", "port '0' is not a number from 1 to 65535"),
        ("h:70000:1.2.3.4", "port '70000'"),
        ("h:80:", "'' is not an IPv4 or IPv6 address"),
        ("h:80:1.2.3", "'1.2.3' is not an IPv4 or IPv6 address"),
        ("h:80:1.2.3.4,", "'' is not an IPv4 or IPv6 address"),
    ] {
        let error = resolve(text).expect_err(text).to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn durations_are_shown_as_people_write_them() {
    for (ns, text) in [
        (0, "0ns"),
        (90 * NS_PER_S, "1m30s"),
        (3_600 * NS_PER_S, "1h"),
        (1_500_000_000, "1.5s"),
        (250_000_000, "250ms"),
        (7_000, "7us"),
    ] {
        assert_eq!(Shown(Duration::from_nanos(ns)).to_string(), text);
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in ".{0,60}") {
        let _ = (duration(&text), count(&text), rate(&text), resolve(&text));
    }

    #[test]
    fn no_text_of_the_right_alphabet_makes_a_parser_panic(text in r"[0-9.kMGsmhun/:\[\],µ]{0,60}") {
        let _ = (duration(&text), count(&text), rate(&text), resolve(&text));
    }

    #[test]
    fn a_shown_duration_reads_back_as_itself(ns: u64) {
        let value = Duration::from_nanos(ns);
        prop_assert_eq!(duration(&Shown(value).to_string()), Ok(value));
    }

    #[test]
    fn a_count_reads_back_as_itself(value: u64) {
        prop_assert_eq!(count(&value.to_string()), Ok(value));
    }

    #[test]
    fn a_rate_reads_back_as_itself(count in 1_u64.., per_ns in 1_u64..) {
        prop_assert_eq!(rate(&format!("{count}/{per_ns}ns")), Ok(Rate { count, per_ns }));
    }

    #[test]
    fn a_decimal_rate_is_its_fraction(count in 1_u64..1_000_000_000, scale in 0_u32..6) {
        let divisor = 10_u64.pow(scale);
        let (whole, part, width) = (count / divisor, count % divisor, scale as usize);
        let text = format!("{whole}.{part:0width$}/s");
        let found = rate(&text).expect("within range");
        // Equal as fractions, in 128 bits.
        prop_assert_eq!(
            u128::from(found.count) * u128::from(divisor) * u128::from(NS_PER_S),
            u128::from(count) * u128::from(found.per_ns)
        );
    }

    #[test]
    fn a_resolve_reads_back_as_itself(host in "[a-z][a-z0-9.-]{0,20}", port in 1_u16.., v6: u128) {
        let address = IpAddr::V6(v6.into());
        let expected = Resolve { host: host.clone(), port, addresses: vec![address] };
        prop_assert_eq!(resolve(&format!("{host}:{port}:[{address}]")), Ok(expected));
    }
}
