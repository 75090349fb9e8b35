use std::fs;
use std::rc::Rc;
use std::sync::Arc;

use hyper::{Request, StatusCode};
use tempfile::TempDir;

use super::{ConnectionLog, Entry, LogFile, WorkerLog, write_field};

/// A worker's log and the folder of its file.
fn worker_log() -> (Rc<WorkerLog>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = LogFile::create(&folder.path().join("log.csv")).unwrap();
    (WorkerLog::new(Arc::new(file), 3), folder)
}

fn entry(connection: &Rc<ConnectionLog>) -> Box<Entry> {
    let (parts, ()) = Request::get("/a").body(()).unwrap().into_parts();
    let mut entry = connection.arrived(0, &parts);
    entry.set_status(StatusCode::OK);
    entry
}

/// The lines that are in the file.
fn lines(folder: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("log.csv")).unwrap();
    text.lines().skip(2).map(str::to_owned).collect()
}

#[test]
fn an_answer_departs_when_hyper_and_then_the_wire_hold_nothing_of_it() {
    let (worker, folder) = worker_log();
    let connection = ConnectionLog::new(Rc::clone(&worker));
    let under_way = entry(&connection);
    drop(entry(&connection));
    connection.writing();
    connection.sent();
    worker.pass_on();
    assert_eq!(lines(&folder).len(), 0, "hyper may hold its last bytes");
    connection.flushed();
    worker.pass_on();
    assert_eq!(lines(&folder).len(), 0, "the wire may");
    connection.sent();
    worker.pass_on();
    let line = &lines(&folder)[0];
    assert!(line.ends_with(",3,GET,/a,200,"), "{line}");
    assert!(!line.starts_with("0,,"), "{line}");
    connection.flushed();
    connection.sent();
    drop((under_way, connection));
    worker.pass_on();
    assert_eq!(lines(&folder)[1], "0,,3,GET,/a,200,");
}

#[test]
fn many_lines_are_passed_on_before_their_second_is_over() {
    let (worker, folder) = worker_log();
    let connection = ConnectionLog::new(Rc::clone(&worker));
    for _ in 0..10_000 {
        drop(entry(&connection));
        connection.flushed();
        connection.sent();
    }
    assert!(lines(&folder).len() > 5_000, "{}", lines(&folder).len());
    assert!(worker.lines.borrow().len() < 100_000);
    drop((connection, worker));
    assert_eq!(lines(&folder).len(), 10_000);
}

fn field(text: &str) -> String {
    let mut line = Vec::new();
    write_field(&mut line, text);
    String::from_utf8(line).unwrap()
}

#[test]
fn a_path_is_quoted_only_where_csv_wants_it() {
    assert_eq!(field("/bytes/1?a=b"), "/bytes/1?a=b");
    assert_eq!(field("/get?a,b"), "\"/get?a,b\"");
    assert_eq!(field("/get?\"a\""), "\"/get?\"\"a\"\"\"");
}
