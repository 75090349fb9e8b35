use throng_measure::{
    Environment, Gauges, Generator, Nanos, RunEnd, RunHeader, RunWriter, Second, Span, Tick,
};

use super::*;

const MS: u64 = 1_000_000;

/// A run with a warm-up of 1 s and a span of 3 s whose ticks end at these milliseconds, with the
/// busiest worker's share in each.
fn run_of(ticks: &[(u64, Option<f64>)]) -> RunFile {
    let header = RunHeader {
        version: "0.1.0".to_owned(),
        plan: serde_json::Value::Null,
        title: "closed model".to_owned(),
        started_unix_ns: 0,
        warmup_ns: 1_000 * MS,
        closed: true,
        connections_max: 10,
        keep_alive: true,
        transmit_sampling: 64,
        tls_verified: None,
        environment: Environment::default(),
        objectives: Vec::new(),
    };
    let mut writer = RunWriter::create(Place::Temporary, &header).expect("a run file");
    let second = |busiest_worker_ratio| Second { busiest_worker_ratio, ..Second::default() };
    let (last, earlier) = ticks.split_last().expect("a run has an end");
    for &(at_ms, ratio) in earlier {
        let tick = Tick { elapsed_ns: at_ms * MS, second: second(ratio), ..Tick::default() };
        writer.commit(&tick).expect("committed");
    }
    let end = RunEnd {
        elapsed_ns: last.0 * MS,
        span: Span { from: Nanos(1_000 * MS), until: Nanos(4_000 * MS) },
        interrupted: false,
        aborted: None,
        gauges: Gauges::default(),
        generator: Generator::default(),
        second: second(last.1),
    };
    writer.finish(&end).expect("finished")
}

fn busiest(ticks: &[(u64, Option<f64>)]) -> Option<f64> {
    let ratio = busiest_worker_ratio(&run_of(ticks), 1_000 * MS, 3_000 * MS).expect("readable");
    // Hundredths, so that sums of fractions can be compared.
    ratio.map(|ratio| (ratio * 100.0).round() / 100.0)
}

#[test]
fn the_warm_up_and_the_wait_for_last_answers_do_not_count() {
    let ticks = [
        (1_100, Some(0.1)),
        (2_100, Some(0.7)),
        (3_100, Some(0.8)),
        (4_100, Some(0.9)),
        (5_100, Some(0.0)),
        (5_500, Some(0.0)),
    ];
    assert_eq!(busiest(&ticks), Some(0.8));
}

#[test]
fn ticks_count_by_their_lengths_and_unknown_ones_not_at_all() {
    assert_eq!(busiest(&[(1_100, None), (3_100, Some(0.9)), (4_100, Some(0.6))]), Some(0.8));
    assert_eq!(busiest(&[(1_100, None), (2_100, Some(0.9)), (4_100, None)]), Some(0.9));
}

#[test]
fn a_run_too_short_for_a_tick_in_its_span_is_taken_as_a_whole() {
    assert_eq!(busiest(&[(300, Some(0.4))]), Some(0.4));
    assert_eq!(busiest(&[(300, None)]), None);
}
