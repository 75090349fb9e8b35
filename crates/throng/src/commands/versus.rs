//! `throng versus URL_A URL_B`: two URLs in turns, so that what else changes meanwhile hits both.
//!
//! In this order: both plans and preflight; blocks of A B B A, each round a complete run with
//! connections of its own; the comparison of the rounds. A round of A and the round of B beside it
//! share their seed, so that both meet the same arrivals; the next two have another.
//!
//! Invariant: only whole blocks are compared, whatever ends the command early.
//!
//! Not here: the statistics ([`throng_measure::compare`]), the pages (`report::comparison`).

mod error;
mod line;
mod plan;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use throng_engine::Stopper;
use throng_engine::plan::Plan;
use throng_measure::audit::Verdict;
use throng_measure::compare::{BLOCK, BLOCKS_MIN, Method, Run};
use throng_measure::format::duration;
use throng_measure::{Objectives, Place};

use self::error::VersusError;
use self::line::Line;
use self::plan::Turns;
use super::compare::{FAIL_IF, GRAMMAR, deliver};
use super::run::nothing_measured;
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::front::native::{Options, values};
use crate::preflight;
use crate::report::comparison::{ComparisonReport, SideOfReport};
use crate::signals;

/// What `throng versus` takes: a quick run's options, but for those that its rounds decide.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "throng versus [OPTIONS] URL_A URL_B",
    after_help = EXAMPLES,
    // What a quick run's options mean here, where that is something else. The indices: an argument
    // that is changed would come after those that are not.
    mut_arg("url", |url| url.index(1).value_name("URL_A").help(URLS)),
    mut_arg("more", |more| more.index(2)),
    mut_arg("duration", |option| option.hide(true)),
    mut_arg("requests", |option| option.hide(true)),
    mut_arg("out", |option| option.hide(true)),
    mut_arg("abort", |option| option.hide(true)),
    mut_arg("warmup", |option| option.help(WARMUP)),
    mut_arg("fail_if", |option| option.help(FAIL_IF).long_help(format!("{FAIL_IF}\n\n{GRAMMAR}"))),
)]
pub(crate) struct Arguments {
    /// Rounds of each URL, an even number [default: 12]
    ///
    /// They run in blocks of A B B A. At least 6: an interval takes 3 blocks.
    #[arg(long, value_name = "N", value_parser = values::count, help_heading = ROUNDS)]
    rounds: Option<u64>,

    /// How long requests are sent in a round, warm-up included [default: 2.5s]
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = ROUNDS)]
    round_duration: Option<Duration>,

    /// Keep each round's run file in this new directory: A-01.throng, B-01.throng, …
    #[arg(long, value_name = "DIR", help_heading = ROUNDS)]
    keep: Option<PathBuf>,

    #[command(flatten)]
    options: Options,
}

const ROUNDS: &str = "Rounds";
const URLS: &str = "The baseline, and after it URL_B, which is compared with it";
const WARMUP: &str = "Leave out a round's requests due before this [default: a fifth of the round]";

const EXAMPLES: &str = "\
Examples:
  throng versus http://127.0.0.1:8080/ http://127.0.0.1:8081/
      12 rounds of 2.5 s each: which is faster with 10 connections, and how surely?
  throng versus -R 2000 --fail-if 'p99_change > 5%' http://old:8080/ http://new:8080/
      status 1 when the second's p99 is more than 5 % longer, or that cannot be told

It takes about a minute; --rounds and --round-duration decide. Exit status: as of a run.";

/// Runs the rounds, compares them and prints the result.
///
/// # Errors
/// What was typed wrong, what preflight found missing, what ended a round, or that too few rounds
/// ended.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    let turns = Turns::of(arguments)?;
    for plan in &turns.plans {
        preflight::check(plan, &turns.outputs)?;
    }
    if let Some(directory) = &turns.keep {
        prepare(directory)?;
    }
    let [a, b] = play(&turns)?;
    let blocks = a.runs.len() / 2;
    let stopped = format!("Stopped after {blocks} of {} blocks.", turns.blocks);
    let notes = if blocks < turns.blocks { vec![stopped] } else { Vec::new() };
    let how = how(&turns.plans[0], a.runs.len());
    let is_invalid = |run: &Run| run.summary.audit.verdict == Verdict::Invalid;
    let invalid = a.runs.iter().chain(&b.runs).any(is_invalid);
    let report = ComparisonReport::of(Method::Rounds, how, vec![a, b], &turns.conditions, notes);
    let exit = deliver(&report, &turns.outputs)?;
    Ok(if turns.strict && invalid { Exit::Invalid } else { exit })
}

/// Runs the blocks, as many as there is time for.
fn play(turns: &Turns) -> Result<[SideOfReport; 2], Box<dyn Failure>> {
    let stopper = Stopper::new();
    signals::stop_on_signal(&stopper.flag())?;
    let rounds = 4 * turns.blocks;
    // The conditions are on the difference, which no single round knows.
    let objectives = Objectives::default();
    let line = Line::start(rounds, turns.outputs.quiet);
    let mut sides = ["A", "B"].map(|name| SideOfReport {
        name: name.to_owned(),
        runs: Vec::new(),
        files: Vec::new(),
    });
    for (done, side) in BLOCK.into_iter().cycle().take(rounds).enumerate() {
        let SideOfReport { name, runs, files } = &mut sides[side as usize];
        let file = turns.file(name, runs.len());
        let plan = turns.round(side, runs.len());
        line.begin(done, name);
        let place = file.as_deref().map_or(Place::Temporary, Place::File);
        let environment = environment::describe(&plan);
        let run_file =
            throng_engine::run(&plan, place, environment, &objectives, &stopper, &mut |now| {
                line.tick(now);
            })?;
        if stopper.is_requested() {
            break;
        }
        let run = Run::of(&run_file)?;
        if let Some(source) = nothing_measured(&run.summary) {
            let url = plan.url.to_string();
            return Err(VersusError::NothingMeasured { name: name.clone(), url, source }.into());
        }
        runs.push(run);
        files.extend(file);
    }
    line.finish();
    let blocks = sides.iter().map(|side| side.runs.len()).min().unwrap_or(0) / 2;
    if blocks < BLOCKS_MIN {
        return Err(VersusError::Stopped { blocks }.into());
    }
    for side in &mut sides {
        side.runs.truncate(2 * blocks);
        side.files.truncate(2 * blocks);
    }
    Ok(sides)
}

/// "12 rounds of each in blocks of A B B A, each 2.00 s after 500 ms of warm-up".
fn how(plan: &Plan, rounds: usize) -> Vec<String> {
    let all_ns = plan.stop.duration_ns.unwrap_or_default();
    let measured = duration(all_ns.saturating_sub(plan.warmup_ns) as f64);
    let each = match plan.warmup_ns {
        0 => format!("each {measured}"),
        warmup_ns => format!("each {measured} after {} of warm-up", duration(warmup_ns as f64)),
    };
    vec![format!("{rounds} rounds of each in blocks of A B B A"), each]
}

/// Makes the directory of the run files. It must be empty: what an earlier command left there
/// would be taken for a round of this one.
fn prepare(directory: &Path) -> Result<(), VersusError> {
    let unusable = |source| VersusError::KeepUnusable { directory: directory.to_owned(), source };
    fs::create_dir_all(directory).map_err(unusable)?;
    match fs::read_dir(directory).map_err(unusable)?.next() {
        None => Ok(()),
        Some(_) => Err(VersusError::KeepNotEmpty { directory: directory.to_owned() }),
    }
}

#[cfg(test)]
mod tests;
