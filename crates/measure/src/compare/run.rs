//! What a comparison needs of one run.

use super::Figure;
use super::change::{self, Bounds};
use crate::confidence::{self, BATCHES_MIN};
use crate::{RunFile, RunFileError, Summary, WINDOW_NS};

/// A run that is compared.
#[derive(Clone, Debug)]
pub struct Run {
    /// All that reports print.
    pub summary: Summary,
    /// Answers in each whole second of the measured part.
    completed: Vec<u64>,
}

impl Run {
    /// Reads what is needed of a run file, which can be closed then.
    ///
    /// # Errors
    /// Those of [`RunFile::summary`].
    pub fn of(file: &RunFile) -> Result<Self, RunFileError> {
        let summary = file.summary()?;
        let mut completed = Vec::new();
        file.for_each_window(|interval| {
            let second = usize::try_from(interval.window).ok();
            if let Some(second) = second.filter(|&second| second < whole_seconds(&summary)) {
                // A second without an answer can be without a window.
                completed.resize(completed.len().max(second + 1), 0);
                completed[second] = interval.counts.completed;
            }
            Ok::<_, RunFileError>(())
        })?;
        completed.resize(whole_seconds(&summary), 0);
        Ok(Self { summary, completed })
    }

    pub(super) fn offered_per_s(&self) -> f64 {
        self.summary.rates.offered_per_s
    }

    /// The logarithm of a figure with its confidence interval, whose ends are infinite where the run
    /// bounds nothing; `None` where it says nothing at all.
    pub(super) fn bounds(&self, figure: Figure) -> Option<Bounds> {
        let (value, low, high) = match figure {
            Figure::Rate => self.rate_bounds()?,
            Figure::At(level) => {
                let interval = self.summary.response_time.ci95(level)?;
                let value = self.summary.response_time.at(level).value()?;
                let [low, high] =
                    [interval.low_ns, interval.high_ns].map(|ns| ns.map(|ns| ns as f64));
                (value as f64, low.unwrap_or(0.0), high.unwrap_or(f64::INFINITY))
            }
        };
        Some(Bounds {
            ln: value.ln(),
            low_ln: low.max(0.0).ln(),
            high_ln: high.ln(),
            degrees: (self.completed.len() as f64 - 1.0).max(1.0),
        })
    }

    /// The achieved rate and the ends of its interval, per second: of the whole seconds' answers,
    /// what [`confidence`] makes of the windows of a percentile.
    fn rate_bounds(&self) -> Option<(f64, f64, f64)> {
        if self.completed.len() < BATCHES_MIN {
            return None;
        }
        let counts: Vec<f64> = self.completed.iter().map(|&count| count as f64).collect();
        let mean = change::mean(&counts);
        let residuals = counts.iter().map(|count| count - mean).collect();
        // Of ranks, too many below mean a lower percentile; of a sum, too many mean a higher one.
        let [more, less] = confidence::reach(&confidence::batched(residuals));
        let [less, more] = [less, more].map(|reach| reach / counts.len() as f64);
        let rate = self.summary.rates.achieved_per_s;
        Some((rate, rate - less, rate + more))
    }
}

/// Windows that lie in the measured part from end to end.
fn whole_seconds(summary: &Summary) -> usize {
    usize::try_from(summary.span_ns / WINDOW_NS).map_or(SECONDS_MAX, |n| n.min(SECONDS_MAX))
}

/// Of a run longer than 11 days, the first 11 are looked at.
const SECONDS_MAX: usize = 1_000_000;

#[cfg(test)]
mod tests;
