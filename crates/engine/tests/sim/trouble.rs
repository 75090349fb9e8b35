//! Servers that refuse, reset, hang, close.

use throng_engine::io::sim::Scene;
use throng_engine::plan::{Pool, Stop};
use throng_measure::{Cause, Outcome, Summary};

use crate::common::{MS, S, closed, constant, count, plan, run};

fn caused(summary: &Summary, cause: Cause) -> u64 {
    summary.causes.iter().find(|(of, _)| *of == cause).map_or(0, |(_, count)| *count)
}

#[test]
fn a_refusing_server_neither_spins_nor_ends_the_run_early() {
    let mut scene = Scene::quiet(1, MS);
    scene.trouble.refuse_ratio = 1.0;
    let summary = run(&plan(closed(10), 10), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 0);
    assert_eq!(summary.span_ns, 10 * S);
    // Ten before the run, ten at its start; then back-off: 5, 10, 20 … 500 ms, two a second.
    let attempts = summary.connections.failed;
    assert!((40..50).contains(&attempts), "{attempts} attempts in 10 s");
    assert_eq!(caused(&summary, Cause::ConnectRefused), count(&summary, Outcome::ConnectError));
}

#[test]
fn a_server_that_accepts_and_resets_is_not_hammered() {
    let mut scene = Scene::quiet(1, 0);
    scene.trouble.reset_ratio = 1.0;
    let summary = run(&plan(closed(10), 10), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 0);
    assert!(summary.connections.opened < 400, "{} connections", summary.connections.opened);
    assert_eq!(caused(&summary, Cause::ResetByPeer), count(&summary, Outcome::IoError));
}

#[test]
fn a_request_that_is_never_answered_times_out_when_its_time_is_up() {
    let mut scene = Scene::quiet(1, MS);
    scene.trouble.silence_ratio = 1.0;
    let mut plan = plan(closed(4), 1);
    plan.timeout_ns = 250 * MS;
    let summary = run(&plan, &scene);
    // Four users, four timeouts each in a second; the first began at 0.
    assert_eq!(count(&summary, Outcome::Timeout), 16);
    assert_eq!(summary.connections.timed_out, 16);
    assert_eq!(caused(&summary, Cause::WaitingForAnswer), 16);
    // Every connection that timed out was replaced for the next request.
    assert!(summary.connections.opened >= 16);
}

#[test]
fn connections_closed_while_idle_are_counted_and_cost_no_request() {
    let mut scene = Scene::quiet(3, MS);
    scene.trouble.close_after_ratio = 0.2;
    let summary = run(&plan(constant(200, Pool::Fixed(8)), 10), &scene);
    assert_eq!(count(&summary, Outcome::Ok), 2000);
    assert!(summary.connections.idle_closed > 300, "{}", summary.connections.idle_closed);
}

#[test]
fn a_stale_connection_is_retried_only_when_the_method_allows_it() {
    // In the closed model the next request meets the closing connection.
    let mut scene = Scene::quiet(3, MS);
    scene.latency_ns = MS;
    scene.splits = true;
    scene.trouble.close_ratio = 0.05;
    let mut get = plan(closed(4), 5);
    let summary = run(&get, &scene);
    assert!(summary.connections.retried > 50, "{}", summary.connections.retried);
    get.request.method = "POST".to_owned();
    let summary = run(&get, &scene);
    assert_eq!(summary.connections.retried, 0);
    assert!(caused(&summary, Cause::ClosedBeforeAnswer) > 50);
}

#[test]
fn a_broken_peer_is_named() {
    for (answer, cause) in [
        (&b"HTTP/2.0 200 OK\r\n\r\n"[..], Cause::BadVersion),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", Cause::BadContentLength),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Cause::BadChunkSize),
    ] {
        let mut scene = Scene::quiet(1, MS);
        scene.answer = answer.to_vec();
        let mut plan = plan(closed(1), 1);
        plan.stop = Stop { duration_ns: None, requests: Some(3) };
        let summary = run(&plan, &scene);
        assert_eq!(count(&summary, Outcome::ProtocolError), 3, "{cause:?}");
        assert_eq!(caused(&summary, cause), 3, "{:?}", summary.causes);
    }
}

#[test]
fn a_body_that_ends_with_the_connection_is_an_answer() {
    let mut scene = Scene::quiet(1, MS);
    scene.answer = b"HTTP/1.1 200 OK\r\n\r\nuntil the end".to_vec();
    scene.trouble.close_after_ratio = 1.0;
    let mut plan = plan(closed(2), 1);
    plan.stop = Stop { duration_ns: None, requests: Some(10) };
    let summary = run(&plan, &scene);
    assert_eq!(count(&summary, Outcome::Ok), 10, "{:?}", summary.causes);
}

#[test]
fn errors_do_not_mix_with_successes() {
    let mut scene = Scene::quiet(1, MS);
    scene.answer = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec();
    let mut plan = plan(closed(2), 1);
    plan.stop = Stop { duration_ns: None, requests: Some(10) };
    let summary = run(&plan, &scene);
    assert_eq!(count(&summary, Outcome::HttpError), 10);
    assert_eq!((summary.response_time.count, summary.response_time_ok.count), (10, 0));
    assert_eq!(summary.statuses, [(503, 10)]);
}

#[test]
fn a_full_queue_drops_and_says_so() {
    // One connection, 2^20 places to wait: 1.5 million arrivals within the stall.
    let mut scene = Scene::quiet(1, MS);
    scene.stalls.push(0..10 * S);
    let mut plan = plan(constant(1_500_000, Pool::Fixed(1)), 1);
    plan.grace_ns = MS;
    let summary = run(&plan, &scene);
    assert_eq!(summary.planned, 1_500_000);
    assert_eq!(count(&summary, Outcome::Dropped), caused(&summary, Cause::QueueFull));
    assert!(count(&summary, Outcome::Dropped) > 400_000);
}
