//! A whole run in virtual time.

use throng_measure::{
    Environment, Exchange, Gauges, Generator, Interval, Nanos, Place, RunEnd, RunFile, RunWriter,
    Span,
};

use crate::conductor::plan_end;
use crate::control::Control;
use crate::error::RunError;
use crate::io::sim::{Scene, Sim};
use crate::plan::Plan;
use crate::run::{check_identity, header};
use crate::worker::Worker;
use crate::workload::Share;

/// Runs a plan against a scene and returns the file of its result, which is a function of both
/// alone. Workers run one after the other, each with a server of its own.
///
/// # Errors
/// As [`crate::run()`].
pub fn simulate(plan: &Plan, scene: &Scene, place: Place<'_>) -> Result<RunFile, RunError> {
    let environment = Environment { worker_count: plan.workers, ..Environment::default() };
    let header = header(plan, environment, 0);
    let mut writer = RunWriter::create(place, &header)?;
    let control = Control::new();
    let (mut ends, mut gauges) = (Vec::new(), Gauges::default());
    for worker in 0..plan.workers {
        let share = Share { worker, workers: plan.workers };
        let mut desk = Direct { writer: &mut writer, gauges: Gauges::default() };
        let io = Sim::new(scene.clone(), u64::from(worker));
        let mut worker = Worker::new(plan, share, io, &mut desk, &control);
        worker.prepare().map_err(RunError::Wait)?;
        worker.begin_now().map_err(RunError::Wait)?;
        ends.push(worker.run().map_err(RunError::Wait)?);
        gauges.add(&desk.gauges);
    }
    check_identity(&ends)?;
    let from = Nanos(plan.warmup_ns);
    let until = plan_end(plan, &ends).max(from);
    let end = RunEnd {
        elapsed_ns: ends.iter().map(|end| end.at.0).max().unwrap_or(0),
        span: Span { from, until },
        interrupted: false,
        aborted: None,
        gauges,
        generator: Generator::default(),
        clock_steps: 0,
    };
    Ok(writer.finish(&end)?)
}

/// Files intervals as they are handed over: virtual time waits for it.
struct Direct<'a> {
    writer: &'a mut RunWriter,
    gauges: Gauges,
}

impl Exchange for &mut Direct<'_> {
    fn exchange(&mut self, interval: &mut Box<Interval>) {
        self.writer.add(interval);
        self.gauges = interval.gauges.unwrap_or(self.gauges);
        interval.clear();
    }
}
