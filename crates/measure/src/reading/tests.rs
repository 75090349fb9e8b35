use super::*;
use crate::Stretches;
use crate::testing::{MS, S, summary};

#[track_caller]
fn assert_says(summary: &Summary, part: &str) {
    let said = reading(summary);
    assert!(said.iter().any(|sentence| sentence.contains(part)), "{part:?} is not in {said:#?}");
}

fn fine() -> Summary {
    summary(&[(100_000, Outcome::Ok, MS)])
}

#[test]
fn a_run_without_fault_needs_no_words() {
    assert_eq!(reading(&fine()), Vec::<String>::new());
}

#[test]
fn a_closed_run_is_called_closed() {
    let mut closed = fine();
    closed.model = Model::Closed;
    assert_says(&closed, "Closed model:");
}

#[test]
fn waiting_before_sending_is_put_down_to_what_caused_it() {
    let mut waited = fine();
    waited.response_time = summary(&[(100_000, Outcome::Ok, 50 * MS)]).response_time;
    assert!(reading(&waited).is_empty(), "neither wait explains it");

    waited.queue_wait = summary(&[(100_000, Outcome::Ok, 49 * MS)]).response_time;
    assert_says(
        &waited,
        "p99 is 50.0 ms from when they were due, 1.00 ms from when they were sent",
    );
    assert_says(&waited, "every connection was busy (queue wait p99 49.0 ms)");

    waited.lateness = summary(&[(100_000, Outcome::Ok, 49_500_000)]).response_time;
    assert!(reading(&waited).is_empty(), "what the audit tells is not told twice");
}

#[test]
fn errors_are_counted_and_named() {
    let run = summary(&[
        (9_000, Outcome::Ok, MS),
        (900, Outcome::HttpError, MS),
        (100, Outcome::Timeout, S),
    ]);
    assert_says(&run, "1,000 of 10,000 requests (10.0 %) did not end ok, 900 of them http_error.");
    assert_says(&run, "9.00 % of the response times are those of error answers");
    assert_says(&run, "100 requests got no answer.");

    let run = summary(&[(9_000, Outcome::Ok, MS), (100, Outcome::Timeout, S)]);
    assert_says(&run, "100 of them timeout; most often timed out after it was sent (100).");
}

#[test]
fn percentiles_left_out_are_explained() {
    let run = summary(&[(4_321, Outcome::Ok, MS)]);
    assert_eq!(
        reading(&run),
        ["p99.9 and above are not stated: p99.9 takes at least 10,000 requests, this run had \
          4,321."]
    );
    let run = summary(&[(43_210, Outcome::Ok, MS)]);
    assert_says(&run, "p99.99 is not stated:");
}

#[test]
fn an_interrupted_run_says_so() {
    let mut run = fine();
    run.interrupted = true;
    assert_says(&run, "The run was interrupted; rates are per second of the 1.00 s");
}

#[test]
fn a_percentile_is_taken_apart_by_the_requests_near_it() {
    let mut run = fine();
    let stretches = Stretches {
        count: 20,
        lateness_ns: 20 * 9_000,
        queue_wait_ns: 0,
        transmit_ns: 20 * 1_000,
        wire_ns: 20 * 990_000,
        wakeup_ns: 20 * 23_000,
    };
    run.anatomy.file(MS, &stretches);
    assert_says(
        &run,
        "Of the p99 of 1.00 ms, 990 µs were the wire and the server, 9.00 µs late to send, \
         1.00 µs in this kernel's send path. throng read the answers 23.0 µs after",
    );
}

#[test]
fn answers_without_a_kernel_stamp_are_mentioned() {
    let mut run = fine();
    run.connections.unstamped = 100_000;
    assert_says(&run, "The kernel gave no receive timestamp for 100.0 % of the answers");
}

#[test]
fn closed_idle_connections_and_endless_durations_are_mentioned() {
    let mut run = fine();
    run.connections.idle_closed = 12;
    run.connections.retried = 3;
    run.saturated = 1;
    assert_says(&run, "The server closed 12 connections while they were idle; 3 requests met");
    assert_says(&run, "Durations longer than 1 h: 1.");
}
