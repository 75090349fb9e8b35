//! Whether a series of windows drifts, and how fast.
//!
//! Per-second values of a server are correlated with their neighbours, and a test that takes them
//! for independent finds trends where there are none: of AR(1) series with φ = 0.8 and 300 values,
//! plain Mann-Kendall calls 39 % significant at 1 %. [`mann_kendall`] widens its variance by what
//! the series says of its own correlation.
//!
//! Invariant: no random choice is made here; the same series gives the same result.
//!
//! Not here: which series a run is judged by, and from where on a drift matters.

use crate::probability::t_cdf;

/// What the Mann-Kendall test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannKendall {
    /// Pairs that rise minus pairs that fall.
    pub s: i64,
    /// `s`, brought one step nearer to 0, in standard deviations.
    pub z: f64,
    /// How probable a series without a trend is to show one at least as clear, up or down.
    pub p_value: f64,
}

/// Tests a series, equally spaced in time, for a monotonic trend; `None` when it has fewer than
/// [`VALUES_MIN`] values or one that is not finite.
///
/// `Var(S) = (n(n−1)(2n+5) − Σ t(t−1)(2t+5)) / 18` over groups of `t` equal values, times Hamed and
/// Rao's `1 + 2/(n(n−1)(n−2)) · Σ (n−k)(n−k−1)(n−k−2)·ρ(k)`, with `ρ` the autocorrelation of the
/// ranks of the series less its Theil-Sen slope. The correction never makes the variance smaller.
///
/// # Where this departs from Hamed and Rao
/// They sum over the lags whose `ρ` is significant. Estimates from a short series lie too low, and
/// most lags of a decaying correlation are not significant on their own, so that too little is
/// summed (13 % false alarms instead of 1 % at φ = 0.8 and 300 values). Here:
///
/// - Nothing is corrected when `ρ(1)` is below one standard error, `1/√n`.
/// - `ρ(1)` is freed of its bias, `(2 + 4ρ)/n` for a series less its line, and `ρ(1)^k` stands for
///   each later lag. Of the unbroken run of significant lags from 1 on, each counts with its own
///   estimate where that is larger.
/// - The variance is then an estimate, and a poor one when few independent values are left. So the
///   p-value is that of Student's t with `n` over the correction as degrees of freedom.
///
/// False alarms at 1 %, measured on 2,000 AR(1) series for each field; in the last column the wave of
/// φ = 0.9 lies under white noise of its own size, which hides how it is correlated. Judge a drift
/// by its size as well ([`theil_sen`]).
///
/// | values | φ = 0 | 0.3 | 0.5 | 0.8 | 0.9 | under noise |
/// |---|---|---|---|---|---|---|
/// | 30 | 0.7 % | 3.1 % | 3.5 % | 3.3 % | 3.6 % | 15.2 % |
/// | 60 | 1.2 % | 1.6 % | 1.5 % | 1.5 % | 2.6 % | 17.6 % |
/// | 300 | 0.7 % | 0.9 % | 1.0 % | 0.9 % | 1.1 % | 5.2 % |
///
/// # Source
/// Mann, Econometrica 13, 1945; Kendall, "Rank Correlation Methods", 1975; Hamed and Rao, "A modified
/// Mann-Kendall trend test for autocorrelated data", Journal of Hydrology 204, 1998. The bias:
/// Marriott and Pope, Biometrika 41, 1954.
#[must_use]
pub fn mann_kendall(series: &[f64]) -> Option<MannKendall> {
    if series.len() < VALUES_MIN || series.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let ranks = Ranks::of(series);
    let s = ranks.score();
    let correction = correction(series);
    let variance = ranks.variance_of_score() * correction;
    let z = if s == 0 { 0.0 } else { (s - s.signum()) as f64 / variance.sqrt() };
    let degrees = if correction > 1.0 { series.len() as f64 / correction } else { f64::INFINITY };
    Some(MannKendall { s, z, p_value: 2.0 * t_cdf(-z.abs(), degrees) })
}

/// The median of the slopes between all pairs of values, per step; `None` for fewer than two
/// values or one that is not finite. Up to 29 % of the values may be anything.
///
/// Of a series longer than [`POINTS_MAX`], the medians of equally many neighbours are taken
/// instead of the values, as few as leave at most [`POINTS_MAX`] of them: an hour of windows costs
/// 0.4 million pairs instead of 6.5.
///
/// # Source
/// Sen, "Estimates of the regression coefficient based on Kendall's tau", Journal of the American
/// Statistical Association 63, 1968.
#[must_use]
pub fn theil_sen(series: &[f64]) -> Option<f64> {
    if series.len() < 2 || series.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let size = series.len().div_ceil(POINTS_MAX);
    let points: Vec<(f64, f64)> = series
        .chunks(size)
        .enumerate()
        .map(|(i, group)| {
            let centre = (i * size) as f64 + (group.len() - 1) as f64 / 2.0;
            (centre, median(&mut group.to_vec()))
        })
        .collect();
    let mut slopes = Vec::with_capacity(points.len() * (points.len() - 1) / 2);
    for (i, &(from, low)) in points.iter().enumerate() {
        slopes.extend(points[i + 1..].iter().map(|&(to, high)| (high - low) / (to - from)));
    }
    Some(median(&mut slopes))
}

/// How much each value resembles the one before: the correlation of the series with itself one
/// step later, −1..=1. `None` when all values are equal, or there are fewer than two.
#[must_use]
pub fn lag1_autocorrelation(series: &[f64]) -> Option<f64> {
    autocorrelation(&centred(series), 1)
}

/// What correlation between neighbours multiplies the variance of the score by, at least 1.
fn correction(series: &[f64]) -> f64 {
    let slope = theil_sen(series).unwrap_or(0.0);
    let level: Vec<_> = series.iter().enumerate().map(|(i, v)| v - slope * i as f64).collect();
    let ranks = centred(&Ranks::of(&level).middle());
    let n = series.len() as f64;
    let Some(first) = autocorrelation(&ranks, 1).filter(|&first| first > 1.0 / n.sqrt()) else {
        return 1.0;
    };
    let decay = (first + (2.0 + 4.0 * first) / n).min(LAG1_MAX);
    let mut significant = true;
    let mut sum = 0.0;
    for lag in 1..series.len() - 2 {
        let mut rho = decay.powi(i32::try_from(lag).unwrap_or(i32::MAX));
        if significant && lag <= LAGS_MAX {
            let own = autocorrelation(&ranks, lag).unwrap_or(0.0);
            significant = own > SIGNIFICANT / n.sqrt();
            rho = if significant { rho.max(own) } else { rho };
        }
        let left = n - lag as f64;
        sum += left * (left - 1.0) * (left - 2.0) * rho;
    }
    1.0 + 2.0 * sum / (n * (n - 1.0) * (n - 2.0))
}

/// A series less its mean.
fn centred(series: &[f64]) -> Vec<f64> {
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    series.iter().map(|value| value - mean).collect()
}

/// The correlation of a centred series with itself, `lag` steps later.
fn autocorrelation(centred: &[f64], lag: usize) -> Option<f64> {
    let later = centred.get(lag..)?;
    let whole: f64 = centred.iter().map(|v| v * v).sum();
    let shared: f64 = centred.iter().zip(later).map(|(a, b)| a * b).sum();
    (whole > 0.0).then(|| shared / whole)
}

/// The median of finite values, of which there is at least one. Reorders them.
fn median(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if even => f64::midpoint(lower, upper),
        _ => upper,
    }
}

/// The order of a series: values that are equal form a group.
struct Ranks {
    /// The group of each value; groups rise from 0.
    group: Vec<usize>,
    /// How many values each group has.
    sizes: Vec<usize>,
}

impl Ranks {
    fn of(series: &[f64]) -> Self {
        let mut order: Vec<_> = (0..series.len()).collect();
        order.sort_by(|&a, &b| series[a].total_cmp(&series[b]));
        let mut group = vec![0; series.len()];
        let mut sizes: Vec<usize> = Vec::new();
        let mut before = None;
        for i in order {
            if before != Some(series[i]) {
                before = Some(series[i]);
                sizes.push(0);
            }
            group[i] = sizes.len() - 1;
            sizes[group[i]] += 1;
        }
        Self { group, sizes }
    }

    /// The rank of each value; equal ones share the middle of theirs.
    fn middle(&self) -> Vec<f64> {
        let mut before = 0.0;
        let middles: Vec<_> = self
            .sizes
            .iter()
            .map(|&size| {
                let middle = before + (size as f64 + 1.0) / 2.0;
                before += size as f64;
                middle
            })
            .collect();
        self.group.iter().map(|&group| middles[group]).collect()
    }

    /// Pairs that rise minus pairs that fall, in `n·log n`: a day of seconds has 3.7 billion pairs.
    fn score(&self) -> i64 {
        let mut seen = Seen(vec![0; self.sizes.len() + 1]);
        let mut score = 0;
        for (count, &group) in (0_i64..).zip(&self.group) {
            let (less, at_most) = (seen.below(group), seen.below(group + 1));
            score += less - (count - at_most);
            seen.add(group);
        }
        score
    }

    /// The variance of the score of a series in random order.
    fn variance_of_score(&self) -> f64 {
        let part = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
        let ties: f64 = self.sizes.iter().map(|&size| part(size as f64)).sum();
        part(self.group.len() as f64) - ties
    }
}

/// How many values of each group were seen, as a Fenwick tree: place `i` holds the sum of the
/// groups from `i − (lowest bit of i)` to before `i`.
struct Seen(Vec<i64>);

impl Seen {
    fn add(&mut self, group: usize) {
        let mut place = group + 1;
        while let Some(sum) = self.0.get_mut(place) {
            *sum += 1;
            place += place & place.wrapping_neg();
        }
    }

    /// How many were seen of the groups before `group`.
    fn below(&self, group: usize) -> i64 {
        let (mut place, mut sum) = (group, 0);
        while place > 0 {
            sum += self.0[place];
            place &= place - 1;
        }
        sum
    }
}

/// With fewer values the score is far from normal, and nothing can be said of their correlation.
pub const VALUES_MIN: usize = 10;

/// Points between which [`theil_sen`] takes all slopes.
pub const POINTS_MAX: usize = 1_000;

/// Lags whose own correlation is looked at; a series that is longer correlated than that is
/// extrapolated.
const LAGS_MAX: usize = 1_000;

/// Standard errors from which a lag is significant: 5 %, both sides.
const SIGNIFICANT: f64 = 1.96;

/// What the correlation of neighbours counts as at most, so that the sum stays finite.
const LAG1_MAX: f64 = 0.98;

#[cfg(test)]
mod tests;
