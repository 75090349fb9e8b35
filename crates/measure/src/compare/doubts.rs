//! What speaks against believing one side of a comparison.

use super::Run;
use crate::format::{count, percent, rate};
use crate::reading::RATE_REACHED_RATIO;
use crate::{Model, Summary};

/// Why the runs of one side should not be compared just so, each in one sentence; empty when
/// nothing speaks against it.
///
/// The place for whatever one run alone is doubted for: a verdict on the run joins here.
#[must_use]
pub fn doubts(name: &str, runs: &[Run]) -> Vec<String> {
    let mut doubts = Vec::new();
    for (is_so, predicate) in RULES {
        let times = runs.iter().filter(|run| is_so(&run.summary)).count();
        match (times, runs.len()) {
            (0, _) => {}
            (_, 1) => doubts.push(format!("{name} {predicate}.")),
            (_, all) => doubts.push(format!("{name} {predicate} ({times} of {all} runs).")),
        }
    }
    doubts.extend(failed(name, runs));
    doubts.extend(behind(name, runs));
    doubts
}

/// When one run is doubted, and the predicate that says so.
type Rule = (fn(&Summary) -> bool, &'static str);

const RULES: [Rule; 3] = [
    (|s| !s.complete, "has no end: it was killed, or is still going on"),
    (|s| s.complete && s.interrupted, "was interrupted"),
    (|s| !s.identity_holds, "has accounts that do not balance, by a defect of throng"),
];

/// Fast errors look like a fast server.
fn failed(name: &str, runs: &[Run]) -> Option<String> {
    let sum = |of: fn(&Summary) -> u64| runs.iter().map(|run| of(&run.summary)).sum::<u64>();
    let (failed, planned) = (sum(Summary::failed), sum(|summary| summary.planned));
    (failed > 0).then(|| {
        format!(
            "{name}: {} of {} requests ({}) did not end ok; error answers count like others, and \
             can be faster.",
            count(failed),
            count(planned),
            percent(failed as f64 / planned as f64)
        )
    })
}

/// In the open model, a server that does not keep up has no steady response time.
fn behind(name: &str, runs: &[Run]) -> Option<String> {
    let rates = |run: &Run| run.summary.rates;
    let short = |run: &&Run| {
        run.summary.model == Model::Open
            && rates(run).achieved_per_s < RATE_REACHED_RATIO * rates(run).offered_per_s
    };
    let worst = runs.iter().filter(short).min_by(|a, b| {
        let reached = |run| rates(run).achieved_per_s / rates(run).offered_per_s;
        reached(a).total_cmp(&reached(b))
    })?;
    Some(format!(
        "{name} was offered {}/s and answered {}/s in time: its response times depend on how long \
         the run was.",
        rate(rates(worst).offered_per_s),
        rate(rates(worst).achieved_per_s)
    ))
}

#[cfg(test)]
mod tests;
