//! One run: workers on threads of their own, and the conductor on the caller's.
//!
//! Once a second each worker hands its intervals over a ring that never blocks it; the conductor
//! adds them to the run file and tells the caller how far the run is.

use std::io;
use std::thread::{self, ScopedJoinHandle};

use throng_measure::{
    Environment, Nanos, Objectives, Place, Progress, RunFile, RunHeader, RunWriter,
};

use crate::conductor::Conductor;
use crate::conn::tls::Setup;
use crate::control::{Control, Stopper};
use crate::error::RunError;
use crate::io::clock::{self, Clock};
use crate::io::epoll::Epoll;
use crate::mailbox::{self, Mailbox};
use crate::plan::{Model, Plan, Trust};
use crate::rendezvous::Rendezvous;
use crate::worker::{Worker, WorkerEnd};
use crate::workload::Share;

/// Runs a plan over the network and returns the file of its result.
///
/// Blocks until everything is answered or the plan's grace period is over. `on_tick` is called once
/// a second. `stopper` ends the plan early; the result is whole and says so. So does an objective
/// that is met, if `objectives` wants that.
///
/// # Errors
/// When a worker cannot work or the run file cannot be written. Whatever the server does is a
/// result, not an error.
pub fn run(
    plan: &Plan,
    place: Place<'_>,
    environment: Environment,
    objectives: &Objectives,
    stopper: &Stopper,
    on_tick: &mut dyn FnMut(&Progress),
) -> Result<RunFile, RunError> {
    let secure = plan.tls.as_ref().map(Setup::load).transpose()?;
    let clock = Clock::start();
    let control = Control::new();
    let rendezvous = Rendezvous::default();
    let header = header(plan, environment, clock::unix_ns());
    let header = RunHeader { objectives: objectives.conditions.clone(), ..header };
    let mut writer = RunWriter::create(place, &header)?;
    if objectives.abort {
        writer.watch(&objectives.conditions);
    }
    let backends: Result<Vec<_>, _> = (0..plan.workers).map(|_| Epoll::new(clock)).collect();
    let backends = backends.map_err(RunError::Backend)?;
    let conductor_thread = &thread::current();
    thread::scope(|scope| {
        let (mut desks, mut threads) = (Vec::new(), Vec::new());
        for (worker, io) in (0..).zip(backends) {
            let (mailbox, desk) = mailbox::pair();
            let share = Share { worker, workers: plan.workers };
            let (control, rendezvous, secure) = (&control, &rendezvous, secure.as_ref());
            let work = move || {
                let part = Part { plan, share, secure };
                let end = work(part, io, mailbox, control, rendezvous);
                conductor_thread.unpark();
                end
            };
            let builder = thread::Builder::new().name(format!("worker-{worker}"));
            let thread = builder.spawn_scoped(scope, work).map_err(|source| {
                // The others must not wait for a worker that will never come.
                control.announce_stop(Nanos::ZERO);
                rendezvous.call_off();
                RunError::Thread { number: worker, source }
            })?;
            desks.push(desk);
            threads.push(thread);
        }
        let clock = clock.from(rendezvous.start(plan.workers, clock));
        let mut conductor = Conductor::new(clock, &control, stopper, desks);
        conductor.conduct(&threads, &mut writer, on_tick).inspect_err(|_| {
            // Without a conductor the workers' result goes nowhere: they end at once.
            control.announce_stop(Nanos::ZERO);
        })?;
        conductor.collect(&mut writer);
        let ends = join(threads)?;
        check_identity(&ends)?;
        Ok(writer.finish(&conductor.end(plan, &ends))?)
    })
}

/// What a run file says of a plan before it begins.
pub(crate) fn header(plan: &Plan, environment: Environment, started_unix_ns: i64) -> RunHeader {
    RunHeader {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        // A plan is made of numbers and text: serialising it cannot fail.
        plan: serde_json::to_value(plan).unwrap_or_default(),
        title: plan.title(),
        started_unix_ns,
        warmup_ns: plan.warmup_ns,
        closed: matches!(plan.model, Model::Closed { .. }),
        connections_max: plan.connections_max(),
        keep_alive: plan.keep_alive,
        transmit_sampling: plan.transmit_sampling,
        tls_verified: plan.tls.as_ref().map(|tls| tls.trust != Trust::Anybody),
        environment,
        objectives: Vec::new(),
    }
}

/// What one worker is to do.
struct Part<'a> {
    plan: &'a Plan,
    share: Share,
    secure: Option<&'a Setup>,
}

fn work(
    part: Part<'_>,
    io: Epoll,
    mailbox: Mailbox,
    control: &Control,
    rendezvous: &Rendezvous,
) -> io::Result<WorkerEnd> {
    Epoll::sharpen_timers();
    let Part { plan, share, secure } = part;
    let mut worker = Worker::new(plan, share, secure, io, mailbox, control);
    let prepared = worker.prepare();
    let begun = worker.begin(rendezvous.wait());
    prepared.and(begun).and_then(|()| worker.run()).inspect_err(|_| {
        // One worker less is another load than the plan's: the others end too.
        control.announce_stop(Nanos::ZERO);
    })
}

/// The workload and the recorder have counted independently (ARCHITECTURE.md, invariant 3).
pub(crate) fn check_identity(ends: &[WorkerEnd]) -> Result<(), RunError> {
    for end in ends {
        if end.planned != end.recorded {
            let [planned, recorded] = [end.planned, end.recorded].map(|counts| counts.iter().sum());
            return Err(RunError::Identity { planned, recorded });
        }
    }
    Ok(())
}

fn join(
    threads: Vec<ScopedJoinHandle<'_, io::Result<WorkerEnd>>>,
) -> Result<Vec<WorkerEnd>, RunError> {
    let ends = threads.into_iter().map(|thread| match thread.join() {
        Ok(end) => end.map_err(RunError::Wait),
        Err(_) => Err(RunError::WorkerPanicked),
    });
    ends.collect()
}
