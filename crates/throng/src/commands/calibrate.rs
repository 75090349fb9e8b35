//! `throng calibrate`: what this machine can generate at most, and how late it does so.
//!
//! In this order: a sink starts in this process, every step of [`steps`] is a run against it, the
//! report is printed, the result is kept for later runs ([`crate::calibration`]).
//!
//! The sink's threads are beside the generator's: the processor time of the generator's workers is
//! counted by thread, so the sink is not in it.
//!
//! Invariant: what was not measured to its end is not kept.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use throng_measure::format::duration as shown;

use self::bench::Bench;
use super::print;
use crate::calibration::store::{self, StoreError};
use crate::failure::{Exit, Failure, say};
use crate::front::native::values;
use crate::front::{JsonTo, Outputs};

mod bench;
mod search;
mod steps;
mod text;

/// What `throng calibrate` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Arguments {
    /// Worker threads [default: half of the processors]
    #[arg(short, long, value_name = "N", value_parser = values::count)]
    threads: Option<u64>,

    /// How long each step measures, after a third of that as warm-up
    #[arg(
        short, long, value_name = "TIME", default_value = "3s", value_parser = values::duration
    )]
    duration: Duration,

    /// Write the result as JSON, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Keep the result here [default: throng/calibration.json in the state directory]
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
}

/// Why there is no calibration, or only a printed one.
#[derive(Debug, thiserror::Error)]
enum CalibrateError {
    /// Nothing would be measured.
    #[error("--duration 0 measures nothing")]
    NoDuration,
    /// It was told to end.
    #[error("interrupted: nothing was stored")]
    Interrupted,
    /// The sink gave no answer in the closed model.
    #[error("no request was answered, so there is no rate to start from")]
    NoAnswer,
    /// The JSON file failed.
    #[error("cannot write {}", path.display())]
    Json { path: PathBuf, source: io::Error },
}

impl Failure for CalibrateError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoDuration => "give a duration such as 3s",
            Self::Interrupted => "--duration 1s takes a third of the time",
            Self::NoAnswer => "give longer steps with --duration",
            Self::Json { .. } => "check the free space where it goes",
        };
        Some(hint.to_owned())
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NoDuration | Self::Json { .. } => Exit::Usage,
            Self::Interrupted | Self::NoAnswer => Exit::NothingMeasured,
        }
    }
}

/// Measures this machine, prints the report and keeps the result.
///
/// # Errors
/// As for a run; and when the result cannot be kept, after it was printed.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    if arguments.duration.is_zero() {
        return Err(CalibrateError::NoDuration.into());
    }
    let json = arguments.json.as_deref().map(|path| match path {
        path if path == Path::new("-") => JsonTo::Stdout,
        path => JsonTo::File(path.to_owned()),
    });
    let outputs = Outputs { json, ..Outputs::default() };
    let bench = Bench::start(arguments.threads, arguments.duration, &outputs)?;
    say(&format!(
        "Measuring this machine in up to {} steps of {} each, warm-up included.\n",
        bench.steps_max(),
        shown(bench.step_length().as_nanos() as f64),
    ));
    let calibration = bench.calibrate()?;
    match &outputs.json {
        Some(JsonTo::Stdout) => print(&store::json(&calibration))?,
        _ => print(&text::report(&calibration))?,
    }
    // Neither file may cost the other.
    let kept = keep(arguments.store.as_deref(), |path| store::save(path, &calibration));
    if let Some(JsonTo::File(path)) = &outputs.json {
        fs::write(path, store::json(&calibration))
            .map_err(|source| CalibrateError::Json { path: path.clone(), source })?;
    }
    say(&format!(
        "Stored in {}: runs on this machine say what share of it they use.\n",
        kept?.display()
    ));
    Ok(Exit::Success)
}

fn keep(
    named: Option<&Path>,
    save: impl FnOnce(&Path) -> Result<(), StoreError>,
) -> Result<PathBuf, StoreError> {
    let path = named.map(Path::to_owned).or_else(|| store::place(|name| env::var_os(name)));
    let path = path.ok_or(StoreError::NoPlace)?;
    save(&path)?;
    Ok(path)
}

const EXPLANATION: &str = "\
It starts a server in this process and measures what throng can send to it at most: in the
closed model by the number of connections, in the open model as the highest rate that leaves
in time; then the delay that throng adds at shares of that rate, and how late its timer is.
Nothing else should run on the machine meanwhile.

The result goes to $XDG_STATE_HOME/throng/calibration.json, or below ~/.local/state. Later runs
like the measured ones say what share of it they used. THRONG_CALIBRATION names another file;
empty, there is none.";

#[cfg(test)]
mod tests;
