//! What a reader should conclude: the few sentences that a person who knows the method would say
//! about a run's numbers.
//!
//! Each rule looks at one thing and says nothing when there is nothing to say. A sentence has the
//! numbers that it rests on and, where there is one, the next thing to try.
//!
//! Not here: whether the run may be believed (the audit), or whether it was good enough
//! ([`crate::objective`]).

use crate::distribution::{Distribution, Level, Percentile};
use crate::format::{count, duration, percent, rate};
use crate::{Model, Outcome, Summary};

/// The share of the offered rate below which the achieved rate is said to fall short.
pub const RATE_REACHED_RATIO: f64 = 0.99;

/// How many times the service time's p99 the response time's p99 must be for waiting to be
/// mentioned.
pub const WAITED_FACTOR: f64 = 1.5;

/// The least difference between the two that is worth a sentence: 0.1 ms.
pub const WAITED_MIN_NS: u64 = 100_000;

/// The share of requests that were answered errors from which fast errors are warned of.
pub const ERRORS_SHAPE_RESPONSE_RATIO: f64 = 0.01;

/// What a reader should conclude, most important first; empty when the numbers speak for
/// themselves.
#[must_use]
pub fn reading(summary: &Summary) -> Vec<String> {
    RULES.iter().filter_map(|rule| rule(summary)).collect()
}

type Rule = fn(&Summary) -> Option<String>;

/// In order of importance.
const RULES: [Rule; 14] = [
    accounts,
    cut,
    aborted,
    interrupted,
    nothing_measured,
    rate_not_reached,
    waited,
    errors,
    answered_errors,
    unanswered,
    too_few,
    beyond_range,
    reopened,
    closed_model,
];

fn accounts(summary: &Summary) -> Option<String> {
    let ended: u64 = summary.outcomes.iter().sum();
    (!summary.identity_holds).then(|| {
        format!(
            "The accounts do not balance: {} requests were planned, {} ended. This is a defect in \
             throng; do not use these numbers.",
            count(summary.planned),
            count(ended)
        )
    })
}

fn cut(summary: &Summary) -> Option<String> {
    (!summary.complete).then(|| {
        format!(
            "The run has no end: it was killed, or is still going on. This is its state after \
             {}; {} requests of which no end was written are counted as unfinished.",
            duration(summary.elapsed_ns as f64),
            count(summary.lost)
        )
    })
}

fn aborted(summary: &Summary) -> Option<String> {
    summary.aborted.as_ref().map(|objective| {
        format!(
            "The run was ended after {} because `{objective}` was met; rates are per second of \
             these.",
            duration(summary.span_ns as f64)
        )
    })
}

fn interrupted(summary: &Summary) -> Option<String> {
    summary.interrupted.then(|| {
        format!(
            "The run was interrupted; rates are per second of the {} that were measured.",
            duration(summary.span_ns as f64)
        )
    })
}

fn nothing_measured(summary: &Summary) -> Option<String> {
    match summary.planned {
        0 => Some("No request was planned in the measured time.".into()),
        planned if !summary.any_answered() => {
            let (outcome, _) = most_frequent_failure(summary)?;
            Some(format!(
                "None of {} requests was answered, most often because of {}.",
                count(planned),
                outcome.name()
            ))
        }
        _ => None,
    }
}

fn rate_not_reached(summary: &Summary) -> Option<String> {
    let rates = &summary.rates;
    let short = rates.achieved_per_s < RATE_REACHED_RATIO * rates.offered_per_s;
    if summary.model == Model::Closed || !short || !summary.any_answered() {
        return None;
    }
    let why = match slowest_wait(summary) {
        Wait::Generator => "the generator itself ran late (lateness): use more threads",
        Wait::Connection => {
            "requests waited for a free connection (queue wait): the server, or the number of \
             connections, did not keep up"
        }
        Wait::Server => "the server did not keep up, or did not answer",
    };
    Some(format!(
        "Of {}/s offered, {}/s were answered in time ({}): {why}.",
        rate(rates.offered_per_s),
        rate(rates.achieved_per_s),
        percent(rates.achieved_per_s / rates.offered_per_s)
    ))
}

fn waited(summary: &Summary) -> Option<String> {
    let (response, service) = (p99(&summary.response_time)?, p99(&summary.service_time)?);
    let long = response as f64 > WAITED_FACTOR * service as f64;
    if !long || response - service < WAITED_MIN_NS {
        return None;
    }
    let [late, queued] = [&summary.lateness, &summary.queue_wait].map(p99_text);
    let why = match slowest_wait(summary) {
        Wait::Generator => {
            format!(
                "the generator was late to send them (lateness p99 {late}); rerun with more \
                 threads or a lower rate"
            )
        }
        Wait::Connection if 2 * summary.connections.opened > summary.completed => format!(
            "connections were opened for them (queue wait p99 {queued}, connecting took up to {})",
            summary.connect_time.max_ns.map_or_else(String::new, |ns| duration(ns as f64)),
        ),
        Wait::Connection => format!(
            "every connection was busy (queue wait p99 {queued}); with more connections the \
             server would have had to answer them sooner or queue them itself"
        ),
        // Neither wait of the answered explains it: those without an answer make the difference.
        Wait::Server => return None,
    };
    Some(format!(
        "Requests waited before they were sent: p99 is {} from when they were due, {} from when \
         they were sent, because {why}.",
        duration(response as f64),
        duration(service as f64)
    ))
}

fn errors(summary: &Summary) -> Option<String> {
    let (outcome, most) = most_frequent_failure(summary)?;
    if !summary.any_answered() {
        return None;
    }
    let cause = summary.causes.iter().max_by_key(|&&(_, count)| count);
    let cause = match cause {
        Some((cause, times)) if !outcome.is_answered() => {
            format!("; most often {} ({})", cause.explain(), count(*times))
        }
        _ => String::new(),
    };
    Some(format!(
        "{} of {} requests ({}) did not end ok, {} of them {}{cause}.",
        count(summary.failed()),
        count(summary.planned),
        percent(summary.error_ratio()?),
        count(most),
        outcome.name()
    ))
}

fn answered_errors(summary: &Summary) -> Option<String> {
    let answered =
        [Outcome::HttpError, Outcome::CheckFailed].map(|outcome| summary.outcome(outcome));
    let share = answered.iter().sum::<u64>() as f64 / summary.planned.max(1) as f64;
    if share < ERRORS_SHAPE_RESPONSE_RATIO || summary.response_time_ok.count == 0 {
        return None;
    }
    Some(format!(
        "{} of the response times are those of error answers, which can be faster or slower than \
         real ones: compare the column `ok only`.",
        percent(share)
    ))
}

fn unanswered(summary: &Summary) -> Option<String> {
    let censored = summary.response_time.censored_count;
    if censored == 0 || !summary.any_answered() {
        return None;
    }
    Some(format!(
        "{} requests got no answer. They count as slower than every answered one; where a \
         percentile lies among them, `>` gives the least it can be.",
        count(censored)
    ))
}

fn too_few(summary: &Summary) -> Option<String> {
    let response = &summary.response_time;
    let first = Level::ALL.into_iter().find(|level| response.count < level.needed_count())?;
    if response.count == 0 {
        return None;
    }
    let which = match first {
        Level::P99_99 => "p99.99 is".to_owned(),
        _ => format!("{} and above are", first.label()),
    };
    Some(format!(
        "{which} not stated: {} takes at least {} requests, this run had {}.",
        first.label(),
        count(first.needed_count()),
        count(response.count)
    ))
}

fn beyond_range(summary: &Summary) -> Option<String> {
    (summary.saturated > 0).then(|| {
        format!("Durations longer than 1 h: {}. They are filed at 1 h.", count(summary.saturated))
    })
}

fn reopened(summary: &Summary) -> Option<String> {
    let connections = &summary.connections;
    (connections.idle_closed > 0 || connections.retried > 0).then(|| {
        format!(
            "The server closed {} connections while they were idle; {} requests met such a close \
             and were sent again on another connection, within their response time.",
            count(connections.idle_closed),
            count(connections.retried)
        )
    })
}

fn closed_model(summary: &Summary) -> Option<String> {
    (summary.model == Model::Closed && summary.any_answered()).then(|| {
        "Closed model: the next request waits for the answer before it, so the server's speed \
         decides the rate, and a stall delays requests instead of making them wait. To see what \
         users at a given rate would, set the rate."
            .into()
    })
}

/// Where requests spent the time before they were sent.
enum Wait {
    Generator,
    Connection,
    Server,
}

fn slowest_wait(summary: &Summary) -> Wait {
    let [late, queued, service] = [&summary.lateness, &summary.queue_wait, &summary.service_time]
        .map(|d| p99(d).unwrap_or(0));
    let limit = (service as f64 * (WAITED_FACTOR - 1.0)).max(WAITED_MIN_NS as f64);
    match late.max(queued) {
        wait if (wait as f64) < limit => Wait::Server,
        wait if wait == late => Wait::Generator,
        _ => Wait::Connection,
    }
}

fn most_frequent_failure(summary: &Summary) -> Option<(Outcome, u64)> {
    Outcome::ALL
        .into_iter()
        .filter(|&outcome| outcome != Outcome::Ok)
        .map(|outcome| (outcome, summary.outcome(outcome)))
        .filter(|&(_, count)| count > 0)
        .max_by_key(|&(_, count)| count)
}

/// The 99th percentile or the least it can be.
fn p99(distribution: &Distribution) -> Option<u64> {
    match distribution.at(Level::P99) {
        Percentile::Value(ns) | Percentile::AtLeast(ns) => Some(ns),
        Percentile::NotEnough { .. } => None,
    }
}

fn p99_text(distribution: &Distribution) -> String {
    p99(distribution).map_or_else(|| "unknown".into(), |ns| duration(ns as f64))
}

#[cfg(test)]
mod tests;
