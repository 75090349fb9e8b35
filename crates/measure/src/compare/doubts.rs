//! What speaks against believing one side of a comparison.

use super::Run;
use crate::audit::{CHECKS, Check, RATE_REACHED_RATIO};
use crate::format::{count, percent, rate};
use crate::{Model, Summary};

/// Why the runs of one side should not be compared just so, each in one sentence; empty when
/// nothing speaks against it.
///
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
    doubts.extend(audited(name, runs));
    doubts.extend(failed(name, runs));
    doubts.extend(behind(name, runs));
    doubts
}

/// When one run is doubted, and the predicate that says so.
type Rule = (fn(&Summary) -> bool, &'static str);

const RULES: [Rule; 1] = [(|s| s.complete && s.interrupted, "was interrupted")];

/// What the audits of the runs found, each check once, with the worst finding.
fn audited(name: &str, runs: &[Run]) -> Vec<String> {
    let found = |check: Check| {
        let reasons = runs.iter().flat_map(|run| &run.summary.audit.reasons);
        let reasons: Vec<_> = reasons.filter(|reason| reason.check == check).collect();
        let worst = reasons.iter().max_by_key(|reason| reason.verdict)?;
        let of = match runs.len() {
            1 => String::new(),
            all => format!(" in {} of {all} runs", reasons.len()),
        };
        Some(format!("{name} is {}{of}: {}.", worst.verdict, worst.finding))
    };
    // What a round is too short for is told of each figure.
    CHECKS
        .iter()
        .map(|row| row.check)
        .filter(|&c| c != Check::FewSamples)
        .filter_map(found)
        .collect()
}

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
