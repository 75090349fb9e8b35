//! Runs whose result is known by arithmetic. Formulas: see each test.

use throng_engine::io::sim::{Scene, Service};
use throng_engine::plan::{Arrivals, Pool};
use throng_measure::{Level, Outcome, Percentile};

use crate::common::{MS, S, assert_near, closed, constant, count, open, plan, run};

#[test]
fn a_one_second_server_stall_appears_in_response_time_of_every_due_request() {
    let mut scene = Scene::quiet(1, MS / 10);
    scene.one_at_a_time = true;
    scene.stalls.push(5 * S..6 * S);
    let summary = run(&plan(constant(1000, Pool::UpTo(5000)), 20), &scene);
    assert_eq!(summary.planned, 20_000);
    assert_eq!(count(&summary, Outcome::Ok), 20_000);
    assert!(summary.response_time.max_ns >= Some(S - MS), "{:?}", summary.response_time.max_ns);
    // An arrival t after the stall begins waits D − t·(1 − R/C): the share above x is
    // (D − x) / ((1 − R/C) · T). With R/C = 0.1, D = 1 s, T = 20 s, x at the 99th percentile:
    // 0.01 = (1 − x) / (0.9 · 20), so x = 0.82 s.
    let p99_ns = summary.response_time.at(Level::P99).value().expect("20,000 samples");
    assert_near("p99", p99_ns as f64, 0.82 * 1e9, 2.0);
    let p95_ns = summary.response_time.at(Level::P95).value().expect("20,000 samples");
    assert_near("p95", p95_ns as f64, 0.1 * 1e9, 2.0);
}

#[test]
fn a_bounded_pool_shows_the_same_stall_as_waiting() {
    let mut scene = Scene::quiet(1, MS / 10);
    scene.one_at_a_time = true;
    scene.stalls.push(5 * S..6 * S);
    let summary = run(&plan(constant(1000, Pool::Fixed(10)), 20), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 20_000);
    let p99_ns = summary.response_time.at(Level::P99).value().expect("20,000 samples");
    assert_near("p99", p99_ns as f64, 0.82 * 1e9, 2.0);
    // Ten requests met the stall on the wire; all others waited for a connection, and while the
    // backlog was worked off (1 in 18 requests) the server had ten at a time.
    assert!(summary.queue_wait.max_ns >= Some(900 * MS));
    assert!(summary.service_time.at(Level::P90).value() < Some(MS));
}

#[test]
fn the_classic_hundred_seconds_and_a_hundred_second_stall() {
    // Gil Tene's example: 100/s at 1 ms for 100 s, then a stall of 100 s. The truth is a mean of
    // 25 s, a median of 1 ms, a p75 of 50 s; a tool that waits for answers sees 11 ms.
    let mut scene = Scene::quiet(1, MS);
    scene.stalls.push(100 * S..200 * S);
    let mut plan = plan(constant(100, Pool::UpTo(20_000)), 200);
    plan.timeout_ns = 300 * S;
    let summary = run(&plan, &scene);
    assert_eq!(count(&summary, Outcome::Ok), 20_000);
    let response = &summary.response_time;
    assert_near("mean", response.mean_ns.expect("samples"), 25e9, 2.0);
    assert_near("p75", response.at(Level::P75).value().expect("samples") as f64, 50e9, 2.0);
    assert!(
        response.at(Level::P50).value() < Some(2 * MS),
        "{:?}",
        response.at(Level::P50).value()
    );
}

#[test]
fn offered_rate_is_exact() {
    for arrivals in [Arrivals::Constant, Arrivals::Uniform] {
        for (per_s, seconds) in [(1, 10), (7, 3600), (999, 10), (20_000, 10)] {
            let mut plan = plan(open(per_s, arrivals, Pool::Fixed(64)), seconds);
            plan.workers = 3;
            let summary = run(&plan, &Scene::quiet(1, MS / 10));
            assert_eq!(summary.planned, per_s * seconds, "{arrivals:?} {per_s}/s");
            let offered = summary.rates.offered_per_s;
            assert_near("offered rate", offered, per_s as f64, 0.000_001);
        }
    }
}

#[test]
fn little_s_law_holds_in_the_closed_model() {
    // N users, each always waiting: N = throughput × mean response time.
    let summary = run(&plan(closed(20), 10), &Scene::quiet(1, MS));
    let response_s = summary.response_time.mean_ns.expect("samples") / 1e9;
    assert_near("users", summary.rates.achieved_per_s * response_s, 20.0, 1.0);
    // 1 ms of service and two ways of 20 µs.
    assert_near("rate", summary.rates.achieved_per_s, 20.0 / 0.001_04, 1.0);
}

#[test]
fn an_m_m_1_queue_answers_as_theory_says() {
    // Service 1 ms mean, load 0.5: mean S/(1 − ρ) = 2 ms, p99 = 4.605 · 2 ms; and the network's
    // 40 µs. Confidence of the mean over 200,000 correlated samples is well under the gate.
    let mut scene = Scene::quiet(5, 0);
    scene.service = Service::Exponential(MS);
    scene.one_at_a_time = true;
    let summary = run(&plan(open(500, Arrivals::Poisson, Pool::UpTo(5000)), 400), &scene);
    let response = &summary.response_time;
    assert_near("mean", response.mean_ns.expect("samples") - 40_000.0, 2e6, 2.0);
    let p99_ns = response.at(Level::P99).value().expect("samples") as f64;
    assert_near("p99", p99_ns - 40_000.0, 4.605 * 2e6, 2.0);
}

#[test]
fn requests_due_in_the_warm_up_are_left_out() {
    let mut scene = Scene::quiet(1, MS);
    scene.stalls.push(0..S);
    let mut plan = plan(constant(1000, Pool::Fixed(50)), 10);
    plan.warmup_ns = 3_500 * MS;
    let summary = run(&plan, &scene);
    assert_eq!(summary.planned, 6_500);
    assert_eq!(summary.warmup.planned, 3_500);
    assert!(summary.response_time.max_ns < Some(2 * MS), "{:?}", summary.response_time.max_ns);
}

#[test]
fn a_stall_at_the_very_end_is_unfinished_not_forgotten() {
    let mut scene = Scene::quiet(1, MS);
    scene.stalls.push(9_500 * MS..60 * S);
    let mut plan = plan(constant(1000, Pool::UpTo(5000)), 10);
    plan.grace_ns = S;
    let summary = run(&plan, &scene);
    assert_eq!(summary.planned, 10_000);
    let unfinished = count(&summary, Outcome::Unfinished);
    assert!((500..=503).contains(&unfinished), "{unfinished}");
    // They stay in the denominator: the 99th percentile lies among them and is only bounded.
    assert!(matches!(summary.response_time.at(Level::P99), Percentile::AtLeast(_)));
    assert!(summary.response_time.at(Level::P90).value() < Some(2 * MS));
    let achieved = summary.rates.achieved_per_s;
    assert_near("achieved rate", achieved, 950.0, 0.1);
}

#[test]
fn an_overloaded_server_s_achieved_rate_is_its_capacity_not_what_was_drained() {
    let mut scene = Scene::quiet(1, MS);
    scene.one_at_a_time = true;
    let summary = run(&plan(constant(2000, Pool::Fixed(10)), 10), &scene);
    assert_near("achieved rate", summary.rates.achieved_per_s, 1000.0, 0.5);
    assert_near("offered rate", summary.rates.offered_per_s, 2000.0, 0.01);
}

#[test]
fn a_generator_that_is_too_slow_shows_as_lateness_and_response_time() {
    // 1,000/s for 1 s, and each send takes 2 ms: the last request is sent a second late.
    let mut scene = Scene::quiet(1, MS);
    scene.send_ns = 2 * MS;
    let summary = run(&plan(constant(1000, Pool::Fixed(1000)), 1), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 1000);
    for (what, distribution) in
        [("lateness", &summary.lateness), ("response time", &summary.response_time)]
    {
        let max_ns = distribution.max_ns.expect("samples");
        assert_near(what, max_ns as f64, 1e9, 1.0);
    }
    // It is the generator's fault: neither the server nor the connections had a part in it.
    assert!(summary.service_time.max_ns < Some(4 * MS), "{:?}", summary.service_time.max_ns);
    assert_eq!(summary.queue_wait.max_ns, Some(0));
}

#[test]
fn a_request_is_sent_when_its_last_byte_is() {
    // The kernel takes half of the requests piece by piece, 20 µs apart. Service time counts from
    // the last piece: 1 ms and two ways of 20 µs, and no more.
    let mut scene = Scene::quiet(1, MS);
    scene.short_writes = true;
    let summary = run(&plan(constant(100, Pool::Fixed(10)), 10), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 1000);
    let max_ns = summary.service_time.max_ns.expect("samples");
    assert_near("service time", max_ns as f64, 1_040_000.0, 0.1);
    assert!(summary.queue_wait.max_ns >= Some(40_000), "{:?}", summary.queue_wait.max_ns);
}
