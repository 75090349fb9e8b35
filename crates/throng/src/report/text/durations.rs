//! The table of durations: a column for each of them, a row for each number.

use std::io::{self, Write};

use throng_measure::format::{count, duration};
use throng_measure::{ConfidenceInterval, Distribution, Level, Percentile, Summary};

use super::NONE;

/// A column of the table of durations.
struct Column<'a> {
    title: &'static str,
    distribution: &'a Distribution,
    cells: Cells,
}

/// What a column says of its distribution.
#[derive(Clone, Copy, PartialEq)]
enum Cells {
    /// Its numbers.
    Values,
    /// Its numbers, and what those that are missing would need.
    ValuesAndNeeds,
    /// How far its percentiles can be trusted.
    Confidence,
}

pub(super) fn write(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let column = |title, distribution, cells| Column { title, distribution, cells };
    let response = &summary.response_time;
    let mut columns = vec![column("response time", response, Cells::ValuesAndNeeds)];
    if Level::ALL.into_iter().any(|level| response.ci95(level).is_some()) {
        columns.push(column("95 % confidence", response, Cells::Confidence));
    }
    if summary.response_time_ok.count != response.count {
        columns.push(column("ok only", &summary.response_time_ok, Cells::Values));
    }
    columns.push(column("service time", &summary.service_time, Cells::Values));
    columns.push(column("lateness", &summary.lateness, Cells::Values));
    columns.push(column("queue wait", &summary.queue_wait, Cells::Values));

    row(out, "", columns.iter().map(|c| (c.title.to_owned(), c.width())))?;
    type Statistic = fn(&Distribution) -> String;
    let rows: [(&str, Statistic); 3] = [("mean", mean), ("stdev", stdev), ("min", min)];
    for (name, statistic) in rows {
        row(out, name, columns.iter().map(|c| (c.statistic(statistic), c.width())))?;
    }
    for level in Level::ALL {
        row(out, level.label(), columns.iter().map(|c| (c.percentile(level), c.width())))?;
    }
    row(out, "max", columns.iter().map(|c| (c.statistic(max), c.width())))?;
    writeln!(out)
}

impl Column<'_> {
    /// Place for its widest cell and for a gap before it.
    fn width(&self) -> usize {
        match self.cells {
            Cells::Values => self.title.len().max(10) + 2,
            // "– (needs 100,000)" and "999 µs to 1.02 ms".
            Cells::ValuesAndNeeds | Cells::Confidence => 19,
        }
    }

    fn statistic(&self, statistic: fn(&Distribution) -> String) -> String {
        if self.cells == Cells::Confidence { String::new() } else { statistic(self.distribution) }
    }

    fn percentile(&self, level: Level) -> String {
        let percentile = self.distribution.at(level);
        match self.cells {
            Cells::Values => self::percentile(percentile, false),
            Cells::ValuesAndNeeds => self::percentile(percentile, true),
            Cells::Confidence => self.distribution.ci95(level).map_or_else(String::new, interval),
        }
    }
}

fn row(
    out: &mut dyn Write,
    name: &str,
    cells: impl Iterator<Item = (String, usize)>,
) -> io::Result<()> {
    write!(out, "  {name:<6}")?;
    for (cell, width) in cells {
        write!(out, "{cell:>width$}")?;
    }
    writeln!(out)
}

fn mean(distribution: &Distribution) -> String {
    bounded(distribution.mean_ns, distribution)
}

fn max(distribution: &Distribution) -> String {
    bounded(distribution.max_ns.map(|ns| ns as f64), distribution)
}

fn stdev(distribution: &Distribution) -> String {
    distribution.stdev_ns.map_or_else(|| NONE.into(), duration)
}

fn min(distribution: &Distribution) -> String {
    distribution.min_ns.map_or_else(|| NONE.into(), |ns| duration(ns as f64))
}

/// A number that is a lower bound while something is censored.
fn bounded(ns: Option<f64>, distribution: &Distribution) -> String {
    match ns {
        None => NONE.into(),
        Some(ns) if distribution.censored_count > 0 => format!("> {}", duration(ns)),
        Some(ns) => duration(ns),
    }
}

fn percentile(percentile: Percentile, say_needed: bool) -> String {
    match percentile {
        Percentile::Value(ns) => duration(ns as f64),
        Percentile::AtLeast(ns) => format!("> {}", duration(ns as f64)),
        Percentile::NotEnough { needed_count } if say_needed => {
            format!("{NONE} (needs {})", count(needed_count))
        }
        Percentile::NotEnough { .. } => NONE.into(),
    }
}

/// `112 to 119 µs`, `999 µs to 1.02 ms`, `1.02 ms or more`; nothing when both ends are open.
fn interval(ci95: ConfidenceInterval) -> String {
    match [ci95.low_ns, ci95.high_ns].map(|ns| ns.map(|ns| duration(ns as f64))) {
        [Some(low), Some(high)] if low == high => low,
        [Some(low), Some(high)] => match (low.split_once(' '), high.split_once(' ')) {
            (Some((number, unit)), Some((_, same))) if unit == same => {
                format!("{number} to {high}")
            }
            _ => format!("{low} to {high}"),
        },
        [Some(low), None] => format!("{low} or more"),
        [None, Some(high)] => format!("{high} or less"),
        [None, None] => String::new(),
    }
}

#[cfg(test)]
mod tests;
