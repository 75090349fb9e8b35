//! The two distributions that intervals and tests are read from: the normal and Student's t.
//!
//! Tails are summed until they have converged, quantiles are found by halving. That takes some
//! microseconds; a report asks for a few dozen. In return there is no table of fitted constants
//! to trust: every number below can be derived.

use std::f64::consts::PI;

/// The share of a standard normal distribution at or below `x`, to about 1e-15.
///
/// # Source
/// Marsaglia, "Evaluating the Normal Distribution", Journal of Statistical Software 11(4), 2004.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    if x < 0.0 { normal_tail(-x) } else { 1.0 - normal_tail(x) }
}

/// The value that a share `probability` of a standard normal distribution is at or below:
/// infinite for 0 and 1, not a number outside of them.
#[must_use]
pub fn normal_quantile(probability: f64) -> f64 {
    quantile(normal_tail, probability)
}

/// The share of Student's t distribution at or below `t`, to about 1e-12; not a number when
/// `degrees` is not positive. Degrees of freedom need not be whole (Welch's are not).
#[must_use]
pub fn t_cdf(t: f64, degrees: f64) -> f64 {
    match degrees {
        large if large > DEGREES_MAX => normal_cdf(t),
        positive if positive > 0.0 && t < 0.0 => t_tail(-t, positive),
        positive if positive > 0.0 => 1.0 - t_tail(t, positive),
        _ => f64::NAN,
    }
}

/// The value that a share `probability` of Student's t distribution is at or below: infinite for
/// 0 and 1, not a number outside of them or when `degrees` is not positive.
#[must_use]
pub fn t_quantile(probability: f64, degrees: f64) -> f64 {
    match degrees {
        large if large > DEGREES_MAX => normal_quantile(probability),
        positive if positive > 0.0 => quantile(|t| t_tail(t, positive), probability),
        _ => f64::NAN,
    }
}

/// The share of a standard normal distribution above `x ≥ 0`.
fn normal_tail(x: f64) -> f64 {
    let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
    if x < 3.0 {
        // ½ − φ(x)·(x + x³/3 + x⁵/(3·5) + x⁷/(3·5·7) + …)
        let (mut sum, mut term, mut odd) = (x, x, 1.0);
        while term > sum * f64::EPSILON {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // There, what is left of ½ would be rounding errors. Laplace's continued fraction:
    // φ(x) / (x + 1/(x + 2/(x + 3/(x + …)))); 60 terms suffice from 3 on.
    density / (1..=60_u8).rev().fold(x, |rest, k| x + f64::from(k) / rest)
}

/// The share of Student's t distribution above `t ≥ 0`: half the incomplete beta function at
/// `degrees / (degrees + t²)`.
fn t_tail(t: f64, degrees: f64) -> f64 {
    let square = t * t;
    let x = degrees / (degrees + square);
    let (a, b) = (degrees / 2.0, 0.5);
    // The continued fraction converges fast on its side of the mean only.
    if x < (a + 1.0) / (a + b + 2.0) {
        incomplete_beta(x, a, b) / 2.0
    } else {
        0.5 - incomplete_beta(square / (degrees + square), b, a) / 2.0
    }
}

/// The regularised incomplete beta function, for `x` below about `a / (a + b)`.
///
/// # Source
/// NIST Digital Library of Mathematical Functions, 8.17.22, evaluated from its far end.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // It converges in some multiple of the root of the larger parameter.
    let terms = 50 + (3.0 * a.max(b).sqrt()) as u32;
    let fraction = (1..=terms).rev().fold(1.0, |rest, k| {
        let m = f64::from(k / 2);
        let numerator = if k % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        1.0 + numerator / rest
    });
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    (a * x.ln() + b * (-x).ln_1p() - ln_beta).exp() / (a * fraction)
}

/// The logarithm of the gamma function of `x > 0`, to about 1e-12: Stirling's series, after
/// Γ(x + 1) = x·Γ(x) has brought `x` to where it is that good.
fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < 10.0 {
        product *= x;
        x += 1.0;
    }
    let coefficients = [1.0 / 1_680.0, 1.0 / 1_260.0, 1.0 / 360.0, 1.0 / 12.0];
    let series = coefficients.into_iter().fold(0.0, |rest, c| c - rest / (x * x)) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series - f64::ln(product)
}

/// Where a distribution that is symmetrical around 0 has `probability` at or below; `tail` is the
/// share above a value from 0 on.
fn quantile(tail: impl Fn(f64) -> f64, probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let share = probability.min(1.0 - probability);
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > share {
        (low, high) = (high, high * 2.0);
    }
    if share == 0.0 {
        high = f64::INFINITY;
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if tail(middle) > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    if probability < 0.5 { -high } else { high }
}

/// From here on, Student's t and the normal distribution differ by less than 1e-5 wherever a
/// probability is above 1e-15.
const DEGREES_MAX: f64 = 1e7;

/// As many as a number has bits that the first two bounds leave open.
const HALVINGS: u32 = 60;

#[cfg(test)]
mod tests;
