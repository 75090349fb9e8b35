//! The conductor: what the caller's thread does while the workers run.

use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use throng_measure::{
    Gauges, Generator, Nanos, Progress, RunEnd, RunWriter, Second, Span, Tick, WINDOW_NS,
};

use crate::control::{Control, Stopper};
use crate::error::RunError;
use crate::host::Host;
use crate::io::clock::Clock;
use crate::io::limits::Usage;
use crate::mailbox::Desk;
use crate::plan::Plan;
use crate::worker::{LOOK_UP_NS, WorkerEnd};

/// Collects what workers hand over, writes it down once a second, passes the word to stop.
pub(crate) struct Conductor<'a> {
    clock: Clock,
    control: &'a Control,
    stopper: &'a Stopper,
    desks: Vec<(Desk, State)>,
    usage: Usage,
    /// The host when the run began, and at the last tick.
    host: Host,
    host_at_tick: Host,
    /// The objective because of which the run was told to end.
    met: Option<String>,
}

/// What a worker said of itself last, and what it had said at the tick before.
#[derive(Default)]
struct State {
    now: Gauges,
    at_tick: Gauges,
}

impl<'a> Conductor<'a> {
    /// A conductor for the workers behind `desks`, from the run's zero on.
    pub(crate) fn new(
        clock: Clock,
        control: &'a Control,
        stopper: &'a Stopper,
        desks: Vec<Desk>,
    ) -> Self {
        let desks = desks.into_iter().map(|desk| (desk, State::default())).collect();
        let (usage, host) = (Usage::read(), Host::read());
        Self { clock, control, stopper, desks, usage, host, host_at_tick: host, met: None }
    }

    /// Works until every worker has ended.
    pub(crate) fn conduct<T>(
        &mut self,
        threads: &[ScopedJoinHandle<'_, T>],
        writer: &mut RunWriter,
        on_tick: &mut dyn FnMut(&Progress),
    ) -> Result<(), RunError> {
        let mut next_commit = Nanos(WINDOW_NS + HAND_OVER_NS);
        while !threads.iter().all(ScopedJoinHandle::is_finished) {
            // A worker that ends unparks this thread.
            thread::park_timeout(POLL);
            self.collect(writer);
            let now = self.clock.now();
            if self.stopper.is_requested() {
                self.control.announce_stop(now.plus(2 * LOOK_UP_NS));
            }
            if now >= next_commit {
                writer.commit(&self.tick(now))?;
                on_tick(&writer.progress());
                self.stop_if_met(writer);
                next_commit = Nanos((now.0 / WINDOW_NS + 1) * WINDOW_NS + HAND_OVER_NS);
            }
        }
        Ok(())
    }

    /// Asks the run to end when an objective that it watches is met.
    fn stop_if_met(&mut self, writer: &mut RunWriter) {
        if self.stopper.is_requested() {
            return;
        }
        if let Some(objective) = writer.met() {
            self.met = Some(objective.text().to_owned());
            self.stopper.request();
        }
    }

    /// Adds what has been handed over to the run file's open windows.
    pub(crate) fn collect(&mut self, writer: &mut RunWriter) {
        for (desk, state) in &mut self.desks {
            desk.read_all(|interval| {
                writer.add(interval);
                state.now = interval.gauges.unwrap_or(state.now);
            });
        }
    }

    /// What is known at the end.
    pub(crate) fn end(&mut self, plan: &Plan, ends: &[WorkerEnd]) -> RunEnd {
        let announced = self.control.stop_at();
        let planned_until = plan_end(plan, ends);
        let from = Nanos(plan.warmup_ns);
        let until = planned_until.min(announced).max(from);
        let now = ends.iter().map(|end| end.at).max().unwrap_or(Nanos::ZERO);
        let Tick { gauges, generator, second, .. } = self.tick(now);
        // What was met when the plan had nothing left to send ended nothing.
        let is_early = announced < planned_until;
        let aborted = self.met.clone().filter(|_| is_early);
        RunEnd {
            elapsed_ns: now.0,
            span: Span { from, until },
            interrupted: is_early && aborted.is_none(),
            aborted,
            gauges,
            generator,
            second,
        }
    }

    /// The state now. Ends the second that the next tick will tell of.
    fn tick(&mut self, now: Nanos) -> Tick {
        let usage = Usage::read();
        let host = Host::read();
        let mut gauges = Gauges::default();
        for (_, worker) in &self.desks {
            gauges.add(&worker.now);
        }
        let second = Second {
            busiest_worker_ratio: self.busiest_worker_ratio(),
            steal_ratio: host.steal_ratio_since(&self.host_at_tick),
            host_retransmitted: host.retransmitted_since(&self.host_at_tick),
        };
        self.host_at_tick = host;
        for (_, worker) in &mut self.desks {
            worker.at_tick = worker.now;
        }
        Tick {
            elapsed_ns: now.0,
            gauges,
            generator: Generator {
                user_ns: usage.user_ns.saturating_sub(self.usage.user_ns),
                system_ns: usage.system_ns.saturating_sub(self.usage.system_ns),
                max_rss_bytes: usage.max_rss_bytes,
                steal_ratio: host.steal_ratio_since(&self.host),
            },
            second,
        }
    }

    /// The share of the time in which the busiest worker had a processor, as far as the workers
    /// have told since the last tick.
    fn busiest_worker_ratio(&self) -> Option<f64> {
        let ratio = |worker: &State| worker.now.busy_ratio_since(&worker.at_tick);
        let ratios = self.desks.iter().filter_map(|(_, worker)| ratio(worker));
        ratios.max_by(f64::total_cmp)
    }
}

/// When the plan was over: by its duration, by its last arrival, or, where answers decide when the
/// last request is due, by the last answer.
pub(crate) fn plan_end(plan: &Plan, ends: &[WorkerEnd]) -> Nanos {
    let by_time = Nanos(plan.stop.duration_ns.unwrap_or(u64::MAX));
    if !ends.iter().all(|end| end.used_up) {
        return by_time;
    }
    let over_at = |end: &WorkerEnd| end.arrivals_over_at.unwrap_or(end.last_end);
    by_time.min(ends.iter().map(over_at).max().unwrap_or(Nanos::ZERO))
}

/// The conductor looks at the rings this often.
const POLL: Duration = Duration::from_millis(100);

/// How long after a second's end its intervals have surely been handed over.
const HAND_OVER_NS: u64 = 100_000_000;
