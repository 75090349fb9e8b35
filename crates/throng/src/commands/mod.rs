//! What throng can be asked to do, one file each.

use std::io::{self, BufWriter, Write};

use clap::Subcommand;
use throng_measure::{RunFile, RunFileError};

use crate::failure::Failure;
use crate::report::{Format, ReportError};

pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod demo;
mod judge;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod sink;
pub(crate) mod versus;

/// The commands beside a run.
#[derive(Debug, Subcommand)]
pub(crate) enum Subcommands {
    /// Start a server to shoot at
    Sink(sink::Arguments),
    /// See a server, a run and a report, with nothing to set up
    Demo(demo::Arguments),
    /// Print a report of a run that was kept with -o
    Report(report::Arguments),
    /// Measure what this machine can generate at most
    Calibrate(calibrate::Arguments),
    /// Tell whether runs that were kept with -o differ, and how surely
    Compare(compare::Arguments),
    /// Measure two URLs in turns and tell whether they differ
    Versus(Box<versus::Arguments>),
}

/// Standard output failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output")]
struct StdoutError(#[source] io::Error);

impl Failure for StdoutError {
    fn hint(&self) -> Option<String> {
        Some("check the free space where it goes".to_owned())
    }
}

impl Failure for ReportError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Output(_) => Some("check the free space where it goes".to_owned()),
            Self::RunFile(error) => error.hint().map(str::to_owned),
        }
    }
}

impl Failure for RunFileError {
    fn hint(&self) -> Option<String> {
        Self::hint(self).map(str::to_owned)
    }
}

/// Writes a text to standard output.
fn print(text: &str) -> Result<(), StdoutError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if !is_closed(&error) => Err(StdoutError(error)),
        _ => Ok(()),
    }
}

/// Writes a report to standard output.
fn print_report(format: &Format, run: &RunFile) -> Result<(), ReportError> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = format.write(run, &mut out).and_then(|()| Ok(out.flush()?));
    // Dropping the writer would try what failed once more.
    let _ = out.into_parts();
    match written {
        Err(ReportError::Output(error)) if is_closed(&error) => Ok(()),
        written => written,
    }
}

/// A reader that has seen enough (`| head`) is no failure: what it did not want is not written.
fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// The format of that name, which must be in the table.
fn format(name: &str) -> &'static Format {
    Format::named(name).expect("a test asks for every name used here")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_formats_that_a_run_prints_are_in_the_table() {
        for name in [super::run::TEXT, super::run::JSON] {
            assert_eq!(super::format(name).name, name);
        }
    }
}
