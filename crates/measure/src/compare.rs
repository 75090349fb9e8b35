//! Two servers, or one before and after: how much they differ, and how surely.
//!
//! Compared are the rate and the percentiles of response time ([`Figure`]). A difference is a
//! ratio, so everything is worked out on logarithms: a [`Change`] is `ln(B/A)` with its 95 %
//! confidence interval, printed as a percentage of A. What one run of the generator says of one
//! figure is one number, whatever happened within it. How many such numbers there are decides the
//! [`Method`]:
//!
//! - [`Method::Rounds`]: many short runs in turns, A B B A A B B A …; the unit is the block A B B A.
//!   A drift of the machine that is a line in time cancels within a block, requests that resemble
//!   their neighbours are within a round, and rounds that differ for no reason make the interval as
//!   wide as they differ.
//! - [`Method::Runs`]: several runs of each (Welch's t): the variance between runs is in it, a drift
//!   of the machine between the first and the last is not.
//! - [`Method::Single`]: one run of each, each with its own interval. What makes runs of the same
//!   server differ cannot be seen, so intervals are too narrow for "the servers differ".
//!
//! # Eight figures at once
//!
//! Each interval holds the truth in 19 of 20 comparisons, so of eight equal figures a third of all
//! comparisons would show at least one interval without 0. A change is called significant by Holm's
//! procedure over the figures compared: of comparisons of equal servers, at most 1 in 20 has any
//! change that is called so. The intervals stay at 95 % each; one that just leaves out 0 is not
//! enough.
//!
//! Invariant: a figure that any of the runs cannot support is not compared, and [`Why`] says so.
//!
//! Not here: running anything (`throng versus`), tables (`report`).

mod alike;
mod change;
mod condition;
mod doubts;
mod figure;
mod run;
mod sentence;
mod wording;

pub use alike::differences;
pub use change::{BLOCKS_MIN, Change};
pub use condition::{Condition, ConditionError, Expected, Judgement};
pub use doubts::doubts;
pub use figure::Figure;
pub use run::Run;
pub use sentence::sentence;
pub use wording::{change, interval};

use crate::audit::RATE_REACHED_RATIO;
use crate::{Model, Percentile};

/// One of the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The baseline: changes are relative to it.
    A,
    /// What is compared with it.
    B,
}

/// The order of the rounds of one block. A drift that is a line in time adds as much to the mean
/// of the outer two as to that of the inner two.
pub const BLOCK: [Side; 4] = [Side::A, Side::B, Side::B, Side::A];

/// What the runs are to each other. See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// In turns, in blocks of [`BLOCK`].
    Rounds,
    /// Several of each, in no order.
    Runs,
    /// One of each.
    Single,
}

/// B compared with A.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What B is called.
    pub name: String,
    /// One row per figure, in the order of [`Figure::ALL`].
    pub rows: Vec<Row>,
}

/// One figure of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub figure: Figure,
    /// A's: the geometric mean of its runs, per second or in nanoseconds; `None` when it is not
    /// known in every run.
    pub a: Option<f64>,
    /// B's likewise.
    pub b: Option<f64>,
    /// What the two come to.
    pub found: Found,
}

/// What two values of a figure come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// A change, and whether it is significant among all those of its comparison.
    Measured {
        /// How much, and how surely.
        change: Change,
        /// By Holm's procedure at 5 %.
        significant: bool,
    },
    /// It was the plan's to decide, and both kept to the plan: the rate in the open model.
    Given {
        /// `B/A − 1` as planned.
        ratio: f64,
    },
    /// Nothing can be said.
    NotCompared(Why),
}

/// Why a figure is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A run has fewer requests than the percentile needs.
    TooFew {
        /// The smallest count that would do.
        needed_count: u64,
        /// The fewest that a run had.
        count: u64,
        /// Whose run that was.
        side: Side,
        /// What the runs are.
        method: Method,
    },
    /// It lies among requests that were not answered: only a lower bound is known.
    Unanswered(Side),
    /// It is zero, and a ratio to zero means nothing.
    Zero(Side),
    /// The runs do not say how far it can be trusted.
    NoInterval(Method),
}

/// Compares the runs of B with those of A.
///
/// For [`Method::Rounds`] both have the same number, each in the order in which they ran: two of
/// each make a block. For [`Method::Single`] the first of each is looked at.
#[must_use]
pub fn compare(method: Method, name: &str, a: &[Run], b: &[Run]) -> Comparison {
    let mut rows: Vec<Row> = Figure::ALL.map(|figure| row(method, figure, a, b)).into();
    mark_significant(&mut rows);
    Comparison { name: name.to_owned(), rows }
}

fn row(method: Method, figure: Figure, a: &[Run], b: &[Run]) -> Row {
    if figure == Figure::Rate && rate_is_given(a) && rate_is_given(b) {
        let [a, b] = [a, b].map(|runs| change::mean(&logarithms(runs, Run::offered_per_s)));
        let found = Found::Given { ratio: (b - a).exp_m1() };
        return Row { figure, a: Some(a.exp()), b: Some(b.exp()), found };
    }
    let values =
        [(Side::A, a), (Side::B, b)].map(|(side, runs)| ln_values(method, figure, side, runs));
    let [known_a, known_b] =
        values.each_ref().map(|side| side.as_ref().ok().map(|v| change::mean(v).exp()));
    let found = match values {
        [Ok(ln_a), Ok(ln_b)] => match change_of(method, figure, [a, b], [&ln_a, &ln_b]) {
            Some(change) => Found::Measured { change, significant: false },
            None => Found::NotCompared(Why::NoInterval(method)),
        },
        [Err(why), _] | [_, Err(why)] => Found::NotCompared(why),
    };
    Row { figure, a: known_a, b: known_b, found }
}

/// Whether the rate was the plan's to decide, and every run kept to it. A run that did not has
/// shown a limit of its server, and that is a result.
fn rate_is_given(runs: &[Run]) -> bool {
    runs.iter().all(|run| {
        let rates = &run.summary.rates;
        run.summary.model == Model::Open
            && rates.offered_per_s > 0.0
            && rates.achieved_per_s >= RATE_REACHED_RATIO * rates.offered_per_s
    })
}

fn logarithms(runs: &[Run], of: impl Fn(&Run) -> f64) -> Vec<f64> {
    runs.iter().map(|run| of(run).ln()).collect()
}

/// The logarithm of the figure in each run; one that does not have it decides for all.
fn ln_values(method: Method, figure: Figure, side: Side, runs: &[Run]) -> Result<Vec<f64>, Why> {
    let level = match figure {
        Figure::Rate => {
            let rates = logarithms(runs, |run| run.summary.rates.achieved_per_s);
            let is_known = rates.iter().all(|ln| ln.is_finite());
            return if is_known { Ok(rates) } else { Err(Why::Zero(side)) };
        }
        Figure::At(level) => level,
    };
    let of = |run: &Run| run.summary.response_time.at(level);
    let fewest = runs.iter().map(|run| run.summary.response_time.count).min().unwrap_or(0);
    if fewest < level.needed_count() {
        let needed_count = level.needed_count();
        return Err(Why::TooFew { needed_count, count: fewest, side, method });
    }
    let values = runs.iter().map(|run| match of(run) {
        Percentile::Value(0) => Err(Why::Zero(side)),
        Percentile::Value(ns) => Ok((ns as f64).ln()),
        Percentile::AtLeast(_) | Percentile::NotEnough { .. } => Err(Why::Unanswered(side)),
    });
    values.collect()
}

fn change_of(
    method: Method,
    figure: Figure,
    runs: [&[Run]; 2],
    [a, b]: [&[f64]; 2],
) -> Option<Change> {
    let change = match method {
        Method::Rounds => Change::of_blocks(&change::block_differences(a, b))?,
        Method::Runs => Change::of_runs(a, b)?,
        Method::Single => {
            let [a, b] = runs.map(|runs| runs.first().and_then(|run| run.bounds(figure)));
            Change::of_bounds(&a?, &b?)?
        }
    };
    // Durations are filed in buckets: a smaller difference than a bucket is wide was not seen.
    Some(if figure == Figure::Rate { change } else { change.at_least_as_wide_as(BUCKET_LN) })
}

/// Holm's step-down procedure over the rows that have a change.
fn mark_significant(rows: &mut [Row]) {
    let changes: Vec<Change> = rows.iter().filter_map(|row| row.change()).collect();
    let mut marks = change::holm(&changes, FALSE_ALARMS_RATIO).into_iter();
    for row in rows {
        if let Found::Measured { significant, .. } = &mut row.found {
            *significant = marks.next().unwrap_or(false);
        }
    }
}

impl Row {
    /// The change, when there is one.
    #[must_use]
    pub fn change(&self) -> Option<Change> {
        match self.found {
            Found::Measured { change, .. } => Some(change),
            Found::Given { .. } | Found::NotCompared(_) => None,
        }
    }

    /// Whether there is a change, and it is significant.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        matches!(self.found, Found::Measured { significant: true, .. })
    }
}

impl Comparison {
    /// The row of a figure.
    #[must_use]
    pub fn row(&self, figure: Figure) -> &Row {
        &self.rows[figure.index()]
    }
}

impl Method {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Runs => "runs",
            Self::Single => "single_runs",
        }
    }
}

/// The half-width below which no interval of a duration goes: 0.1 %, as fine as histograms with
/// three significant digits keep them.
pub const BUCKET_LN: f64 = 0.001;

/// Of comparisons of equal servers, the share in which anything is called significant, at most.
pub const FALSE_ALARMS_RATIO: f64 = 0.05;

#[cfg(test)]
mod tests;
