//! Everything, for programs. The names are stable; `docs/report.schema.json` describes each.

use std::borrow::Cow;
use std::io::Write;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use throng_measure::audit::Audit;
use throng_measure::objective::judge;
use throng_measure::reading::reading;
use throng_measure::{
    Agreement, Connections, Counts, Distribution, Environment, Gauges, Interval, Level, Metric,
    Outcome, Percentile, RunFile, Summary, TlsUse,
};

use super::ReportError;

pub(super) fn write(
    run: &RunFile,
    summary: &Summary,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let mut windows = Vec::new();
    run.for_each_window(|interval| {
        if interval.window >= 0 {
            windows.push(Window::of(interval, &summary.audit));
        }
        Ok::<_, ReportError>(())
    })?;
    let objectives = objectives(run, summary)?;
    // Only writing can fail: every value has a JSON form.
    serde_json::to_writer_pretty(&mut *out, &Report::of(summary, objectives, windows))
        .map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

#[derive(serde::Serialize)]
struct Report<'a> {
    version: &'a str,
    title: &'a str,
    model: &'static str,
    started_unix_ns: i64,
    complete: bool,
    interrupted: bool,
    aborted: Option<&'a str>,
    objectives: Vec<Objective<'a>>,
    elapsed_s: f64,
    span_s: f64,
    planned: u64,
    outcomes: InOrder<&'static str>,
    lost: u64,
    identity_holds: bool,
    completed: u64,
    status: InOrder<u16>,
    causes: InOrder<&'static str>,
    warmup: Warmup,
    rate_per_s: Rates,
    response_time_ns: WithIntervals,
    response_time_ok_ns: WithIntervals,
    service_time_ns: WithIntervals,
    lateness_ns: Durations,
    queue_wait_ns: Durations,
    first_byte_ns: Durations,
    connect_time_ns: Durations,
    tls: Option<Tls>,
    tls_full_time_ns: Durations,
    tls_resumed_time_ns: Durations,
    wakeup_ns: Durations,
    transmit_ns: Durations,
    wire_ns: Durations,
    stall_ns: Durations,
    saturated: u64,
    bytes: Bytes,
    connections: ConnectionCounts,
    generator: Generator,
    clock_steps: u64,
    verdict: Verdict<'a>,
    breakdown_ns: Breakdowns,
    environment: &'a Environment,
    reading: Vec<String>,
    plan: &'a serde_json::Value,
    windows: Vec<Window>,
}

#[derive(serde::Serialize)]
struct Objective<'a> {
    expression: &'a str,
    result: &'static str,
    detail: String,
}

/// An object whose members keep their order.
struct InOrder<K, V = u64>(Vec<(K, V)>);

#[derive(serde::Serialize)]
struct Warmup {
    duration_s: f64,
    planned: u64,
    outcomes: InOrder<&'static str>,
}

#[derive(serde::Serialize)]
struct Rates {
    offered: f64,
    achieved: f64,
    ok: f64,
}

/// A distribution; a member that the samples cannot support is `null`, and where a lower bound of
/// it is known, `at_least` has that.
#[derive(serde::Serialize)]
struct Durations {
    count: u64,
    min: Option<u64>,
    mean: Option<f64>,
    stdev: Option<f64>,
    max: Option<u64>,
    p50: Option<u64>,
    p75: Option<u64>,
    p90: Option<u64>,
    p95: Option<u64>,
    p99: Option<u64>,
    p99_9: Option<u64>,
    p99_99: Option<u64>,
    at_least: InOrder<&'static str>,
}

/// A distribution whose percentiles have intervals: `p50_ci95` and so on, each `[low, high]`.
#[derive(serde::Serialize)]
struct WithIntervals {
    #[serde(flatten)]
    durations: Durations,
    #[serde(flatten)]
    ci95: InOrder<String, Option<[Option<u64>; 2]>>,
}

/// What most TLS handshakes agreed on; `null` when there was none.
#[derive(serde::Serialize)]
struct Tls {
    version: Option<Cow<'static, str>>,
    cipher_suite: Option<Cow<'static, str>>,
    key_exchange_group: Option<Cow<'static, str>>,
    kind_count: usize,
    full: u64,
    resumed: u64,
    verified: bool,
}

#[derive(serde::Serialize)]
struct Bytes {
    sent: u64,
    received: u64,
}

#[derive(serde::Serialize)]
struct ConnectionCounts {
    opened: u64,
    failed: u64,
    idle_closed: u64,
    retried: u64,
    timed_out: u64,
    interim: u64,
    framing_conflicts: u64,
    unstamped: u64,
    unsolicited: u64,
    starved: u64,
    retransmitted: u64,
    untransmitted: u64,
    waited: u64,
    open_max: u32,
    queued_max: u32,
}

#[derive(serde::Serialize)]
struct Generator {
    cpu_s: f64,
    user_s: f64,
    system_s: f64,
    cpu_cores: f64,
    capacity_ratio: Option<f64>,
    steal_ratio: Option<f64>,
    max_rss_bytes: u64,
}

#[derive(serde::Serialize)]
struct Verdict<'a> {
    status: &'static str,
    reasons: Vec<Reason<'a>>,
}

#[derive(serde::Serialize)]
struct Reason<'a> {
    check: &'static str,
    verdict: &'static str,
    finding: &'a str,
    figure: f64,
    threshold: &'a str,
    remedy: &'static str,
}

/// What percentiles of the response time are made of; `null` without enough sampled requests near
/// one.
#[derive(serde::Serialize)]
struct Breakdowns {
    p50: Option<Stretches>,
    p90: Option<Stretches>,
    p99: Option<Stretches>,
    p99_9: Option<Stretches>,
}

/// Parts of the percentile; see [`throng_measure::Breakdown`].
#[derive(serde::Serialize)]
struct Stretches {
    count: u64,
    lateness: f64,
    queue_wait: f64,
    transmit: f64,
    wire: f64,
    wakeup: f64,
}

#[derive(serde::Serialize)]
struct Window {
    start_s: i64,
    /// What is wrong with the second, as far as the generator is concerned.
    grade: &'static str,
    flags: Vec<&'static str>,
    planned: u64,
    outcomes: InOrder<&'static str>,
    completed: u64,
    completed_ok: u64,
    response_time_ns: Durations,
    service_time_ns: Durations,
    lateness_ns: Durations,
    bytes: Bytes,
    open: Option<u32>,
    queued: Option<u32>,
    in_flight: Option<u32>,
}

impl<'a> Report<'a> {
    fn of(summary: &'a Summary, objectives: Vec<Objective<'a>>, windows: Vec<Window>) -> Self {
        Self {
            version: &summary.version,
            title: &summary.title,
            model: summary.model.name(),
            started_unix_ns: summary.started_unix_ns,
            complete: summary.complete,
            interrupted: summary.interrupted,
            aborted: summary.aborted.as_deref(),
            objectives,
            elapsed_s: summary.elapsed_ns as f64 / 1e9,
            span_s: summary.span_s(),
            planned: summary.planned,
            outcomes: outcomes(&summary.outcomes),
            lost: summary.lost,
            identity_holds: summary.identity_holds,
            completed: summary.completed,
            status: InOrder(summary.statuses.clone()),
            causes: InOrder(summary.causes.iter().map(|&(cause, n)| (cause.name(), n)).collect()),
            warmup: Warmup {
                duration_s: summary.warmup_ns as f64 / 1e9,
                planned: summary.warmup.planned,
                outcomes: outcomes(&summary.warmup.outcomes),
            },
            rate_per_s: Rates {
                offered: summary.rates.offered_per_s,
                achieved: summary.rates.achieved_per_s,
                ok: summary.rates.ok_per_s,
            },
            response_time_ns: WithIntervals::of(&summary.response_time),
            response_time_ok_ns: WithIntervals::of(&summary.response_time_ok),
            service_time_ns: WithIntervals::of(&summary.service_time),
            lateness_ns: Durations::of(&summary.lateness),
            queue_wait_ns: Durations::of(&summary.queue_wait),
            first_byte_ns: Durations::of(&summary.first_byte),
            connect_time_ns: Durations::of(&summary.connect_time),
            tls: summary.tls.map(|tls| Tls::of(tls, summary)),
            tls_full_time_ns: Durations::of(&summary.tls_full_time),
            tls_resumed_time_ns: Durations::of(&summary.tls_resumed_time),
            wakeup_ns: Durations::of(&summary.wakeup),
            transmit_ns: Durations::of(&summary.transmit),
            wire_ns: Durations::of(&summary.wire),
            stall_ns: Durations::of(&summary.stalls),
            saturated: summary.saturated,
            bytes: Bytes { sent: summary.bytes_sent, received: summary.bytes_received },
            connections: ConnectionCounts::of(summary),
            generator: Generator::of(summary),
            clock_steps: summary.clock_steps,
            verdict: Verdict::of(&summary.audit),
            breakdown_ns: Breakdowns::of(summary),
            environment: &summary.environment,
            reading: reading(summary),
            plan: &summary.plan,
            windows,
        }
    }
}

fn objectives<'a>(run: &RunFile, summary: &'a Summary) -> Result<Vec<Objective<'a>>, ReportError> {
    let findings = judge(&summary.objectives, run, summary)?;
    let judged = summary.objectives.iter().zip(findings).map(|(objective, finding)| Objective {
        expression: objective.text(),
        result: finding.judgement().name(),
        detail: finding.detail(),
    });
    Ok(judged.collect())
}

fn outcomes(counts: &[u64; Outcome::ALL.len()]) -> InOrder<&'static str> {
    InOrder(Outcome::ALL.into_iter().map(|o| (o.name(), counts[o.index()])).collect())
}

impl Durations {
    fn of(distribution: &Distribution) -> Self {
        let censored = distribution.censored_count > 0;
        let known = |level| distribution.at(level).value();
        let mut at_least = Vec::new();
        if let (true, Some(mean), Some(max)) = (censored, distribution.mean_ns, distribution.max_ns)
        {
            // A lower bound is rounded down.
            at_least.extend([("mean", mean as u64), ("max", max)]);
        }
        at_least.extend(Level::ALL.into_iter().filter_map(|level| match distribution.at(level) {
            Percentile::AtLeast(ns) => Some((level.name(), ns)),
            Percentile::Value(_) | Percentile::NotEnough { .. } => None,
        }));
        Self {
            count: distribution.count,
            min: distribution.min_ns,
            mean: distribution.mean_ns.filter(|_| !censored),
            stdev: distribution.stdev_ns,
            max: distribution.max_ns.filter(|_| !censored),
            p50: known(Level::P50),
            p75: known(Level::P75),
            p90: known(Level::P90),
            p95: known(Level::P95),
            p99: known(Level::P99),
            p99_9: known(Level::P99_9),
            p99_99: known(Level::P99_99),
            at_least: InOrder(at_least),
        }
    }
}

impl Tls {
    fn of(tls: TlsUse, summary: &Summary) -> Self {
        Self {
            version: tls.agreement.map(Agreement::version_name),
            cipher_suite: tls.agreement.map(Agreement::cipher_suite_name),
            key_exchange_group: tls.agreement.map(Agreement::key_exchange_group_name),
            kind_count: tls.kind_count,
            full: summary.tls_full_time.count,
            resumed: summary.tls_resumed_time.count,
            verified: tls.verified,
        }
    }
}

impl WithIntervals {
    fn of(distribution: &Distribution) -> Self {
        let ci95 = Level::ALL.map(|level| {
            let interval = distribution.ci95(level).map(|ci95| [ci95.low_ns, ci95.high_ns]);
            (format!("{}_ci95", level.name()), interval)
        });
        Self { durations: Durations::of(distribution), ci95: InOrder(ci95.into()) }
    }
}

impl ConnectionCounts {
    fn of(summary: &Summary) -> Self {
        // Without `..`: a new count does not compile until it has its place here.
        let Connections {
            opened,
            failed,
            idle_closed,
            retried,
            timed_out,
            interim,
            framing_conflicts,
            unstamped,
            unsolicited,
            starved,
            retransmitted,
            untransmitted,
            waited,
        } = summary.connections;
        Self {
            opened,
            failed,
            idle_closed,
            retried,
            timed_out,
            interim,
            framing_conflicts,
            unstamped,
            unsolicited,
            starved,
            retransmitted,
            untransmitted,
            waited,
            open_max: summary.open_max,
            queued_max: summary.queued_max,
        }
    }
}

impl Generator {
    fn of(summary: &Summary) -> Self {
        let generator = &summary.generator;
        Self {
            cpu_s: generator.cpu_s(),
            user_s: generator.user_s,
            system_s: generator.system_s,
            cpu_cores: generator.cpu_cores,
            capacity_ratio: summary.capacity_ratio(),
            steal_ratio: generator.steal_ratio,
            max_rss_bytes: generator.max_rss_bytes,
        }
    }
}

impl<'a> Verdict<'a> {
    fn of(audit: &'a Audit) -> Self {
        let reasons = audit.reasons.iter().map(|reason| Reason {
            check: reason.check.help().name,
            verdict: reason.verdict.name(),
            finding: &reason.finding,
            figure: reason.figure,
            threshold: &reason.threshold,
            remedy: reason.remedy(),
        });
        Self { status: audit.verdict.name(), reasons: reasons.collect() }
    }
}

impl Breakdowns {
    fn of(summary: &Summary) -> Self {
        let at = |level| {
            let breakdown = summary.breakdown(level)?;
            Some(Stretches {
                count: breakdown.count,
                lateness: breakdown.lateness_ns,
                queue_wait: breakdown.queue_wait_ns,
                transmit: breakdown.transmit_ns,
                wire: breakdown.wire_ns,
                wakeup: breakdown.wakeup_ns,
            })
        };
        Self {
            p50: at(Level::P50),
            p90: at(Level::P90),
            p99: at(Level::P99),
            p99_9: at(Level::P99_9),
        }
    }
}

impl Window {
    fn of(interval: &Interval, audit: &Audit) -> Self {
        let flagged = audit.second(interval.window);
        let of = |metric| Durations::of(&Distribution::of(&interval.histogram(metric)));
        let gauge = |read: fn(&Gauges) -> u32| interval.gauges.as_ref().map(read);
        let counts: &Counts = &interval.counts;
        Self {
            start_s: interval.window,
            grade: flagged.map_or("good", |second| second.grade.name()),
            flags: flagged.map_or_else(Vec::new, |s| s.flags.iter().map(|f| f.name()).collect()),
            planned: counts.ended(),
            outcomes: outcomes(&counts.outcomes),
            completed: counts.completed,
            completed_ok: counts.completed_ok,
            response_time_ns: Durations::of(&interval.response_time()),
            service_time_ns: of(Metric::Service),
            lateness_ns: of(Metric::Lateness),
            bytes: Bytes { sent: counts.bytes_sent, received: counts.bytes_received },
            open: gauge(|gauges| gauges.open),
            queued: gauge(|gauges| gauges.queued),
            in_flight: gauge(|gauges| gauges.in_flight),
        }
    }
}

impl<K: Serialize, V: Serialize> Serialize for InOrder<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
