//! Changes in words: percentages with as many decimals as their interval has meaning for.

use super::{Change, Method, Side, Why};
use crate::format;

/// The estimate: `+5.4 %`.
#[must_use]
pub fn change(change: &Change) -> String {
    format!("{} %", signed(change.ratio(), decimals(change)))
}

/// The 95 % confidence interval: `+4.1 to +6.8 %`.
#[must_use]
pub fn interval(change: &Change) -> String {
    let [low, high] =
        [change.low_ratio(), change.high_ratio()].map(|end| signed(end, decimals(change)));
    format!("{low} to {high} %")
}

/// The ends of an interval that leaves out 0, without their sign: `4.1–6.8 %`. Of a decrease, the
/// smaller one first.
pub(super) fn range(change: &Change) -> String {
    let [low, high] = [change.low_ratio(), change.high_ratio()].map(f64::abs);
    let (low, high) = (low.min(high), low.max(high));
    // "0.0–0.4 %" would read as if nothing were possible.
    let decimals = (decimals(change)..DECIMALS_MAX)
        .find(|&decimals| !is_zero(low, decimals))
        .unwrap_or(DECIMALS_MAX);
    let [low, high] = [low, high].map(|end| percent(end, decimals));
    if low == high { format!("{low} %") } else { format!("{low}–{high} %") }
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

fn decimals(change: &Change) -> usize {
    match (change.high_ratio() - change.low_ratio()) * 100.0 {
        width if width < 0.2 => 2,
        width if width < 20.0 => 1,
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
                    Method::Single => "too few seconds",
                };
                format!("has no interval: {why}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
