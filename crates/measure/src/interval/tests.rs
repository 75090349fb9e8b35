use super::*;
use crate::Nanos;
use crate::metric::HIGHEST_NS;

fn answered(outcome: Outcome) -> Sample {
    Sample {
        due: Nanos(100),
        dispatched: Some(Nanos(110)),
        transmitted: None,
        sent: Some(Nanos(130)),
        first_byte: Some(Nanos(170)),
        end: Nanos(180),
        read: Nanos(183),
        outcome,
        cause: None,
        status: 200,
    }
}

#[test]
fn the_durations_of_an_answer_are_the_differences_of_its_instants() {
    let mut interval = Interval::new();
    interval.add(&answered(Outcome::Ok));
    let max = |metric| interval.histogram(metric).max();
    assert_eq!(max(Metric::ResponseOk), 80);
    assert_eq!(max(Metric::Service), 50);
    assert_eq!(max(Metric::Lateness), 10);
    assert_eq!(max(Metric::QueueWait), 20);
    assert_eq!(max(Metric::FirstByte), 40);
    assert_eq!(max(Metric::Wakeup), 3);
    assert_eq!(interval.status_counts().collect::<Vec<_>>(), [(200, 1)]);
}

#[test]
fn an_error_answer_leaves_the_distribution_of_successes_alone() {
    let mut interval = Interval::new();
    interval.add(&answered(Outcome::HttpError));
    assert!(interval.histogram(Metric::ResponseOk).is_empty());
    assert_eq!(interval.histogram(Metric::ResponseError).len(), 1);
}

#[test]
fn a_request_without_an_answer_leaves_a_lower_bound_and_a_cause() {
    let mut interval = Interval::new();
    interval.add(&Sample {
        transmitted: None,
        sent: None,
        first_byte: None,
        outcome: Outcome::Timeout,
        cause: Some(Cause::WaitingForConnection),
        status: 0,
        ..answered(Outcome::Ok)
    });
    assert_eq!(interval.histogram(Metric::Unanswered).max(), 80);
    assert!(interval.histogram(Metric::Service).is_empty());
    let causes: Vec<_> = interval.cause_counts().collect();
    assert_eq!(causes, [(Cause::WaitingForConnection, 1)]);
}

#[test]
fn a_cleared_interval_is_empty() {
    let mut interval = Interval::new();
    interval.add(&answered(Outcome::Ok));
    assert!(!interval.is_empty());
    interval.clear();
    assert!(interval.is_empty());
}

#[test]
fn durations_beyond_an_hour_are_counted_as_saturated() {
    let mut interval = Interval::new();
    interval.record(Metric::Service, HIGHEST_NS + 1);
    interval.count_saturated();
    assert_eq!(interval.counts.saturated, 1);
    assert_eq!(interval.histogram(Metric::Service).len(), 1);
}
