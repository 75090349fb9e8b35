//! The two words between a run and the outside: "stop", and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use throng_measure::Nanos;

/// Asks a run to end gracefully: what is due until then is answered, and the report is whole.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    /// A stopper that nobody has used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to end.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler to set.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// When the plan ends, as far as anything but the plan decides it.
#[derive(Debug)]
pub(crate) struct Control {
    stop_at_ns: AtomicU64,
}

impl Control {
    pub(crate) fn new() -> Self {
        Self { stop_at_ns: AtomicU64::new(u64::MAX) }
    }

    #[inline]
    pub(crate) fn stop_at(&self) -> Nanos {
        Nanos(self.stop_at_ns.load(Ordering::Relaxed))
    }

    /// Announces the end. It must lie further ahead than workers look up, so that all of them stop
    /// at the same instant and the offered rate is exact.
    pub(crate) fn announce_stop(&self, at: Nanos) {
        self.stop_at_ns.fetch_min(at.0, Ordering::Relaxed);
    }
}
