//! Objectives, judged: the lines under a report and the status that follows.
//!
//! A run and a report on it judge in the same way, from the run file.

use std::fmt;

use throng_measure::objective::{self, Finding, Judgement, Objective};
use throng_measure::{RunFile, RunFileError, Summary};

use super::print;
use crate::failure::{Exit, Failure, say};

/// An objective and what the run says about it.
pub(super) struct Judged<'a> {
    objective: &'a Objective,
    finding: Finding,
    /// Whether the run was ended because it was met.
    ended_the_run: bool,
}

/// Sets objectives against a run.
///
/// # Errors
/// When the run file cannot be read.
pub(super) fn judge<'a>(
    objectives: &'a [Objective],
    run: &RunFile,
    summary: &Summary,
) -> Result<Vec<Judged<'a>>, RunFileError> {
    let findings = objective::judge(objectives, run, summary)?;
    let judged = objectives.iter().zip(findings).map(|(objective, finding)| Judged {
        objective,
        finding,
        ended_the_run: summary.aborted.as_deref() == Some(objective.text()),
    });
    Ok(judged.collect())
}

/// Prints a line for each: under the text report, or, where the report that was asked for has no
/// place for them, to standard error those that a status of 1 comes from.
///
/// # Errors
/// When standard output fails.
pub(super) fn tell(judged: &[Judged<'_>], under_text: bool) -> Result<(), Box<dyn Failure>> {
    let lines = |all: bool| -> String {
        let told = judged.iter().filter(|judged| all || !judged.passed());
        told.map(|judged| format!("{judged}\n")).collect()
    };
    match under_text {
        true if judged.is_empty() => Ok(()),
        true => Ok(print(&format!("\n{}", lines(true)))?),
        false => {
            say(&lines(false));
            Ok(())
        }
    }
}

/// The status that follows.
pub(super) fn exit(judged: &[Judged<'_>]) -> Exit {
    match judged.iter().all(Judged::passed) {
        true => Exit::Success,
        false => Exit::ObjectiveFailed,
    }
}

impl Judged<'_> {
    fn passed(&self) -> bool {
        self.finding.judgement() == Judgement::Held && !self.ended_the_run
    }
}

/// `fail-if p99 > 50ms: failed (p99 = 62.1 ms)`
impl fmt::Display for Judged<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objective, finding, ended_the_run } = self;
        write!(f, "fail-if {objective}: {} ({})", finding.judgement(), finding.detail())?;
        match (ended_the_run, finding.judgement()) {
            (true, Judgement::Failed) => f.write_str("; it ended the run"),
            (true, _) => {
                f.write_str(" by the final numbers, but it was met before and ended the run")
            }
            (false, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
