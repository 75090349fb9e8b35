//! `throng report FILE`: what the live run printed, and more.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use throng_measure::RunFile;

use super::run::TEXT;
use super::{format, judge, print_report};
use crate::failure::{Exit, Failure};
use crate::objectives;
use crate::report::{FORMATS, Format};

/// What `throng report` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Run file, written by throng -o FILE
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What to print
    #[arg(
        short, long, value_name = "FORMAT", default_value = "text",
        value_parser = formats()
    )]
    format: &'static Format,

    /// Exit with status 1 when this is so, such as 'p99 > 50ms' (repeatable)
    ///
    /// Beside the conditions that the run itself was given.
    #[arg(long, value_name = "CONDITION", long_help = objectives::help())]
    fail_if: Vec<String>,
}

/// Prints a report of a run file and judges the run again: by its own objectives, and by those
/// that are given here.
///
/// # Errors
/// When the file is no run file that can be read, an objective cannot be read, or standard output
/// fails.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    let more = objectives::parse(&arguments.fail_if)?;
    let run_file = RunFile::open(&arguments.file)?;
    let summary = run_file.summary()?;
    let all = [&*summary.objectives, &*more].concat();
    let judged = judge::judge(&all, &run_file, &summary)?;
    print_report(arguments.format, &run_file)?;
    judge::tell(&judged, arguments.format.name == TEXT)?;
    Ok(judge::exit(&judged))
}

/// The names of the table, each with its help.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|row| PossibleValue::new(row.name).help(row.description));
    PossibleValuesParser::new(names).map(|name| format(&name))
}
