//! What the README shows is what happens.

mod common;

use std::fs;
use std::path::Path;

use common::{Sink, throng};

fn readme() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    fs::read_to_string(path).expect("the README")
}

/// The fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let behind = text.split(&fence).skip(1);
    behind.filter_map(|block| block.split("```").next()).collect()
}

/// What stands before a line's numbers: `  p50`, `Rate`, `Reading:`.
fn label(line: &str) -> &str {
    let end = line.trim_start().find("  ").map(|at| at + line.len() - line.trim_start().len());
    end.map_or(line, |end| &line[..end]).trim_end()
}

#[test]
fn the_first_command_prints_what_the_readme_shows() {
    let readme = readme();
    let shown = blocks(&readme, "console")[0];
    let (command, shown) = shown.split_once('\n').expect("a command and its output");
    let arguments: Vec<_> = command.trim_start_matches("$ throng ").split(' ').collect();
    let done = throng(&arguments);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    // Numbers differ from run to run and so does what there is to say about them; rows do not.
    let rows = |text: &str| {
        let rows = text.lines().take_while(|line| !line.starts_with("Reading:"));
        let is_row = |line: &&str| {
            !line.trim().is_empty() && !line.starts_with("    ") && !line.starts_with("  - ")
        };
        let rows = rows.filter(is_row);
        rows.skip(1).map(|line| label(line).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(rows(shown), rows(&done.stdout));
}

#[test]
fn every_command_of_the_readme_is_understood() {
    let sink = Sink::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("run.throng").display().to_string();
    let store = folder.path().join("calibration.json").display().to_string();
    let readme = readme();
    let lines = blocks(&readme, "sh").into_iter().flat_map(str::lines);
    let commands = lines.filter_map(|line| line.strip_prefix("throng "));
    let mut count = 0;
    for command in commands.filter(|command| !command.starts_with("sink")) {
        let command = command.split(" #").next().unwrap_or(command).trim();
        let command = command
            .replace("http://127.0.0.1:8080/", &sink.url("/"))
            .replace("http://127.0.0.1:8081/", &sink.url("/delay/1ms"))
            .replace("run.throng", &run)
            // The same options with less to wait for.
            .replace("-d 30s", "-d 1s")
            .replace("-n 1M", "-n 10k");
        let shortened = match command.split(' ').next() {
            Some("report") => command,
            Some("versus") => format!("{command} --rounds 6 --round-duration 300ms"),
            Some("calibrate") => format!("{command} -d 200ms --store {store}"),
            _ if command.contains("-d ") || command.contains("-n ") => command,
            _ => format!("-d 1s {command}"),
        };
        let arguments: Vec<_> = shortened.split('\'').enumerate().flat_map(quoted).collect();
        let done = throng(&arguments);
        // A busy machine may miss an objective: that is status 1 and still understood.
        assert!(matches!(done.status, Some(0 | 1)), "{shortened}: {}", done.stderr);
        count += 1;
    }
    assert_eq!(count, 8);
}

/// Words of a shell line: every second part between quotes is one word.
fn quoted((number, part): (usize, &str)) -> Vec<&str> {
    if number % 2 == 1 { vec![part] } else { part.split_whitespace().collect() }
}

/// The part of a document that is made from the code.
const CHECKS_BEGIN: &str = "cargo test -p throng --test documented -->\n";
const CHECKS_END: &str = "<!-- end of checks -->";

#[test]
fn the_documented_checks_are_those_that_the_audit_makes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/measurement.md");
    let text = fs::read_to_string(&path).expect("the document");
    let (before, rest) = text.split_once(CHECKS_BEGIN).expect("the begin of the checks");
    let (shown, after) = rest.split_once(CHECKS_END).expect("the end of the checks");
    let made = throng_measure::audit::documentation();
    if std::env::var_os("THRONG_WRITE_DOCS").is_some() {
        let text = format!("{before}{CHECKS_BEGIN}{made}{CHECKS_END}{after}");
        fs::write(&path, text).expect("the document can be written");
    } else {
        assert_eq!(shown, made, "THRONG_WRITE_DOCS=1 writes the table into the document");
    }
}
