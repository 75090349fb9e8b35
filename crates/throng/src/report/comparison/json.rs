//! The same for programs. The names are stable; `docs/comparison.schema.json` describes each.

use std::io::{self, Write};
use std::path::Path;

use throng_measure::Level;
use throng_measure::compare::{Comparison, Figure, Found, Judgement, Row, Run, sentence};

use super::{ComparisonReport, SideOfReport, Verdict};

impl ComparisonReport {
    /// Prints the comparison as JSON.
    ///
    /// # Errors
    /// When `out` fails.
    pub(crate) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let whole = Whole {
            version: env!("CARGO_PKG_VERSION"),
            method: self.method.name(),
            sides: self.sides.iter().map(Side::of).collect(),
            comparisons: self.comparisons.iter().map(Pair::of).collect(),
            notes: &self.notes,
            fail_if: self.verdicts.iter().map(Judged::of).collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &whole)?;
        writeln!(out)
    }
}

#[derive(serde::Serialize)]
struct Whole<'a> {
    version: &'static str,
    method: &'static str,
    sides: Vec<Side<'a>>,
    comparisons: Vec<Pair<'a>>,
    notes: &'a [String],
    fail_if: Vec<Judged<'a>>,
}

#[derive(serde::Serialize)]
struct Side<'a> {
    name: &'a str,
    title: &'a str,
    model: &'static str,
    runs: Vec<OneRun<'a>>,
}

/// What a comparison looks at in one run.
#[derive(serde::Serialize)]
struct OneRun<'a> {
    file: Option<&'a Path>,
    started_unix_ns: i64,
    planned: u64,
    failed: u64,
    rate_per_s: Rates,
    response_time_ns: Percentiles,
}

#[derive(serde::Serialize)]
struct Rates {
    offered: f64,
    achieved: f64,
}

#[derive(serde::Serialize)]
struct Percentiles {
    p50: Option<u64>,
    p75: Option<u64>,
    p90: Option<u64>,
    p95: Option<u64>,
    p99: Option<u64>,
    p99_9: Option<u64>,
    p99_99: Option<u64>,
}

#[derive(serde::Serialize)]
struct Pair<'a> {
    name: &'a str,
    against: &'static str,
    sentence: String,
    figures: Vec<OneFigure>,
}

#[derive(serde::Serialize)]
struct OneFigure {
    figure: &'static str,
    unit: &'static str,
    a: Option<f64>,
    b: Option<f64>,
    found: &'static str,
    change_ratio: Option<f64>,
    low_ratio: Option<f64>,
    high_ratio: Option<f64>,
    significant: bool,
    why: Option<String>,
}

#[derive(serde::Serialize)]
struct Judged<'a> {
    condition: &'a str,
    name: &'a str,
    result: &'static str,
    why: Option<&'a str>,
}

impl<'a> Side<'a> {
    fn of(side: &'a SideOfReport) -> Self {
        let first = side.runs.first().map(|run| &run.summary);
        let files = side.files.iter().map(|file| Some(file.as_path()));
        let files = files.chain(std::iter::repeat(None));
        Self {
            name: &side.name,
            title: first.map_or("", |summary| &summary.title),
            model: first.map_or("", |summary| summary.model.name()),
            runs: side.runs.iter().zip(files).map(|(run, file)| OneRun::of(run, file)).collect(),
        }
    }
}

impl<'a> OneRun<'a> {
    fn of(run: &Run, file: Option<&'a Path>) -> Self {
        let summary = &run.summary;
        let at = |level| summary.response_time.at(level).value();
        Self {
            file,
            started_unix_ns: summary.started_unix_ns,
            planned: summary.planned,
            failed: summary.failed(),
            rate_per_s: Rates {
                offered: summary.rates.offered_per_s,
                achieved: summary.rates.achieved_per_s,
            },
            response_time_ns: Percentiles {
                p50: at(Level::P50),
                p75: at(Level::P75),
                p90: at(Level::P90),
                p95: at(Level::P95),
                p99: at(Level::P99),
                p99_9: at(Level::P99_9),
                p99_99: at(Level::P99_99),
            },
        }
    }
}

impl<'a> Pair<'a> {
    fn of(comparison: &'a Comparison) -> Self {
        let name = comparison.name.as_str();
        Self {
            name,
            against: "A",
            sentence: sentence(comparison),
            figures: comparison.rows.iter().map(|row| OneFigure::of(row, name)).collect(),
        }
    }
}

impl OneFigure {
    fn of(row: &Row, name: &str) -> Self {
        let change = row.change();
        let (found, given, why) = match row.found {
            Found::Measured { .. } => ("measured", None, None),
            Found::Given { ratio } => ("given", Some(ratio), None),
            Found::NotCompared(why) => ("not_compared", None, Some(why.explain(name))),
        };
        Self {
            figure: row.figure.name(),
            unit: if row.figure == Figure::Rate { "per_s" } else { "ns" },
            a: row.a,
            b: row.b,
            found,
            change_ratio: change.map(|change| change.ratio()).or(given),
            low_ratio: change.map(|change| change.low_ratio()),
            high_ratio: change.map(|change| change.high_ratio()),
            significant: row.is_significant(),
            why,
        }
    }
}

impl<'a> Judged<'a> {
    fn of(verdict: &'a Verdict) -> Self {
        let (result, why) = match &verdict.judgement {
            Judgement::Held => ("held", None),
            Judgement::Failed(why) => ("failed", Some(why.as_str())),
            Judgement::NotEnoughData(why) => ("not_enough_data", Some(why.as_str())),
        };
        Self { condition: &verdict.condition, name: &verdict.name, result, why }
    }
}
