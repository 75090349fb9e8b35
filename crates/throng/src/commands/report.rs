//! `throng report FILE`: what the live run printed, and more.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use throng_measure::RunFile;

use super::{format, print_report};
use crate::failure::{Exit, Failure};
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
}

/// Prints a report of a run file.
///
/// # Errors
/// When the file is no run file that can be read, or standard output fails.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    let run_file = RunFile::open(&arguments.file)?;
    print_report(arguments.format, &run_file)?;
    Ok(Exit::Success)
}

/// The names of the table, each with its help.
fn formats() -> impl TypedValueParser<Value = &'static Format> {
    let names = FORMATS.iter().map(|row| PossibleValue::new(row.name).help(row.description));
    PossibleValuesParser::new(names).map(|name| format(&name))
}
