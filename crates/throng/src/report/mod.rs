//! Reports: a run file, printed.
//!
//! One file per format, one row per format in [`FORMATS`]; names, help and tests come from that
//! table. A report sees only the run file and the summary made from it, so `throng report FILE`
//! prints what the live run printed.
//!
//! To add one: a file with a `write` function, and its row.
//!
//! Contract, tested over the table: a report is written whole or fails; it ends with a line feed;
//! the same run file gives the same bytes; a run without requests, or one that was cut, has a
//! report as well; it contains no terminal control sequence.

pub(crate) mod comparison;
mod csv;
mod hgrm;
mod hlog;
mod json;
mod text;

use std::io::{self, Write};

use throng_measure::{RunFile, RunFileError, Summary};

/// A way to print a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// How it is chosen: `throng report -f NAME`.
    pub(crate) name: &'static str,
    /// What it is, for the help text.
    pub(crate) description: &'static str,
    write: fn(&RunFile, &Summary, &mut dyn Write) -> Result<(), ReportError>,
}

/// Every format, the default first.
pub(crate) const FORMATS: &[Format] = &[
    Format { name: "text", description: "a page to read", write: text::write },
    Format { name: "json", description: "everything, for programs", write: json::write },
    Format { name: "csv", description: "one row per second, for spreadsheets", write: csv::write },
    Format {
        name: "hgrm",
        description: "response time distribution, for HdrHistogram's plotter",
        write: hgrm::write,
    },
    Format {
        name: "hlog",
        description: "histograms per second, for HdrHistogram's log tools",
        write: hlog::write,
    },
];

impl Format {
    /// The format of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Prints a run.
    ///
    /// # Errors
    /// [`ReportError::RunFile`] when the run file cannot be read, [`ReportError::Output`] when
    /// `out` fails.
    pub(crate) fn write(&self, run: &RunFile, out: &mut dyn Write) -> Result<(), ReportError> {
        let summary = run.summary()?;
        (self.write)(run, &summary, out)
    }
}

/// Why a report could not be printed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// The place it goes to failed.
    #[error("cannot write the report")]
    Output(#[from] io::Error),
    /// The run file cannot be read.
    #[error("cannot report on the run")]
    RunFile(#[from] RunFileError),
}

#[cfg(test)]
mod tests;
