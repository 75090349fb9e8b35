//! The progress line: on standard error, only when that is a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use throng_measure::{Progress, format};

/// The line of all rounds.
pub(super) struct Line {
    bar: Option<ProgressBar>,
    rounds: usize,
}

impl Line {
    /// Shows the line, unless `quiet` or standard error is no terminal.
    pub(super) fn start(rounds: usize, quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        let bar = visible.then(|| {
            let target = ProgressDrawTarget::stderr();
            ProgressBar::with_draw_target(Some(rounds as u64), target).with_style(style())
        });
        Self { bar, rounds }
    }

    /// Shows that a round begins, after so many.
    pub(super) fn begin(&self, done: usize, name: &str) {
        let Some(bar) = &self.bar else { return };
        bar.set_position(done as u64);
        bar.set_prefix(format!("round {} of {}: {name}", done + 1, self.rounds));
        bar.set_message("");
    }

    /// Shows how the round stands.
    pub(super) fn tick(&self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        let p50 = progress.p50_ns.map(|ns| format!("  p50 {}", format::duration(ns as f64)));
        let rate = format::rate(progress.rate_per_s);
        bar.set_message(format!("{rate}/s{}", p50.unwrap_or_default()));
    }

    /// Removes the line: the report takes its place.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    // A template without a fault is a constant; should it ever have one, the plain bar serves.
    ProgressStyle::with_template("{bar:16} {prefix}  {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
