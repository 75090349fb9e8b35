//! The identity, whatever happens.

use throng_engine::io::sim::{Scene, Trouble};
use throng_engine::plan::{Arrivals, Pool, Stop};
use throng_engine::simulate;
use throng_measure::{Outcome, Place, RunFileError, Summary};

use crate::common::{MS, S, closed, count, open, plan, run};

fn assert_identity(summary: &Summary, what: &str) {
    assert!(summary.identity_holds, "{what}: {:?}", summary.outcomes);
    assert_eq!(summary.planned, summary.outcomes.iter().sum::<u64>(), "{what}");
}

/// A scene with every trouble, its ratios drawn from the seed.
fn troubled(seed: u64) -> Scene {
    let ratio = |k| throng_engine::workload::unit_interval(seed, k).powi(4) * 0.3;
    let mut scene = Scene::quiet(seed, MS);
    scene.one_at_a_time = seed.is_multiple_of(3);
    scene.splits = seed.is_multiple_of(2);
    scene.short_writes = seed.is_multiple_of(5);
    scene.stalls.push(100 * MS..(100 + seed % 300) * MS);
    scene.trouble = Trouble {
        starve_ratio: ratio(8),
        loss_ratio: ratio(9),
        refuse_ratio: ratio(1),
        reset_ratio: ratio(2),
        silence_ratio: ratio(3),
        close_ratio: ratio(4),
        truncate_ratio: ratio(5),
        garbage_ratio: ratio(6),
        close_after_ratio: ratio(7),
    };
    scene
}

#[test]
fn nothing_disappears_under_random_resets_stalls_and_timeouts() {
    let mut seen = [0; Outcome::ALL.len()];
    for seed in 0..1000 {
        let model = match seed % 4 {
            0 => closed(7),
            1 => open(500, Arrivals::Poisson, Pool::UpTo(30)),
            2 => open(700, Arrivals::Uniform, Pool::Fixed(5)),
            _ => open(300, Arrivals::Constant, Pool::UpTo(100)),
        };
        let mut plan = plan(model, 1);
        plan.seed = seed;
        plan.timeout_ns = 150 * MS;
        plan.grace_ns = 100 * MS;
        plan.warmup_ns = 123 * MS;
        plan.keep_alive = seed % 7 != 0;
        plan.pipeline = if plan.keep_alive && seed % 6 == 1 { 4 } else { 1 };
        plan.workers = 1 + (seed % 2) as u32;
        let summary = run(&plan, &troubled(seed));
        assert_identity(&summary, &format!("seed {seed}"));
        let counts = summary.outcomes.iter().zip(&mut seen);
        counts.for_each(|(count, seen)| *seen += count);
    }
    // The scenes do reach what they are meant to reach.
    for outcome in [
        Outcome::Ok,
        Outcome::Timeout,
        Outcome::ConnectError,
        Outcome::IoError,
        Outcome::ProtocolError,
        Outcome::Unfinished,
    ] {
        assert!(seen[outcome.index()] > 100, "{}: {seen:?}", outcome.name());
    }
}

#[test]
fn a_number_of_requests_is_exact_whatever_the_remainder() {
    for (requests, connections, workers) in [(1, 1, 1), (10, 3, 2), (1000, 7, 3), (5, 10, 4)] {
        let mut plan = plan(closed(connections), 1);
        plan.stop = Stop { duration_ns: None, requests: Some(requests) };
        plan.workers = workers;
        let summary = run(&plan, &Scene::quiet(1, MS));
        assert_eq!(count(&summary, Outcome::Ok), requests, "{requests} over {workers}");
        let mut plan = plan.clone();
        plan.model = open(1000, Arrivals::Poisson, Pool::Fixed(connections));
        let summary = run(&plan, &Scene::quiet(1, MS));
        assert_eq!(summary.planned, requests, "open, {requests} over {workers}");
    }
}

#[test]
fn the_earlier_of_duration_and_number_ends_the_run() {
    let mut short = plan(open(100, Arrivals::Constant, Pool::Fixed(4)), 2);
    short.stop.requests = Some(1000);
    assert_eq!(run(&short, &Scene::quiet(1, MS)).planned, 200);
    short.stop.requests = Some(50);
    let summary = run(&short, &Scene::quiet(1, MS));
    assert_eq!(summary.planned, 50);
    // Fifty arrivals of 100/s fill half a second.
    assert_eq!(summary.span_ns, S / 2);
}

#[test]
fn pipelined_requests_are_samples_of_their_own() {
    let mut plan = plan(closed(2), 1);
    plan.pipeline = 8;
    plan.stop = Stop { duration_ns: None, requests: Some(1000) };
    let summary = run(&plan, &Scene::quiet(1, MS));
    assert_eq!(count(&summary, Outcome::Ok), 1000);
    assert_eq!(summary.connections.opened, 2);
    assert_eq!(summary.service_time.count, 1000);
}

#[test]
fn without_keep_alive_each_request_has_its_connection() {
    let mut plan = plan(closed(3), 1);
    plan.keep_alive = false;
    plan.stop = Stop { duration_ns: None, requests: Some(100) };
    let mut scene = Scene::quiet(1, MS);
    scene.answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na".to_vec();
    let summary = run(&plan, &scene);
    assert_eq!(count(&summary, Outcome::Ok), 100);
    assert_eq!(summary.connections.opened, 100);
    // Opening is part of what the user waits for: two ways of 20 µs to open, two for the exchange.
    // A histogram's minimum is at most 0.1 % below the least value.
    assert!(summary.response_time.min_ns >= Some(1_079_000), "{:?}", summary.response_time);
}

#[test]
fn what_is_moved_in_the_warm_up_is_left_out_too() {
    // Windows begin at half seconds; 400/s on a connection each, quick enough to end in theirs.
    let mut plan = plan(open(400, Arrivals::Constant, Pool::UpTo(50)), 5);
    plan.warmup_ns = 1_500 * MS;
    plan.keep_alive = false;
    let mut scene = Scene::quiet(1, MS / 10);
    scene.answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na".to_vec();
    let file = simulate(&plan, &scene, Place::Temporary).expect("a simulated run ends");
    let summary = file.summary().expect("readable");
    assert_eq!(summary.planned, 1400);
    assert_eq!(summary.connections.opened, 1400);
    assert_eq!(summary.bytes_received, 1400 * scene.answer.len() as u64);
    let mut opened = Vec::new();
    let visited: Result<(), RunFileError> = file.for_each_window(|window| {
        opened.push((window.window, window.counts.connections.opened));
        Ok(())
    });
    visited.expect("readable");
    assert_eq!(opened, [(-2, 200), (-1, 400), (0, 400), (1, 400), (2, 400), (3, 200)]);
}
