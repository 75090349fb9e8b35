//! `throng sink`, from its first line to its last.

mod common;

use common::{Sink, throng};

#[test]
fn the_sink_announces_its_port_answers_and_ends_at_sigterm() {
    let sink = Sink::start();
    assert_ne!(sink.address.port(), 0);
    let answer = sink.get("/bytes/10");
    assert!(answer.starts_with("HTTP/1.0 200") || answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert_eq!(body.len(), 10);
    sink.get("/status/503");
    let done = sink.end("TERM");
    assert_eq!(done.status, Some(0));
    assert!(done.stdout.contains("/delay/"), "routes are listed: {}", done.stdout);
    assert_eq!(done.stderr, "served 2 requests\n");
}

#[test]
fn the_sink_ends_at_ctrl_c_as_well() {
    let done = Sink::start().end("INT");
    assert_eq!((done.status, &*done.stderr), (Some(0), "served 0 requests\n"));
}

#[test]
fn an_address_in_use_is_refused_with_a_remedy() {
    let sink = Sink::start();
    let done = throng(&["sink", "--address", &sink.address.to_string()]);
    assert_eq!((done.status, &*done.stdout), (Some(2), ""));
    assert!(done.stderr.contains("is in use"), "{}", done.stderr);
    assert!(done.stderr.contains("\n hint: "), "{}", done.stderr);
}
