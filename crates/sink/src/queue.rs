//! One server and the queue before it, in virtual time: no processor is used for the service.
//!
//! Everything under `/queue/` stands in this one queue, whatever worker and connection it came by:
//! first come, first served, by one server that never rests while somebody waits. A request that
//! arrives at `a` begins at the later of `a` and the instant `f` at which the server is free, and
//! departs its service time later, which is the next `f` (Lindley's recursion). So the state is `f`.
//!
//! With Poisson arrivals, `/queue/exponential/TIME` is M/M/1 and `/queue/fixed/TIME` M/D/1; a mix of
//! paths is M/G/1. The queue has no limit of its own: who waits holds a connection, and those have
//! one. A client that leaves is served all the same.
//!
//! Invariant: departures do not depend on when the sink's threads ran, only on arrival instants,
//! on the order in which heads were read, and on the seed.
//!
//! Source: Lindley, "The theory of queues with a single server", Proc. Cambridge Phil. Soc. 48, 1952.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fastrand::Rng;

/// How long the server takes for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// Exponentially distributed, with this mean.
    Exponential(Duration),
    /// Always the same.
    Fixed(Duration),
}

/// What the queue decided for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Served {
    pub(crate) service_ns: u64,
    pub(crate) departure_ns: u64,
}

/// The queue; shared by all workers.
#[derive(Debug)]
pub(crate) struct Queue {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free_ns: u64,
    random: Rng,
}

impl Queue {
    /// An empty queue. The n-th exponential service time is a function of `seed` and n.
    ///
    /// The generator (wyrand) is none that throng uses: equal seeds must not make service times
    /// follow from the gaps between arrivals.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: Mutex::new(State { free_ns: 0, random: Rng::with_seed(seed) }) }
    }

    /// Lets a request that arrived at `arrival_ns` join the end of the queue.
    pub(crate) fn join(&self, arrival_ns: u64, service: Service) -> Served {
        // Nothing panics while it is held, and no value of the state is a broken one.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let service_ns = match service {
            Service::Exponential(mean) => exponential_ns(mean, &mut state.random),
            Service::Fixed(duration) => nanoseconds(duration),
        };
        let departure_ns = state.free_ns.max(arrival_ns).saturating_add(service_ns);
        state.free_ns = departure_ns;
        Served { service_ns, departure_ns }
    }
}

/// Draws by inversion: `-mean * ln(1 - u)` for `u` uniform in [0, 1).
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a random duration of at most 37 means: its last bits carry no meaning"
)]
fn exponential_ns(mean: Duration, random: &mut Rng) -> u64 {
    let units = -(-random.f64()).ln_1p();
    (units * nanoseconds(mean) as f64).round() as u64
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
