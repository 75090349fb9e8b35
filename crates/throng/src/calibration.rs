//! What this machine can generate at most: the result of `throng calibrate`, and what later runs
//! learn from it.
//!
//! A [`Calibration`] is the JSON that `throng calibrate` prints and keeps ([`store`]). A run that
//! is like one of the calibrated ones learns its ceiling from it ([`Calibration::capacity`]).
//!
//! Invariant: nothing is said of runs that are unlike the calibrated ones: another number of
//! workers, connections outside the measured range, pipelining, a connection per request.
//!
//! Not here: measuring it (`commands::calibrate`).

use serde::{Deserialize, Serialize};
use throng_engine::plan::{Endpoint, Model, Plan};
use throng_measure::audit::{BUSY_RATIO, LATE_FLOOR_NS, RATE_REACHED_RATIO};
use throng_measure::{Capacity, Distribution, Environment, Level};

pub(crate) mod store;

/// The form of the JSON; a change that an older throng cannot read takes the next number.
pub(crate) const FORMAT: u32 = 1;

/// A rate is held when 99 % of its requests are dispatched within this time after they were due:
/// the lateness that the audit lets pass whatever the response time.
pub(crate) const HELD_LATENESS_P99_NS: u64 = LATE_FLOOR_NS;

/// The generator was the limit when its busiest worker had a processor for this share of the time.
pub(crate) const GENERATOR_LIMIT_RATIO: f64 = BUSY_RATIO;

/// Below this share, concluding from it to a full worker would multiply by more than ten.
const ESTIMABLE_RATIO: f64 = 0.1;

/// What one machine can generate, and how late it does so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibration {
    /// [`FORMAT`].
    pub(crate) format: u32,
    /// The throng that measured it.
    pub(crate) version: String,
    /// What was measured.
    pub(crate) machine: Machine,
    /// When it began, in nanoseconds since 1970, UTC.
    pub(crate) started_unix_ns: i64,
    /// Worker threads of the generator, where there were as many connections.
    pub(crate) worker_count: u32,
    /// Threads of the sink that answered, on the same machine.
    pub(crate) sink_worker_count: u32,
    /// How long each rate was measured, after its warm-up.
    pub(crate) step_ns: u64,
    /// The closed model, by rising number of connections.
    pub(crate) closed: Vec<Closed>,
    /// The open model.
    pub(crate) open: Open,
    /// What throng adds, by rising rate.
    pub(crate) added_delay: Vec<AddedDelay>,
    /// How late a worker wakes that has next to nothing to do.
    pub(crate) timer_error_ns: Delay,
}

/// What tells one machine from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// `uname -r`.
    pub(crate) host_kernel: String,
    /// The processor's name.
    pub(crate) cpu_model: String,
    /// Processors that throng may run on.
    pub(crate) cpu_count: u32,
}

/// The closed model at one number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Closed {
    pub(crate) connections: u32,
    /// Worker threads: never more than connections.
    pub(crate) worker_count: u32,
    /// Answers per second.
    pub(crate) achieved_per_s: u64,
    /// The share of the time in which the busiest worker had a processor, 0..=1.
    pub(crate) busiest_worker_ratio: Option<f64>,
    pub(crate) ceiling: Option<Ceiling>,
}

/// What the generator can do at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ceiling {
    /// Requests per second. Never 0.
    pub(crate) rate_per_s: u64,
    /// Whether it was concluded from a lower rate, because the generator was not the limit.
    pub(crate) estimated: bool,
}

/// The open model with equal gaps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Open {
    /// The highest rate that was held.
    pub(crate) held: Option<Trial>,
    /// The lowest rate above it that was not.
    pub(crate) not_held: Option<Trial>,
    pub(crate) ceiling: Option<Ceiling>,
}

/// One rate of the open model, tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trial {
    /// Requests due per second.
    pub(crate) rate_per_s: u64,
    /// Answers per second.
    pub(crate) achieved_per_s: u64,
    pub(crate) lateness_ns: Delay,
    pub(crate) busiest_worker_ratio: Option<f64>,
}

/// What became of a [`Trial`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Sent in time and answered.
    Held,
    /// The generator sent too late.
    Late,
    /// Sent in time, but not answered at that rate: the sink was the limit.
    Unanswered,
}

/// What throng adds to requests at one rate of the open model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AddedDelay {
    /// The rate's share of the highest rate, 0..=1.
    pub(crate) share_ratio: f64,
    /// Requests due per second.
    pub(crate) rate_per_s: u64,
    pub(crate) busiest_worker_ratio: Option<f64>,
    /// `dispatched − due`: within the response time.
    pub(crate) lateness_ns: Delay,
    /// `transmitted − sent`, of a sample: within the response time and the service time.
    pub(crate) transmit_ns: Delay,
    /// `read − end`: within neither; it delays what comes next.
    pub(crate) wakeup_ns: Delay,
}

/// Some percentiles in nanoseconds; `None` where the samples do not support one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delay {
    pub(crate) p50: Option<u64>,
    pub(crate) p99: Option<u64>,
    pub(crate) max: Option<u64>,
}

impl Calibration {
    /// What the generator can do at most in such a run.
    pub(crate) fn capacity(&self, plan: &Plan) -> Option<Capacity> {
        let is_like = plan.keep_alive
            && plan.pipeline == 1
            && plan.tls.is_none()
            && plan.workers == self.worker_count.min(plan.connections_max())
            && plan.endpoints.iter().all(|endpoint| matches!(endpoint, Endpoint::Tcp(_)));
        let ceiling = match plan.model {
            _ if !is_like => None,
            Model::Closed { connections } => between(&self.closed, connections),
            // A pool of fewer connections than workers has fewer workers than were calibrated.
            Model::Open { .. } if plan.workers != self.worker_count => None,
            Model::Open { .. } => self.open.ceiling,
        };
        ceiling.filter(|ceiling| ceiling.rate_per_s > 0).map(|Ceiling { rate_per_s, estimated }| {
            Capacity { rate_per_s, estimated, calibrated_unix_ns: self.started_unix_ns }
        })
    }
}

/// The ceiling at a number of connections: measured there, or on the straight line between its
/// neighbours over the logarithm of the number. `None` outside the measured range.
fn between(points: &[Closed], connections: u32) -> Option<Ceiling> {
    let above = points.iter().position(|point| point.connections >= connections)?;
    let high = points.get(above)?;
    if high.connections == connections {
        return high.ceiling;
    }
    let low = points.get(above.checked_sub(1)?)?;
    let (from, to) = (low.ceiling?, high.ceiling?);
    let [at, start, end] =
        [connections, low.connections, high.connections].map(|count| f64::from(count).ln());
    let place = (at - start) / (end - start);
    let rate_per_s =
        from.rate_per_s as f64 + (to.rate_per_s as f64 - from.rate_per_s as f64) * place;
    Some(Ceiling {
        rate_per_s: rate_per_s.round() as u64,
        estimated: from.estimated || to.estimated,
    })
}

impl Ceiling {
    /// The ceiling of a generator that reached a rate with its busiest worker so busy. It is that
    /// rate where the generator was the limit, as the caller knows or a full worker shows; else
    /// the rate that a full worker would reach at the same cost per request, `rate / ratio`: an
    /// estimate. `None` where the ratio is unknown or too small for one.
    pub(crate) fn of(
        rate_per_s: u64,
        busiest_worker_ratio: Option<f64>,
        generator_was_limit: bool,
    ) -> Option<Self> {
        if rate_per_s == 0 {
            return None;
        }
        if generator_was_limit || busiest_worker_ratio >= Some(GENERATOR_LIMIT_RATIO) {
            return Some(Self { rate_per_s, estimated: false });
        }
        let ratio = busiest_worker_ratio.filter(|&ratio| ratio >= ESTIMABLE_RATIO)?;
        Some(Self { rate_per_s: (rate_per_s as f64 / ratio).round() as u64, estimated: true })
    }
}

impl Open {
    /// What the highest rate that was held and the lowest that was not say of the ceiling.
    pub(crate) fn of(held: Option<Trial>, not_held: Option<Trial>) -> Self {
        let was_late = not_held.is_some_and(|trial| trial.verdict() == Verdict::Late);
        let ceiling =
            held.and_then(|held| Ceiling::of(held.rate_per_s, held.busiest_worker_ratio, was_late));
        Self { held, not_held, ceiling }
    }
}

impl Trial {
    /// Whether the rate was held, and if not, who failed. Where the samples are too few for a
    /// p99, the maximum stands in for it.
    pub(crate) fn verdict(&self) -> Verdict {
        let lateness_ns = self.lateness_ns.p99.or(self.lateness_ns.max);
        if lateness_ns.is_none_or(|ns| ns > HELD_LATENESS_P99_NS) {
            Verdict::Late
        } else if (self.achieved_per_s as f64) < RATE_REACHED_RATIO * self.rate_per_s as f64 {
            Verdict::Unanswered
        } else {
            Verdict::Held
        }
    }
}

impl Delay {
    /// The percentiles of a distribution in which every value is known.
    pub(crate) fn of(distribution: &Distribution) -> Self {
        let known = |level| distribution.at(level).value();
        Self { p50: known(Level::P50), p99: known(Level::P99), max: distribution.max_ns }
    }
}

impl From<&Environment> for Machine {
    fn from(environment: &Environment) -> Self {
        Self {
            host_kernel: environment.host_kernel.clone(),
            cpu_model: environment.cpu_model.clone(),
            cpu_count: environment.cpu_count,
        }
    }
}

#[cfg(test)]
mod tests;
