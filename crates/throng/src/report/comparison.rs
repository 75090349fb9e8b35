//! A comparison, printed: for people one table per pair, a sentence, notes and what became of each
//! `--fail-if`; for programs the same as JSON, which `docs/comparison.schema.json` describes.
//!
//! `throng compare` and `throng versus` differ in where their runs come from. From there on both
//! are this: [`ComparisonReport::of`] makes everything that is said, the text and the JSON print it.
//!
//! Not here: the statistics ([`throng_measure::compare`]).

mod json;
mod text;

use std::fmt::Write as _;
use std::path::PathBuf;

use throng_measure::compare::{
    Comparison, Condition, Judgement, Method, Run, compare, differences, doubts,
};

/// Everything that is said about a comparison.
#[derive(Debug)]
pub(crate) struct ComparisonReport {
    method: Method,
    /// How it was done, as a fact of the page.
    how: Vec<String>,
    /// A, and what is compared with it.
    sides: Vec<SideOfReport>,
    /// One for each side but the first.
    comparisons: Vec<Comparison>,
    notes: Vec<String>,
    verdicts: Vec<Verdict>,
}

/// The runs of one side.
#[derive(Debug)]
pub(crate) struct SideOfReport {
    /// `A`, `B`, …
    pub(crate) name: String,
    /// Its runs. At least one.
    pub(crate) runs: Vec<Run>,
    /// The file of each run, where they are kept; otherwise empty.
    pub(crate) files: Vec<PathBuf>,
}

/// A condition, and what one comparison says about it.
#[derive(Debug)]
struct Verdict {
    condition: String,
    /// What is compared with A.
    name: String,
    judgement: Judgement,
}

impl ComparisonReport {
    /// Compares the first side with each of the others. `notes` come before those that follow from
    /// the runs.
    pub(crate) fn of(
        method: Method,
        how: Vec<String>,
        sides: Vec<SideOfReport>,
        conditions: &[Condition],
        mut notes: Vec<String>,
    ) -> Self {
        let comparisons: Vec<_> = match sides.as_slice() {
            [] => Vec::new(),
            [a, others @ ..] => {
                others.iter().map(|b| compare(method, &b.name, &a.runs, &b.runs)).collect()
            }
        };
        let verdicts = conditions.iter().flat_map(|condition| {
            comparisons.iter().map(move |comparison| Verdict {
                condition: condition.to_string(),
                name: comparison.name.clone(),
                judgement: condition.judge(comparison),
            })
        });
        let verdicts = verdicts.collect();
        notes.extend(sides.iter().flat_map(|side| doubts(&side.name, &side.runs)));
        notes.extend(unlike(method, &sides));
        notes.extend(explanations(method).into_iter().map(str::to_owned));
        Self { method, how, sides, comparisons, notes, verdicts }
    }

    /// Whether every condition held for every comparison.
    pub(crate) fn held(&self) -> bool {
        self.verdicts.iter().all(Verdict::held)
    }

    /// The conditions that did not hold, one line each.
    pub(crate) fn broken(&self) -> String {
        self.lines(|verdict| !verdict.held())
    }

    /// `fail-if p99_change > 5%: failed (p99_change is +5.4 % (+5.1 to +5.8 %))`.
    fn lines(&self, which: impl Fn(&Verdict) -> bool) -> String {
        let mut text = String::new();
        for verdict in self.verdicts.iter().filter(|verdict| which(verdict)) {
            let Verdict { condition, name, judgement } = verdict;
            let _ = write!(text, "fail-if {condition}: ");
            if self.comparisons.len() > 1 {
                let _ = write!(text, "{name}: ");
            }
            let _ = match judgement {
                Judgement::Held => writeln!(text, "held"),
                Judgement::Failed(why) => writeln!(text, "failed: {why}"),
                Judgement::NotEnoughData(why) => {
                    writeln!(text, "not enough data: {why}; {}", more(self.method))
                }
            };
        }
        text
    }
}

impl Verdict {
    fn held(&self) -> bool {
        self.judgement == Judgement::Held
    }
}

/// What it takes to decide what was not.
fn more(method: Method) -> &'static str {
    match method {
        Method::Rounds => "it takes more rounds, or longer ones",
        Method::Runs => "it takes more runs, or longer ones",
        Method::Single => "it takes longer runs",
    }
}

/// What runs differ in besides their results. Rounds are of one plan.
fn unlike(method: Method, sides: &[SideOfReport]) -> Vec<String> {
    if method == Method::Rounds {
        return Vec::new();
    }
    let mut named = Vec::new();
    for side in sides {
        for (number, run) in (1..).zip(&side.runs) {
            let alone = side.runs.len() == 1;
            let name = if alone { side.name.clone() } else { format!("{}{number}", side.name) };
            named.push((name, run));
        }
    }
    let named: Vec<_> = named.iter().map(|(name, run)| (name.as_str(), *run)).collect();
    let lines = differences(&named);
    lines.into_iter().map(|line| format!("Not alike: {line}.")).collect()
}

/// How the numbers are to be understood.
fn explanations(method: Method) -> [&'static str; 2] {
    let intervals = match method {
        Method::Rounds => {
            "Intervals are at 95 %, from how the blocks of A B B A differ (Student's t): what makes \
             rounds of one server differ is in them, a steady drift cancels."
        }
        Method::Runs => {
            "Intervals are at 95 %, from how the runs of each side differ (Welch's t); two or three \
             of each make wide ones. If the runs of one side were made before those of the other, a drift of the machine looks like a \
             difference; `throng versus` takes turns."
        }
        Method::Single => {
            "Intervals are at 95 %, from what each run says about itself. One run of each cannot \
             show how much runs of one and the same server differ, so a small change, marked or \
             not, may be just that. `throng versus URL_A URL_B` takes turns; several runs of each \
             are compared with `throng compare A1 A2 --with B1 B2`."
        }
    };
    [
        intervals,
        "* marks what is significant among all the figures of the table (Holm's procedure): of \
         comparisons of equal servers, at most 1 in 20 has any mark. So an interval can just leave \
         out 0 without a mark.",
    ]
}

#[cfg(test)]
mod tests;
