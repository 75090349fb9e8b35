//! One row per second of the measured time, for spreadsheets and plots (RFC 4180, LF line ends).
//!
//! A number that the second's samples cannot support is an empty field. A percentile among
//! unanswered requests is empty too: a column of numbers has no place for "at least".

use std::io::Write;

use throng_measure::{Distribution, Interval, Level, Metric, Outcome, RunFile, Summary, WINDOW_NS};

use super::ReportError;

pub(super) fn write(
    run: &RunFile,
    summary: &Summary,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let names: Vec<_> = COLUMNS.iter().map(|column| column.0).collect();
    let outcomes = Outcome::ALL.map(Outcome::name).join(",");
    writeln!(out, "start_s,length_s,planned,{outcomes},{},grade,flags", names.join(","))?;
    run.for_each_window(|interval| {
        if interval.window >= 0 {
            write_row(interval, summary, out)?;
        }
        Ok::<_, ReportError>(())
    })
}

fn write_row(
    interval: &Interval,
    summary: &Summary,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let row = Row {
        interval,
        length_s: length_s(interval.window, summary.span_ns),
        response: interval.response_time(),
        service: Distribution::of(&interval.histogram(Metric::Service)),
        lateness: Distribution::of(&interval.histogram(Metric::Lateness)),
    };
    write!(out, "{},{},{}", interval.window, row.length_s, interval.counts.ended())?;
    for count in interval.counts.outcomes {
        write!(out, ",{count}")?;
    }
    for (_, field) in COLUMNS {
        write!(out, ",{}", field(&row).unwrap_or_default())?;
    }
    let flagged = summary.audit.second(interval.window);
    let (grade, flags) = flagged.map_or(("good", String::new()), |second| {
        let flags: Vec<_> = second.flags.iter().map(|flag| flag.name()).collect();
        (second.grade.name(), flags.join(" "))
    });
    write!(out, ",{grade},{flags}")?;
    writeln!(out)?;
    Ok(())
}

/// How much of a window lies in the measured time: 1 but for the last one, and 0 after it, where
/// only what was left is drained.
fn length_s(window: i64, span_ns: u64) -> f64 {
    let start_ns = window.unsigned_abs().saturating_mul(WINDOW_NS);
    span_ns.saturating_sub(start_ns).min(WINDOW_NS) as f64 / 1e9
}

struct Row<'a> {
    interval: &'a Interval,
    length_s: f64,
    response: Distribution,
    service: Distribution,
    lateness: Distribution,
}

impl Row<'_> {
    fn per_s(&self, count: u64) -> Option<String> {
        (self.length_s > 0.0).then(|| (count as f64 / self.length_s).to_string())
    }
}

type Field = fn(&Row<'_>) -> Option<String>;

/// The columns after the outcomes.
const COLUMNS: [(&str, Field); 18] = [
    ("completed", |row| Some(row.interval.counts.completed.to_string())),
    ("offered_per_s", |row| row.per_s(row.interval.counts.ended())),
    ("achieved_per_s", |row| row.per_s(row.interval.counts.completed)),
    ("ok_per_s", |row| row.per_s(row.interval.counts.completed_ok)),
    ("response_time_ns_p50", |row| at(&row.response, Level::P50)),
    ("response_time_ns_p90", |row| at(&row.response, Level::P90)),
    ("response_time_ns_p99", |row| at(&row.response, Level::P99)),
    ("response_time_ns_p99_9", |row| at(&row.response, Level::P99_9)),
    ("response_time_ns_max", |row| {
        let known = row.response.max_ns.filter(|_| row.response.censored_count == 0);
        known.map(|ns| ns.to_string())
    }),
    ("service_time_ns_p50", |row| at(&row.service, Level::P50)),
    ("service_time_ns_p99", |row| at(&row.service, Level::P99)),
    ("lateness_ns_p99", |row| at(&row.lateness, Level::P99)),
    ("bytes_sent", |row| Some(row.interval.counts.bytes_sent.to_string())),
    ("bytes_received", |row| Some(row.interval.counts.bytes_received.to_string())),
    ("open", |row| row.interval.gauges.map(|gauges| gauges.open.to_string())),
    ("queued", |row| row.interval.gauges.map(|gauges| gauges.queued.to_string())),
    ("in_flight", |row| row.interval.gauges.map(|gauges| gauges.in_flight.to_string())),
    ("connections_opened", |row| Some(row.interval.counts.connections.opened.to_string())),
];

fn at(distribution: &Distribution, level: Level) -> Option<String> {
    distribution.at(level).value().map(|ns| ns.to_string())
}
