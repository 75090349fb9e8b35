//! The page to read.

use std::io::{self, Write};

use throng_measure::compare::{Comparison, Figure, Found, Row, change, interval, sentence};
use throng_measure::format::{duration, rate};

use super::{ComparisonReport, SideOfReport};
use crate::report::text::{NONE, fact, wrapped};

impl ComparisonReport {
    /// Prints the page.
    ///
    /// # Errors
    /// When `out` fails.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for side in &self.sides {
            fact(out, &side.name, &about(side))?;
        }
        fact(out, "Compared", &self.how)?;
        for comparison in &self.comparisons {
            writeln!(out)?;
            table(comparison, out)?;
            writeln!(out)?;
            wrapped(out, "", sentence(comparison).split(' '))?;
        }
        writeln!(out, "\nNotes:")?;
        for note in &self.notes {
            wrapped(out, "  - ", note.split(' '))?;
        }
        let verdicts = self.lines(|_| true);
        if verdicts.is_empty() { Ok(()) } else { write!(out, "\n{verdicts}") }
    }
}

/// The plan, and the files that it was read from.
fn about(side: &SideOfReport) -> Vec<String> {
    let title = side.runs.first().map(|run| run.summary.title.clone());
    let files = side.files.iter().map(|file| file.display().to_string());
    title.into_iter().chain(files).collect()
}

fn table(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    line(out, ["", "A", &comparison.name, "change", "95 % interval", ""])?;
    for row in &comparison.rows {
        let label = match (row.figure, row.found) {
            (Figure::Rate, Found::Given { .. }) => "offered",
            (figure, _) => figure.label(),
        };
        let [a, b] = [row.a, row.b].map(|value| shown(row, value));
        let (change, interval) = match &row.found {
            Found::Measured { change: found, .. } => (change(found), interval(found)),
            Found::Given { .. } => ("by plan".to_owned(), String::new()),
            Found::NotCompared(_) => (NONE.to_owned(), NONE.to_owned()),
        };
        let mark = if row.is_significant() { "*" } else { "" };
        line(out, [label, &a, &b, &change, &interval, mark])?;
    }
    Ok(())
}

fn shown(row: &Row, value: Option<f64>) -> String {
    match (row.figure, value) {
        (_, None) => NONE.to_owned(),
        (Figure::Rate, Some(per_s)) => format!("{}/s", rate(per_s)),
        (Figure::At(_), Some(ns)) => duration(ns),
    }
}

fn line(out: &mut dyn Write, cells: [&str; 6]) -> io::Result<()> {
    let [label, a, b, change, interval, mark] = cells;
    let line = format!("  {label:<8}{a:>14}{b:>14}{change:>12}{interval:>24}  {mark}");
    writeln!(out, "{}", line.trim_end())
}
