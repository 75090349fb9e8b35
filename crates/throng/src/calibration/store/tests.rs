use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::tests::{calibration, machine};
use super::*;

fn stored(directory: &tempfile::TempDir) -> PathBuf {
    let path = directory.path().join("deep/down/calibration.json");
    save(&path, &calibration()).expect("saved");
    path
}

/// What is loaded from a file with these bytes.
fn loaded(bytes: &[u8]) -> Option<Calibration> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("calibration.json");
    fs::write(&path, bytes).expect("written");
    load(&path, &machine())
}

fn changed(pointer: &str, value: Value) -> Option<Calibration> {
    let mut document = serde_json::to_value(calibration()).expect("plain data");
    *document.pointer_mut(pointer).expect(pointer) = value;
    loaded(document.to_string().as_bytes())
}

#[test]
fn what_was_saved_is_what_is_loaded() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(load(&stored(&directory), &machine()), Some(calibration()));
}

#[test]
fn saving_replaces_the_file_and_leaves_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = stored(&directory);
    let newer = Calibration { worker_count: 2, ..calibration() };
    save(&path, &newer).expect("saved");
    assert_eq!(load(&path, &machine()), Some(newer));
    let files = fs::read_dir(path.parent().expect("its directory")).expect("listed");
    assert_eq!(files.count(), 1);
}

#[test]
fn a_place_that_cannot_be_written_is_named_and_leaves_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("file");
    fs::write(&file, "mine").expect("written");
    let error = save(&file.join("calibration.json"), &calibration()).expect_err("no directory");
    assert!(matches!(&error, StoreError::Directory { path, .. } if *path == file), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("--store")));
    // A directory in its place.
    let occupied = directory.path().join("occupied");
    fs::create_dir_all(occupied.join("full")).expect("made");
    let error = save(&occupied, &calibration()).expect_err("a directory");
    assert!(matches!(&error, StoreError::Write { path, .. } if *path == occupied), "{error}");
    assert_eq!(fs::read_to_string(&file).expect("readable"), "mine");
    assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 2, "no temporary file");
}

#[test]
fn a_file_that_was_cut_anywhere_is_no_calibration() {
    let whole = json(&calibration());
    let whole = whole.trim_end().as_bytes();
    assert!(loaded(whole).is_some());
    for length in 0..whole.len() {
        assert_eq!(loaded(&whole[..length]), None, "{length} bytes");
    }
}

#[test]
fn a_file_with_something_else_is_no_calibration() {
    for bytes in [&b"null"[..], b"{}", b"[1, 2]", b"not JSON", &[0xff, 0xfe, 0x00]] {
        assert_eq!(loaded(bytes), None, "{bytes:?}");
    }
    // More than any calibration has is not read to its end.
    let mut long = " ".repeat(2 << 20);
    long.push_str(&json(&calibration()));
    assert_eq!(loaded(long.as_bytes()), None);
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(load(directory.path(), &machine()), None, "a directory");
    assert_eq!(load(&directory.path().join("none"), &machine()), None, "no file");
}

#[test]
fn a_calibration_of_another_machine_or_form_is_not_used() {
    for (pointer, value) in [
        ("/format", json!(2)),
        ("/machine/host_kernel", json!("6.9.0")),
        ("/machine/cpu_model", json!("Other CPU")),
        ("/machine/cpu_count", json!(4)),
    ] {
        assert_eq!(changed(pointer, value), None, "{pointer}");
    }
    assert!(changed("/version", json!("0.2.0")).is_some(), "the machine is the same");
}

#[test]
fn the_json_keeps_to_its_published_schema() {
    let schema = include_str!("../../../../../docs/calibration.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let nothing_held = Calibration {
        open: super::super::Open { held: None, not_held: None, ceiling: None },
        closed: Vec::new(),
        ..calibration()
    };
    for calibration in [calibration(), nothing_held] {
        let document: Value = serde_json::from_str(&json(&calibration)).expect("JSON");
        let errors = validator.iter_errors(&document);
        let errors: Vec<_> = errors.map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn the_place_is_the_one_that_the_environment_names() {
    for (variables, expected) in [
        (&[("HOME", "/home/me")][..], Some("/home/me/.local/state/throng/calibration.json")),
        (&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/s")], Some("/s/throng/calibration.json")),
        (
            &[("HOME", "/home/me"), ("XDG_STATE_HOME", "s")],
            Some("/home/me/.local/state/throng/calibration.json"),
        ),
        (&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/s"), (VARIABLE, "c.json")], Some("c.json")),
        (&[("HOME", "/home/me"), (VARIABLE, "")], None),
        (&[("HOME", "")], None),
        (&[], None),
    ] {
        let variables: BTreeMap<_, _> = variables.iter().copied().collect();
        let found = place(|name| variables.get(name).map(OsString::from));
        assert_eq!(found, expected.map(PathBuf::from), "{variables:?}");
    }
}
