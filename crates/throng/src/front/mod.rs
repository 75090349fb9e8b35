//! Command lines to jobs, one vocabulary each.
//!
//! A front owes its caller this contract:
//!
//! 1. The same arguments on the same machine give the same job; nothing is sent and nothing is
//!    written. Names are resolved and the body is read, since both belong to the plan.
//! 2. The plan is complete: its endpoints are not empty and every number is within its bounds.
//! 3. Every refusal names what was found and what to do instead. No argument makes it panic.
//!
//! Not here: whether this machine can carry the plan out (`preflight`).

use std::path::PathBuf;

use clap::{ArgMatches, Command};
use throng_engine::plan::Plan;
use throng_measure::Objectives;

use crate::failure::Failure;

pub(crate) mod native;

/// One vocabulary of command lines. See the module's contract.
pub(crate) trait Front: Sync {
    /// The name of the tool whose vocabulary it is, and of its subcommand.
    fn name(&self) -> &'static str;

    /// Adds its arguments to a command.
    fn augment(&self, command: Command) -> Command;

    /// Makes a job of arguments that clap has taken apart.
    fn job(&self, matches: &ArgMatches) -> Result<Job, Box<dyn Failure>>;

    /// Arguments that it understands, with nothing that a machine could lack.
    #[cfg(test)]
    fn example(&self) -> &'static [&'static str];
}

/// The front of `throng [OPTIONS] URL`.
pub(crate) static NATIVE: native::Native = native::Native;

/// Every front.
pub(crate) static FRONTS: &[&dyn Front] = &[&NATIVE];

/// A run and what is wanted of it.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The run.
    pub(crate) plan: Plan,
    /// What must hold for exit status 0.
    pub(crate) objectives: Objectives,
    /// Whether an invalid result is a failure.
    pub(crate) strict: bool,
    /// Where the result goes.
    pub(crate) outputs: Outputs,
}

/// Where a result goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outputs {
    /// No text report and no progress line.
    pub(crate) quiet: bool,
    /// The JSON report.
    pub(crate) json: Option<JsonTo>,
    /// The run file.
    pub(crate) run_file: Option<PathBuf>,
}

/// Where a JSON report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonTo {
    /// Standard output, in place of the text report.
    Stdout,
    /// A file, which is replaced.
    File(PathBuf),
}

impl Outputs {
    /// Whether the text report is printed: standard output holds one report.
    pub(crate) fn text(&self) -> bool {
        !self.quiet && self.json != Some(JsonTo::Stdout)
    }
}

#[cfg(test)]
mod tests;
