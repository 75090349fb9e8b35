//! The steps as runs: a sink, and the generator against it.

use std::io::{self, IsTerminal as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use throng_engine::Stopper;
use throng_engine::plan::{Plan, Rate};
use throng_measure::{Objectives, Place, RunFile, RunFileError};
use throng_sink::{Options as SinkOptions, Sink};

use super::CalibrateError;
use super::steps::{self, Load, Reading, Setup, TIMER_RATE_PER_S};
use crate::calibration::{Calibration, Delay, Machine};
use crate::environment::{self, half_of_the_processors};
use crate::failure::Failure;
use crate::front::Outputs;
use crate::front::native::{self, Options};
use crate::{preflight, signals};

/// A sink under way, and what every run against it has in common.
pub(super) struct Bench {
    sink: Sink,
    sink_workers: NonZeroUsize,
    threads: Option<u64>,
    worker_count: u32,
    /// The most connections, as far as both ends of each can be open in this process.
    connections_max: u32,
    duration: Duration,
    stopper: Stopper,
}

impl Bench {
    /// Starts the sink and finds out whether everything that is needed is there.
    ///
    /// # Errors
    /// What is missing, or wrong about the arguments.
    pub(super) fn start(
        threads: Option<u64>,
        duration: Duration,
        outputs: &Outputs,
    ) -> Result<Self, Box<dyn Failure>> {
        let stopper = Stopper::new();
        signals::stop_on_signal(&stopper.flag())?;
        let sink_workers = half_of_the_processors();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let sink =
            Sink::start(&SinkOptions { address, workers: sink_workers, log: None, seed: 1 })?;
        let mut bench = Self {
            sink,
            sink_workers,
            threads,
            worker_count: 1,
            connections_max: CONNECTIONS[CONNECTIONS.len() - 1],
            duration,
            stopper,
        };
        let widest = bench.plan(Load::Closed { connections: bench.connections_max })?;
        let ends = preflight::connections_possible(
            2 * bench.connections_max,
            widest.workers.saturating_add(bench.sink_worker_count()),
            &widest.endpoints,
        )?;
        bench.connections_max = (ends / 2).max(1);
        bench.worker_count = widest.workers.min(bench.connections_max);
        let widest = bench.plan(Load::Closed { connections: bench.connections_max })?;
        preflight::check(&widest, outputs)?;
        Ok(bench)
    }

    /// How long one step takes, its warm-up included.
    pub(super) fn step_length(&self) -> Duration {
        self.duration.saturating_add(self.warmup())
    }

    /// How many steps there are at most.
    pub(super) fn steps_max(&self) -> usize {
        steps::steps_max(self.connections().len())
    }

    /// Carries every step out.
    ///
    /// # Errors
    /// As for a run, and when it was interrupted.
    pub(super) fn calibrate(&self) -> Result<Calibration, Box<dyn Failure>> {
        let setup = Setup {
            machine: Machine::from(&environment::machine(self.worker_count)),
            worker_count: self.worker_count,
            sink_worker_count: self.sink_worker_count(),
            step_ns: u64::try_from(self.duration.as_nanos()).unwrap_or(u64::MAX),
            connections: self.connections(),
        };
        let line = line(self.steps_max());
        let result = steps::all(setup, &mut |load| {
            line.set_message(load.to_string());
            let reading = self.measure(load);
            line.inc(1);
            reading
        });
        line.finish_and_clear();
        result
    }

    fn measure(&self, load: Load) -> Result<Reading, Box<dyn Failure>> {
        let plan = self.plan(load)?;
        let environment = environment::machine(plan.workers);
        let objectives = Objectives::default();
        let run = throng_engine::run(
            &plan,
            Place::Temporary,
            environment,
            &objectives,
            &self.stopper,
            &mut |_| {},
        )?;
        if self.stopper.is_requested() {
            return Err(CalibrateError::Interrupted.into());
        }
        Ok(reading(&run, plan.workers)?)
    }

    fn plan(&self, load: Load) -> Result<Plan, Box<dyn Failure>> {
        let mut options = Options {
            url: Some(format!("http://{}/", self.sink.address())),
            threads: self.threads,
            duration: Some(self.step_length()),
            warmup: Some(self.warmup()),
            ..Options::default()
        };
        match load {
            Load::Closed { connections } => options.connections = Some(connections.into()),
            Load::Open { rate_per_s } => self.open(&mut options, rate_per_s),
            Load::OpenStamped { rate_per_s } => {
                self.open(&mut options, rate_per_s);
                options.tx_stamps = Some(self.stamp_every(rate_per_s));
            }
            Load::Timer => {
                options.rate = Some(per_second(TIMER_RATE_PER_S));
                options.connections = Some(1);
            }
        }
        Ok(native::job(&options)?.plan)
    }

    fn open(&self, options: &mut Options, rate_per_s: u64) {
        options.rate = Some(per_second(rate_per_s));
        options.max_connections = Some(self.connections_max.into());
    }

    /// One request in how many is stamped: enough for a p99, as few as a run stamps where that is
    /// enough.
    fn stamp_every(&self, rate_per_s: u64) -> u64 {
        let requests = rate_per_s as f64 * self.duration.as_secs_f64();
        ((requests / STAMPS_WANTED) as u64).clamp(1, STAMP_EVERY_MAX)
    }

    fn warmup(&self) -> Duration {
        self.duration / 3
    }

    fn sink_worker_count(&self) -> u32 {
        u32::try_from(self.sink_workers.get()).unwrap_or(u32::MAX)
    }

    /// Of the closed model.
    fn connections(&self) -> Vec<u32> {
        let mut connections = CONNECTIONS.map(|count| count.min(self.connections_max)).to_vec();
        connections.dedup();
        connections
    }
}

fn reading(run: &RunFile, worker_count: u32) -> Result<Reading, RunFileError> {
    let summary = run.summary()?;
    Ok(Reading {
        started_unix_ns: summary.started_unix_ns,
        worker_count,
        achieved_per_s: summary.rates.achieved_per_s,
        busiest_worker_ratio: busiest_worker_ratio(run, summary.warmup_ns, summary.span_ns)?,
        lateness_ns: Delay::of(&summary.lateness),
        transmit_ns: Delay::of(&summary.transmit),
        wakeup_ns: Delay::of(&summary.wakeup),
    })
}

/// The share of the measured time in which the busiest worker had a processor: the mean over the
/// ticks that lie in it, by their lengths; over all ticks when the run was too short to have one.
fn busiest_worker_ratio(
    run: &RunFile,
    warmup_ns: u64,
    span_ns: u64,
) -> Result<Option<f64>, RunFileError> {
    let (mut measured, mut all) = (Mean::default(), Mean::default());
    let mut from_ns = 0;
    run.for_each_tick(|tick| {
        if let Some(ratio) = tick.second.busiest_worker_ratio {
            let length_ns = tick.elapsed_ns.saturating_sub(from_ns);
            all.add(ratio, length_ns);
            // What comes after the plan's end only waits for the last answers.
            if (warmup_ns..warmup_ns.saturating_add(span_ns)).contains(&from_ns) {
                measured.add(ratio, length_ns);
            }
        }
        from_ns = tick.elapsed_ns;
    })?;
    Ok(measured.value().or_else(|| all.value()))
}

/// A mean by weights.
#[derive(Default)]
struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    fn add(&mut self, value: f64, weight_ns: u64) {
        self.sum += value * weight_ns as f64;
        self.weight += weight_ns as f64;
    }

    fn value(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

fn per_second(count: u64) -> Rate {
    Rate { count, per_ns: 1_000_000_000 }
}

/// Which step is under way; shown when standard error is a terminal.
fn line(steps_max: usize) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let line = ProgressBar::with_draw_target(Some(steps_max as u64), target);
    // A template without a fault is a constant; should it ever have one, the plain bar serves.
    line.set_style(
        ProgressStyle::with_template("{bar:16} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> "),
    );
    line
}

/// Of the closed model, as far as files and ports allow; the last is the most in the open model.
const CONNECTIONS: [u32; 4] = [1, 10, 100, 1_000];
/// Twice what a p99 takes: some requests are sent in parts, and their stamps are not taken.
const STAMPS_WANTED: f64 = 2_000.0;
/// A run's own.
const STAMP_EVERY_MAX: u64 = 64;

#[cfg(test)]
mod tests;
