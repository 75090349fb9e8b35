//! Setting objectives against a run file.

use super::comparison::Truth;
use super::evidence::{Added, Evidence, Window};
use super::finding::{Found, Shortage};
use super::lasting::lasting;
use super::{Comparison, Finding, Objective};
use crate::interval::Sum;
use crate::{Counts, Interval, Rates, RunFile, RunFileError, Summary, WINDOW_NS};

/// Sets objectives against a run: a finding for each, in their order.
///
/// Reads the windows once, and not at all where no comparison has `for` or `after`. In a run that
/// was cut, requests are missing from the windows: what is counted there is a lower bound.
///
/// # Errors
/// Those of [`RunFile::summary`].
pub fn judge(
    objectives: &[Objective],
    run: &RunFile,
    summary: &Summary,
) -> Result<Vec<Finding>, RunFileError> {
    if objectives.is_empty() {
        return Ok(Vec::new());
    }
    let measured = Measured::of(summary);
    let comparisons = objectives.iter().flat_map(|objective| &objective.comparisons);
    let mut parts: Vec<_> = comparisons.map(|comparison| Part::of(comparison, &measured)).collect();
    if parts.iter().any(Part::needs_windows) {
        run.for_each_window(|window| {
            parts.iter_mut().for_each(|part| part.add(window, &measured));
            Ok::<_, RunFileError>(())
        })?;
    }
    let whole = whole(run, summary)?;
    let whole = Added {
        sum: &whole,
        rates: summary.rates,
        unknown_count: summary.lost,
        // Requests of which nothing was written are unfinished here.
        is_final: true,
    };
    let mut findings = parts.into_iter().map(|part| part.finding(&whole, &measured));
    let of_each = objectives.iter().map(|objective| {
        let mine: Vec<_> = findings.by_ref().take(objective.comparisons.len()).collect();
        objective.finding(&mine)
    });
    Ok(of_each.collect())
}

/// The whole run, as the summary has it.
fn whole(run: &RunFile, summary: &Summary) -> Result<Sum, RunFileError> {
    let counts = Counts { outcomes: summary.outcomes, ..Counts::default() };
    Sum::of(counts, &summary.statuses, |metric| run.total(metric))
}

/// The measured time of a run.
struct Measured {
    span_ns: u64,
    /// Whole seconds of the span.
    windows: usize,
    /// Whether every request has its end in a window.
    is_final: bool,
}

impl Measured {
    fn of(summary: &Summary) -> Self {
        let windows = usize::try_from(summary.span_ns / WINDOW_NS).unwrap_or(usize::MAX);
        let windows = windows.min(WINDOWS_MAX);
        Self { span_ns: summary.span_ns, windows, is_final: summary.lost == 0 }
    }
}

/// What one comparison needs of the windows.
struct Part<'a> {
    comparison: &'a Comparison,
    gathered: Gathered,
}

enum Gathered {
    /// Nothing: it is about the whole run.
    Nothing,
    /// Their sum.
    Sum(Box<Sum>),
    /// Whether it was true in each, and whether it is in one without anything.
    Truths { windows: Vec<Truth>, of_empty: Truth },
}

impl<'a> Part<'a> {
    fn of(comparison: &'a Comparison, measured: &Measured) -> Self {
        let scope = comparison.scope;
        let gathered = match scope.lasting_s {
            Some(_) => {
                let empty = Window { interval: &Interval::new(), is_final: measured.is_final };
                Gathered::Truths { windows: Vec::new(), of_empty: comparison.truth(&empty) }
            }
            None if scope.after_s > 0 => Gathered::Sum(Box::new(Sum::new())),
            None => Gathered::Nothing,
        };
        Self { comparison, gathered }
    }

    fn needs_windows(&self) -> bool {
        !matches!(self.gathered, Gathered::Nothing)
    }

    /// Takes what it needs of a window. Windows come in rising order.
    fn add(&mut self, window: &Interval, measured: &Measured) {
        // Negative during the warm-up.
        let Ok(number) = usize::try_from(window.window) else { return };
        let Some(place) = number.checked_sub(self.comparison.scope.after_s as usize) else {
            return;
        };
        match &mut self.gathered {
            Gathered::Nothing => {}
            Gathered::Sum(sum) => sum.add(window),
            Gathered::Truths { windows, of_empty } if number < measured.windows => {
                windows.resize(place, *of_empty);
                let evidence = Window { interval: window, is_final: measured.is_final };
                windows.push(self.comparison.truth(&evidence));
            }
            // The second that the end cut short, and what was moved after it.
            Gathered::Truths { .. } => {}
        }
    }

    fn finding(self, whole: &dyn Evidence, measured: &Measured) -> Finding {
        let comparison = *self.comparison;
        let after_s = comparison.scope.after_s;
        match self.gathered {
            Gathered::Nothing => Finding::at_once(comparison, whole),
            Gathered::Sum(sum) => {
                if measured.windows <= after_s as usize {
                    return too_short(comparison, measured, u64::from(after_s) + 1);
                }
                let length_ns = measured.span_ns - u64::from(after_s) * WINDOW_NS;
                let rates = Rates::of(sum.counts.ended(), &sum.counts, length_ns);
                let is_final = measured.is_final;
                let rest = Added { sum: &sum, rates, unknown_count: 0, is_final };
                Finding::at_once(comparison, &rest)
            }
            Gathered::Truths { mut windows, of_empty } => {
                let needed_s = comparison.scope.lasting_s.unwrap_or(1);
                windows.resize(measured.windows.saturating_sub(after_s as usize), of_empty);
                if windows.len() < needed_s as usize {
                    let needed_s = u64::from(after_s) + u64::from(needed_s);
                    return too_short(comparison, measured, needed_s);
                }
                let (is_met, found) = lasting(&windows, after_s as usize, needed_s as usize);
                Finding::of(comparison, is_met, found)
            }
        }
    }
}

fn too_short(comparison: Comparison, measured: &Measured, needed_s: u64) -> Finding {
    let shortage = Shortage::TooShort { measured_ns: measured.span_ns, needed_s };
    Finding::of(comparison, None, Found::Lacking(shortage))
}

/// Windows that `for` looks at: 48 days. Bounds the memory that a damaged file can claim.
const WINDOWS_MAX: usize = 1 << 22;
