//! The steps of a calibration, in their order: the closed model by number of connections, the
//! highest open rate, the delay at shares of it, the timer.
//!
//! Not here: carrying a step out ([`super::bench`]). Tests put a made-up machine in its place.

use std::fmt;

use throng_measure::format::count;

use super::CalibrateError;
use super::search::{self, highest_held};
use crate::calibration::{
    AddedDelay, Calibration, Ceiling, Closed, Delay, FORMAT, Machine, Open, Trial,
};
use crate::failure::Failure;

/// What is the same for all steps.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) machine: Machine,
    /// Worker threads, where there are as many connections.
    pub(super) worker_count: u32,
    pub(super) sink_worker_count: u32,
    /// How long each step measures.
    pub(super) step_ns: u64,
    /// Of the closed model, rising.
    pub(super) connections: Vec<u32>,
}

/// What one step asks of the generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// As fast as it is answered.
    Closed { connections: u32 },
    /// Equal gaps, on as many connections as needed.
    Open { rate_per_s: u64 },
    /// The same, with enough transmissions stamped for a percentile.
    OpenStamped { rate_per_s: u64 },
    /// [`TIMER_RATE_PER_S`] on one connection.
    Timer,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// When the run began.
    pub(super) started_unix_ns: i64,
    pub(super) worker_count: u32,
    /// Answers per second.
    pub(super) achieved_per_s: f64,
    pub(super) busiest_worker_ratio: Option<f64>,
    pub(super) lateness_ns: Delay,
    pub(super) transmit_ns: Delay,
    pub(super) wakeup_ns: Delay,
}

/// How a step is carried out.
pub(super) type Measure<'a> = dyn FnMut(Load) -> Result<Reading, Box<dyn Failure>> + 'a;

/// Every step.
///
/// # Errors
/// Those of `measure`; and when nothing was answered in the closed model.
pub(super) fn all(
    setup: Setup,
    measure: &mut Measure<'_>,
) -> Result<Calibration, Box<dyn Failure>> {
    let (started_unix_ns, closed) = closed(&setup.connections, measure)?;
    let fastest_per_s = closed.iter().map(|row| row.achieved_per_s).max().unwrap_or(0);
    if fastest_per_s == 0 {
        return Err(CalibrateError::NoAnswer.into());
    }
    let bounds = highest_held(fastest_per_s, |rate_per_s| trial(rate_per_s, measure))?;
    let open = Open::of(bounds.held, bounds.not_held);
    let highest_per_s = open.held.map_or(fastest_per_s, |held| held.rate_per_s);
    let added_delay = SHARES.map(|share_ratio| added_delay(share_ratio, highest_per_s, measure));
    let added_delay = added_delay.into_iter().collect::<Result<_, _>>()?;
    let timer_error_ns = measure(Load::Timer)?.lateness_ns;
    Ok(Calibration {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        machine: setup.machine,
        started_unix_ns,
        worker_count: setup.worker_count,
        sink_worker_count: setup.sink_worker_count,
        step_ns: setup.step_ns,
        closed,
        open,
        added_delay,
        timer_error_ns,
    })
}

/// How many steps there are at most, with so many of the closed model.
pub(super) fn steps_max(closed_count: usize) -> usize {
    closed_count + search::TRIALS_MAX + SHARES.len() + 1
}

/// The closed model, and when its first run began.
fn closed(
    connections: &[u32],
    measure: &mut Measure<'_>,
) -> Result<(i64, Vec<Closed>), Box<dyn Failure>> {
    let mut started_unix_ns = i64::MAX;
    let mut rows = Vec::with_capacity(connections.len());
    for &connections in connections {
        let reading = measure(Load::Closed { connections })?;
        started_unix_ns = started_unix_ns.min(reading.started_unix_ns);
        let achieved_per_s = reading.achieved_per_s.round() as u64;
        let busiest_worker_ratio = reading.busiest_worker_ratio;
        rows.push(Closed {
            connections,
            worker_count: reading.worker_count,
            achieved_per_s,
            busiest_worker_ratio,
            ceiling: Ceiling::of(achieved_per_s, busiest_worker_ratio, false),
        });
    }
    Ok((started_unix_ns, rows))
}

fn trial(rate_per_s: u64, measure: &mut Measure<'_>) -> Result<Trial, Box<dyn Failure>> {
    let reading = measure(Load::Open { rate_per_s })?;
    Ok(Trial {
        rate_per_s,
        achieved_per_s: reading.achieved_per_s.round() as u64,
        lateness_ns: reading.lateness_ns,
        busiest_worker_ratio: reading.busiest_worker_ratio,
    })
}

fn added_delay(
    share_ratio: f64,
    highest_per_s: u64,
    measure: &mut Measure<'_>,
) -> Result<AddedDelay, Box<dyn Failure>> {
    // A rate of nothing is no rate.
    let rate_per_s = ((highest_per_s as f64 * share_ratio) as u64).max(1);
    let reading = measure(Load::OpenStamped { rate_per_s })?;
    Ok(AddedDelay {
        share_ratio,
        rate_per_s,
        busiest_worker_ratio: reading.busiest_worker_ratio,
        lateness_ns: reading.lateness_ns,
        transmit_ns: reading.transmit_ns,
        wakeup_ns: reading.wakeup_ns,
    })
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Closed { connections: 1 } => write!(f, "closed model, 1 connection"),
            Self::Closed { connections } => {
                write!(f, "closed model, {} connections", count(connections.into()))
            }
            Self::Open { rate_per_s } => write!(f, "open model, {}/s", count(rate_per_s)),
            Self::OpenStamped { rate_per_s } => {
                write!(f, "added delay at {}/s", count(rate_per_s))
            }
            Self::Timer => write!(f, "timer error"),
        }
    }
}

/// Requests per second of the step that finds out how late the timer is: a worker sleeps for nearly
/// all of each millisecond.
pub(super) const TIMER_RATE_PER_S: u64 = 1_000;
/// The shares of the highest rate at which the added delay is measured.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 0.9];
