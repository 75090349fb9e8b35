use super::*;
use crate::probability::normal_cdf;
use crate::testing::random::Random;

/// Fourteen values with one pair of equals, worked by hand: 72 rising pairs, 18 falling.
///
/// Source: Little, "A Mann-Kendall example (by hand)", College of the Holy Cross.
const BY_HAND: [f64; 14] =
    [12.9, 14.8, 13.2, 15.7, 13.8, 15.6, 12.9, 11.0, 17.3, 15.9, 19.0, 18.3, 20.1, 21.7];

/// The yearly flow of the Nile at Aswan, 1871 to 1970, in 10^8 m³.
///
/// Source: Cobb, "The problem of the Nile", Biometrika 65, 1978.
const NILE: [f64; 100] = [
    1120.0, 1160.0, 963.0, 1210.0, 1160.0, 1160.0, 813.0, 1230.0, 1370.0, 1140.0, 995.0, 935.0,
    1110.0, 994.0, 1020.0, 960.0, 1180.0, 799.0, 958.0, 1140.0, 1100.0, 1210.0, 1150.0, 1250.0,
    1260.0, 1220.0, 1030.0, 1100.0, 774.0, 840.0, 874.0, 694.0, 940.0, 833.0, 701.0, 916.0, 692.0,
    1020.0, 1050.0, 969.0, 831.0, 726.0, 456.0, 824.0, 702.0, 1120.0, 1100.0, 832.0, 764.0, 821.0,
    768.0, 845.0, 864.0, 862.0, 698.0, 845.0, 744.0, 796.0, 1040.0, 759.0, 781.0, 865.0, 845.0,
    944.0, 984.0, 897.0, 822.0, 1010.0, 771.0, 676.0, 649.0, 846.0, 812.0, 742.0, 801.0, 1040.0,
    860.0, 874.0, 848.0, 890.0, 744.0, 749.0, 838.0, 1050.0, 918.0, 986.0, 797.0, 923.0, 975.0,
    815.0, 1020.0, 906.0, 901.0, 1170.0, 912.0, 746.0, 919.0, 718.0, 714.0, 740.0,
];

#[test]
fn the_example_worked_by_hand_comes_out_as_it_does_there() {
    let test = mann_kendall(&BY_HAND).unwrap();
    assert_eq!(test.s, 54);
    assert!((test.z - 2.9058).abs() < 0.000_05, "{}", test.z);
    assert!((test.p_value - 2.0 * 0.001_831).abs() < 0.000_01, "{}", test.p_value);
    assert!((theil_sen(&BY_HAND).unwrap() - 0.566_667).abs() < 0.000_001);
}

#[test]
fn the_nile_falls_by_two_point_six_a_year_less_surely_than_independent_years_would() {
    let ranks = Ranks::of(&NILE);
    assert_eq!(ranks.score(), -1_387);
    // Without ties it would be 112,750.
    assert!((ranks.variance_of_score() - 112_728.333).abs() < 0.001);
    assert!((theil_sen(&NILE).unwrap() + 2.6).abs() < 1e-9);
    // As independent years, z would be −4.128 and p 0.00004; with Hamed and Rao's own choice of
    // lags, −2.82 and 0.005.
    let test = mann_kendall(&NILE).unwrap();
    assert!((-2.82..-2.3).contains(&test.z), "{test:?}");
    assert!((0.005..0.03).contains(&test.p_value), "{test:?}");
}

#[test]
fn the_score_is_that_of_all_pairs() {
    let mut random = Random::new(1);
    for count in [2, 3, 10, 77] {
        // Rounded, so that there are equals.
        let series: Vec<_> = (0..count).map(|_| (random.normal() * 3.0).round()).collect();
        let mut pairs = 0;
        for (i, early) in series.iter().enumerate() {
            for late in &series[i + 1..] {
                pairs += i64::from(late > early) - i64::from(late < early);
            }
        }
        assert_eq!(Ranks::of(&series).score(), pairs, "{series:?}");
    }
}

#[test]
fn equal_values_show_no_trend() {
    let test = mann_kendall(&[7.0; 50]).unwrap();
    assert_eq!((test.s, test.z), (0, 0.0));
    assert!((test.p_value - 1.0).abs() < 1e-12);
    assert_eq!(theil_sen(&[7.0; 50]), Some(0.0));
}

#[test]
fn too_few_values_and_values_that_are_none_have_no_trend() {
    assert_eq!(mann_kendall(&[1.0; 9]), None);
    assert_eq!(theil_sen(&[1.0]), None);
    let mut series = [1.0; 20];
    series[3] = f64::NAN;
    assert_eq!((mann_kendall(&series), theil_sen(&series)), (None, None));
    series[3] = f64::INFINITY;
    assert_eq!((mann_kendall(&series), theil_sen(&series)), (None, None));
}

#[test]
fn the_slope_is_that_of_most_of_the_values() {
    for count in [50_u32, 3_600, 4_001] {
        // A quarter of the values are outliers.
        let series: Vec<_> =
            (0..count).map(|i| if i % 4 == 3 { 1e9 } else { 5.0 + 0.25 * f64::from(i) }).collect();
        let slope = theil_sen(&series).unwrap();
        assert!((slope - 0.25).abs() < 0.002, "{count} values: {slope}");
    }
}

#[test]
fn the_autocorrelation_of_a_series_is_found() {
    assert_eq!(lag1_autocorrelation(&[]), None);
    assert_eq!(lag1_autocorrelation(&[1.0]), None);
    assert_eq!(lag1_autocorrelation(&[3.0; 9]), None);
    // Deviations −1, 1, −1, 1: three products of −1 over four squares of 1.
    assert_eq!(lag1_autocorrelation(&[1.0, 3.0, 1.0, 3.0]), Some(-0.75));
    let found = lag1_autocorrelation(&Random::new(5).autoregressive(0.7, 20_000)).unwrap();
    assert!((found - 0.7).abs() < 0.02, "{found}");
}

/// The share of so many series without a trend in which one is found at 1 %.
fn false_alarms(test: fn(&[f64]) -> f64, many: u64, made: impl Fn(&mut Random) -> Vec<f64>) -> f64 {
    let found = (1..=many).filter(|&seed| test(&made(&mut Random::new(seed))) < 0.01);
    found.count() as f64 / many as f64
}

fn p_value(series: &[f64]) -> f64 {
    mann_kendall(series).unwrap().p_value
}

/// That of Mann-Kendall without a correction for neighbours.
fn plain_p_value(series: &[f64]) -> f64 {
    let ranks = Ranks::of(series);
    2.0 * normal_cdf(-(ranks.score() as f64 / ranks.variance_of_score().sqrt()).abs())
}

#[test]
fn correlated_series_without_a_trend_are_rarely_taken_for_one() {
    for (count, many) in [(60, 1_000), (300, 400)] {
        for phi in [0.0, 0.5, 0.8, 0.9] {
            let share = false_alarms(p_value, many, |random| random.autoregressive(phi, count));
            println!("φ = {phi}, {count} values: {share}");
            assert!(share <= 0.03, "φ = {phi}, {count} values: {share}");
        }
    }
}

#[test]
fn without_the_correction_a_third_of_them_would_be() {
    let share = |phi| false_alarms(plain_p_value, 400, |random| random.autoregressive(phi, 300));
    assert!(share(0.8) > 0.25);
    assert!(share(0.0) < 0.03, "it is the correlation that does it");
}

/// Prints the table of [`mann_kendall`] and the numbers around it.
#[test]
#[ignore = "takes seconds; run it to renew the table"]
fn false_alarms_are_measured() {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    for count in [30, 60, 300] {
        let cells = [0.0, 0.3, 0.5, 0.8, 0.9].map(|phi| {
            percent(false_alarms(p_value, 2_000, |random| random.autoregressive(phi, count)))
        });
        let under_noise = false_alarms(p_value, 2_000, |random| {
            let wave = random.autoregressive(0.9, count);
            wave.into_iter().map(|value| value + random.normal()).collect()
        });
        println!("/// | {count} | {} | {} |", cells.join(" | "), percent(under_noise));
    }
    let plain = false_alarms(plain_p_value, 2_000, |random| random.autoregressive(0.8, 300));
    println!("plain, φ = 0.8, 300 values: {}", percent(plain));
}

#[test]
fn a_trend_under_correlated_noise_is_found() {
    let found = (1..=100).filter(|&seed| {
        let noise = Random::new(seed).autoregressive(0.5, 300);
        // It rises by two standard deviations of the noise.
        let series: Vec<_> =
            noise.iter().enumerate().map(|(i, v)| v + 2.0 * i as f64 / 300.0).collect();
        let test = mann_kendall(&series).unwrap();
        test.p_value < 0.01 && test.z > 0.0
    });
    assert!(found.count() > 95);
}
