//! `throng compare A B`: whether runs that were kept differ, and how surely.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use throng_measure::compare::{Condition, ConditionError, Method, Run};
use throng_measure::{RunFile, RunFileError};

use super::print;
use super::run::JsonError;
use crate::failure::{Exit, Failure, say};
use crate::front::{JsonTo, Outputs};
use crate::report::comparison::{ComparisonReport, SideOfReport};

/// What `throng compare` takes.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "throng compare [OPTIONS] A B [C]...\n       throng compare [OPTIONS] A1 A2... --with B1 B2...",
    after_help = EXAMPLES
)]
pub(crate) struct Arguments {
    /// Run files, written by throng -o FILE
    ///
    /// The first is the baseline, with which each of the others is compared. With --with, all of
    /// them are runs of the baseline.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Several runs of what is compared with the baseline
    ///
    /// The variance between runs of one server is known then, and is in the intervals.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    with: Vec<PathBuf>,

    // The texts are shared with `throng versus`.
    #[arg(long, value_name = "CONDITION", help = FAIL_IF, long_help = format!("{FAIL_IF}\n\n{GRAMMAR}"))]
    fail_if: Vec<String>,

    /// Write the comparison as JSON, - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// No text report
    #[arg(short, long)]
    quiet: bool,
}

pub(super) const FAIL_IF: &str =
    "Exit with status 1 when this is so, such as 'p99_change > 5%' (repeatable)";

/// What there is to know about conditions.
pub(super) const GRAMMAR: &str = "\
rate_change and p50_change … p99.99_change; < <= > >=; and, or. A change is that of B against A, \
in percent: response times grow when it is positive. It is so when the whole 95 % interval is \
beyond the limit. When the limit lies within the interval, there is not enough data, and the \
status is 1 too.";

const EXAMPLES: &str = "\
Examples:
  throng compare before.throng after.throng --fail-if 'p99_change > 5%'
      one run of each: quick, but blind to what makes runs of one server differ
  throng compare a1.throng a2.throng a3.throng --with b1.throng b2.throng b3.throng
      three runs of each";

/// Why files cannot be compared.
#[derive(Debug, thiserror::Error)]
enum CompareError {
    /// There is a baseline and nothing else.
    #[error("{} alone has nothing to be compared with", file.display())]
    NothingToCompare { file: PathBuf },
    /// More runs than there are letters.
    #[error("{count} runs are too many: the most is {limit}")]
    TooMany { count: usize, limit: usize },
    /// The same run would be compared with itself.
    #[error("{} is given twice", file.display())]
    Twice { file: PathBuf },
    /// One run does not show its variance.
    #[error("there are {a_count} runs of A and {b_count} of B: each side takes two or more")]
    Lopsided { a_count: usize, b_count: usize },
    /// A file cannot be read.
    #[error("cannot compare {}", file.display())]
    RunFile { file: PathBuf, source: RunFileError },
    /// A `--fail-if` cannot be read.
    #[error("--fail-if '{text}'")]
    BadCondition { text: String, source: ConditionError },
}

impl Failure for CompareError {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NothingToCompare { .. } => "name the run to compare with it: throng compare A B",
            Self::TooMany { .. } => {
                "several runs of one server belong on one side: throng compare A1 A2 --with B1 B2"
            }
            Self::Twice { .. } => "name each run once",
            Self::Lopsided { .. } => "give more runs, or one of each without --with",
            Self::RunFile { source, .. } => return source.hint().map(str::to_owned),
            Self::BadCondition { source, .. } => {
                return Some(source.hint().unwrap_or_else(|| {
                    "write it as --fail-if 'p99_change > 5% or rate_change < -2%'".to_owned()
                }));
            }
        };
        Some(hint.to_owned())
    }
}

/// Compares run files and prints the result.
///
/// # Errors
/// When the files are not what can be compared, a condition cannot be read, or an output fails.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    let conditions = conditions(&arguments.fail_if)?;
    let groups = groups(arguments)?;
    let method =
        if groups.iter().all(|files| files.len() == 1) { Method::Single } else { Method::Runs };
    let mut sides = Vec::new();
    for (name, files) in ('A'..='Z').zip(groups) {
        let runs = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
        sides.push(SideOfReport { name: name.to_string(), runs, files });
    }
    let how = match method {
        Method::Runs => {
            sides.iter().map(|side| format!("{} runs of {}", side.runs.len(), side.name)).collect()
        }
        _ => vec!["one run of each".to_owned()],
    };
    let report = ComparisonReport::of(method, how, sides, &conditions, Vec::new());
    deliver(&report, &outputs(arguments.json.as_deref(), arguments.quiet))
}

/// Reads the `--fail-if`s of a comparison.
///
/// # Errors
/// For the first that cannot be read.
pub(super) fn conditions(texts: &[String]) -> Result<Vec<Condition>, Box<dyn Failure>> {
    let parse = |text: &String| {
        Condition::parse(text)
            .map_err(|source| CompareError::BadCondition { text: text.clone(), source }.into())
    };
    texts.iter().map(parse).collect()
}

/// Prints a comparison to where it is wanted; the status says whether the conditions held.
///
/// # Errors
/// When an output fails.
pub(super) fn deliver(
    report: &ComparisonReport,
    outputs: &Outputs,
) -> Result<Exit, Box<dyn Failure>> {
    // Writing to memory does not fail.
    let mut page = Vec::new();
    if outputs.json == Some(JsonTo::Stdout) {
        let _ = report.write_json(&mut page);
    } else if outputs.text() {
        let _ = report.write_text(&mut page);
    }
    print(&String::from_utf8_lossy(&page))?;
    if !outputs.text() {
        // What was asked for has no place for them; a status of 1 needs its reason.
        say(&report.broken());
    }
    if let Some(JsonTo::File(path)) = &outputs.json {
        let unwritable = |source| JsonError { path: path.clone(), source };
        let mut out = BufWriter::new(File::create(path).map_err(unwritable)?);
        report.write_json(&mut out).and_then(|()| out.flush()).map_err(unwritable)?;
    }
    Ok(if report.held() { Exit::Success } else { Exit::ObjectiveFailed })
}

/// The files of each side, A's first.
fn groups(arguments: &Arguments) -> Result<Vec<Vec<PathBuf>>, CompareError> {
    let Arguments { files, with, .. } = arguments;
    let all: Vec<_> = files.iter().chain(with).collect();
    for (place, file) in all.iter().enumerate() {
        if all[..place].iter().any(|other| is_same(other, file)) {
            return Err(CompareError::Twice { file: (*file).clone() });
        }
    }
    match (files.as_slice(), with.as_slice()) {
        ([only], []) => Err(CompareError::NothingToCompare { file: only.clone() }),
        (several, []) if several.len() > SIDES_MAX => {
            Err(CompareError::TooMany { count: several.len(), limit: SIDES_MAX })
        }
        (several, []) => Ok(several.iter().map(|file| vec![file.clone()]).collect()),
        ([_], [_]) => Ok(vec![files.clone(), with.clone()]),
        (a, b) if a.len() < 2 || b.len() < 2 => {
            Err(CompareError::Lopsided { a_count: a.len(), b_count: b.len() })
        }
        _ => Ok(vec![files.clone(), with.clone()]),
    }
}

/// Whether two names lead to one file. Those that lead nowhere are found when they are read.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn read(file: &Path) -> Result<Run, CompareError> {
    let run = RunFile::open(file).and_then(|run_file| Run::of(&run_file));
    run.map_err(|source| CompareError::RunFile { file: file.to_owned(), source })
}

fn outputs(json: Option<&Path>, quiet: bool) -> Outputs {
    let json = json.map(|path| match path {
        path if path == Path::new("-") => JsonTo::Stdout,
        path => JsonTo::File(path.to_owned()),
    });
    Outputs { quiet, json, run_file: None }
}

/// Sides are called by letters.
const SIDES_MAX: usize = 26;
