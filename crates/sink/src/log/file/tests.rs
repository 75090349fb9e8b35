use std::fs::{self, File};
use std::io;
use std::sync::Mutex;

use super::{LogFile, State};
use crate::SinkError;

#[test]
fn an_empty_file_and_an_older_log_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.csv");
    fs::write(&path, "").unwrap();
    LogFile::create(&path).unwrap().append(b"an older line\n");
    LogFile::create(&path).unwrap().append(b"a line\n");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# throng sink log: ns since started_unix_ns="), "{text}");
    assert_eq!(lines[1], "arrival_ns,departure_ns,worker,method,path,status,service_ns");
    assert_eq!(lines[2..], ["a line"]);
}

#[test]
fn any_other_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.csv");
    for contents in ["arrival_ns,departure_ns\n", "#", "# throng sink log"] {
        fs::write(&path, contents).unwrap();
        let error = LogFile::create(&path).unwrap_err();
        assert!(matches!(error, SinkError::LogWouldOverwrite { .. }), "{error:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), contents);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_its_own_error() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("no/log.csv"), "/dev/full".into()] {
        let error = LogFile::create(&path).unwrap_err();
        assert!(matches!(error, SinkError::LogUnwritable { .. }), "{error:?}");
        assert_eq!(error.to_string(), format!("the log {} cannot be written", path.display()));
    }
}

#[test]
fn a_failure_on_the_way_ends_the_log_and_is_told() {
    // Opened to be read, so that every write fails.
    let file = File::open("/dev/null").unwrap();
    let state = Mutex::new(State { file, failure: None });
    let log = LogFile { path: "log.csv".into(), started_ns: 0, state };
    assert!(log.failure().is_none());
    log.append(b"a line\n");
    let error = log.failure().unwrap();
    assert_eq!(error.to_string(), "the log log.csv ends early");
    let SinkError::LogIncomplete { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.raw_os_error(), io::Error::from(rustix::io::Errno::BADF).raw_os_error());
}
