//! What was typed to two plans that differ in nothing but where their requests go.

use std::path::PathBuf;
use std::time::Duration;

use throng_engine::plan::Plan;
use throng_journey::Url;
use throng_measure::compare::{Condition, Side};

use super::Arguments;
use super::error::{ROUNDS_MIN, VersusError};
use crate::commands::compare::conditions;
use crate::failure::Failure;
use crate::front::native::{self, Options};
use crate::front::{Job, Outputs};

/// The rounds as they are to be.
#[derive(Debug)]
pub(super) struct Turns {
    /// A's and B's, each for one round.
    pub(super) plans: [Plan; 2],
    /// Blocks of A B B A.
    pub(super) blocks: usize,
    /// What makes the comparison fail.
    pub(super) conditions: Vec<Condition>,
    /// Whether an invalid round is a failure.
    pub(super) strict: bool,
    /// Where the result goes.
    pub(super) outputs: Outputs,
    /// Where the rounds' run files go.
    pub(super) keep: Option<PathBuf>,
}

impl Turns {
    /// Makes the plans.
    ///
    /// # Errors
    /// [`VersusError`] for what rounds cannot be, otherwise what a quick run refuses.
    pub(super) fn of(arguments: &Arguments) -> Result<Self, Box<dyn Failure>> {
        let options = &arguments.options;
        let urls = urls(options)?;
        refuse(options)?;
        let blocks = blocks(arguments.rounds)?;
        let (round, warmup) = times(arguments)?;
        let conditions = conditions(&options.fail_if)?;
        let common = Options {
            url: None,
            more: Vec::new(),
            duration: Some(round),
            warmup: Some(warmup),
            fail_if: Vec::new(),
            ..options.clone()
        };
        let Job { plan: a, outputs, .. } = native::job(&side(&common, urls, Side::A))?;
        // The body was read once: standard input has no second time.
        let unread = Options {
            method: Some(a.request.method.clone()),
            body: None,
            body_file: None,
            ..side(&common, urls, Side::B)
        };
        let Job { plan: mut b, .. } = native::job(&unread)?;
        b.request.body = a.request.body.clone();
        let keep = arguments.keep.clone();
        let strict = options.strict;
        Ok(Self { plans: [a, b], blocks, conditions, strict, outputs, keep })
    }

    /// The plan of a side's round, counted from 0.
    pub(super) fn round(&self, side: Side, round: usize) -> Plan {
        let mut plan = self.plans[side as usize].clone();
        plan.seed = plan.seed.wrapping_add(round as u64);
        plan
    }

    /// Where a round is kept: `A-01.throng` is A's first.
    pub(super) fn file(&self, name: &str, round: usize) -> Option<PathBuf> {
        let digits = (2 * self.blocks).to_string().len().max(2);
        let name = format!("{name}-{:0digits$}.throng", round + 1);
        self.keep.as_ref().map(|directory| directory.join(name))
    }
}

fn urls(options: &Options) -> Result<[&str; 2], VersusError> {
    let all: Vec<_> = options.url.iter().chain(&options.more).map(String::as_str).collect();
    all.as_slice().try_into().map_err(|_| VersusError::NotTwo { count: all.len() })
}

/// Refuses, by name, what rounds decide or have another option for.
fn refuse(options: &Options) -> Result<(), VersusError> {
    let refused = [
        (
            options.duration.is_some(),
            "-d",
            "the rounds decide how long it takes",
            "give the length of a round with --round-duration, their number with --rounds",
        ),
        (
            options.requests.is_some(),
            "-n",
            "rounds end by time",
            "give the length of a round with --round-duration",
        ),
        (
            options.abort,
            "--abort",
            "a condition is on the difference, which only the end tells",
            "leave it out",
        ),
        (
            options.out.is_some(),
            "-o",
            "there is a run file for each round",
            "give a directory for them with --keep",
        ),
    ];
    match refused.into_iter().find(|row| row.0) {
        Some((_, option, why, hint)) => Err(VersusError::NotOfRounds { option, why, hint }),
        None => Ok(()),
    }
}

fn blocks(rounds: Option<u64>) -> Result<usize, VersusError> {
    match rounds.unwrap_or(ROUNDS_DEFAULT) {
        given if given > ROUNDS_MAX => Err(VersusError::TooManyRounds { given, limit: ROUNDS_MAX }),
        given if given % 2 == 1 => Err(VersusError::OddRounds { given }),
        given if given < ROUNDS_MIN => Err(VersusError::TooFewRounds { given }),
        // At most `ROUNDS_MAX`, as was just seen.
        given => Ok(usize::try_from(given / 2).unwrap_or(usize::MAX)),
    }
}

/// The length of a round, and the part of it that is left out.
fn times(arguments: &Arguments) -> Result<(Duration, Duration), VersusError> {
    let round = arguments.round_duration.unwrap_or(ROUND_DEFAULT);
    let warmup = arguments.options.warmup.unwrap_or(round / WARMUP_PART);
    if round.is_zero() {
        return Err(VersusError::NoTime);
    }
    if warmup >= round {
        return Err(VersusError::WarmupTooLong { warmup, round });
    }
    Ok((round, warmup))
}

/// The options of one side: its URL, and of the `--resolve`s those for its host. One that is for
/// neither stays with A, to be refused by its name.
fn side(common: &Options, urls: [&str; 2], side: Side) -> Options {
    let mut options = Options { url: Some(urls[side as usize].to_owned()), ..common.clone() };
    let hosts = urls.map(|url| url.parse::<Url>().ok());
    options.resolve.retain(|resolve| {
        let [is_a, is_b] = hosts.each_ref().map(|url| {
            url.as_ref().is_some_and(|url| {
                resolve.host.eq_ignore_ascii_case(&url.host) && resolve.port == url.port
            })
        });
        match side {
            Side::A => is_a || !is_b,
            Side::B => is_b,
        }
    });
    options
}

/// A minute in all: 24 rounds of 2.5 s.
const ROUNDS_DEFAULT: u64 = 12;
const ROUND_DEFAULT: Duration = Duration::from_millis(2_500);
/// Of a round, the first part is left out: 0.5 s of 2.5 s.
const WARMUP_PART: u32 = 5;
/// 83 minutes at the default length of a round; a typing error beyond that.
const ROUNDS_MAX: u64 = 1_000;

#[cfg(test)]
mod tests;
