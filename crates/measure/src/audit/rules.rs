//! One function per check of the table: looks at the whole run, says nothing or gives a reason.

use super::{Check, Facts, FlaggedSecond, Grade, Reason, SecondFacts, Verdict};
use crate::distribution::{Distribution, Level, Percentile};
use crate::format::{count, duration, percent, rate};
use crate::reading::{Wait, most_frequent_failure, slowest_wait};
use crate::trend::{mann_kendall, theil_sen};
use crate::{Cause, Model, Outcome, Summary};

/// What a rule may look at.
struct Run<'a> {
    summary: &'a Summary,
    facts: &'a Facts,
    flagged: &'a [FlaggedSecond],
}

type Rule = fn(&Run<'_>) -> Option<Reason>;

/// Every reason that there is, in the order of the table of checks.
pub(super) fn reasons(summary: &Summary, facts: &Facts, flagged: &[FlaggedSecond]) -> Vec<Reason> {
    let run = Run { summary, facts, flagged };
    let mut reasons: Vec<_> = RULES.iter().filter_map(|rule| rule(&run)).collect();
    keep_the_cause(&mut reasons, summary.model);
    reasons
}

const RULES: [Rule; 19] = [
    accounts,
    cut,
    no_answer,
    late,
    late_tail,
    read_late,
    bad_seconds,
    worker_busy,
    steal,
    clock_step,
    starved,
    dropped,
    connection_limited,
    overloaded,
    rising_outstanding,
    drift_p50,
    drift_p99,
    retransmits,
    few_samples,
];

/// Requests that pile up make response times drift: what follows from a reason is not told beside
/// it.
fn keep_the_cause(reasons: &mut Vec<Reason>, model: Model) {
    let has = |check: Check, reasons: &[Reason]| reasons.iter().any(|r| r.check == check);
    let (overloaded, rising) =
        (has(Check::Overloaded, reasons), has(Check::RisingOutstanding, reasons));
    let drift_p50 = has(Check::DriftP50, reasons);
    let no_answer = has(Check::NoAnswer, reasons);
    let late = has(Check::Late, reasons);
    reasons.retain(|reason| match reason.check {
        Check::LateTail => !late,
        // A closed user is due when its answer is in the kernel: reading late is sending late.
        Check::ReadLate => !(late && model == Model::Closed),
        Check::RisingOutstanding => !overloaded,
        Check::DriftP50 => !overloaded && !rising,
        Check::DriftP99 => !overloaded && !rising && !drift_p50,
        Check::FewSamples | Check::Overloaded => !no_answer,
        _ => true,
    });
}

impl Check {
    /// A reason when the figure crosses a threshold.
    fn find(
        self,
        figure: f64,
        duration_ns: u64,
        finding: impl FnOnce() -> String,
    ) -> Option<Reason> {
        let (verdict, threshold) = self.weigh(figure, duration_ns)?;
        Some(Reason { check: self, verdict, finding: finding(), figure, threshold })
    }
}

fn accounts(run: &Run<'_>) -> Option<Reason> {
    let ended: u64 = run.summary.outcomes.iter().sum();
    // The warm-up's accounts can be what does not balance.
    let off = ended.abs_diff(run.summary.planned).max(u64::from(!run.summary.identity_holds));
    Check::Accounts.find(off as f64, 0, || {
        format!("{} requests were planned, {} ended", count(run.summary.planned), count(ended))
    })
}

fn cut(run: &Run<'_>) -> Option<Reason> {
    Check::Cut.find(f64::from(!run.summary.complete), 0, || {
        format!(
            "the run has no end: this is its state after {}, and {} requests of which no end was \
             written are counted as unfinished",
            duration(run.summary.elapsed_ns as f64),
            count(run.summary.lost)
        )
    })
}

fn no_answer(run: &Run<'_>) -> Option<Reason> {
    Check::NoAnswer.find(f64::from(run.summary.any_answered()), 0, || match run.summary.planned {
        0 => "no request was planned in the measured time".to_owned(),
        planned => format!(
            "none of {} requests was answered{}",
            count(planned),
            most_frequent_failure(run.summary)
                .map(|(outcome, _)| format!(", most often because of {}", outcome.name()))
                .unwrap_or_default()
        ),
    })
}

fn late(run: &Run<'_>) -> Option<Reason> {
    let levels = [Level::P50, Level::P75, Level::P90, Level::P95, Level::P99];
    lateness_at(run.summary, Check::Late, &levels)
}

fn late_tail(run: &Run<'_>) -> Option<Reason> {
    lateness_at(run.summary, Check::LateTail, &[Level::P99_9, Level::P99_99])
}

fn lateness_at(summary: &Summary, check: Check, levels: &[Level]) -> Option<Reason> {
    share_at(check, levels, &summary.lateness, &summary.response_time, |level, late, response| {
        format!(
            "at {level}, {late} of {response} response time are the generator's own: requests \
             were sent late"
        )
    })
}

fn read_late(run: &Run<'_>) -> Option<Reason> {
    let (wakeup, service) = (&run.summary.wakeup, &run.summary.service_time);
    let levels = [Level::P50, Level::P99];
    share_at(Check::ReadLate, &levels, wakeup, service, |level, unread, service| {
        format!("answers lay unread for {unread} ({level}), beside {service} of service time")
    })
}

/// A reason for the level at which `part` is the worst share of `whole`.
fn share_at(
    check: Check,
    levels: &[Level],
    part: &Distribution,
    whole: &Distribution,
    say: fn(&str, &str, &str) -> String,
) -> Option<Reason> {
    let found = levels.iter().filter_map(|&level| {
        let (Percentile::Value(part_ns), Percentile::Value(whole_ns)) =
            (part.at(level), whole.at(level))
        else {
            return None;
        };
        let share = part_ns as f64 / whole_ns.max(1) as f64;
        let [part, whole] = [part_ns, whole_ns].map(|ns| duration(ns as f64));
        check.find(share, part_ns, || say(level.label(), &part, &whole))
    });
    found.max_by(|a, b| a.verdict.cmp(&b.verdict).then(a.figure.total_cmp(&b.figure)))
}

fn bad_seconds(run: &Run<'_>) -> Option<Reason> {
    let flagged = run.flagged;
    let bad_count = flagged.iter().filter(|second| second.grade == Grade::Bad).count();
    let total = run.facts.seconds.len().max(1);
    let bad_ratio = bad_count as f64 / total as f64;
    let (verdict, threshold) = Check::BadSeconds.weigh_apart(flagged.len() as f64, bad_ratio, 0)?;
    let figure = if verdict == Verdict::Invalid { bad_ratio } else { flagged.len() as f64 };
    let (worst, rest) = worst_seconds(flagged);
    let rest = if rest > 0 { format!("; {rest} more") } else { String::new() };
    let bad = match bad_count {
        0 => String::new(),
        n => format!(", {} of them bad", count(n as u64)),
    };
    let finding = format!(
        "in {} of {} seconds{bad}, the generator was kept from its work: {worst}{rest}",
        count(flagged.len() as u64),
        count(total as u64),
    );
    Some(Reason { check: Check::BadSeconds, verdict, finding, figure, threshold })
}

/// The first few of the worst seconds, and how many more there are.
fn worst_seconds(flagged: &[FlaggedSecond]) -> (String, usize) {
    let mut worst: Vec<_> = flagged.iter().collect();
    worst.sort_by_key(|second| std::cmp::Reverse(second.grade));
    let told: Vec<_> = worst
        .iter()
        .take(SECONDS_TOLD)
        .map(|second| format!("second {} {}", second.window, second.findings.join(", ")))
        .collect();
    (told.join("; "), flagged.len() - told.len())
}

fn worker_busy(run: &Run<'_>) -> Option<Reason> {
    let ratio = mean(run.facts.whole().filter_map(|second| second.busiest_worker_ratio))?;
    Check::WorkerBusy.find(ratio, 0, || {
        format!("the busiest worker was on a processor for {} of the time", percent(ratio))
    })
}

fn steal(run: &Run<'_>) -> Option<Reason> {
    let ratio = run.summary.generator.steal_ratio?;
    Check::Steal.find(ratio, 0, || {
        format!("{} of the processor time went to other machines of the host", percent(ratio))
    })
}

fn clock_step(run: &Run<'_>) -> Option<Reason> {
    let steps = run.summary.clock_steps;
    Check::ClockStep.find(steps as f64, 0, || format!("the wall clock was set {}", times(steps)))
}

fn starved(run: &Run<'_>) -> Option<Reason> {
    let attempts = run.summary.connections.starved;
    Check::Starved.find(attempts as f64, 0, || {
        let causes = [Cause::FileLimit, Cause::PortsExhausted].map(|cause| {
            run.summary.causes.iter().find(|row| row.0 == cause).map_or(0, |row| row.1)
        });
        format!(
            "{} to open a connection failed for want of a file or a local port; {} requests ended \
             by it",
            if attempts == 1 {
                "1 attempt".into()
            } else {
                format!("{} attempts", count(attempts))
            },
            count(causes.iter().sum())
        )
    })
}

fn dropped(run: &Run<'_>) -> Option<Reason> {
    let dropped = run.summary.outcome(Outcome::Dropped);
    let ratio = dropped as f64 / run.summary.planned.max(1) as f64;
    let (verdict, threshold) = Check::Dropped.weigh_apart(dropped as f64, ratio, 0)?;
    let finding = format!(
        "{} requests ({}) were never started: too many waited for a connection already",
        count(dropped),
        percent(ratio)
    );
    Some(Reason { check: Check::Dropped, verdict, finding, figure: ratio, threshold })
}

fn connection_limited(run: &Run<'_>) -> Option<Reason> {
    let summary = run.summary;
    let pool_was_full = summary.open_max >= summary.connections_max;
    // In the closed model users and connections are the same; without keep-alive every request
    // waits for its own.
    if summary.model == Model::Closed || !summary.keep_alive || !pool_was_full {
        return None;
    }
    let ratio = summary.connections.waited as f64 / summary.planned.max(1) as f64;
    Check::ConnectionLimited.find(ratio, 0, || {
        format!(
            "{} of the requests waited for one of {} connections",
            percent(ratio),
            count(summary.connections_max.into())
        )
    })
}

/// Over the second half of the run: what is in flight at the end is missing from the achieved rate
/// of the whole run, and is no overload when as much was in flight before.
fn overloaded(run: &Run<'_>) -> Option<Reason> {
    if run.summary.model == Model::Closed {
        return None;
    }
    let whole: Vec<_> = run.facts.whole().collect();
    let half = &whole[whole.len() / 2..];
    let sum = |of: fn(&SecondFacts) -> u64| half.iter().map(|second| of(second)).sum::<u64>();
    let (offered, completed) = (sum(|second| second.count), sum(|second| second.completed));
    let shortfall = offered.saturating_sub(completed) as f64;
    let outstanding = mean(half.iter().filter_map(|s| s.outstanding.map(|n| n as f64)));
    // Outstanding requests come and go: between two instants, arrivals and answers differ by as
    // much as a Poisson number of their mean would.
    let noise = DEVIATIONS * (2.0 * outstanding.unwrap_or(0.0)).sqrt();
    if half.len() < HALF_SECONDS_MIN || shortfall < REQUESTS_MIN.max(noise) {
        return None;
    }
    let ratio = completed as f64 / offered as f64;
    let per_s = |amount: u64| rate(amount as f64 / half.len() as f64);
    Check::Overloaded.find(ratio, 0, || {
        let why = match slowest_wait(run.summary) {
            Wait::Generator => "the generator itself ran late",
            Wait::Connection => "requests waited for a free connection",
            Wait::Server => "the server did not keep up",
        };
        format!(
            "of {}/s offered in the second half of the run, {}/s were answered ({}): {why}",
            per_s(offered),
            per_s(completed),
            percent(ratio)
        )
    })
}

fn rising_outstanding(run: &Run<'_>) -> Option<Reason> {
    if run.summary.model == Model::Closed {
        return None;
    }
    let series: Vec<_> =
        run.facts.whole().filter_map(|second| second.outstanding.map(|n| n as f64)).collect();
    let trend = Trend::of(&series)?;
    if trend.change < REQUESTS_MIN {
        return None;
    }
    Check::RisingOutstanding.find(trend.change_ratio(), 0, || {
        format!(
            "outstanding requests rose by {:.0} over {} seconds: this rate is not sustainable",
            trend.change,
            series.len()
        )
    })
}

fn drift_p50(run: &Run<'_>) -> Option<Reason> {
    drift(run, Check::DriftP50, "p50", |second| second.p50_ns)
}

fn drift_p99(run: &Run<'_>) -> Option<Reason> {
    drift(run, Check::DriftP99, "p99", |second| second.p99_ns)
}

fn drift(run: &Run<'_>, check: Check, label: &str, of: fn(&SecondFacts) -> u64) -> Option<Reason> {
    let seconds = run.facts.whole().filter(|second| second.count >= DRIFT_COUNT_MIN);
    let series: Vec<_> = seconds.map(|second| of(second) as f64).collect();
    let trend = Trend::of(&series)?;
    check.find(trend.change_ratio(), trend.change.abs() as u64, || {
        let (way, meaning) = match (trend.change > 0.0, run.summary.model) {
            (true, Model::Open) => ("rising", "this rate is not sustainable, or the server ages"),
            (true, Model::Closed) => ("rising", "the server has not settled"),
            (false, _) => ("falling", "the server was still warming up"),
        };
        format!(
            "response time is still {way}: {label} by {} over {} seconds (median {}): {meaning}",
            duration(trend.change.abs()),
            series.len(),
            duration(trend.median)
        )
    })
}

fn retransmits(run: &Run<'_>) -> Option<Reason> {
    let requests = run.summary.planned.max(1) as f64;
    let own = run.summary.connections.retransmitted;
    // What other programs of the host lose is not the run's, unless it is very much.
    let host = run.facts.host_retransmitted;
    let host = host.filter(|&segments| segments as f64 / requests >= HOST_RETRANSMITS_RATIO);
    let (segments, whose) = match host {
        Some(host) if own == 0 => (host, "by this host, on any connection"),
        _ => (own, "on the run's connections"),
    };
    if (segments as f64) < RETRANSMITS_MIN {
        return None;
    }
    let ratio = segments as f64 / requests;
    Check::Retransmits.find(ratio, 0, || {
        format!(
            "{} TCP segments were sent again {whose} ({} of requests)",
            count(segments),
            percent(ratio)
        )
    })
}

fn few_samples(run: &Run<'_>) -> Option<Reason> {
    let planned = run.summary.planned;
    Check::FewSamples.find(planned as f64, 0, || {
        format!(
            "{} requests are too few to state p99, which takes {}",
            count(planned),
            count(Level::P99.needed_count())
        )
    })
}

/// A significant trend of a per-second series.
struct Trend {
    /// From the first second to the last, by the median slope.
    change: f64,
    median: f64,
}

impl Trend {
    fn of(series: &[f64]) -> Option<Self> {
        let test = mann_kendall(series)?;
        if test.p_value >= TREND_P {
            return None;
        }
        let change = theil_sen(series)? * (series.len() - 1) as f64;
        let mut sorted = series.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Self { change, median: sorted[sorted.len() / 2] })
    }

    fn change_ratio(&self) -> f64 {
        self.change.abs() / self.median.max(1.0)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        n => format!("{} times", crate::format::count(n)),
    }
}

/// A trend is one when chance makes it once in a thousand runs: three series are tested in each.
const TREND_P: f64 = 0.001;

/// Fewer requests than this are no backlog.
const REQUESTS_MIN: f64 = 10.0;

/// Standard deviations that a shortfall must exceed.
const DEVIATIONS: f64 = 3.0;

/// The second half of a run must have so many whole seconds to tell of overload.
const HALF_SECONDS_MIN: usize = 2;

/// Requests of a second whose percentiles may show a trend.
const DRIFT_COUNT_MIN: u64 = 20;

/// The share of requests from which segments that anybody on the host sent again are told of.
const HOST_RETRANSMITS_RATIO: f64 = 0.01;

/// Single segments are sent again on any network.
const RETRANSMITS_MIN: f64 = 3.0;

/// Flagged seconds that a reason names.
const SECONDS_TOLD: usize = 3;
