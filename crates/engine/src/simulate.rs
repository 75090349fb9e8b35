//! A whole run in virtual time.

use throng_measure::{
    Environment, Exchange, Gauges, Generator, Interval, Nanos, Place, RunEnd, RunFile, RunWriter,
    Second, Span, Tick,
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
    let (mut ends, mut states) = (Vec::new(), Vec::new());
    for worker in 0..plan.workers {
        let share = Share { worker, workers: plan.workers };
        let mut desk = Direct { writer: &mut writer, states: Vec::new() };
        let io = Sim::new(scene.clone(), u64::from(worker));
        let mut worker = Worker::new(plan, share, None, io, &mut desk, &control);
        worker.prepare().map_err(RunError::Wait)?;
        worker.begin_now().map_err(RunError::Wait)?;
        ends.push(worker.run().map_err(RunError::Wait)?);
        states.push(desk.states);
    }
    check_identity(&ends)?;
    let from = Nanos(plan.warmup_ns);
    let until = plan_end(plan, &ends).max(from);
    let gauges = note_ticks(&mut writer, &states)?;
    let end = RunEnd {
        elapsed_ns: ends.iter().map(|end| end.at.0).max().unwrap_or(0),
        span: Span { from, until },
        interrupted: false,
        aborted: None,
        gauges,
        generator: Generator::default(),
        second: Second::default(),
    };
    Ok(writer.finish(&end)?)
}

/// Writes down, second by second, how the workers stood: they ran one after the other, but at the
/// same virtual times. Returns their last states, added up.
fn note_ticks(writer: &mut RunWriter, states: &[Vec<Gauges>]) -> Result<Gauges, RunError> {
    let seconds = states.iter().map(Vec::len).max().unwrap_or(0);
    let mut last = Gauges::default();
    for second in 0..seconds {
        // A worker that has ended stays as it was.
        let at = |worker: &Vec<Gauges>, second: usize| {
            worker.get(second).or_else(|| worker.last()).copied()
        };
        let before = |worker: &Vec<Gauges>| match second {
            0 => Gauges::default(),
            _ => at(worker, second - 1).unwrap_or_default(),
        };
        let now = |worker| at(worker, second).unwrap_or_default();
        let mut gauges = Gauges::default();
        states.iter().for_each(|worker| gauges.add(&now(worker)));
        let ratios = states.iter().filter_map(|w| now(w).busy_ratio_since(&before(w)));
        let busiest_worker_ratio = ratios.max_by(f64::total_cmp);
        let second = Second { busiest_worker_ratio, ..Second::default() };
        let generator = Generator::default();
        writer.commit(&Tick { elapsed_ns: gauges.at.0, gauges, generator, second })?;
        last = gauges;
    }
    Ok(last)
}

/// Files intervals as they are handed over: virtual time waits for it.
struct Direct<'a> {
    writer: &'a mut RunWriter,
    /// The worker's state at each of its hand-overs.
    states: Vec<Gauges>,
}

impl Exchange for &mut Direct<'_> {
    fn exchange(&mut self, interval: &mut Box<Interval>) {
        self.writer.add(interval);
        // One hand-over may bring several intervals.
        if let Some(gauges) = interval.gauges
            && self.states.last() != Some(&gauges)
        {
            self.states.push(gauges);
        }
        interval.clear();
    }
}
