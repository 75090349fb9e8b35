use std::cell::RefCell;

use super::search::{TRIALS_MAX, highest_held};
use super::steps::{Load, Reading, Setup};
use super::*;
use crate::calibration::{Calibration, Ceiling, Delay, Machine, Trial};

const LATE_NS: u64 = 5_000_000;
const IN_TIME_NS: u64 = 20_000;

fn delay(p99: u64) -> Delay {
    Delay { p50: Some(p99 / 2), p99: Some(p99), max: Some(p99 * 3) }
}

/// A try on a generator that is in time up to a rate.
fn try_on(in_time_up_to_per_s: u64, rate_per_s: u64) -> Trial {
    let late = rate_per_s > in_time_up_to_per_s;
    Trial {
        rate_per_s,
        achieved_per_s: rate_per_s,
        lateness_ns: delay(if late { LATE_NS } else { IN_TIME_NS }),
        busiest_worker_ratio: Some(0.7),
    }
}

#[test]
fn the_search_ends_with_the_limit_between_its_bounds() {
    const HIGHEST: u64 = 64_000;
    for limit in (1_000..HIGHEST).step_by(777) {
        let tried = RefCell::new(Vec::new());
        let bounds = highest_held(HIGHEST, |rate| {
            tried.borrow_mut().push(rate);
            Ok::<_, ()>(try_on(limit, rate))
        })
        .expect("nothing fails");
        let tried = tried.into_inner();
        assert_eq!(tried[0], HIGHEST / 2);
        assert!(tried.len() <= TRIALS_MAX, "{tried:?}");
        let held = bounds.held.map_or(0, |trial| trial.rate_per_s);
        let not_held = bounds.not_held.map_or(HIGHEST, |trial| trial.rate_per_s);
        assert!(held <= limit && limit < not_held, "{limit}: {held} to {not_held}");
        let resolved = not_held - held <= HIGHEST / 64 || not_held - held <= held / 20;
        assert!(resolved, "{limit}: {held} to {not_held}");
    }
}

#[test]
fn a_search_without_a_rate_that_is_held_finds_none() {
    let bounds = highest_held(64_000, |rate| Ok::<_, ()>(try_on(0, rate))).expect("none fails");
    assert_eq!(bounds.held, None);
    assert_eq!(bounds.not_held.map(|trial| trial.rate_per_s), Some(1_000), "half, six times");
}

#[test]
fn a_search_in_which_every_rate_is_held_ends_near_the_limit() {
    let bounds = highest_held(64_000, |rate| Ok::<_, ()>(try_on(u64::MAX, rate))).expect("fine");
    assert_eq!(bounds.not_held, None);
    assert!(bounds.held.is_some_and(|trial| trial.rate_per_s >= 60_000), "{bounds:?}");
}

#[test]
fn a_search_tries_no_rate_of_nothing_and_none_twice() {
    for limit in 0..5 {
        let tried = RefCell::new(Vec::new());
        let try_rate = |rate| {
            tried.borrow_mut().push(rate);
            Ok::<_, ()>(try_on(1, rate))
        };
        highest_held(limit, try_rate).expect("nothing fails");
        let mut tried = tried.into_inner();
        assert!(!tried.contains(&0), "{limit}: {tried:?}");
        let count = tried.len();
        tried.sort_unstable();
        tried.dedup();
        assert_eq!(tried.len(), count, "{limit}: {tried:?}");
    }
}

#[test]
fn a_failure_ends_the_search() {
    let mut count = 0;
    let result = highest_held(64_000, |rate| {
        count += 1;
        if count == 2 { Err("cut") } else { Ok(try_on(u64::MAX, rate)) }
    });
    assert_eq!((result, count), (Err("cut"), 2));
}

fn setup() -> Setup {
    Setup {
        machine: Machine {
            host_kernel: "6.8.0".to_owned(),
            cpu_model: "Some CPU".to_owned(),
            cpu_count: 4,
        },
        worker_count: 2,
        sink_worker_count: 2,
        step_ns: 3_000_000_000,
        connections: vec![1, 10, 100, 1_000],
    }
}

/// A machine whose generator is full at 100,000/s, whose sink answers at most 80,000/s, and whose
/// generator is late above 70,000/s.
fn made_up(load: Load) -> Reading {
    let rate = match load {
        Load::Closed { connections: 1 } => 20_000,
        Load::Closed { .. } => 80_000,
        Load::Open { rate_per_s } | Load::OpenStamped { rate_per_s } => rate_per_s,
        Load::Timer => 1_000,
    };
    Reading {
        started_unix_ns: 1_795_291_169_000_000_000,
        worker_count: if load == (Load::Closed { connections: 1 }) { 1 } else { 2 },
        achieved_per_s: rate.min(80_000) as f64,
        busiest_worker_ratio: Some(rate as f64 / 100_000.0),
        lateness_ns: delay(if rate > 70_000 { LATE_NS } else { IN_TIME_NS + rate / 10 }),
        transmit_ns: delay(2_000),
        wakeup_ns: delay(7_000),
    }
}

fn calibrated(mut measure: impl FnMut(Load) -> Reading) -> Calibration {
    let result = steps::all(setup(), &mut |load| Ok(measure(load)));
    result.unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn a_calibration_takes_every_step_and_concludes_from_each() {
    let loads = RefCell::new(Vec::new());
    let found = calibrated(|load| {
        loads.borrow_mut().push(load);
        made_up(load)
    });
    let loads = loads.into_inner();
    assert_eq!(loads[..4], [1, 10, 100, 1_000].map(|connections| Load::Closed { connections }));
    assert_eq!(loads[4], Load::Open { rate_per_s: 40_000 }, "half of what the closed model did");
    assert_eq!(loads.last(), Some(&Load::Timer));
    assert!(loads.len() <= steps::steps_max(4));

    let ceiling = |rate_per_s, estimated| Some(Ceiling { rate_per_s, estimated });
    assert_eq!(found.closed[0].ceiling, ceiling(100_000, true));
    assert_eq!(found.closed[0].worker_count, 1);
    assert_eq!(found.closed[3].achieved_per_s, 80_000);
    assert_eq!(found.closed[3].ceiling, ceiling(100_000, true));
    let held = found.open.held.expect("some rate was held").rate_per_s;
    assert!((66_000..=70_000).contains(&held), "{held}");
    assert_eq!(found.open.ceiling, ceiling(held, false), "lateness was the limit");
    let shares = found.added_delay.iter().map(|row| (row.share_ratio, row.rate_per_s));
    let expected = [0.25, 0.5, 0.75, 0.9].map(|share| (share, (held as f64 * share) as u64));
    assert_eq!(shares.collect::<Vec<_>>(), expected);
    assert_eq!(found.added_delay[0].transmit_ns, delay(2_000));
    assert_eq!(found.added_delay[0].wakeup_ns, delay(7_000));
    assert_eq!(found.timer_error_ns, delay(IN_TIME_NS + 100));
    assert_eq!(found.started_unix_ns, 1_795_291_169_000_000_000);
}

#[test]
fn a_generator_that_is_full_has_its_rate_as_ceiling() {
    let full = |load| Reading { busiest_worker_ratio: Some(0.97), ..made_up(load) };
    let found = calibrated(full);
    assert!(found.closed.iter().all(|row| {
        row.ceiling == Some(Ceiling { rate_per_s: row.achieved_per_s, estimated: false })
    }));
}

#[test]
fn delays_are_measured_even_where_no_open_rate_was_held() {
    let found = calibrated(|load| Reading { lateness_ns: delay(LATE_NS), ..made_up(load) });
    assert_eq!((found.open.held, found.open.ceiling), (None, None));
    let rates = found.added_delay.iter().map(|row| row.rate_per_s);
    assert_eq!(rates.collect::<Vec<_>>(), [20_000, 40_000, 60_000, 72_000]);
}

#[test]
fn a_sink_that_answers_nothing_ends_it_with_status_3() {
    let silent = |load| Reading { achieved_per_s: 0.0, ..made_up(load) };
    let result = steps::all(setup(), &mut |load| Ok(silent(load)));
    let failure = result.expect_err("there is no rate");
    assert_eq!(failure.exit(), Exit::NothingMeasured);
    assert!(failure.hint().is_some());
}

#[test]
fn an_interrupted_step_ends_it_at_once() {
    let mut count = 0;
    let result = steps::all(setup(), &mut |load| {
        count += 1;
        if count == 6 { Err(CalibrateError::Interrupted.into()) } else { Ok(made_up(load)) }
    });
    assert_eq!(result.map_err(|failure| failure.exit()), Err(Exit::NothingMeasured));
    assert_eq!(count, 6);
}

#[test]
fn the_page_has_every_row_and_fits_a_terminal() {
    let page = text::report(&calibrated(made_up));
    for part in [
        "What throng can generate on this machine, 2026-11-21\n",
        "Machine       Some CPU, 4 processors, Linux 6.8.0\n",
        "Method        2 worker threads against 2 threads of throng sink, 3.00 s per step\n",
        "                        1     20,000/s           20.0 %    about 100,000/s\n",
        "                    1,000     80,000/s           80.0 %    about 100,000/s\n",
        "Open model    70,000/s held: lateness p99 27.0 µs, busiest worker 70.0 %\n",
        "/s not held: lateness p99 5.00 ms, above 100 µs\n",
        "              at most 70,000/s\n",
        "  25 %           17,500/s   17.5 %   10.9 µs  21.8 µs   1.00 µs  2.00 µs   3.50 µs",
        "  90 %           63,000/s   63.0 %",
        "Timer error   p50 10.1 µs, p99 20.1 µs, max 60.3 µs, at 1,000/s\n",
        "about: an estimate. ",
        "Shares are of the highest rate that was held.",
        "on this machine with this kernel",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    let silent = calibrated(|load| Reading {
        busiest_worker_ratio: None,
        lateness_ns: Delay::default(),
        transmit_ns: Delay::default(),
        wakeup_ns: Delay::default(),
        ..made_up(load)
    });
    let nothing_known = text::report(&silent);
    assert!(nothing_known.contains("no rate that was tried was held;"), "{nothing_known}");
    assert!(nothing_known.contains("Timer error   p50 –, p99 –, max –"), "{nothing_known}");
    assert!(nothing_known.contains("Shares are of the closed model's highest rate."));
    assert!(!nothing_known.contains("about"), "nothing is estimated: {nothing_known}");
    for line in page.lines().chain(nothing_known.lines()) {
        assert!(line.chars().count() <= 100, "{line}");
        assert_eq!(line.trim_end(), line, "blanks at the end of {line:?}");
    }
}

#[test]
fn the_page_says_so_when_the_sink_was_the_limit() {
    // Never late, but only half of it is answered.
    let page = text::report(&calibrated(|load| match load {
        Load::Open { rate_per_s } if rate_per_s > 50_000 => Reading {
            achieved_per_s: rate_per_s as f64 / 2.0,
            lateness_ns: delay(IN_TIME_NS),
            ..made_up(load)
        },
        _ => made_up(load),
    }));
    assert!(page.contains("answered, so the sink was the limit\n"), "{page}");
    assert!(page.contains("              at most about "), "{page}");
}
