use super::*;

#[test]
fn only_a_directory_that_is_empty_or_new_takes_the_rounds() {
    let directory = tempfile::tempdir().expect("a directory");
    let new = directory.path().join("a/b");
    prepare(&new).expect("made");
    prepare(&new).expect("empty");
    fs::write(new.join("A-01.throng"), "older").expect("written");
    let error = prepare(&new).expect_err("it is not empty");
    assert!(matches!(error, VersusError::KeepNotEmpty { .. }), "{error}");
    let file = new.join("A-01.throng");
    let error = prepare(&file).expect_err("it is a file");
    assert!(matches!(error, VersusError::KeepUnusable { .. }), "{error}");
    assert_eq!(error.exit(), Exit::Usage);
}

#[test]
fn an_end_before_three_blocks_is_no_result() {
    let error = VersusError::Stopped { blocks: 2 };
    assert_eq!(error.exit(), Exit::NothingMeasured);
    assert_eq!(error.to_string(), "stopped after 2 whole blocks of A B B A; an interval takes 3");
}
