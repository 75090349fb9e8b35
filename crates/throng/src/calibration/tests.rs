use super::*;
use crate::front::native::{Options, job};

/// A calibration with four workers: 200,000/s on one connection, 100,000/s on ten, 50,000/s on a
/// thousand, 40,000/s in the open model.
pub(super) fn calibration() -> Calibration {
    let closed = |connections: u32, rate_per_s, estimated| Closed {
        connections,
        worker_count: connections.min(4),
        achieved_per_s: rate_per_s,
        busiest_worker_ratio: Some(0.5),
        ceiling: Some(Ceiling { rate_per_s, estimated }),
    };
    Calibration {
        format: FORMAT,
        version: "0.1.0".to_owned(),
        machine: machine(),
        started_unix_ns: 1_795_291_169_760_816_762,
        worker_count: 4,
        sink_worker_count: 4,
        step_ns: 3_000_000_000,
        closed: vec![
            closed(1, 200_000, false),
            closed(10, 100_000, false),
            closed(1_000, 50_000, true),
        ],
        open: Open::of(Some(trial(40_000, 40_000, 80_000)), Some(trial(42_000, 42_000, 140_000))),
        added_delay: vec![AddedDelay {
            share_ratio: 0.25,
            rate_per_s: 10_000,
            busiest_worker_ratio: Some(0.25),
            lateness_ns: Delay { p50: Some(4_070), p99: Some(36_800), max: Some(1_000_000) },
            transmit_ns: Delay { p50: Some(1_580), p99: None, max: Some(4_130) },
            wakeup_ns: Delay::default(),
        }],
        timer_error_ns: Delay { p50: Some(9_000), p99: Some(50_000), max: Some(2_000_000) },
    }
}

pub(super) fn machine() -> Machine {
    Machine {
        host_kernel: "6.8.0-31-generic".to_owned(),
        cpu_model: "Some CPU @ 2 GHz".to_owned(),
        cpu_count: 8,
    }
}

fn trial(rate_per_s: u64, achieved_per_s: u64, lateness_p99_ns: u64) -> Trial {
    let lateness_ns = Delay { p99: Some(lateness_p99_ns), ..Delay::default() };
    Trial { rate_per_s, achieved_per_s, lateness_ns, busiest_worker_ratio: Some(0.8) }
}

fn plan(options: Options) -> Plan {
    let url = options.url.or_else(|| Some("http://127.0.0.1:1/".to_owned()));
    let job = job(&Options { url, threads: options.threads.or(Some(4)), ..options });
    job.unwrap_or_else(|failure| panic!("{failure}")).plan
}

fn closed(connections: u64) -> Options {
    Options { connections: Some(connections), ..Options::default() }
}

fn open() -> Options {
    let rate = throng_engine::plan::Rate { count: 10, per_ns: 1_000_000_000 };
    Options { rate: Some(rate), max_connections: Some(50), ..Options::default() }
}

fn rate_per_s(options: Options) -> Option<u64> {
    calibration().capacity(&plan(options)).map(|capacity| capacity.rate_per_s)
}

#[test]
fn a_measured_number_of_connections_has_the_capacity_that_was_measured() {
    assert_eq!(rate_per_s(closed(1)), Some(200_000));
    assert_eq!(rate_per_s(closed(10)), Some(100_000));
    assert_eq!(rate_per_s(closed(1_000)), Some(50_000));
}

#[test]
fn between_measured_numbers_capacity_changes_by_as_much_per_factor_of_connections() {
    // 100 is half of the way from 10 to 1,000 in factors.
    assert_eq!(rate_per_s(closed(100)), Some(75_000));
    assert_eq!(rate_per_s(closed(32)), Some(87_371), "100,000 - 50,000 * log(3.2) / log(100)");
    let capacity = |connections| calibration().capacity(&plan(closed(connections)));
    assert_eq!(capacity(10).map(|capacity| capacity.estimated), Some(false));
    assert_eq!(capacity(100).map(|capacity| capacity.estimated), Some(true), "one end is");
}

#[test]
fn outside_the_measured_numbers_there_is_no_capacity() {
    assert_eq!(rate_per_s(closed(1_001)), None);
    let mut calibration = calibration();
    calibration.closed.remove(0);
    assert_eq!(calibration.capacity(&plan(closed(9))), None);
    calibration.closed.clear();
    assert_eq!(calibration.capacity(&plan(closed(10))), None);
}

#[test]
fn a_neighbour_without_a_ceiling_leaves_none_between() {
    let mut calibration = calibration();
    calibration.closed[1].ceiling = None;
    for connections in [9, 10, 11] {
        assert_eq!(calibration.capacity(&plan(closed(connections))), None, "{connections}");
    }
    assert!(calibration.capacity(&plan(closed(1_000))).is_some());
}

#[test]
fn the_open_model_has_its_own_capacity() {
    assert_eq!(rate_per_s(open()), Some(40_000));
    let fixed = Options { connections: Some(10), max_connections: None, ..open() };
    assert_eq!(rate_per_s(fixed), Some(40_000));
}

#[test]
fn runs_unlike_the_calibrated_ones_have_no_capacity() {
    let calibrated = rate_per_s(closed(10));
    assert!(calibrated.is_some());
    for unlike in [
        Options { threads: Some(3), ..closed(10) },
        Options { threads: Some(5), ..closed(10) },
        Options { pipeline: Some(2), ..closed(10) },
        Options { no_keepalive: true, ..closed(10) },
        Options { unix: Some("socket".into()), ..closed(10) },
        Options { threads: Some(3), ..open() },
        // Three connections leave one of the four workers without work.
        Options { connections: Some(3), max_connections: None, ..open() },
    ] {
        assert_eq!(rate_per_s(unlike.clone()), None, "{unlike:?}");
    }
}

#[test]
fn fewer_connections_than_threads_are_compared_with_as_few_workers() {
    // -t 4 -c 3 runs three workers, as a calibration with -t 4 would.
    assert!(rate_per_s(closed(3)).is_some());
    assert_eq!(plan(closed(3)).workers, 3);
    assert!(rate_per_s(Options { threads: Some(1), ..closed(1) }).is_some());
}

#[test]
fn a_capacity_says_when_it_was_found() {
    let capacity = calibration().capacity(&plan(closed(10)));
    assert_eq!(
        capacity.map(|capacity| capacity.calibrated_unix_ns),
        Some(1_795_291_169_760_816_762)
    );
}

#[test]
fn numbers_that_no_calibration_has_make_no_capacity_and_no_panic() {
    let mut calibration = calibration();
    calibration.closed[0].connections = 0;
    calibration.closed[2].connections = 0;
    for connections in [1, 5, 10, 50] {
        let capacity = calibration.capacity(&plan(closed(connections)));
        assert_ne!(capacity.map(|capacity| capacity.rate_per_s), Some(0), "{connections}");
    }
    calibration.open.ceiling = Some(Ceiling { rate_per_s: 0, estimated: false });
    assert_eq!(calibration.capacity(&plan(open())), None);
}

#[test]
fn a_ceiling_is_measured_where_the_generator_was_the_limit_and_estimated_where_not() {
    let measured = |rate_per_s| Some(Ceiling { rate_per_s, estimated: false });
    let estimated = |rate_per_s| Some(Ceiling { rate_per_s, estimated: true });
    for (busy, was_limit, ceiling) in [
        (Some(0.95), false, measured(45_000)),
        (Some(0.9), false, measured(45_000)),
        (Some(0.89), false, estimated(50_562)),
        (Some(0.5), false, estimated(90_000)),
        (Some(0.5), true, measured(45_000)),
        (Some(0.1), false, estimated(450_000)),
        (Some(0.09), false, None),
        (Some(f64::NAN), false, None),
        (None, false, None),
        (None, true, measured(45_000)),
    ] {
        assert_eq!(Ceiling::of(45_000, busy, was_limit), ceiling, "{busy:?}, {was_limit}");
    }
    assert_eq!(Ceiling::of(0, Some(0.95), true), None);
}

#[test]
fn a_rate_is_held_when_requests_leave_in_time_and_are_answered() {
    let verdict = |achieved, lateness| trial(1_000, achieved, lateness).verdict();
    assert_eq!(verdict(1_000, 100_000), Verdict::Held);
    assert_eq!(verdict(990, 100_000), Verdict::Held, "99 %");
    assert_eq!(verdict(989, 100_000), Verdict::Unanswered);
    assert_eq!(verdict(1_000, 100_001), Verdict::Late);
    assert_eq!(verdict(0, 100_001), Verdict::Late, "it was late in the first place");
    // Too few samples for a p99: the maximum bounds it.
    let few = |max| {
        let lateness_ns = Delay { max, ..Delay::default() };
        Trial { lateness_ns, ..trial(1_000, 1_000, 0) }.verdict()
    };
    assert_eq!(few(Some(100_000)), Verdict::Held);
    assert_eq!(few(Some(100_001)), Verdict::Late);
    assert_eq!(few(None), Verdict::Late, "nothing was dispatched");
}

#[test]
fn the_open_ceiling_is_what_was_held_where_lateness_ended_it_and_an_estimate_where_not() {
    let held = trial(40_000, 40_000, 80_000);
    let ceiling = |not_held| Open::of(Some(held), not_held).ceiling;
    let late = trial(42_000, 42_000, 200_000);
    let unanswered = trial(42_000, 30_000, 20_000);
    assert_eq!(ceiling(Some(late)), Some(Ceiling { rate_per_s: 40_000, estimated: false }));
    assert_eq!(ceiling(Some(unanswered)), Some(Ceiling { rate_per_s: 50_000, estimated: true }));
    assert_eq!(ceiling(None), Some(Ceiling { rate_per_s: 50_000, estimated: true }));
    assert_eq!(Open::of(None, Some(late)).ceiling, None);
}
