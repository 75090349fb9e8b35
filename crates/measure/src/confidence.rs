//! How far a percentile can be trusted: its 95 % confidence interval.
//!
//! The samples of a run say where a percentile lies only to within the luck of that run. The
//! interval of a percentile of share `p` is read off the sorted samples themselves: the ranks
//! around `n·p` between which the true percentile lies in 19 of 20 runs. How far the ranks reach
//! is a matter of how much `F`, the share of samples at most the estimated percentile, varies.
//!
//! # How much the share varies
//! Were samples independent, its variance would be `p(1 − p)/n`. They are not: one slow second slows
//! thousands of requests. So the second, not the request, is taken as the unit:
//!
//! 1. For each window `w` of one second, `r_w = below_w − F·count_w`: how many more of its samples
//!    are at most the estimate than the run's share would have. `Var(F) = B/(B−1) · Σ r_w² / n²`,
//!    with `B` windows: the ratio estimator, which allows for windows of any size.
//! 2. While neighbours are alike (the lag-1 correlation of the `r_w` exceeds `1.64/√B`, 5 % by
//!    chance) and at least [`BATCHES_KEPT`] batches remain, each two neighbours become one batch.
//! 3. What likeness is left, `φ`, multiplies the variance by `(1 + φ)/(1 − φ)`. An estimated `φ` lies
//!    too low, on average by `(1 + 3φ)/B`; that is added.
//! 4. The variance times the square of Student's t with `B − 1` degrees of freedom. Beyond a high
//!    percentile the samples come in few bursts; a run that had few of them has a low percentile
//!    and a low variance at once. So each side of the interval is as wide as a t statistic of that
//!    skewness needs (Johnson's correction as inverted by Willink), if that is wider.
//! 5. Neither side is narrower than that of independent samples.
//!
//! 6. When all of a distribution moves from second to second by more than its own width, the share
//!    below the estimate swings between none and all, and the ranks reach beyond the samples. Such
//!    an end is put where the mean of the windows' own percentiles may lie ([`mean_reach`]), if
//!    every window has enough samples for one.
//!
//! An end that falls beyond the samples all the same, or among requests without an answer, is open. There is no
//! interval with fewer than [`BATCHES_MIN`] windows that have samples.
//!
//! # How often it holds the truth
//! Percentage of 1,000 made-up runs whose interval held the true p50, p90, p99; in brackets, that
//! of the interval for independent samples. 95 is right, more is wide. "Seconds differ" has 100
//! log-normal samples a second whose scale differs from second to second (AR(1)).
//!
//! | samples | 10 windows | 60 windows | 300 windows |
//! |---|---|---|---|
//! | independent | 99, 99, 99 (96, 95, 98) | 97, 97, 98 (95, 95, 97) | 96, 95, 96 (96, 94, 96) |
//! | seconds differ, φ = 0 | 98, 97, 96 (35, 45, 80) | 97, 96, 96 (34, 42, 69) | 95, 97, 97 (35, 41, 65) |
//! | seconds differ, φ = 0.5 | 90, 89, 91 (21, 30, 68) | 94, 94, 93 (20, 27, 52) | 95, 96, 96 (21, 26, 49) |
//! | seconds differ, φ = 0.8 | 76, 78, 86 (15, 21, 53) | 93, 92, 89 (11, 15, 32) | 95, 95, 95 (12, 16, 30) |
//! | M/M/1, 80 % of 500/s | 97, 95, 94 (33, 20, 16) | 96, 96, 96 (29, 18, 18) | 95, 96, 97 (28, 21, 20) |
//! | M/M/1, 80 % of 50/s | 94, 93, 94 (36, 21, 93) | 94, 94, 92 (29, 19, 15) | 96, 96, 94 (29, 21, 18) |
//!
//! So a run must be long against the swings of what it measures: ten seconds of a process that
//! takes ten seconds to forget say less than they seem to, and nothing in them can tell.
//!
//! # Why not otherwise
//! A moving-block bootstrap would treat the same windows, but would have to add up thousands of
//! resampled sets of histograms and needs random numbers; this takes one pass and gives the same
//! digits each time. The mean of each window's own p99 is another quantity than the p99 of the
//! run, the more so the fewer samples a window has; how many lie below one common value is not.
//!
//! # Source
//! Woodruff, "Confidence intervals for medians and other position measures", Journal of the
//! American Statistical Association 47, 1952 (ranks from the variance of the share). Heidelberger
//! and Lewis, "Quantile estimation in dependent sequences", Operations Research 32, 1984 (batches).
//! Tafazzoli and Wilson, "Skart: a skewness- and autoregression-adjusted batch-means procedure for
//! simulation analysis", IIE Transactions 43, 2011 (steps 3 and 4). Marriott and Pope, Biometrika
//! 41, 1954 (the bias). Willink, Communications in Statistics 34, 2005 (the skewness).

use crate::probability::{normal_quantile, t_quantile};
use crate::trend::lag1_autocorrelation;

/// Where a percentile lies, at 95 % confidence, in nanoseconds; ends are `None` where nothing
/// bounds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfidenceInterval {
    /// It is at least this.
    pub low_ns: Option<u64>,
    /// It is at most this.
    pub high_ns: Option<u64>,
}

/// The samples of one window, split at the estimate of a percentile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Split {
    /// Samples that are at most the estimate. Of those that equal it, perhaps only a part, the same
    /// for all windows.
    pub below: f64,
    /// Samples.
    pub count: u64,
}

/// The ranks, from 1, whose samples enclose a percentile; `None` beyond the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankInterval {
    /// The lower.
    pub low: Option<u64>,
    /// The higher.
    pub high: Option<u64>,
}

/// The ranks that enclose the percentile of `share` (0..1) at 95 % confidence:
/// `⌊n(p − …)⌋` and `⌈n(p + …)⌉ + 1`. See the module for the derivation.
///
/// `windows` are in the order of time; the estimate at which they are split is the sample of rank
/// `⌈p·n⌉`. `None` when fewer than [`BATCHES_MIN`] have samples.
#[must_use]
pub fn rank_interval(share: f64, windows: &[Split]) -> Option<RankInterval> {
    let n = windows.iter().map(|window| window.count).sum::<u64>() as f64;
    let found = windows.iter().map(|window| window.below).sum::<f64>() / n;
    let residuals: Vec<f64> = windows
        .iter()
        .filter(|window| window.count > 0)
        .map(|window| window.below - found * window.count as f64)
        .collect();
    if residuals.len() < BATCHES_MIN {
        return None;
    }
    let independent = normal_quantile(CONFIDENT) * (n * share * (1.0 - share)).sqrt();
    let [less, more] = reach(&batched(residuals)).map(|reach| reach.max(independent));
    let (low, high) = ((n * share - less).floor(), (n * share + more).ceil() + 1.0);
    Some(RankInterval {
        low: (low >= 1.0).then_some(low as u64),
        high: (high <= n).then_some(high as u64),
    })
}

/// How far the mean of a series, one value per window in the order of time, may lie from its true
/// mean, at 95 % confidence: batches, correlation and skewness as for ranks. `None` when there are
/// fewer than [`BATCHES_MIN`] values.
#[must_use]
pub fn mean_reach(values: &[f64]) -> Option<f64> {
    if values.len() < BATCHES_MIN {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let [less, more] = reach(&batched(values.iter().map(|value| value - mean).collect()));
    Some(less.max(more) / count)
}

/// Merges neighbours for as long as they are alike.
pub(crate) fn batched(mut residuals: Vec<f64>) -> Vec<f64> {
    let alike = |residuals: &[f64]| {
        let notable = normal_quantile(NOTABLE) / (residuals.len() as f64).sqrt();
        lag1_autocorrelation(residuals).is_some_and(|lag1| lag1 > notable)
    };
    while residuals.len() >= 2 * BATCHES_KEPT && alike(&residuals) {
        residuals = residuals.chunks(2).map(|pair| pair.iter().sum()).collect();
    }
    residuals
}

/// How many ranks below and above the estimate the percentile may lie, by what the batches have
/// too many (positive) or too few samples below the estimate.
pub(crate) fn reach(residuals: &[f64]) -> [f64; 2] {
    let batches = residuals.len() as f64;
    let power_sum = |power| residuals.iter().map(|r| r.powi(power)).sum::<f64>();
    let squares = power_sum(2);
    if squares == 0.0 {
        return [0.0; 2];
    }
    let lag1 = lag1_autocorrelation(residuals).unwrap_or(0.0);
    let lag1 = (lag1 + (1.0 + 3.0 * lag1) / batches).clamp(0.0, LAG1_MAX);
    let variance = batches / (batches - 1.0) * squares * (1.0 + lag1) / (1.0 - lag1);
    let skewness = power_sum(3) / batches / (squares / batches).powf(1.5);
    let t = t_quantile(CONFIDENT, batches - 1.0);
    let beta = skewness / (6.0 * batches.sqrt());
    // With too few slow samples found, the percentile is higher: the sides change places.
    [-skewed(-t, beta), skewed(t, beta)].map(|skewed| t.max(skewed) * variance.sqrt())
}

/// The quantile of a t statistic whose samples are skewed, from that of one whose are not; `beta`
/// is the skewness over `6√n`.
fn skewed(t: f64, beta: f64) -> f64 {
    if beta.abs() < 1e-6 {
        t
    } else {
        ((1.0 + 6.0 * beta * (t - beta)).cbrt() - 1.0) / (2.0 * beta)
    }
}

/// With fewer windows that have samples, there is no interval.
pub const BATCHES_MIN: usize = 5;

/// Batches are not merged into fewer than these.
pub const BATCHES_KEPT: usize = 10;

/// The share of a distribution below the upper end of a 95 % interval.
const CONFIDENT: f64 = 0.975;

/// How sure it must be that neighbours are alike for them to be merged.
const NOTABLE: f64 = 0.95;

/// What the likeness of neighbours counts as at most, so that its correction stays finite: 19.
const LAG1_MAX: f64 = 0.9;

#[cfg(test)]
mod tests;
