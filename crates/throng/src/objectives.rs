//! Objectives as they are typed: `--fail-if`, the same for a run and for a report.

use throng_measure::objective::{self, Objective, ObjectiveError};

use crate::failure::Failure;

/// A `--fail-if` cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("--fail-if '{text}'")]
pub(crate) struct BadObjective {
    text: String,
    source: ObjectiveError,
}

impl Failure for BadObjective {
    fn hint(&self) -> Option<String> {
        let example = || "write it as --fail-if 'p99 > 50ms or error_ratio > 1%'".to_owned();
        Some(self.source.hint().unwrap_or_else(example))
    }
}

/// Reads every `--fail-if`.
///
/// # Errors
/// [`BadObjective`] for the first that cannot be read.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<Objective>, BadObjective> {
    let parse = |text: &String| {
        Objective::parse(text).map_err(|source| BadObjective { text: text.clone(), source })
    };
    texts.iter().map(parse).collect()
}

/// What `--help` says of `--fail-if`. The names come from the tables of the language.
pub(crate) fn help() -> String {
    let names = objective::subject_names().collect::<Vec<_>>().join(", ");
    let quantities = objective::quantity_names().collect::<Vec<_>>().join(", ");
    format!(
        "Exit with status 1 when this is so, such as 'p99 > 50ms' (repeatable)\n\n\
         Comparisons joined by 'and', 'or', 'not' and parentheses, each followed by 'for 10s' (true \
         in ten seconds in a row) or 'after 30s' (not counting the first thirty) if need be. What \
         can be compared: {names}; any other percentile or status. Percentiles, min, mean, stdev \
         and max are of the response time, or 'of' one of: {quantities}. \
         docs/objectives.md explains the language."
    )
}
