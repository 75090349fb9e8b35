use super::*;

#[test]
fn a_run_without_a_connection_ends_with_status_3_and_the_cause() {
    let error = NothingMeasured::NoConnection {
        failed_count: 12,
        most_frequent: Some(Cause::ConnectRefused),
    };
    assert_eq!(error.exit(), Exit::NothingMeasured);
    assert_eq!(
        error.to_string(),
        "no connection could be opened: 12 attempts failed, most because the peer refused the \
         connection"
    );
}
