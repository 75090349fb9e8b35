//! Changes in words: percentages with as many decimals as their interval has meaning for.

use super::{Change, Method, Side, Why};
use crate::format;

/// The estimate: `+5.4 %`.
#[must_use]
pub fn change(change: &Change) -> String {
    format!("{} %", signed(change.ratio(), decimals(change)))
}

/// The 95 % confidence interval: `+4.1 to +6.8 %`; `+4.1 % or more` where nothing bounds it above.
#[must_use]
pub fn interval(change: &Change) -> String {
    let shown = |end| signed(end, decimals(change));
    match ends(change) {
        (Some(low), Some(high)) => format!("{} to {} %", shown(low), shown(high)),
        (Some(low), None) => format!("{} % or more", shown(low)),
        (None, Some(high)) => format!("{} % or less", shown(high)),
        (None, None) => "anything".to_owned(),
    }
}

/// The ends of an interval that leaves out 0, without their sign, the one nearer to 0 first:
/// `4.1–6.8 %`, `at least 4.1 %`.
pub(super) fn range(change: &Change) -> String {
    let (near, far) = match ends(change) {
        (low, high) if change.ln() > 0.0 => (low, high),
        (low, high) => (high, low),
    };
    let near = near.unwrap_or(0.0).abs();
    // "0.0–0.4 %" would read as if nothing were possible.
    let decimals = (decimals(change)..DECIMALS_MAX)
        .find(|&decimals| !is_zero(near, decimals))
        .unwrap_or(DECIMALS_MAX);
    let near = percent(near, decimals);
    match far.map(|far| percent(far.abs(), decimals)) {
        None => format!("at least {near} %"),
        Some(far) if far == near => format!("{near} %"),
        Some(far) => format!("{near}–{far} %"),
    }
}

/// The ends that say something: a thousandth and a thousandfold bound nothing that anybody
/// would compare.
fn ends(change: &Change) -> (Option<f64>, Option<f64>) {
    let (low, high) = (change.low_ratio(), change.high_ratio());
    ((low > -0.999).then_some(low), (high < 999.0).then_some(high))
}

/// `p50, p90 and p99`, or with another word before the last.
pub(super) fn list<S: AsRef<str>>(parts: &[S], joint: &str) -> String {
    match parts {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(AsRef::as_ref).collect();
            format!("{} {joint} {}", first.join(", "), last.as_ref())
        }
    }
}

/// A signed percentage: `+5.4`, `−1.2`, `0.0`.
pub(super) fn signed(ratio: f64, decimals: usize) -> String {
    let sign = match ratio {
        ratio if is_zero(ratio.abs(), decimals) => "",
        ratio if ratio < 0.0 => "−",
        _ => "+",
    };
    format!("{sign}{}", percent(ratio.abs(), decimals))
}

fn percent(ratio: f64, decimals: usize) -> String {
    let percent = ratio * 100.0;
    if decimals == 0 {
        format::count(percent.round() as u64)
    } else {
        format!("{percent:.decimals$}")
    }
}

/// Whether a share of at least 0 prints as nothing but zeros.
fn is_zero(ratio: f64, decimals: usize) -> bool {
    !percent(ratio, decimals).contains(|c: char| ('1'..='9').contains(&c))
}

/// As many as the width of the interval gives meaning to; of an open one, its bounded half.
fn decimals(change: &Change) -> usize {
    let ratio = change.ratio();
    let width = match ends(change) {
        (Some(low), Some(high)) => high - low,
        (Some(low), None) => 2.0 * (ratio - low),
        (None, Some(high)) => 2.0 * (high - ratio),
        (None, None) => f64::INFINITY,
    };
    match width * 100.0 {
        percent if percent < 0.2 => 2,
        percent if percent < 100.0 => 1,
        _ => 0,
    }
}

/// More decimals than histograms resolve.
const DECIMALS_MAX: usize = 3;

impl Why {
    /// What is in the way, as the predicate of the figure's name: "needs 10,000 requests a round;
    /// B had one with 5,000". `b` is what B is called.
    #[must_use]
    pub fn explain(self, b: &str) -> String {
        let name = |side| if side == Side::A { "A" } else { b };
        match self {
            Self::TooFew { needed_count, count, side, method } => {
                let (needed, count) = (format::count(needed_count), format::count(count));
                let side = name(side);
                match method {
                    Method::Rounds => {
                        format!("needs {needed} requests a round; {side} had one with {count}")
                    }
                    Method::Runs => {
                        format!("needs {needed} requests a run; {side} had one with {count}")
                    }
                    Method::Single => format!("needs {needed} requests; {side} had {count}"),
                }
            }
            Self::Unanswered(side) => {
                format!("lies among the unanswered requests of {}", name(side))
            }
            Self::Zero(side) => format!("is 0 in {}", name(side)),
            Self::NoInterval(method) => {
                let why = match method {
                    Method::Rounds => "too few blocks",
                    Method::Runs => "too few runs",
                    Method::Single => "too short a run",
                };
                format!("has no interval: {why}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
