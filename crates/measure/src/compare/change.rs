//! How much larger B is than A, as `ln(B/A)`, and how surely.

use crate::probability::t_quantile;

/// A change with its 95 % confidence interval, of which one end can be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// `ln(B/A)`: the estimate, and the ends of its interval.
    ln: f64,
    low_ln: f64,
    high_ln: f64,
    /// Degrees of freedom of the interval, to tell how wide it would be at another confidence.
    degrees: f64,
}

/// A logarithm with its 95 % confidence interval, from one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) ln: f64,
    pub(super) low_ln: f64,
    pub(super) high_ln: f64,
    /// The most degrees of freedom that the interval can have.
    pub(super) degrees: f64,
}

/// Blocks that an interval takes at least: of two, t has one degree of freedom, and an interval
/// is seldom of use.
pub const BLOCKS_MIN: usize = 3;

/// Of each block of A B B A, how much larger B is: the mean of its two `b` less that of its two
/// `a`. Rounds are in the order in which they ran; what is left over makes no block.
pub(super) fn block_differences(a: &[f64], b: &[f64]) -> Vec<f64> {
    let means = |values: &[f64]| values.chunks_exact(2).map(mean).collect::<Vec<_>>();
    means(a).into_iter().zip(means(b)).map(|(a, b)| b - a).collect()
}

/// Which of the changes are significant when all are looked at: Holm's step-down procedure. Of
/// comparisons in which nothing differs, a share of at most `level` has any change marked, however
/// the changes depend on each other.
///
/// # Source
/// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6, 1979.
pub(super) fn holm(changes: &[Change], level: f64) -> Vec<bool> {
    let mut marks = vec![false; changes.len()];
    loop {
        let left = marks.iter().filter(|&&mark| !mark).count();
        let before = marks.clone();
        for (mark, change) in marks.iter_mut().zip(changes) {
            *mark |= change.differs_at(level / left as f64);
        }
        // Each that is marked makes it easier for those that are left.
        if marks == before {
            return marks;
        }
    }
}

/// The mean; not a number when there is nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The variance of the mean of independent values, `s²/n`.
fn variance_of_mean(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len() as f64);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n
}

impl Change {
    /// The mean of what blocks say, `d ± t·s/√n` with `n − 1` degrees of freedom; `None` for fewer
    /// than [`BLOCKS_MIN`] blocks.
    pub(super) fn of_blocks(differences: &[f64]) -> Option<Self> {
        let degrees = differences.len() as f64 - 1.0;
        (differences.len() >= BLOCKS_MIN)
            .then(|| Self::student(mean(differences), variance_of_mean(differences), degrees))
    }

    /// The difference of the means of independent runs, whose variances need not be equal; `None`
    /// when one side has fewer than two.
    ///
    /// `ln ± t·√(vₐ + v_b)`, with `v = s²/n` and `(vₐ + v_b)² / (vₐ²/(nₐ−1) + v_b²/(n_b−1))` degrees
    /// of freedom.
    ///
    /// # Source
    /// Welch, "The generalization of Student's problem when several different population variances
    /// are involved", Biometrika 34, 1947.
    pub(super) fn of_runs(a: &[f64], b: &[f64]) -> Option<Self> {
        if a.len() < 2 || b.len() < 2 {
            return None;
        }
        let [(v_a, n_a), (v_b, n_b)] =
            [a, b].map(|side| (variance_of_mean(side), side.len() as f64));
        let variance = v_a + v_b;
        let degrees = match variance {
            0.0 => n_a.min(n_b) - 1.0,
            _ => variance.powi(2) / (v_a.powi(2) / (n_a - 1.0) + v_b.powi(2) / (n_b - 1.0)),
        };
        Some(Self::student(mean(b) - mean(a), variance, degrees))
    }

    /// The difference of two estimates with intervals of their own, which need not be symmetrical:
    /// its lower end is as far away as B's lower and A's upper end are, as sides of a right angle.
    /// `None` when neither end is bounded.
    ///
    /// # Source
    /// Zou and Donner, "Construction of confidence limits about effect measures: a general
    /// approach", Statistics in Medicine 27, 2008 (MOVER).
    pub(super) fn of_bounds(a: &Bounds, b: &Bounds) -> Option<Self> {
        let ln = b.ln - a.ln;
        let low_ln = ln - (b.ln - b.low_ln).hypot(a.high_ln - a.ln);
        let high_ln = ln + (b.high_ln - b.ln).hypot(a.ln - a.low_ln);
        let degrees = a.degrees.min(b.degrees);
        (low_ln.is_finite() || high_ln.is_finite()).then_some(Self { ln, low_ln, high_ln, degrees })
    }

    fn student(ln: f64, variance: f64, degrees: f64) -> Self {
        let half_width = t_quantile(CONFIDENT, degrees) * variance.sqrt();
        Self { ln, low_ln: ln - half_width, high_ln: ln + half_width, degrees }
    }

    /// The same, with neither side narrower than `half_width`.
    pub(super) fn at_least_as_wide_as(self, half_width: f64) -> Self {
        Self {
            low_ln: self.low_ln.min(self.ln - half_width),
            high_ln: self.high_ln.max(self.ln + half_width),
            ..self
        }
    }

    /// Whether 0 is outside of the interval of confidence `1 − level`.
    fn differs_at(&self, level: f64) -> bool {
        let towards_zero =
            if self.ln > 0.0 { self.ln - self.low_ln } else { self.high_ln - self.ln };
        let wider =
            t_quantile(1.0 - level / 2.0, self.degrees) / t_quantile(CONFIDENT, self.degrees);
        self.ln.abs() > towards_zero * wider
    }

    /// `ln(B/A)`.
    #[must_use]
    pub fn ln(&self) -> f64 {
        self.ln
    }

    /// `B/A − 1`: 0.05 is 5 % more.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.ln.exp_m1()
    }

    /// The lower end of the 95 % confidence interval of `B/A − 1`; −1 when nothing bounds it.
    #[must_use]
    pub fn low_ratio(&self) -> f64 {
        self.low_ln.exp_m1()
    }

    /// The upper end of the 95 % confidence interval of `B/A − 1`; infinite when nothing bounds it.
    #[must_use]
    pub fn high_ratio(&self) -> f64 {
        self.high_ln.exp_m1()
    }
}

#[cfg(test)]
impl Change {
    /// One whose 95 % interval has these ends, as ratios; −1 and infinity are no ends.
    pub(super) fn between(low_ratio: f64, high_ratio: f64) -> Self {
        let [low_ln, high_ln] = [low_ratio.ln_1p(), high_ratio.ln_1p()];
        let ln = match (low_ln.is_finite(), high_ln.is_finite()) {
            (true, true) => f64::midpoint(low_ln, high_ln),
            // The open side as if it were as wide as 1 %.
            (true, false) => low_ln + 0.01,
            _ => high_ln - 0.01,
        };
        Self { ln, low_ln, high_ln, degrees: f64::INFINITY }
    }
}

/// The quantile at the upper end of a 95 % interval.
const CONFIDENT: f64 = 0.975;

#[cfg(test)]
mod tests;
