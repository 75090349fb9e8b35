//! The progress line: on standard error, only when that is a terminal.
//!
//! Invariant: it changes nothing about the run; it is told once a second how far the run is.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use throng_engine::plan::{Plan, Stop};
use throng_measure::{Progress, format};

/// The line of one run.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    stop: Stop,
}

impl ProgressLine {
    /// Shows the line, unless `quiet` or standard error is no terminal.
    pub(crate) fn start(plan: &Plan, quiet: bool) -> Self {
        let visible = !quiet && io::stderr().is_terminal();
        let bar = visible.then(|| {
            let bar = ProgressBar::with_draw_target(
                Some(plan.stop.duration_ns.or(plan.stop.requests).unwrap_or(1)),
                ProgressDrawTarget::stderr(),
            );
            bar.set_style(style());
            bar.set_message(plan.title());
            bar
        });
        Self { bar, stop: plan.stop }
    }

    /// Shows how the run stands. `stopping`: it was asked to end.
    pub(crate) fn tick(&self, progress: &Progress, stopping: bool) {
        let Some(bar) = &self.bar else { return };
        bar.set_position(position(self.stop, progress));
        bar.set_message(line(self.stop, progress, stopping));
    }

    /// Removes the line: the report takes its place.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn style() -> ProgressStyle {
    // A template without a fault is a constant; should it ever have one, the plain bar serves.
    ProgressStyle::with_template("{bar:16} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

fn position(stop: Stop, progress: &Progress) -> u64 {
    match stop.duration_ns {
        Some(_) => progress.elapsed_ns,
        // What was planned and has ended, however it ended.
        None => progress
            .planned
            .saturating_sub(u64::from(progress.in_flight) + u64::from(progress.queued)),
    }
}

/// `3s of 10s  20,123/s  p50 1.20 ms  p99 3.44 ms  0 failed`
fn line(stop: Stop, progress: &Progress, stopping: bool) -> String {
    let elapsed = whole_seconds(progress.elapsed_ns);
    let mut text = match (stop.duration_ns, stop.requests) {
        (Some(total_ns), _) => format!("{elapsed} of {}", whole_seconds(total_ns)),
        (None, Some(total)) => format!("{elapsed}  {} of {total}", progress.completed),
        (None, None) => elapsed,
    };
    text.push_str(&format!("  {}/s", format::rate(progress.rate_per_s)));
    for (name, value) in [("p50", progress.p50_ns), ("p99", progress.p99_ns)] {
        if let Some(ns) = value {
            text.push_str(&format!("  {name} {}", format::duration(ns as f64)));
        }
    }
    text.push_str(&format!("  {} failed", progress.failed));
    if progress.queued > 0 {
        text.push_str(&format!("  {} waiting", progress.queued));
    }
    if stopping || stop.duration_ns.is_some_and(|total_ns| progress.elapsed_ns > total_ns) {
        text.push_str(&format!("  draining {}", progress.in_flight));
    }
    text
}

fn whole_seconds(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, m, s) => format!("{h}h{m:02}m{s:02}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_TIME: Stop = Stop { duration_ns: Some(90_000_000_000), requests: None };
    const BY_COUNT: Stop = Stop { duration_ns: None, requests: Some(500) };

    fn progress() -> Progress {
        Progress {
            elapsed_ns: 3_000_000_000,
            rate_per_s: 20_123.4,
            p50_ns: Some(1_204_000),
            p99_ns: None,
            completed: 60_000,
            failed: 2,
            in_flight: 7,
            ..Progress::default()
        }
    }

    #[test]
    fn the_line_shows_what_is_known_and_leaves_out_what_is_not() {
        let text = line(BY_TIME, &progress(), false);
        assert_eq!(text, "3s of 1m30s  20,123/s  p50 1.20 ms  2 failed");
    }

    #[test]
    fn the_line_says_when_only_answers_are_waited_for() {
        let late = Progress { elapsed_ns: 91_000_000_000, ..progress() };
        assert!(line(BY_TIME, &late, false).ends_with("draining 7"));
        assert!(line(BY_COUNT, &progress(), true).ends_with("draining 7"));
    }

    #[test]
    fn a_run_by_number_shows_the_number() {
        let state = Progress { planned: 130, completed: 120, ..progress() };
        let text = line(BY_COUNT, &state, false);
        assert!(text.starts_with("3s  120 of 500  20,123/s"), "{text}");
        assert_eq!(position(BY_COUNT, &state), 123);
    }
}
