//! Whether the machine had time for a test that keeps time.

use std::fs;

/// What the processors had done at an instant, in ticks of all of them together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticks {
    busy: f64,
    total: f64,
}

impl Ticks {
    /// Reads `/proc/stat`. Whatever runs counts, niced or not: it disturbs either way.
    pub(crate) fn now() -> Self {
        let text = fs::read_to_string("/proc/stat").expect("Linux");
        let line = text.lines().next().expect("the sum of all processors");
        let ticks = line.split_whitespace().skip(1).map(|ticks| ticks.parse().expect("a number"));
        // User, nice, system, idle, waiting for disks, two kinds of interrupts, stolen; what guests
        // took, behind these, is in user already.
        let ticks: Vec<f64> = ticks.take(8).collect();
        let total = ticks.iter().sum();
        Self { busy: total - ticks[3] - ticks[4], total }
    }

    /// The share of their time for which the processors have been busy since.
    pub(crate) fn busy_ratio(self) -> f64 {
        let now = Self::now();
        (now.busy - self.busy) / (now.total - self.total)
    }
}
