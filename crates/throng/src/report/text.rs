//! The page to read: what was asked, what came of it, how long it took, what to conclude.

mod durations;

use std::io::{self, Write};

use throng_measure::audit::{Audit, Reason};
use throng_measure::format::{bytes, count, date, duration, percent, rate};
use throng_measure::reading::reading;
use throng_measure::{Distribution, Outcome, RunFile, Summary};

use super::ReportError;

/// Lines are wrapped before this column.
const WIDTH: usize = 96;

/// The column in which facts begin, after their names.
const INDENT: usize = 13;

pub(super) fn write(
    _run: &RunFile,
    summary: &Summary,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    head(summary, out)?;
    durations::write(summary, out)?;
    facts(summary, out)?;
    conclusions(summary, out)?;
    Ok(())
}

fn head(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let Summary { title, rates, planned, .. } = summary;
    writeln!(out, "{title}")?;
    verdict(summary, out)?;
    fact(out, "Measured", &[measured(summary)])?;
    let mut requests = vec![
        format!("{} planned", count(*planned)),
        format!("{} ok", count(summary.outcome(Outcome::Ok))),
    ];
    requests.push(match summary.error_ratio() {
        Some(ratio) if ratio > 0.0 => {
            format!("{} not ok ({})", count(summary.failed()), percent(ratio))
        }
        _ => "none failed".into(),
    });
    fact(out, "Requests", &requests)?;
    let mut per_s = vec![
        format!("{}/s offered", rate(rates.offered_per_s)),
        format!("{}/s achieved", rate(rates.achieved_per_s)),
    ];
    if rates.ok_per_s < rates.achieved_per_s {
        per_s.push(format!("{}/s ok", rate(rates.ok_per_s)));
    }
    fact(out, "Rate", &per_s)?;
    writeln!(out)
}

/// How far the rest can be believed, and why not.
fn verdict(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let Audit { verdict, reasons, .. } = &summary.audit;
    fact(out, "Verdict", &[verdict.name().to_owned()])?;
    for reason in reasons {
        let Reason { finding, threshold, .. } = reason;
        let sentence = format!("{finding} ({threshold}). Remedy: {}.", reason.remedy());
        wrapped(out, "  - ", capitalised(&sentence).split(' '))?;
    }
    Ok(())
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn measured(summary: &Summary) -> String {
    let mut text = duration(summary.span_ns as f64);
    if summary.warmup_ns > 0 {
        text += &format!(", after {} of warm-up", duration(summary.warmup_ns as f64));
        text += &format!(" with {} requests", count(summary.warmup.planned));
    }
    match (summary.complete, &summary.aborted) {
        (false, _) => text += "; no end: killed, or still going on",
        (true, Some(objective)) => text += &format!("; aborted: fail-if {objective} was met"),
        (true, None) if summary.interrupted => text += "; interrupted",
        (true, None) => {}
    }
    text
}

/// In place of a number that there is none of.
pub(super) const NONE: &str = "–";

fn facts(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let outcomes: Vec<_> = Outcome::ALL
        .into_iter()
        .filter(|&outcome| summary.outcome(outcome) > 0)
        .map(|outcome| format!("{} {}", count(summary.outcome(outcome)), outcome.name()))
        .collect();
    fact(out, "Outcomes", &outcomes)?;
    let causes = summary.causes.iter().map(|&(cause, n)| format!("{} {}", count(n), cause.name()));
    fact(out, "Causes", &causes.collect::<Vec<_>>())?;
    let statuses = summary.statuses.iter().map(|&(code, n)| format!("{} × {code}", count(n)));
    fact(out, "Status", &statuses.collect::<Vec<_>>())?;
    fact(
        out,
        "Data",
        &[
            format!("sent {}", data(summary.bytes_sent, summary)),
            format!("received {}", data(summary.bytes_received, summary)),
        ],
    )?;
    fact(out, "Connections", &connections(summary))?;
    fact(out, "TLS", &tls(summary))?;
    fact(out, "Generator", &generator(summary))
}

fn data(amount: u64, summary: &Summary) -> String {
    match summary.span_s() {
        0.0 => bytes(amount as f64),
        span_s => format!("{} ({}/s)", bytes(amount as f64), bytes(amount as f64 / span_s)),
    }
}

fn connections(summary: &Summary) -> Vec<String> {
    let c = &summary.connections;
    let since = if summary.warmup_ns > 0 { " after the warm-up" } else { "" };
    let mut parts = vec![
        format!("at most {} open", count(summary.open_max.into())),
        format!("{} opened{since}", count(c.opened)),
    ];
    if summary.queued_max > 0 {
        let plural = if summary.queued_max == 1 { "" } else { "s" };
        parts.push(format!("at most {} request{plural} waiting", count(summary.queued_max.into())));
    }
    let when_any = [
        (c.failed, "attempts failed"),
        (c.idle_closed, "closed by the server while idle"),
        (c.retried, "requests sent again"),
        (c.timed_out, "closed by a timeout"),
        (c.interim, "interim answers"),
        (c.framing_conflicts, "answers with two lengths"),
        (c.unsolicited, "closed for bytes that nothing had asked for"),
        (c.unstamped, "answers without a kernel timestamp"),
        (c.starved, "attempts for want of a file or a local port"),
        (c.retransmitted, "segments sent again"),
    ];
    parts.extend(
        when_any
            .into_iter()
            .filter(|part| part.0 > 0)
            .map(|(n, what)| format!("{} {what}", count(n))),
    );
    parts.extend(took("connecting", &summary.connect_time));
    parts
}

/// What handshakes agreed on and how long they took; nothing without TLS.
fn tls(summary: &Summary) -> Vec<String> {
    let Some(tls) = summary.tls else { return Vec::new() };
    let mut parts = Vec::new();
    if let Some(agreement) = tls.agreement {
        parts.push(agreement.version_name().into_owned());
        parts.push(agreement.cipher_suite_name().into_owned());
        parts.push(agreement.key_exchange_group_name().into_owned());
    }
    if tls.kind_count > 1 {
        parts.push(format!("the most frequent of {} combinations", tls.kind_count));
    }
    if !tls.verified {
        parts.push("certificate not verified".into());
    }
    let (full, resumed) = (&summary.tls_full_time, &summary.tls_resumed_time);
    let since = if summary.warmup_ns > 0 { " after the warm-up" } else { "" };
    let plural = if full.count == 1 { "" } else { "s" };
    parts.push(format!("{} full handshake{plural}{since}", count(full.count)));
    parts.push(format!("{} resumed", count(resumed.count)));
    parts.extend(took("full ones", full));
    parts.extend(took("resumed ones", resumed));
    parts
}

/// The range and mean of a duration that every connection has once; nothing when there was none.
fn took(what: &str, durations: &Distribution) -> Option<String> {
    let times = [
        durations.min_ns.map(|ns| ns as f64),
        durations.mean_ns,
        durations.max_ns.map(|ns| ns as f64),
    ];
    let [min, mean, max] = times.map(|ns| ns.map_or_else(|| NONE.into(), duration));
    (durations.count > 0).then(|| format!("{what} took {min} to {max}, mean {mean}"))
}

fn generator(summary: &Summary) -> Vec<String> {
    let generator = &summary.generator;
    let threads = summary.environment.worker_count;
    let mut parts = vec![
        format!("{threads} worker thread{}", if threads == 1 { "" } else { "s" }),
        format!("{:.2} processors busy", generator.cpu_cores),
        format!("{:.2} s user + {:.2} s system", generator.user_s, generator.system_s),
        format!("{} of memory", bytes(generator.max_rss_bytes as f64)),
    ];
    if let Some(ratio) = generator.steal_ratio.filter(|&ratio| ratio > 0.0) {
        parts.push(format!("{} stolen by the hypervisor", percent(ratio)));
    }
    if let (Some(ratio), Some(capacity)) = (summary.capacity_ratio(), summary.environment.capacity)
    {
        parts.push(format!(
            "{}{} of what this machine can generate (calibrated {})",
            if capacity.estimated { "about " } else { "" },
            percent(ratio),
            date(capacity.calibrated_unix_ns)
        ));
    }
    parts
}

/// A named line of parts; nothing when there are none.
pub(super) fn fact(out: &mut dyn Write, name: &str, parts: &[String]) -> io::Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    // A part is not broken: "1,000 planned" stays together.
    let words: Vec<_> = parts
        .iter()
        .enumerate()
        .map(|(i, part)| if i + 1 < parts.len() { format!("{part},") } else { part.clone() })
        .collect();
    wrapped(out, &format!("{name:<INDENT$}"), words.iter().map(String::as_str))
}

fn conclusions(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let sentences = reading(summary);
    if sentences.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nReading:")?;
    sentences.iter().try_for_each(|sentence| wrapped(out, "  - ", sentence.split(' ')))
}

/// Writes words after `start`, wrapped, every line indented as far as `start` is long.
pub(super) fn wrapped<'a>(
    out: &mut dyn Write,
    start: &str,
    words: impl Iterator<Item = &'a str>,
) -> io::Result<()> {
    let indent = start.chars().count();
    write!(out, "{start}")?;
    let mut column = indent;
    for (i, word) in words.enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > WIDTH {
            write!(out, "\n{:indent$}", "")?;
            column = indent;
        } else if i > 0 {
            write!(out, " ")?;
            column += 1;
        }
        write!(out, "{word}")?;
        column += length;
    }
    writeln!(out)
}
