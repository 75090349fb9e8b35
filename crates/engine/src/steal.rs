//! Processor time that the hypervisor gave to others.

use std::fs;

/// A reading of the machine's processor time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steal {
    total_ticks: u64,
    stolen_ticks: u64,
}

impl Steal {
    /// Reads `/proc/stat`; zeros where there is none.
    pub(crate) fn read() -> Self {
        fs::read_to_string("/proc/stat").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// The first line is `cpu user nice system idle iowait irq softirq steal guest guest_nice`;
    /// guests are counted within user (proc(5)).
    fn parse(text: &str) -> Self {
        let line = text.lines().next().unwrap_or_default();
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).take(8).collect();
        Self { total_ticks: ticks.iter().sum(), stolen_ticks: ticks.get(7).copied().unwrap_or(0) }
    }

    /// The share of processor time stolen since `earlier`, 0..=1.
    #[allow(clippy::cast_precision_loss, reason = "a ratio of tick counts")]
    pub(crate) fn ratio_since(self, earlier: Self) -> Option<f64> {
        let total = self.total_ticks.checked_sub(earlier.total_ticks).filter(|&total| total > 0)?;
        let stolen = self.stolen_ticks.checked_sub(earlier.stolen_ticks)?;
        Some(stolen as f64 / total as f64)
    }
}

#[cfg(test)]
mod tests;
