use super::*;

#[track_caller]
fn assert_near(value: f64, truth: f64, at_most: f64) {
    assert!((value - truth).abs() <= at_most, "{value} is not {truth}");
}

/// Abramowitz and Stegun, "Handbook of Mathematical Functions", table 26.1.
#[test]
fn the_normal_distribution_is_that_of_the_tables() {
    for (x, share) in [
        (0.0, 0.5),
        (0.5, 0.691_462_461_274_013),
        (1.0, 0.841_344_746_068_543),
        (1.96, 0.975_002_104_851_780),
        (2.5, 0.993_790_334_674_224),
        (3.0, 0.998_650_101_968_370),
        (3.5, 0.999_767_370_920_964),
        (4.0, 0.999_968_328_758_167),
    ] {
        assert_near(normal_cdf(x), share, 1e-14);
        assert_near(normal_cdf(-x), 1.0 - share, 1e-14);
    }
    // Far out, where only the tail has digits: 9.8659e-10 at 6, 6.2210e-16 at 8.
    assert_near(normal_cdf(-6.0) * 1e10, 9.865_876_45, 1e-7);
    assert_near(normal_cdf(-8.0) * 1e16, 6.220_960_57, 1e-7);
    // Where one formula takes over from the other.
    assert_near(normal_cdf(3.0 - 1e-9), normal_cdf(3.0), 1e-11);
    assert_eq!((normal_cdf(f64::NEG_INFINITY), normal_cdf(f64::INFINITY)), (0.0, 1.0));
}

#[test]
fn normal_quantiles_are_those_of_the_tables() {
    for (share, x) in [
        (0.75, 0.674_489_750),
        (0.9, 1.281_551_566),
        (0.95, 1.644_853_627),
        (0.975, 1.959_963_985),
        (0.99, 2.326_347_874),
        (0.999, 3.090_232_306),
    ] {
        assert_near(normal_quantile(share), x, 1e-8);
        assert_near(normal_quantile(1.0 - share), -x, 1e-8);
    }
    assert_near(normal_quantile(0.5), 0.0, 1e-15);
}

/// Every table of Student's t: rows by degrees of freedom, columns by share.
#[test]
fn student_quantiles_are_those_of_the_tables() {
    let shares = [0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999];
    for (degrees, row) in [
        (1.0, [1.0000, 3.0777, 6.3138, 12.7062, 31.8205, 63.6567, 318.3088]),
        (2.0, [0.8165, 1.8856, 2.9200, 4.3027, 6.9646, 9.9248, 22.3271]),
        (3.0, [0.7649, 1.6377, 2.3534, 3.1824, 4.5407, 5.8409, 10.2145]),
        (4.0, [0.7407, 1.5332, 2.1318, 2.7764, 3.7469, 4.6041, 7.1732]),
        (5.0, [0.7267, 1.4759, 2.0150, 2.5706, 3.3649, 4.0321, 5.8934]),
        (10.0, [0.6998, 1.3722, 1.8125, 2.2281, 2.7638, 3.1693, 4.1437]),
        (30.0, [0.6828, 1.3104, 1.6973, 2.0423, 2.4573, 2.7500, 3.3852]),
        (120.0, [0.6765, 1.2886, 1.6577, 1.9799, 2.3578, 2.6174, 3.1595]),
    ] {
        for (share, t) in shares.into_iter().zip(row) {
            // The tables' last digit, for 318.3088 as well.
            assert_near(t_quantile(share, degrees), t, 0.000_051);
            assert_near(t_quantile(1.0 - share, degrees), -t, 0.000_051);
            let exact = t_quantile(share, degrees);
            assert_near(t_cdf(exact, degrees), share, 1e-12);
            assert_near(t_cdf(-exact, degrees), 1.0 - share, 1e-12);
        }
    }
}

#[test]
fn student_quantiles_exist_between_whole_degrees_and_beyond_the_tables() {
    // One degree: the Cauchy distribution; two: t = (2p − 1) / √(2p(1 − p)).
    for share in [0.6, 0.9, 0.999, 0.999_999] {
        let cauchy = (PI * (share - 0.5)).tan();
        assert_near(t_quantile(share, 1.0) / cauchy, 1.0, 1e-9);
        let two = (2.0 * share - 1.0) / (2.0 * share * (1.0 - share)).sqrt();
        assert_near(t_quantile(share, 2.0) / two, 1.0, 1e-9);
        assert_near(t_cdf(cauchy, 1.0), share, 1e-9);
    }
    // Welch's degrees are not whole.
    assert_near(t_quantile(0.975, 1.5), 6.0167, 0.000_051);
    assert_near(t_quantile(0.975, 3_599.0), 1.9606, 0.000_051);
    for large in [1e6, 0.999e7, 1.001e7, f64::INFINITY] {
        assert_near(t_quantile(0.975, large), normal_quantile(0.975), 5e-6);
    }
}

#[test]
fn what_is_no_probability_has_no_quantile() {
    for quantile in [normal_quantile, |probability| t_quantile(probability, 3.0)] {
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
    }
    assert!(t_quantile(0.975, 0.0).is_nan() && t_quantile(0.975, f64::NAN).is_nan());
    assert!(t_cdf(1.0, 0.0).is_nan() && t_cdf(f64::NAN, 3.0).is_nan());
}
