//! `kill -9` at any instant leaves a file that can be read, up to its last whole second.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::*;
use crate::runfile::writer::journal_of;

/// Where the child writes; unset in an ordinary run of the tests.
const PATH: &str = "THRONG_TEST_KILLED_RUN_FILE";

/// How often a child is killed.
const KILLS: u32 = 25;

/// What every second adds: punctual answers, and late ones to a window long past.
const PUNCTUAL: u64 = 20;
const LATE: u64 = 3;

/// The child: commits seconds without pause until it is killed.
#[test]
fn write_until_killed() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else { return };
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    println!("begun");
    for second in 0_i64.. {
        let planned = (second.unsigned_abs() + 1) * (PUNCTUAL + LATE);
        writer.add(&interval(second, PUNCTUAL, Outcome::Ok, MS + second.unsigned_abs() * 1_000));
        writer.add(&interval((second - 9).max(0), LATE, Outcome::Timeout, 9 * S));
        writer.commit(&tick(second.unsigned_abs() + 2, planned)).unwrap();
    }
}

#[test]
fn a_run_killed_at_any_instant_can_be_read_to_its_last_whole_second() {
    let directory = tempfile::tempdir().unwrap();
    let mut hot_journals = 0;
    for kill in 0..KILLS {
        let path = directory.path().join(format!("{kill}.throng"));
        let mut child = begin(&path);
        // Spread over several commits, so that kills fall into every part of one.
        pause(Duration::from_micros(10_000 + u64::from(kill) * 1_237));
        child.kill().unwrap();
        child.wait().unwrap();
        if journal_of(&path).exists() {
            hot_journals += 1;
        } else {
            // Between commits the file alone is whole, wherever it is copied to.
            let copy = directory.path().join(format!("{kill}.copy"));
            fs::copy(&path, &copy).unwrap();
            assert_whole(&copy);
        }
        assert_whole(&path);
    }
    println!("{hot_journals} of {KILLS} kills fell into the writing of a second");
}

fn begin(path: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "runfile::tests::killed::write_until_killed", "--nocapture"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = String::new();
    let mut byte = [0];
    let output = child.stdout.as_mut().unwrap();
    while !seen.ends_with("begun") && output.read(&mut byte).unwrap() > 0 {
        seen.push(char::from(byte[0]));
    }
    assert!(seen.ends_with("begun"), "the child wrote {seen:?}");
    child
}

/// Waits for a message that never comes.
fn pause(duration: Duration) {
    let (_sender, never) = mpsc::channel::<()>();
    let _ = never.recv_timeout(duration);
}

#[track_caller]
fn assert_whole(path: &Path) {
    let file = RunFile::open(path).unwrap();
    let summary = file.summary().unwrap();
    assert!(!summary.complete);
    assert!(summary.identity_holds);
    let seconds = summary.planned / (PUNCTUAL + LATE);
    assert_eq!(summary.lost, 0, "a second is written whole or not at all");
    assert_eq!(summary.outcome(Outcome::Ok), seconds * PUNCTUAL);
    assert_eq!(summary.outcome(Outcome::Timeout), seconds * LATE);
    assert_totals_are_sums(&file);
}
