//! What the tests know of queues and of chance. Times are in whatever unit they are given in.

/// The smallest of `values` that is not less than a share `p` of them (nearest rank).
pub(crate) fn quantile(values: &[f64], p: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (p * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What each customer of a first-come-first-served single server waits for: its turn, which
/// is what the one before still had to wait when it came, and then its own service.
///
/// Source: Lindley, "The theory of queues with a single server", Proc. Cambridge Phil. Soc. 48, 1952.
pub(crate) fn sojourns(arrivals: &[f64], services: &[f64]) -> Vec<f64> {
    let mut free = f64::NEG_INFINITY;
    let each = arrivals.iter().zip(services).map(|(arrival, service)| {
        free = arrival.max(free) + service;
        free - arrival
    });
    each.collect()
}

/// A mean and its standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) standard_error: f64,
}

/// The mean of `values`, which are dependent within a cycle and independent between cycles.
///
/// Customers who find a queue empty begin cycles that know nothing of each other. With `Y` the sum
/// of a cycle's values and `n` their number, the mean is `r = sum(Y) / sum(n)` and its standard
/// error `sqrt(sum((Y - r n)^2) m / (m - 1)) / sum(n)` over `m` cycles. Taking the values themselves
/// for independent would give less than half of it at a utilisation of 0.5.
///
/// Source: Crane, Lemoine, "An Introduction to the Regenerative Method for Simulation Analysis",
/// 1977.
pub(crate) fn regenerative(values: &[f64], begins_cycle: &[bool]) -> Estimate {
    let mean = mean(values);
    let (mut squares, mut cycles, mut excess) = (0.0, 0.0, 0.0);
    for (value, begins) in values.iter().zip(begins_cycle) {
        if *begins {
            squares += excess * excess;
            cycles += 1.0;
            excess = 0.0;
        }
        excess += value - mean;
    }
    squares += excess * excess;
    let standard_error = (squares * cycles / (cycles - 1.0)).sqrt() / values.len() as f64;
    Estimate { mean, standard_error }
}

/// The Anderson-Darling statistic of `values` against an exponential distribution whose mean
/// is estimated from them, corrected for their number: `A^2 (1 + 0.6 / n)`.
///
/// Source: Stephens, "EDF Statistics for Goodness of Fit and Some Comparisons", JASA 69, 1974;
/// D'Agostino, Stephens, "Goodness-of-Fit Techniques", 1986, table 4.14.
pub(crate) fn anderson_darling_exponential(values: &[f64]) -> f64 {
    let mean = mean(values);
    let mut units: Vec<f64> = values.iter().map(|value| value / mean).collect();
    units.sort_by(f64::total_cmp);
    let count = units.len() as f64;
    // ln F(x) + ln(1 - F(y)) for the i-th smallest x and the i-th largest y.
    let terms = units.iter().zip(units.iter().rev()).enumerate().map(|(index, (x, y))| {
        (2 * index + 1) as f64 * ((-(-x).exp_m1()).max(f64::MIN_POSITIVE).ln() - y)
    });
    let a_squared = -count - terms.sum::<f64>() / count;
    a_squared * (1.0 + 0.6 / count)
}

/// What [`anderson_darling_exponential`] exceeds once in a hundred times for exponential values.
pub(crate) const ANDERSON_DARLING_1_PERCENT: f64 = 1.959;

/// By how much `values` rise from one to the next, all in all: from the median of the first third to
/// that of the last. What happens to less than half of either does not show.
///
/// Source: Tukey's resistant line, "Exploratory Data Analysis", 1977, of which this is the first step.
pub(crate) fn rise(values: &[f64]) -> f64 {
    let third = values.len() / 3;
    let (first, last) = (&values[..third], &values[values.len() - third..]);
    (quantile(last, 0.5) - quantile(first, 0.5)) / (values.len() - third) as f64
}

/// Pearson's correlation.
pub(crate) fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let (x_mean, y_mean) = (mean(x), mean(y));
    let sum = |term: fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| term(x - x_mean, y - y_mean)).sum()
    };
    sum(|x, y| x * y) / (sum(|x, _| x * x) * sum(|_, y| y * y)).sqrt()
}

/// The time average of how many intervals `(begin, end)` are open, from `from` to `to`.
///
/// Counted at instants, as somebody would who looks into the shop `looks` times, and not by adding
/// up durations: that would be the other side of Little's law.
pub(crate) fn mean_open(intervals: &[(f64, f64)], (from, to): (f64, f64), looks: usize) -> f64 {
    let mut begins: Vec<f64> = intervals.iter().map(|interval| interval.0).collect();
    let mut ends: Vec<f64> = intervals.iter().map(|interval| interval.1).collect();
    begins.sort_by(f64::total_cmp);
    ends.sort_by(f64::total_cmp);
    let before = |sorted: &[f64], instant: f64| sorted.partition_point(|other| *other <= instant);
    let seen = (0..looks).map(|look| {
        let instant = from + (to - from) * (look as f64 + 0.5) / looks as f64;
        before(&begins, instant) - before(&ends, instant)
    });
    seen.sum::<usize>() as f64 / looks as f64
}

/// The share of customers of M/D/1 who wait for at most `wait` before a service of length 1.
///
/// Source: Erlang, "The Theory of Probabilities and Telephone Conversations", 1909; the form
/// of Crommelin, 1932. Its terms alternate: good for waits of a few services.
fn m_d_1_waits_at_most(utilisation: f64, wait: f64) -> f64 {
    let mut factorial = 1.0;
    let terms = (0..=wait.floor() as i32).map(|k| {
        factorial *= f64::from(k.max(1));
        let x = utilisation * (f64::from(k) - wait);
        x.powi(k) / factorial * (-x).exp()
    });
    (1.0 - utilisation) * terms.sum::<f64>()
}

/// The quantile of the time in an M/D/1 system, with a service of length 1.
pub(crate) fn m_d_1_sojourn_quantile(utilisation: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if m_d_1_waits_at_most(utilisation, middle) < p { low = middle } else { high = middle }
    }
    high + 1.0
}

#[path = "statistics/tests.rs"]
mod tests;
