use super::*;
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
fn an_open_run_that_falls_short_of_its_rate_says_why() {
    let mut run = summary(&[(900, Outcome::Ok, MS), (100, Outcome::Timeout, S)]);
    assert_says(&run, "Of 1,000/s offered, 900/s were answered in time (90.0 %): the server did");

    run.queue_wait = summary(&[(1_000, Outcome::Ok, 80 * MS)]).response_time;
    assert_says(&run, "requests waited for a free connection");

    run.lateness = summary(&[(1_000, Outcome::Ok, 90 * MS)]).response_time;
    assert_says(&run, "the generator itself ran late");
}

#[test]
fn a_rate_just_reached_is_not_mentioned() {
    let near = summary(&[(991, Outcome::Ok, MS), (9, Outcome::Timeout, MS)]);
    assert!(reading(&near).iter().all(|sentence| !sentence.contains("offered")));
}

#[test]
fn a_closed_run_cannot_fall_short_but_is_called_closed() {
    let mut closed = summary(&[(900, Outcome::Ok, MS), (100, Outcome::Timeout, S)]);
    closed.model = Model::Closed;
    assert!(reading(&closed).iter().all(|sentence| !sentence.contains("offered")));
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
    assert_says(&waited, "the generator was late to send them (lateness p99 49.5 ms)");
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
fn a_run_without_answers_says_so_first() {
    let run = summary(&[(10, Outcome::ConnectError, MS)]);
    assert_eq!(
        reading(&run)[0],
        "None of 10 requests was answered, most often because of connect_error."
    );
    assert_says(&summary(&[]), "No request was planned");
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
fn a_run_that_was_cut_or_interrupted_says_so() {
    let mut run = fine();
    run.complete = false;
    run.lost = 7;
    run.interrupted = true;
    run.identity_holds = false;
    assert_says(&run, "7 requests of which no end was written are counted as unfinished");
    assert_says(&run, "The run was interrupted; rates are per second of the 1.00 s");
    assert_says(&run, "The accounts do not balance: 100,000 requests were planned, 100,000 ended");
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
