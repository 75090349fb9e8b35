//! Closed model: each user sends its next request when the last one has ended.

use std::collections::VecDeque;

use throng_measure::Nanos;

use super::{Due, Workload};

/// Users that become ready when their last request has ended. All are ready when the run begins.
#[derive(Debug)]
pub struct Closed {
    ready: VecDeque<Nanos>,
    /// Requests that may still be planned; `None` when only time limits them.
    left: Option<u64>,
}

impl Closed {
    /// `users` users who together send at most `limit` requests.
    #[must_use]
    pub fn new(users: usize, limit: Option<u64>) -> Self {
        Self { ready: std::iter::repeat_n(Nanos::ZERO, users).collect(), left: limit }
    }
}

impl Workload for Closed {
    #[inline]
    fn next_due(&self) -> Due {
        match self.ready.front() {
            _ if self.left == Some(0) => Due::Never,
            Some(&due) => Due::At(due),
            None => Due::WhenFinished,
        }
    }

    #[inline]
    fn take(&mut self) {
        self.ready.pop_front();
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(1);
        }
    }

    fn finished(&mut self, end: Nanos) {
        self.ready.push_back(end);
    }

    fn over_at(&self) -> Option<Nanos> {
        None
    }
}
