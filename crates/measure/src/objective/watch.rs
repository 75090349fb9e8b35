//! Judging objectives while the run lasts, so that it can be ended as soon as one is met.
//!
//! A comparison counts as decided when
//! - with `for`: it was true in so many windows in a row, each of which ended at least
//!   [`SETTLING_S`] ago, so that nearly all of its answers have come. A window is judged again
//!   whenever a late answer is added to it, as with timeouts, up to [`LATE_S`] after it.
//! - without: at least [`PATIENCE_S`] of its scope have been measured. Statistics and ratios are
//!   those of all requests that have ended so far, rates those of the windows that have settled.
//!   Counts, minimum and maximum decide only what the rest of the run cannot change.
//!
//! The cost of a second and the memory do not depend on how long the run has lasted.

use std::collections::{BTreeMap, VecDeque};

use super::evidence::{Added, Window};
use super::lasting::stretches;
use super::{Comparison, Finding, Judgement, Objective, Scope};
use crate::interval::Sum;
use crate::{Counts, Interval, Rates, WINDOW_NS};

/// How long after its end a window is looked at.
const SETTLING_S: u64 = 2;

/// How much is measured before the whole of it is judged.
const PATIENCE_S: u64 = 5;

/// How long a window is kept for late answers: the longest timeout that there is.
const LATE_S: usize = 3_600;

/// Objectives under watch.
pub(crate) struct Watch {
    objectives: Vec<Objective>,
    /// One for each comparison, in their order.
    parts: Vec<Part>,
    warmup_ns: u64,
    /// The counts of the windows that have not settled.
    unsettled: BTreeMap<u64, Counts>,
}

/// What one comparison needs beside the totals.
enum Part {
    Nothing,
    /// What was due from `after` on.
    Rest(Box<Sum>),
    Lasting(Recent),
}

/// Whether a comparison was true in each of the last windows.
struct Recent {
    /// The number of the first one.
    first: u64,
    is_true: VecDeque<bool>,
    /// Whether it is true in a window without anything.
    of_empty: bool,
    needed: usize,
}

impl Watch {
    /// Watches a run with such a warm-up.
    pub(crate) fn new(objectives: &[Objective], warmup_ns: u64) -> Self {
        Self {
            objectives: objectives.to_vec(),
            parts: comparisons(objectives).map(Part::of).collect(),
            warmup_ns,
            unsettled: BTreeMap::new(),
        }
    }

    /// Takes what has been added to a window.
    pub(crate) fn add(&mut self, delta: &Interval) {
        let Ok(number) = u64::try_from(delta.window) else { return };
        for (comparison, part) in comparisons(&self.objectives).zip(&mut self.parts) {
            if let Part::Rest(sum) = part
                && number >= u64::from(comparison.scope.after_s)
            {
                sum.add(delta);
            }
        }
    }

    /// Looks at a window that has changed, whole.
    pub(crate) fn look_at(&mut self, window: &Interval) {
        let Ok(number) = u64::try_from(window.window) else { return };
        self.unsettled.insert(number, window.counts);
        let evidence = Window { interval: window, is_final: false };
        for (comparison, part) in comparisons(&self.objectives).zip(&mut self.parts) {
            if let Part::Lasting(recent) = part {
                recent.set(number, || comparison.truth(&evidence).is_true());
            }
        }
    }

    /// The first objective that is met, given the sum of all windows so far.
    pub(crate) fn met(&mut self, totals: &Sum, elapsed_ns: u64) -> Option<&Objective> {
        let measured_s = elapsed_ns.saturating_sub(self.warmup_ns) / WINDOW_NS;
        let now = Now { measured_s, settled: measured_s.saturating_sub(SETTLING_S) };
        self.unsettled = self.unsettled.split_off(&now.settled);
        let mut findings = Vec::with_capacity(self.parts.len());
        for (comparison, part) in comparisons(&self.objectives).zip(&mut self.parts) {
            findings.push(match part {
                Part::Nothing => now.so_far(comparison, totals, &self.unsettled),
                Part::Rest(sum) => now.so_far(comparison, sum, &self.unsettled),
                Part::Lasting(recent) => now.lasting(recent),
            });
        }
        let mut findings = findings.into_iter();
        self.objectives.iter().find(|objective| {
            let mine: Vec<_> = findings.by_ref().take(objective.comparisons.len()).collect();
            objective.finding(&mine).judgement() == Judgement::Failed
        })
    }
}

fn comparisons(objectives: &[Objective]) -> impl Iterator<Item = &Comparison> {
    objectives.iter().flat_map(|objective| &objective.comparisons)
}

/// How far the run is.
#[derive(Clone, Copy)]
struct Now {
    /// Whole seconds since the warm-up.
    measured_s: u64,
    /// Windows that have settled.
    settled: u64,
}

impl Now {
    /// What is found over a scope from `after` to now, of which `sum` is the sum.
    fn so_far(
        self,
        comparison: &Comparison,
        sum: &Sum,
        unsettled: &BTreeMap<u64, Counts>,
    ) -> Finding {
        let after_s = u64::from(comparison.scope.after_s);
        if self.measured_s < after_s + PATIENCE_S {
            return Finding::bare(None);
        }
        let young: Vec<_> = unsettled.range(after_s..).map(|(_, counts)| counts).collect();
        let settled = |count: fn(&Counts) -> u64| {
            count(&sum.counts).saturating_sub(young.iter().map(|counts| count(counts)).sum())
        };
        let counts = Counts {
            completed: settled(|counts| counts.completed),
            completed_ok: settled(|counts| counts.completed_ok),
            ..Counts::default()
        };
        let rates =
            Rates::of(settled(Counts::ended), &counts, (self.settled - after_s) * WINDOW_NS);
        Finding::at_once(*comparison, &Added { sum, rates, unknown_count: 0, is_final: false })
    }

    fn lasting(self, recent: &mut Recent) -> Finding {
        // Where it has not lasted yet, the rest of the run may still bring such a stretch.
        Finding::bare(recent.has_lasted(self.settled).then_some(true))
    }
}

impl Part {
    fn of(comparison: &Comparison) -> Self {
        let Scope { after_s, lasting_s } = comparison.scope;
        let Some(lasting_s) = lasting_s else {
            return if after_s == 0 { Self::Nothing } else { Self::Rest(Box::new(Sum::new())) };
        };
        let empty = Window { interval: &Interval::new(), is_final: false };
        Self::Lasting(Recent {
            first: after_s.into(),
            is_true: VecDeque::new(),
            of_empty: comparison.truth(&empty).is_true(),
            needed: lasting_s as usize,
        })
    }
}

impl Recent {
    /// Notes whether the comparison is true in a window; one too long past is left as it was.
    fn set(&mut self, number: u64, is_true: impl FnOnce() -> bool) {
        self.reach(number + 1);
        let place = number.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        if let Some(window) = place.and_then(|place| self.is_true.get_mut(place)) {
            *window = is_true();
        }
    }

    /// Whether the comparison was true for long enough in windows before `settled`.
    fn has_lasted(&mut self, settled: u64) -> bool {
        self.reach(settled);
        let settled = usize::try_from(settled.saturating_sub(self.first)).unwrap_or(usize::MAX);
        let windows = self.is_true.make_contiguous();
        let windows = &windows[..settled.min(windows.len())];
        stretches(windows, |&is_true| is_true).iter().any(|stretch| stretch.len() >= self.needed)
    }

    /// Nothing happened in windows before `end` that were never looked at.
    fn reach(&mut self, end: u64) {
        let length = usize::try_from(end.saturating_sub(self.first)).unwrap_or(usize::MAX);
        if self.is_true.len() < length {
            self.is_true.resize(length, self.of_empty);
        }
        while self.is_true.len() > self.needed + LATE_S {
            self.is_true.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests;
