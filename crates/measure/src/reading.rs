//! What a reader should conclude: the few sentences that a person who knows the method would say
//! about a run's numbers.
//!
//! Each rule looks at one thing and says nothing when there is nothing to say. A sentence has the
//! numbers that it rests on and, where there is one, the next thing to try.
//!
//! Not here: whether the run may be believed (the audit), or whether it was good enough
//! ([`crate::objective`]).

use crate::distribution::{Distribution, Level, Percentile};
use crate::format::{count, duration, percent};
use crate::{Model, Outcome, Summary};

/// How many times the service time's p99 the response time's p99 must be for waiting to be
/// mentioned.
pub const WAITED_FACTOR: f64 = 1.5;

/// The least difference between the two that is worth a sentence: 0.1 ms.
pub const WAITED_MIN_NS: u64 = 100_000;

/// The share of requests that were answered errors from which fast errors are warned of.
pub const ERRORS_SHAPE_RESPONSE_RATIO: f64 = 0.01;

/// The share of answers without a kernel timestamp from which it is said.
const UNSTAMPED_RATIO: f64 = 0.01;

/// What a reader should conclude, most important first; empty when the numbers speak for
/// themselves.
#[must_use]
pub fn reading(summary: &Summary) -> Vec<String> {
    RULES.iter().filter_map(|rule| rule(summary)).collect()
}

type Rule = fn(&Summary) -> Option<String>;

/// In order of importance.
const RULES: [Rule; 12] = [
    aborted,
    interrupted,
    made_of,
    waited,
    errors,
    answered_errors,
    unanswered,
    too_few,
    unstamped,
    beyond_range,
    reopened,
    closed_model,
];

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

/// Of the 99th percentile, or of the median where that is all there is.
fn made_of(summary: &Summary) -> Option<String> {
    let (level, parts) = [Level::P99, Level::P50]
        .into_iter()
        .find_map(|level| Some((level, summary.breakdown(level)?)))?;
    let mut own = vec![
        (parts.lateness_ns, "late to send"),
        (parts.transmit_ns, "in this kernel's send path"),
    ];
    if parts.queue_wait_ns >= 1.0 {
        own.insert(1, (parts.queue_wait_ns, "waiting for a connection"));
    }
    let own: Vec<_> =
        own.into_iter().map(|(ns, what)| format!("{} {what}", duration(ns))).collect();
    Some(format!(
        "Of the {} of {}, {} were the wire and the server, {}. throng read the answers {} after \
         they had come, which is not counted. (By the {} requests nearest to it that the kernel \
         stamped.)",
        level.label(),
        duration(parts.of_ns as f64),
        duration(parts.wire_ns),
        own.join(", "),
        duration(parts.wakeup_ns),
        count(parts.count)
    ))
}

fn unstamped(summary: &Summary) -> Option<String> {
    let answered = summary.service_time.count;
    let unstamped = summary.connections.unstamped;
    let share = unstamped as f64 / answered.max(1) as f64;
    (share >= UNSTAMPED_RATIO).then(|| {
        format!(
            "The kernel gave no receive timestamp for {} of the answers: their end is when throng \
             read them, so response times contain throng's own delay.",
            percent(share)
        )
    })
}

fn waited(summary: &Summary) -> Option<String> {
    let (response, service) = (p99(&summary.response_time)?, p99(&summary.service_time)?);
    let long = response as f64 > WAITED_FACTOR * service as f64;
    if !long || response - service < WAITED_MIN_NS {
        return None;
    }
    let queued = p99_text(&summary.queue_wait);
    let why = match slowest_wait(summary) {
        // The audit tells of it.
        Wait::Generator => return None,
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
pub(crate) enum Wait {
    Generator,
    Connection,
    Server,
}

pub(crate) fn slowest_wait(summary: &Summary) -> Wait {
    let distributions =
        [&summary.lateness, &summary.wakeup, &summary.queue_wait, &summary.service_time];
    let [late, unread, queued, service] = distributions.map(|d| p99(d).unwrap_or(0));
    // While answers lie unread, their connections are not free: that wait is the generator's too.
    let late = if unread >= service { late.max(queued) } else { late };
    let limit = (service as f64 * (WAITED_FACTOR - 1.0)).max(WAITED_MIN_NS as f64);
    match late.max(queued) {
        wait if (wait as f64) < limit => Wait::Server,
        wait if wait == late => Wait::Generator,
        _ => Wait::Connection,
    }
}

pub(crate) fn most_frequent_failure(summary: &Summary) -> Option<(Outcome, u64)> {
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
