//! What the whole machine did: processor time that the hypervisor gave to others, and TCP segments
//! that were sent again.

use std::fs;

/// A reading of the machine's counters; zeros and `None` where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Host {
    total_ticks: u64,
    stolen_ticks: u64,
    retransmitted: Option<u64>,
}

impl Host {
    /// Reads `/proc/stat` and `/proc/net/snmp`.
    pub(crate) fn read() -> Self {
        let text = |path| fs::read_to_string(path).unwrap_or_default();
        Self::parse(&text("/proc/stat"), &text("/proc/net/snmp"))
    }

    /// The first line of `stat` is `cpu user nice system idle iowait irq softirq steal guest
    /// guest_nice`; guests are counted within user (proc(5)). In `snmp`, a line of names is
    /// followed by one of values.
    fn parse(stat: &str, snmp: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).map_while(|word| word.parse().ok()).take(8).collect();
        let mut tcp = snmp.lines().filter(|line| line.starts_with("Tcp:"));
        let (names, values) = (tcp.next().unwrap_or_default(), tcp.next().unwrap_or_default());
        let mut pairs = names.split_whitespace().zip(values.split_whitespace());
        let retransmitted = pairs.find(|(name, _)| *name == "RetransSegs");
        Self {
            total_ticks: ticks.iter().sum(),
            stolen_ticks: ticks.get(7).copied().unwrap_or(0),
            retransmitted: retransmitted.and_then(|(_, value)| value.parse().ok()),
        }
    }

    /// The share of processor time stolen since `earlier`, 0..=1.
    #[allow(clippy::cast_precision_loss, reason = "a ratio of tick counts")]
    pub(crate) fn steal_ratio_since(&self, earlier: &Self) -> Option<f64> {
        let total = self.total_ticks.checked_sub(earlier.total_ticks).filter(|&total| total > 0)?;
        let stolen = self.stolen_ticks.checked_sub(earlier.stolen_ticks)?;
        Some(stolen as f64 / total as f64)
    }

    /// TCP segments that the host sent again since `earlier`.
    pub(crate) fn retransmitted_since(&self, earlier: &Self) -> Option<u64> {
        self.retransmitted?.checked_sub(earlier.retransmitted?)
    }
}

#[cfg(test)]
mod tests;
