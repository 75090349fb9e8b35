//! From the tables to a [`Summary`].

use rusqlite::OptionalExtension as _;
use rusqlite::types::FromSql;

use super::intervals::{self, Known};
use super::{RunFile, RunFileError, Tick, schema};
use crate::audit::{self, Audit};
use crate::distribution::Distribution;
use crate::summary::{GeneratorUse, Model, Rates, Summary, Warmup};
use crate::{Cause, Counts, Metric, Objective, Outcome, TlsUse};

pub(super) fn summary(file: &RunFile) -> Result<Summary, RunFileError> {
    let (mut summary, known) = without_windows(file)?;
    intervals::add(file, &mut summary, &known)?;
    summary.audit = match audit::read(&file.connection)? {
        Some(audit) => audit,
        // A run that was cut.
        None => Audit::of(file, &summary)?,
    };
    Ok(summary)
}

/// The audit of a run that has just ended. It needs no intervals, which take a walk over all
/// windows.
pub(super) fn audit(file: &RunFile) -> Result<Audit, RunFileError> {
    Audit::of(file, &without_windows(file)?.0)
}

/// The summary as far as it can be made without looking into each window, and the samples that
/// intervals are made of.
fn without_windows(file: &RunFile) -> Result<(Summary, Known), RunFileError> {
    let warmup_ns = warmup_ns(file)?;
    let last = file.last_tick()?.unwrap_or_default();
    let Ending { complete, span_ns, interrupted } = ending(file, warmup_ns, &last)?;

    let mut counts = counts(file, "window >= 0")?;
    let warmup_counts = self::counts(file, "window < 0")?;
    let warmup = Warmup { planned: last.gauges.planned_warmup, outcomes: warmup_counts.outcomes };
    // Nothing is known of the requests that a cut run had planned and not seen the end of.
    let lost = if complete { 0 } else { last.gauges.planned.saturating_sub(counts.ended()) };
    counts.outcomes[Outcome::Unfinished.index()] += lost;
    let planned = last.gauges.planned;

    let known = Known {
        response: file.total_answered()?,
        ok: file.total(Metric::ResponseOk)?,
        service: file.total(Metric::Service)?,
    };
    let unanswered = file.total(Metric::Unanswered)?;
    let of = |metric| file.total(metric).map(|histogram| Distribution::of(&histogram));
    let generator = &last.generator;
    let [user_s, system_s] = [generator.user_ns, generator.system_ns].map(|ns| ns as f64 / 1e9);
    let summary = Summary {
        version: required(file, "version")?,
        title: required(file, "title")?,
        model: model(file)?,
        connections_max: number(file, "connections_max")?,
        keep_alive: number(file, "keep_alive")? != 0,
        transmit_sampling: number(file, "transmit_sampling")?,
        plan: json(file, "plan")?,
        environment: json(file, "environment")?,
        started_unix_ns: required(file, "started_unix_ns")?,
        complete,
        interrupted,
        aborted: value(file, "aborted")?,
        objectives: objectives(file)?,
        elapsed_ns: last.elapsed_ns,
        warmup_ns,
        span_ns,
        planned,
        outcomes: counts.outcomes,
        lost,
        identity_holds: planned == counts.ended()
            && (!complete || warmup.planned == warmup_counts.ended()),
        warmup,
        statuses: statuses(file)?,
        causes: causes(file)?,
        rates: Rates::of(planned, &counts, span_ns),
        completed: counts.completed,
        response_time: Distribution::of_arrivals(&known.response, &unanswered, lost),
        response_time_ok: Distribution::of(&known.ok),
        service_time: Distribution::of(&known.service),
        lateness: of(Metric::Lateness)?,
        queue_wait: of(Metric::QueueWait)?,
        first_byte: of(Metric::FirstByte)?,
        connect_time: of(Metric::Connect)?,
        tls: tls(file)?,
        tls_full_time: of(Metric::TlsFull)?,
        tls_resumed_time: of(Metric::TlsResumed)?,
        wakeup: of(Metric::Wakeup)?,
        transmit: of(Metric::Transmit)?,
        wire: of(Metric::Wire)?,
        stalls: of(Metric::Stall)?,
        anatomy: file.total_anatomy()?,
        saturated: counts.saturated,
        bytes_sent: counts.bytes_sent,
        bytes_received: counts.bytes_received,
        connections: counts.connections,
        open_max: last.gauges.open_max,
        queued_max: last.gauges.queued_max,
        generator: GeneratorUse {
            user_s,
            system_s,
            cpu_cores: per_second(user_s + system_s, last.elapsed_ns),
            max_rss_bytes: generator.max_rss_bytes,
            steal_ratio: generator.steal_ratio,
        },
        clock_steps: last.gauges.clock_steps,
        audit: Audit::default(),
    };
    Ok((summary, known))
}

/// The length of the warm-up.
pub(super) fn warmup_ns(file: &RunFile) -> Result<u64, RunFileError> {
    natural(file, "warmup_ns")?.ok_or(RunFileError::Damaged { what: "warmup_ns" })
}

/// What only the end of a run tells, or, without one, what its last second does.
struct Ending {
    complete: bool,
    span_ns: u64,
    interrupted: bool,
}

fn ending(file: &RunFile, warmup_ns: u64, last: &Tick) -> Result<Ending, RunFileError> {
    let Some(until_ns) = natural(file, "span_until_ns")? else {
        return Ok(Ending {
            complete: false,
            span_ns: last.elapsed_ns.saturating_sub(warmup_ns),
            interrupted: false,
        });
    };
    let from_ns =
        natural(file, "span_from_ns")?.ok_or(RunFileError::Damaged { what: "span_from_ns" })?;
    Ok(Ending {
        complete: true,
        span_ns: until_ns.saturating_sub(from_ns),
        interrupted: value::<i64>(file, "interrupted")? == Some(1),
    })
}

fn per_second(amount: f64, time_ns: u64) -> f64 {
    if time_ns == 0 { 0.0 } else { amount * 1e9 / time_ns as f64 }
}

fn counts(file: &RunFile, which: &str) -> Result<Counts, RunFileError> {
    let sums: Vec<_> = Counts::names().map(|name| format!("coalesce(sum({name}), 0)")).collect();
    let sql = format!("SELECT {} FROM window WHERE {which}", sums.join(", "));
    file.connection
        .query_row(&sql, [], |row| schema::counts(row, 0))
        .map_err(|source| RunFileError::Read { source })
}

fn statuses(file: &RunFile) -> Result<Vec<(u16, u64)>, RunFileError> {
    let sql = "SELECT code, sum(count) FROM status WHERE window >= 0 GROUP BY code ORDER BY code";
    let mut select = file.connection.prepare(sql).map_err(read)?;
    let rows =
        select.query_map([], |row| Ok((row.get(0)?, schema::count(row, 1)?))).map_err(read)?;
    rows.collect::<Result<_, _>>().map_err(read)
}

fn causes(file: &RunFile) -> Result<Vec<(Cause, u64)>, RunFileError> {
    let sql = "SELECT name, sum(count) FROM cause WHERE window >= 0 GROUP BY name";
    let mut select = file.connection.prepare(sql).map_err(read)?;
    let mut rows = select.query([]).map_err(read)?;
    let mut causes = Vec::new();
    while let Some(row) = rows.next().map_err(read)? {
        causes.push((schema::cause(row, 0)?, schema::count(row, 1).map_err(read)?));
    }
    causes.sort_by_key(|&(cause, _)| cause.index());
    Ok(causes)
}

/// What TLS handshakes agreed on, in the warm-up too: nearly all connections may have been opened
/// there. `None` for a run without TLS.
fn tls(file: &RunFile) -> Result<Option<TlsUse>, RunFileError> {
    let Some(verified) = value::<i64>(file, "tls_verified")? else { return Ok(None) };
    let sql =
        "SELECT version, cipher_suite, key_exchange_group, sum(count) FROM tls GROUP BY 1, 2, 3";
    let mut select = file.connection.prepare(sql).map_err(read)?;
    let mut rows = select.query([]).map_err(read)?;
    let mut counts = Vec::new();
    while let Some(row) = rows.next().map_err(read)? {
        counts.push((schema::agreement(row, 0)?, schema::count(row, 3).map_err(read)?));
    }
    Ok(Some(TlsUse::of(&counts, verified != 0)))
}

fn model(file: &RunFile) -> Result<Model, RunFileError> {
    match required::<String>(file, "model")?.as_str() {
        "open" => Ok(Model::Open),
        "closed" => Ok(Model::Closed),
        _ => Err(RunFileError::Damaged { what: "model" }),
    }
}

fn json<T: serde::de::DeserializeOwned>(
    file: &RunFile,
    key: &'static str,
) -> Result<T, RunFileError> {
    serde_json::from_str(&required::<String>(file, key)?)
        .map_err(|_| RunFileError::Damaged { what: key })
}

/// The objectives of the run; a run file of before they were kept has none.
fn objectives(file: &RunFile) -> Result<Vec<Objective>, RunFileError> {
    let damaged = || RunFileError::Damaged { what: "objectives" };
    let Some(list) = value::<String>(file, "objectives")? else { return Ok(Vec::new()) };
    let texts: Vec<String> = serde_json::from_str(&list).map_err(|_| damaged())?;
    texts.iter().map(|text| Objective::parse(text).map_err(|_| damaged())).collect()
}

fn natural(file: &RunFile, key: &'static str) -> Result<Option<u64>, RunFileError> {
    value::<i64>(file, key)?
        .map(|stored| u64::try_from(stored).map_err(|_| RunFileError::Damaged { what: key }))
        .transpose()
}

fn number(file: &RunFile, key: &'static str) -> Result<u32, RunFileError> {
    let stored: i64 = required(file, key)?;
    u32::try_from(stored).map_err(|_| RunFileError::Damaged { what: key })
}

fn required<T: FromSql>(file: &RunFile, key: &'static str) -> Result<T, RunFileError> {
    value(file, key)?.ok_or(RunFileError::Damaged { what: key })
}

fn value<T: FromSql>(file: &RunFile, key: &str) -> Result<Option<T>, RunFileError> {
    file.connection
        .prepare_cached("SELECT value FROM run WHERE key = ?")
        .and_then(|mut select| select.query_row([key], |row| row.get(0)).optional())
        .map_err(read)
}

fn read(source: rusqlite::Error) -> RunFileError {
    RunFileError::Read { source }
}
