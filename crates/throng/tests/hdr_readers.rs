//! `.hgrm` and `.hlog` in front of HdrHistogram's own readers, which we did not write.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Sink, throng};

#[test]
fn the_public_readers_agree_with_what_we_write() {
    let sink = Sink::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run.throng").display().to_string();
    let done = throng(&["-q", "-R", "2000", "-d", "3", "-o", &run, &sink.url("/")]);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    let write = |format: &str| {
        let report = throng(&["report", &run, "--format", format]);
        assert_eq!(report.status, Some(0), "{}", report.stderr);
        let path = folder.path().join(format);
        fs::write(&path, report.stdout).expect("written");
        path
    };
    let (hlog, hgrm) = (write("hlog"), write("hgrm"));
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readers");
    // The reader is fetched once, beside what cargo builds.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hdr-readers");
    let check = Command::new("bash")
        .arg(tests.join("check_hdr.sh"))
        .args([cache, hlog, hgrm])
        .output()
        .expect("bash");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(check.status.success(), "{}{}", text(&check.stdout), text(&check.stderr));
}
