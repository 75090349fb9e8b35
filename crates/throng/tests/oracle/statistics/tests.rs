use super::*;

/// xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016): a
/// generator that neither throng nor the sink uses.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        (bits as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn exponentials(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| -self.unit().ln()).collect()
    }
}

fn running_sum(gaps: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    let each = gaps.iter().map(|gap| {
        sum += gap;
        sum
    });
    each.collect()
}

/// Times in a system at utilisation 0.5 with services of mean 1, and who found it empty.
fn queued(chance: &mut Chance, services: &[f64]) -> (Vec<f64>, Vec<bool>) {
    let gaps: Vec<f64> = chance.exponentials(services.len()).iter().map(|gap| gap * 2.0).collect();
    let times = sojourns(&running_sum(&gaps), services);
    let found_empty = times.iter().zip(services).map(|(time, service)| time - service < 1e-6);
    let found_empty = found_empty.collect();
    (times, found_empty)
}

#[test]
fn one_in_a_hundred_exponential_samples_is_beyond_the_one_percent_level() {
    let mut chance = Chance(1);
    let statistics: Vec<f64> =
        (0..5_000).map(|_| anderson_darling_exponential(&chance.exponentials(100))).collect();
    let beyond = |level| statistics.iter().filter(|value| **value > level).count();
    // 50 and 500 are expected; the bounds are four standard deviations away.
    assert!((22..=78).contains(&beyond(ANDERSON_DARLING_1_PERCENT)), "{}", beyond(1.959));
    assert!((415..=585).contains(&beyond(1.062)), "{}", beyond(1.062));
}

#[test]
fn samples_that_are_nearly_exponential_are_far_beyond_it() {
    const COUNT: usize = 4_000;
    let mut chance = Chance(2);
    let exponential = chance.exponentials(COUNT);
    assert!(anderson_darling_exponential(&exponential) < ANDERSON_DARLING_1_PERCENT);
    let stratified: Vec<f64> = (0..=COUNT).map(|k| k as f64 + chance.unit()).collect();
    let stratified = stratified.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // One gap in ten is nothing, as when arrivals leave in pairs.
    let bunched = exponential.iter().enumerate();
    let bunched = bunched.map(|(index, gap)| if index % 10 == 0 { 1e-3 } else { *gap }).collect();
    // A clock of a quarter of the mean gap.
    let ticking: Vec<f64> =
        running_sum(&exponential).iter().map(|instant| (instant * 4.0).ceil() / 4.0).collect();
    let ticking = ticking.windows(2).map(|pair| (pair[1] - pair[0]).max(1e-6)).collect();
    let cut = exponential.iter().map(|gap| gap.min(3.0)).collect();
    let hurried = exponential.iter().map(|gap| gap.powf(1.1)).collect();
    let samples: [(&str, Vec<f64>); 5] = [
        ("one in each slice", stratified),
        ("bunched", bunched),
        ("ticking", ticking),
        ("no long gaps", cut),
        ("Weibull", hurried),
    ];
    for (name, gaps) in &samples {
        let statistic = anderson_darling_exponential(gaps);
        assert!(statistic > 2.0 * ANDERSON_DARLING_1_PERCENT, "{name}: {statistic}");
    }
}

#[test]
fn lindley_s_recursion_agrees_with_the_closed_forms() {
    const COUNT: usize = 400_000;
    let mut chance = Chance(3);
    let services = chance.exponentials(COUNT);
    let (times, found_empty) = queued(&mut chance, &services);
    let estimate = regenerative(&times, &found_empty);
    assert!((estimate.mean - 2.0).abs() < 3.0 * estimate.standard_error, "{estimate:?}");
    assert!(estimate.standard_error < 0.02, "{estimate:?}");
    assert!((quantile(&times, 0.99) / (2.0 * 100_f64.ln()) - 1.0).abs() < 0.03);

    let (times, found_empty) = queued(&mut chance, &vec![1.0; COUNT]);
    let estimate = regenerative(&times, &found_empty);
    assert!((estimate.mean - 1.5).abs() < 3.0 * estimate.standard_error, "{estimate:?}");
    let p99 = m_d_1_sojourn_quantile(0.5, 0.99);
    assert!((quantile(&times, 0.99) / p99 - 1.0).abs() < 0.02, "{p99}");
}

#[test]
fn the_distribution_of_m_d_1_has_its_mean_and_its_atom() {
    for utilisation in [0.3, 0.5, 0.7] {
        assert!((m_d_1_waits_at_most(utilisation, 0.0) - (1.0 - utilisation)).abs() < 1e-12);
        let step = 1e-3;
        let tail = (0..12_000).map(|k| 1.0 - m_d_1_waits_at_most(utilisation, f64::from(k) * step));
        let mean = tail.sum::<f64>() * step;
        let expected = utilisation / (2.0 * (1.0 - utilisation));
        assert!((mean - expected).abs() < 2e-3, "{utilisation}: {mean} {expected}");
    }
}

#[test]
fn standard_errors_of_dependent_times_cover_the_truth_as_often_as_they_say() {
    let mut chance = Chance(4);
    let covered = (0..400).filter(|_| {
        let services = chance.exponentials(5_000);
        let (times, found_empty) = queued(&mut chance, &services);
        let estimate = regenerative(&times, &found_empty);
        (estimate.mean - 2.0).abs() < 2.0 * estimate.standard_error
    });
    // 95 % are expected of many cycles; with a skewed cycle and these, a little less.
    let covered = covered.count();
    assert!((360..=395).contains(&covered), "{covered}");
}

#[test]
fn rises_correlations_and_quantiles_are_those_of_small_examples() {
    let mut values: Vec<f64> = (0..99).map(|k| 5.0 + 2.0 * f64::from(k)).collect();
    assert_eq!(rise(&values), 2.0);
    values.fill(7.0);
    values[70..85].fill(1e6);
    assert_eq!(rise(&values), 0.0);
    assert_eq!(correlation(&[1.0, 2.0, 3.0], &[-2.0, -4.0, -6.0]), -1.0);
    assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.5), 2.0);
    assert_eq!(quantile(&[4.0, 1.0, 3.0, 2.0], 0.99), 4.0);
    // Two for half of the time, one for a quarter of it, none for the rest.
    let open = mean_open(&[(0.0, 3.0), (1.0, 3.0)], (0.0, 4.0), 1_000);
    assert!((open - 1.25).abs() < 1e-9, "{open}");
}
