use super::*;

#[test]
fn decimals_follow_from_the_width_of_the_interval() {
    for (low, high, estimate, ends) in [
        (0.041, 0.068, "+5.4 %", "+4.1 to +6.8 %"),
        (-0.068, -0.041, "−5.5 %", "−6.8 to −4.1 %"),
        (-0.012, 0.008, "−0.2 %", "−1.2 to +0.8 %"),
        (0.0401, 0.0412, "+4.06 %", "+4.01 to +4.12 %"),
        (0.3, 0.7, "+48.7 %", "+30.0 to +70.0 %"),
        (0.3, 1.7, "+87 %", "+30 to +170 %"),
        (-0.0002, 0.0002, "0.00 %", "−0.02 to +0.02 %"),
        (-0.0004, 0.012, "+0.6 %", "0.0 to +1.2 %"),
        (11.0, 13.0, "+1,196 %", "+1,100 to +1,300 %"),
        (0.1, f64::INFINITY, "+11.1 %", "+10.0 % or more"),
        (-1.0, 0.1, "+8.9 %", "+10.0 % or less"),
        // A thousandfold is no bound that means anything.
        (-0.9, 2_000.0, "+1,315 %", "−90 % or more"),
        (-0.9999, 2.0, "−98 %", "+200 % or less"),
        (-0.9999, 2_000.0, "−55 %", "anything"),
        (0.0, 0.0, "0.00 %", "0.00 to 0.00 %"),
    ] {
        let change = Change::between(low, high);
        assert_eq!(super::change(&change), estimate, "{low} to {high}");
        assert_eq!(interval(&change), ends, "{low} to {high}");
    }
}

#[test]
fn a_range_has_no_sign_and_its_smaller_end_comes_first() {
    for (low, high, expected) in [
        (0.041, 0.068, "4.1–6.8 %"),
        (-0.068, -0.041, "4.1–6.8 %"),
        (0.3, 0.7, "30.0–70.0 %"),
        // Ends that are the same when rounded are said once.
        (0.050_01, 0.050_02, "5.00 %"),
        (-0.052, -0.0519, "5.19–5.20 %"),
        // Zero is not in the interval, so it is not printed as its end.
        (0.0004, 0.012, "0.04–1.20 %"),
        (0.000_4, 0.3, "0.04–30.00 %"),
        (0.000_000_1, 0.012, "0.000–1.200 %"),
        (9.0, 11.5, "900–1,150 %"),
        (0.1, f64::INFINITY, "at least 10.0 %"),
        (-1.0, -0.1, "at least 10.0 %"),
    ] {
        assert_eq!(range(&Change::between(low, high)), expected, "{low} to {high}");
    }
}

#[test]
fn a_list_is_read_as_a_person_writes_it() {
    for (parts, expected) in [
        (&[][..], ""),
        (&["p50"][..], "p50"),
        (&["p50", "p90"], "p50 and p90"),
        (&["p50", "p90", "p99"], "p50, p90 and p99"),
    ] {
        assert_eq!(list(parts, "or"), expected.replace("and", "or"));
        assert_eq!(list(parts, "and"), expected);
    }
}

#[test]
fn reasons_name_the_side_by_what_it_is_called() {
    let few = |method| Why::TooFew { needed_count: 10_000, count: 4_980, side: Side::B, method };
    for (why, expected) in [
        (few(Method::Rounds), "needs 10,000 requests a round; C had one with 4,980"),
        (few(Method::Runs), "needs 10,000 requests a run; C had one with 4,980"),
        (few(Method::Single), "needs 10,000 requests; C had 4,980"),
        (Why::Unanswered(Side::A), "lies among the unanswered requests of A"),
        (Why::Zero(Side::B), "is 0 in C"),
        (Why::NoInterval(Method::Single), "has no interval: too short a run"),
        (Why::NoInterval(Method::Runs), "has no interval: too few runs"),
        (Why::NoInterval(Method::Rounds), "has no interval: too few blocks"),
    ] {
        assert_eq!(why.explain("C"), expected);
    }
}
