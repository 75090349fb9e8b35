//! Where workers wait for each other before the run begins.

use std::sync::{Condvar, Mutex, PoisonError};

use throng_measure::Nanos;

use crate::io::clock::Clock;

/// All workers are ready, then all begin at one instant.
#[derive(Debug, Default)]
pub(crate) struct Rendezvous {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ready_count: u32,
    start: Option<Nanos>,
}

impl Rendezvous {
    /// A worker is ready. Returns when the run begins, which is a little ahead.
    pub(crate) fn wait(&self) -> Nanos {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ready_count += 1;
        self.changed.notify_all();
        loop {
            match state.start {
                Some(start) => return start,
                None => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Waits until `workers` are ready and lets them begin. Returns that instant.
    pub(crate) fn start(&self, workers: u32, clock: Clock) -> Nanos {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.ready_count < workers {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let start = clock.now().plus(START_AHEAD_NS);
        state.start = Some(start);
        self.changed.notify_all();
        start
    }

    /// There will be no run: nobody has to wait.
    pub(crate) fn call_off(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.start = Some(Nanos::ZERO);
        self.changed.notify_all();
    }
}

/// Time for the workers to wake up in.
const START_AHEAD_NS: u64 = 1_000_000;
