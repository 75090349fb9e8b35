//! The page to read.
//!
//! Writing to a `String` cannot fail, so what `write!` returns is dropped.

use std::fmt::Write as _;

use throng_measure::format::{count, date, duration, percent};

use super::steps::TIMER_RATE_PER_S;
use crate::calibration::{
    AddedDelay, Calibration, Ceiling, Closed, Delay, GENERATOR_LIMIT_RATIO, HELD_LATENESS_P99_NS,
    Open, Trial, Verdict,
};

/// Prints a calibration for people.
pub(super) fn report(calibration: &Calibration) -> String {
    let mut page = String::new();
    head(&mut page, calibration);
    closed(&mut page, &calibration.closed);
    open(&mut page, &calibration.open);
    added_delay(&mut page, calibration);
    timer(&mut page, calibration.timer_error_ns);
    notes(&mut page, calibration);
    page
}

fn head(page: &mut String, calibration: &Calibration) {
    let machine = &calibration.machine;
    let cpu = if machine.cpu_model.is_empty() { "processor unknown" } else { &machine.cpu_model };
    let _ = writeln!(
        page,
        "What throng can generate on this machine, {}\n\
         {:INDENT$}{cpu}, {}, Linux {}\n\
         {:INDENT$}{} against {} of throng sink, {} per step\n",
        date(calibration.started_unix_ns),
        "Machine",
        counted(machine.cpu_count, "processor"),
        machine.host_kernel,
        "Method",
        counted(calibration.worker_count, "worker thread"),
        counted(calibration.sink_worker_count, "thread"),
        duration(calibration.step_ns as f64),
    );
}

fn closed(page: &mut String, rows: &[Closed]) {
    let _ = writeln!(
        page,
        "{:INDENT$}{:>11}{:>13}{:>17}{:>19}",
        "Closed model", "connections", "achieved", "busiest worker", "at most"
    );
    for row in rows {
        let _ = writeln!(
            page,
            "{:INDENT$}{:>11}{:>13}{:>17}{:>19}",
            "",
            count(row.connections.into()),
            per_second(row.achieved_per_s),
            busy(row.busiest_worker_ratio),
            at_most(row.ceiling)
        );
    }
    page.push('\n');
}

fn open(page: &mut String, open: &Open) {
    let held = match &open.held {
        None => "no rate that was tried was held; try again when the machine is idle".to_owned(),
        Some(trial) => format!(
            "{} held: lateness p99 {}, busiest worker {}",
            per_second(trial.rate_per_s),
            delay(trial.lateness_ns.p99),
            busy(trial.busiest_worker_ratio)
        ),
    };
    let _ = writeln!(page, "{:INDENT$}{held}", "Open model");
    if let Some(trial) = &open.not_held {
        let _ = writeln!(
            page,
            "{:INDENT$}{} not held: {}",
            "",
            per_second(trial.rate_per_s),
            shortfall(trial)
        );
    }
    let _ = writeln!(page, "{:INDENT$}at most {}\n", "", at_most(open.ceiling));
}

fn shortfall(trial: &Trial) -> String {
    if trial.verdict() == Verdict::Unanswered {
        return format!("{} answered, so the sink was the limit", per_second(trial.achieved_per_s));
    }
    format!(
        "lateness p99 {}, above {}",
        delay(trial.lateness_ns.p99.or(trial.lateness_ns.max)),
        duration(HELD_LATENESS_P99_NS as f64)
    )
}

fn added_delay(page: &mut String, calibration: &Calibration) {
    let _ = writeln!(
        page,
        "{:INDENT$}{:>11}{:>9}{:>20}{:>19}{:>19}",
        "Added delay", "rate", "busiest", "lateness", "transmit", "wake-up"
    );
    let _ = write!(page, "{:INDENT$}{:>11}{:>9} ", "", "", "worker");
    for _ in 0..3 {
        let _ = write!(page, "{:>9}{:>9} ", "p50", "p99");
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    for row in &calibration.added_delay {
        let AddedDelay { share_ratio, rate_per_s, busiest_worker_ratio, .. } = *row;
        let _ = write!(
            page,
            "{:INDENT$}{:>11}{:>9} ",
            format!("  {:.0} %", share_ratio * 100.0),
            per_second(rate_per_s),
            busy(busiest_worker_ratio)
        );
        for part in [row.lateness_ns, row.transmit_ns, row.wakeup_ns] {
            let _ = write!(page, "{:>9}{:>9} ", delay(part.p50), delay(part.p99));
        }
        page.truncate(page.trim_end().len());
        page.push('\n');
    }
    page.push('\n');
}

fn timer(page: &mut String, error_ns: Delay) {
    let _ = writeln!(
        page,
        "{:INDENT$}p50 {}, p99 {}, max {}, at {}\n",
        "Timer error",
        delay(error_ns.p50),
        delay(error_ns.p99),
        delay(error_ns.max),
        per_second(TIMER_RATE_PER_S)
    );
}

fn notes(page: &mut String, calibration: &Calibration) {
    let ceilings = calibration.closed.iter().map(|row| row.ceiling);
    let mut ceilings = ceilings.chain([calibration.open.ceiling]).flatten();
    if ceilings.any(|ceiling| ceiling.estimated) {
        let _ = writeln!(
            page,
            "about: an estimate. The busiest worker had a processor for less than {} of the time, so \
             the\n  sink or the machine was the limit, not the generator; a full worker would do \
             this many.",
            percent(GENERATOR_LIMIT_RATIO)
        );
    }
    let of_what = match calibration.open.held {
        Some(_) => "the highest rate that was held",
        None => "the closed model's highest rate",
    };
    let _ = writeln!(
        page,
        "Shares are of {of_what}. Lateness and transmit come before a request is on\n  its way and \
         are in the response time; wake-up comes after its answer and is not.\n\
         All of it holds for small requests over loopback, on this machine with this kernel and \
         what else\n  it was doing; the sink takes processors and caches from the generator."
    );
}

fn at_most(ceiling: Option<Ceiling>) -> String {
    match ceiling {
        None => NONE.to_owned(),
        Some(Ceiling { rate_per_s, estimated: true }) => {
            format!("about {}", per_second(three_digits(rate_per_s)))
        }
        Some(Ceiling { rate_per_s, estimated: false }) => per_second(rate_per_s),
    }
}

/// An estimate has no more digits than this.
fn three_digits(rate_per_s: u64) -> u64 {
    let unit = 10_u64.pow(rate_per_s.checked_ilog10().unwrap_or(0).saturating_sub(2));
    rate_per_s.saturating_add(unit / 2) / unit * unit
}

fn per_second(rate: u64) -> String {
    format!("{}/s", count(rate))
}

fn busy(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| NONE.to_owned(), percent)
}

fn delay(ns: Option<u64>) -> String {
    ns.map_or_else(|| NONE.to_owned(), |ns| duration(ns as f64))
}

fn counted(number: u32, noun: &str) -> String {
    format!("{} {noun}{}", count(number.into()), if number == 1 { "" } else { "s" })
}

/// The column in which facts begin, after their names.
const INDENT: usize = 14;

/// In place of a number that there is none of.
const NONE: &str = "–";
