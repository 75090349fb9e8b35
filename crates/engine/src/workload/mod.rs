//! When requests are due. One file per kind.
//!
//! An implementor owes the worker:
//!
//! 1. Due times depend on the plan, the seed and the global number of the arrival only; never on
//!    the number of workers. Worker `i` of `n` takes the arrivals `k ≡ i (mod n)`.
//! 2. Due times of one worker never decrease (open model), or follow the order in which users
//!    became ready (closed model).
//! 3. Due times are formed from the arrival's number, never by adding rounded gaps.
//! 4. No clock is read; nothing is allocated after construction.
//!
//! Falling behind shows up as response time, never as a later due time.

use throng_measure::Nanos;

use crate::plan::{Arrivals, Model, Plan};

mod closed;
mod constant;
mod poisson;
mod random;
mod uniform;

pub use closed::Closed;
pub use constant::Constant;
pub use poisson::Poisson;
pub(crate) use random::mix;
pub use random::unit_interval;
pub use uniform::Uniform;

/// What a workload says of its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// It is due then.
    At(Nanos),
    /// It is due when a request under way has ended.
    WhenFinished,
    /// There is none: the plan's number of requests is used up.
    Never,
}

/// When requests of one worker are due. See the module's contract.
pub trait Workload: Send {
    /// The due time of the next request, without taking it.
    fn next_due(&self) -> Due;

    /// Takes the request that [`Workload::next_due`] told of.
    fn take(&mut self);

    /// Whether a request is due at `now` and before `stop`.
    #[inline]
    fn is_due(&self, now: Nanos, stop: Nanos) -> bool {
        matches!(self.next_due(), Due::At(due) if due <= now && due < stop)
    }

    /// Takes the next request if it is due at `now` and before `stop`; returns its due time.
    #[inline]
    fn take_due(&mut self, now: Nanos, stop: Nanos) -> Option<Nanos> {
        match self.next_due() {
            Due::At(due) if due <= now && due < stop => {
                self.take();
                Some(due)
            }
            _ => None,
        }
    }

    /// A request of this worker has ended, with or without an answer.
    fn finished(&mut self, end: Nanos);

    /// When the arrivals of an open plan that is limited by their number are over: the due time of
    /// the first one that is not part of it. `None` when only answers decide.
    fn over_at(&self) -> Option<Nanos>;
}

/// One worker's share of the global plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The worker's number.
    pub worker: u32,
    /// How many there are.
    pub workers: u32,
}

impl Share {
    /// How much of `total` things this worker gets; the remainder goes to the first workers, one
    /// each, so that nothing is lost.
    #[must_use]
    pub fn of(self, total: u64) -> u64 {
        let (worker, workers) = (u64::from(self.worker), u64::from(self.workers));
        total / workers + u64::from(worker < total % workers)
    }

    /// The same for a count that fits 32 bits.
    #[must_use]
    pub fn of_u32(self, total: u32) -> u32 {
        total / self.workers + u32::from(self.worker < total % self.workers)
    }
}

/// The workload of one worker.
#[must_use]
pub fn of_plan(plan: &Plan, share: Share) -> Box<dyn Workload> {
    match plan.model {
        Model::Closed { connections } => {
            let users = share.of_u32(connections) as usize * plan.pipeline as usize;
            Box::new(Closed::new(users, plan.stop.requests.map(|total| share.of(total))))
        }
        Model::Open { rate, arrivals, .. } => {
            let limit = plan.stop.requests;
            match arrivals {
                Arrivals::Constant => Box::new(Constant::new(rate, share, limit)),
                Arrivals::Poisson => Box::new(Poisson::new(rate, share, limit, plan.seed)),
                Arrivals::Uniform => Box::new(Uniform::new(rate, share, limit, plan.seed)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
