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

#[test]
fn a_log_has_a_line_for_each_request_and_takes_the_place_of_an_older_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("log.csv");
    let path = path.to_str().expect("text");
    for asked in ["/bytes/10", "/queue/exponential/1us"] {
        let sink = Sink::start_with(&["--log", path, "--seed", "7"]);
        sink.get(asked);
        sink.get("/status/503");
        assert_eq!(sink.end("TERM").stderr, "served 2 requests\n");
        let text = std::fs::read_to_string(path).expect("the log");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("# throng sink log: "), "{text}");
        assert_eq!(lines[1], "arrival_ns,departure_ns,worker,method,path,status,service_ns");
        assert!(lines[2].contains(&format!(",0,GET,{asked},200,")), "{text}");
        assert!(lines[3].ends_with(",0,GET,/status/503,503,"), "{text}");
        assert_eq!(lines.len(), 4);
    }
}

#[test]
fn a_log_never_replaces_what_no_sink_wrote() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("notes.csv");
    std::fs::write(&path, "notes").expect("written");
    let path = path.to_str().expect("text");
    let done = throng(&["sink", "--address", "127.0.0.1:0", "--log", path]);
    assert_eq!((done.status, &*done.stdout), (Some(2), ""));
    let message =
        format!("error: {path} exists and is not a log of a sink, so it is not replaced\n");
    assert!(done.stderr.starts_with(&message), "{}", done.stderr);
    assert!(done.stderr.contains("\n hint: choose another name"), "{}", done.stderr);
    assert_eq!(std::fs::read_to_string(path).expect("still there"), "notes");
}
