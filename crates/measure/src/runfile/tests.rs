use std::fs;

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::testing::{MS, S, end, header, interval, temporary, tick};
use crate::{
    Agreement, Cause, Gauges, Interval, Level, Metric, Model, Objective, Outcome, Percentile,
    TlsUse,
};

mod killed;

#[test]
fn a_finished_run_is_summed_up() {
    let mut writer = temporary();
    writer.add(&interval(-1, 5, Outcome::Ok, 900 * MS));
    writer.commit(&tick(1, 0)).unwrap();
    writer.add(&interval(0, 90, Outcome::Ok, MS));
    writer.add(&interval(0, 10, Outcome::HttpError, 2 * MS));
    writer.commit(&tick(2, 100)).unwrap();
    writer.add(&interval(1, 100, Outcome::Timeout, 10 * MS));
    let summary = writer.finish(&end(2, 200, 5)).unwrap().summary().unwrap();

    assert!(summary.complete && summary.identity_holds && !summary.interrupted);
    assert_eq!((summary.planned, summary.lost, summary.completed), (200, 0, 100));
    assert_eq!(summary.outcomes, [90, 10, 0, 100, 0, 0, 0, 0, 0]);
    assert_eq!((summary.warmup.planned, summary.warmup.outcomes[0]), (5, 5));
    assert_eq!(summary.statuses, [(200, 90), (503, 10)]);
    assert_eq!(summary.causes, [(Cause::WaitingForAnswer, 100)]);
    assert_eq!(summary.model, Model::Open);
    assert_eq!(summary.span_ns, 2 * S);
    let rates = summary.rates;
    assert_eq!((rates.offered_per_s, rates.achieved_per_s, rates.ok_per_s), (100.0, 50.0, 45.0));
    assert_eq!((summary.response_time.count, summary.response_time.censored_count), (200, 100));
    assert_eq!((summary.response_time_ok.count, summary.service_time.count), (90, 100));
    assert!(matches!(summary.response_time.at(Level::P90), Percentile::AtLeast(_)));
    assert_eq!(summary.environment.cpu_count, 4);
    assert_eq!(summary.clock_steps, 2);
    assert_eq!(summary.generator.cpu_s(), 2.0);
    assert_eq!(summary.plan, header().plan);
}

#[test]
fn what_handshakes_agreed_on_is_counted_over_all_windows() {
    let header = RunHeader { tls_verified: Some(true), ..header() };
    let mut writer = RunWriter::create(Place::Temporary, &header).unwrap();
    let new = Agreement { version: 0x0304, cipher_suite: 0x1302, key_exchange_group: 0x11ec };
    let old = Agreement { version: 0x0303, cipher_suite: 0xc02f, key_exchange_group: 0x1d };
    let handshakes = |window, agreement, count, metric| {
        let mut interval = Interval::new();
        interval.window = window;
        interval.add_agreement(agreement, count);
        (0..count).for_each(|_| interval.record(metric, MS));
        interval
    };
    writer.add(&handshakes(-1, new, 1, Metric::TlsFull));
    // By the end of these, the first windows are in memory no more.
    for window in 0..20 {
        writer.add(&handshakes(window, old, 3, Metric::TlsFull));
        writer.commit(&tick(u64::try_from(window).unwrap() + 1, 0)).unwrap();
    }
    writer.add(&handshakes(0, old, 2, Metric::TlsResumed));
    writer.add(&handshakes(1, new, 100, Metric::TlsResumed));
    let summary = writer.finish(&end(20, 0, 0)).unwrap().summary().unwrap();
    let tls = summary.tls.unwrap();
    assert_eq!(tls, TlsUse { agreement: Some(new), kind_count: 2, verified: true });
    assert_eq!((summary.tls_full_time.count, summary.tls_resumed_time.count), (60, 102));
    assert_eq!(temporary().finish(&end(1, 0, 0)).unwrap().summary().unwrap().tls, None);
}

#[test]
fn what_handshakes_agreed_on_adds_up_in_a_window_that_is_read_back() {
    let mut writer = temporary();
    let agreement = Agreement { version: 0x0304, cipher_suite: 0x1301, key_exchange_group: 0x1d };
    for window in (0..20).chain(0..20) {
        let mut interval = Interval::new();
        interval.window = window;
        interval.add_agreement(agreement, 2);
        writer.add(&interval);
    }
    let file = writer.finish(&end(20, 0, 0)).unwrap();
    let mut seen = 0;
    file.for_each_window(|window| {
        assert_eq!(window.agreements().iter().collect::<Vec<_>>(), [(agreement, 4)]);
        seen += 1;
        Ok::<_, RunFileError>(())
    })
    .unwrap();
    assert_eq!(seen, 20);
}

#[test]
fn the_warm_up_is_in_the_file_but_not_in_the_totals() {
    let mut writer = temporary();
    writer.add(&interval(-2, 7, Outcome::Ok, MS));
    let file = writer.finish(&end(0, 0, 7)).unwrap();
    assert!(file.total(Metric::ResponseOk).unwrap().is_empty());
    let mut seen = Vec::new();
    file.for_each_window(|window| {
        seen.push((window.window, window.histogram(Metric::ResponseOk).len()));
        Ok::<_, RunFileError>(())
    })
    .unwrap();
    assert_eq!(seen, [(-2, 7)]);
}

#[test]
fn a_delta_for_a_window_long_past_is_added_to_it() {
    let mut writer = temporary();
    for window in 0..20_i64 {
        writer.add(&interval(window, 1, Outcome::Ok, MS));
        writer.commit(&tick(2, 20)).unwrap();
    }
    writer.add(&interval(3, 2, Outcome::Ok, 15 * S));
    writer.add(&interval(3, 1, Outcome::HttpError, 15 * S));
    let file = writer.finish(&end(20, 23, 0)).unwrap();
    file.for_each_window(|window| {
        let late = window.window == 3;
        assert_eq!(window.histogram(Metric::ResponseOk).len(), if late { 3 } else { 1 });
        assert_eq!(window.counts.ended(), if late { 4 } else { 1 });
        let statuses: Vec<_> = window.status_counts().collect();
        assert_eq!(statuses, if late { vec![(200, 3), (503, 1)] } else { vec![(200, 1)] });
        Ok::<_, RunFileError>(())
    })
    .unwrap();
}

#[test]
fn more_windows_between_two_commits_than_memory_holds_lose_nothing() {
    let mut writer = temporary();
    for round in 1..=3 {
        for window in 0..50 {
            writer.add(&interval(window, round, Outcome::Ok, MS));
        }
    }
    let file = writer.finish(&end(50, 300, 0)).unwrap();
    let mut count = 0;
    file.for_each_window(|window| {
        count += 1;
        assert_eq!(window.counts.ended(), 6, "window {}", window.window);
        Ok::<_, RunFileError>(())
    })
    .unwrap();
    assert_eq!(count, 50);
    assert_eq!(file.total(Metric::ResponseOk).unwrap().len(), 300);
}

#[test]
fn requests_of_a_cut_run_without_an_end_are_unfinished() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    writer.add(&interval(0, 900, Outcome::Ok, MS));
    writer.commit(&tick(2, 1_000)).unwrap();
    drop(writer);
    let summary = RunFile::open(&path).unwrap().summary().unwrap();
    assert!(!summary.complete);
    assert_eq!((summary.planned, summary.lost), (1_000, 100));
    assert_eq!(summary.outcome(Outcome::Unfinished), 100);
    assert!(summary.identity_holds);
    assert_eq!(summary.response_time.count, summary.planned);
    assert_eq!(summary.span_ns, S);
}

#[test]
fn a_run_cut_before_its_first_second_has_an_empty_summary() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.throng");
    drop(RunWriter::create(Place::File(&path), &header()).unwrap());
    let summary = RunFile::open(&path).unwrap().summary().unwrap();
    assert_eq!((summary.planned, summary.span_ns, summary.elapsed_ns), (0, 0, 0));
    assert_eq!(summary.rates.offered_per_s, 0.0);
}

#[test]
fn a_run_can_be_read_while_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("live.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    for second in 1..5 {
        writer.add(&interval(0, 10, Outcome::Ok, MS));
        writer.commit(&tick(1 + second, 10 * second)).unwrap();
        let summary = RunFile::open(&path).unwrap().summary().unwrap();
        assert_eq!(summary.outcome(Outcome::Ok), 10 * second);
    }
}

#[test]
fn a_reader_that_holds_on_delays_a_commit_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("held.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    writer.commit(&tick(1, 0)).unwrap();
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM tick;").unwrap();
    writer.add(&interval(0, 10, Outcome::Ok, MS));
    writer.commit(&tick(2, 10)).unwrap();
    reader.execute_batch("COMMIT").unwrap();
    writer.add(&interval(1, 10, Outcome::Ok, MS));
    let summary = writer.finish(&end(2, 20, 0)).unwrap().summary().unwrap();
    assert_eq!(summary.outcome(Outcome::Ok), 20);
}

#[test]
fn a_run_in_which_requests_are_missing_says_so() {
    let mut writer = temporary();
    writer.add(&interval(0, 9, Outcome::Ok, MS));
    let error = writer.finish(&end(1, 10, 0)).err().unwrap();
    assert!(matches!(error, RunFileError::Unbalanced { planned: 10, ended: 9, warmup: false }));
    assert_eq!(error.to_string(), "10 requests were planned after the warm-up but 9 ended");

    let mut writer = temporary();
    writer.add(&interval(-1, 9, Outcome::Ok, MS));
    let error = writer.finish(&end(1, 0, 8)).err().unwrap();
    assert!(matches!(error, RunFileError::Unbalanced { planned: 8, ended: 9, warmup: true }));
}

#[test]
fn progress_is_that_of_the_last_second() {
    let mut writer = temporary();
    assert_eq!(writer.progress(), Progress::default());
    writer.add(&interval(-1, 50, Outcome::Ok, MS));
    writer.commit(&tick(1, 0)).unwrap();
    assert_eq!((writer.progress().rate_per_s, writer.progress().completed), (50.0, 0));
    writer.add(&interval(0, 1_000, Outcome::Ok, MS));
    writer.add(&interval(0, 4, Outcome::Timeout, 10 * MS));
    writer.commit(&tick(3, 1_010)).unwrap();
    let progress = writer.progress();
    assert_eq!((progress.rate_per_s, progress.completed, progress.failed), (500.0, 1_000, 4));
    assert_eq!((progress.planned, progress.open_count), (1_010, 3));
    assert!(progress.p50_ns.unwrap().abs_diff(MS) <= MS / 1_000);
    assert!(progress.p99_ns.unwrap().abs_diff(MS) <= MS / 1_000);
}

#[test]
fn only_run_files_are_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    fs::write(&path, "my thesis").unwrap();
    let refused = RunWriter::create(Place::File(&path), &header()).err().unwrap();
    assert!(matches!(refused, RunFileError::WouldOverwrite { .. }), "{refused}");
    assert!(refused.hint().is_some());
    assert_eq!(fs::read(&path).unwrap(), b"my thesis");

    let other = directory.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let refused = RunWriter::create(Place::File(&other), &header()).err().unwrap();
    assert!(matches!(refused, RunFileError::WouldOverwrite { .. }), "{refused}");

    let refused = RunWriter::create(Place::File(directory.path()), &header()).err().unwrap();
    assert!(matches!(refused, RunFileError::WouldOverwrite { .. }), "{refused}");

    let run = directory.path().join("run.throng");
    fs::write(&run, "").unwrap();
    let mut first = RunWriter::create(Place::File(&run), &header()).unwrap();
    first.add(&interval(0, 3, Outcome::Ok, MS));
    first.finish(&end(1, 3, 0)).unwrap();
    let second = RunWriter::create(Place::File(&run), &header()).unwrap();
    let summary = second.finish(&end(1, 0, 0)).unwrap().summary().unwrap();
    assert_eq!(summary.planned, 0);
}

#[test]
fn objectives_and_the_one_that_ended_the_run_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.throng");
    let objectives = ["p99 > 50ms for 3s", "error_ratio > 1%"];
    let objectives = objectives.map(|text| Objective::parse(text).unwrap()).to_vec();
    let header = RunHeader { objectives: objectives.clone(), ..header() };
    let writer = RunWriter::create(Place::File(&path), &header).unwrap();
    let aborted = Some(objectives[1].text().to_owned());
    drop(writer.finish(&RunEnd { aborted: aborted.clone(), ..end(1, 0, 0) }).unwrap());
    let summary = RunFile::open(&path).unwrap().summary().unwrap();
    assert_eq!((summary.objectives, summary.aborted), (objectives, aborted));

    let change = |sql| Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    change("UPDATE run SET value = '[\"p99 > soon\"]' WHERE key = 'objectives'");
    let damaged = RunFile::open(&path).unwrap().summary().unwrap_err();
    assert!(matches!(damaged, RunFileError::Damaged { what: "objectives" }));
    // As written before objectives were kept.
    change("DELETE FROM run WHERE key IN ('objectives', 'aborted')");
    let summary = RunFile::open(&path).unwrap().summary().unwrap();
    assert_eq!((summary.objectives, summary.aborted), (Vec::new(), None));
}

#[test]
fn a_finished_file_stands_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    writer.add(&interval(0, 3, Outcome::Ok, MS));
    drop(writer.finish(&end(1, 3, 0)).unwrap());
    let names: Vec<_> = fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["run.throng"]);
}

#[test]
fn what_is_not_a_run_file_is_named_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let why = |path: &std::path::Path| RunFile::open(path).err().unwrap();
    assert!(matches!(why(&path), RunFileError::Access { .. }));
    fs::write(&path, "").unwrap();
    assert!(matches!(why(&path), RunFileError::Empty { .. }));
    fs::write(&path, "not a database, and longer than one header of SQLite has bytes: ".repeat(4))
        .unwrap();
    assert!(matches!(why(&path), RunFileError::NotARunFile { .. }));
    let other = directory.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(why(&other), RunFileError::NotARunFile { .. }));

    let newer = directory.path().join("newer.throng");
    drop(RunWriter::create(Place::File(&newer), &header()).unwrap());
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = why(&newer);
    assert!(matches!(error, RunFileError::Newer { found: 99, .. }));
    assert!(error.to_string().ends_with("has run file format 99, this throng reads 3"));
    Connection::open(&newer).unwrap().pragma_update(None, "user_version", 1).unwrap();
    assert!(matches!(why(&newer), RunFileError::Older { found: 1, .. }));
}

#[test]
fn a_damaged_value_is_an_error_and_not_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    writer.add(&interval(0, 3, Outcome::Timeout, MS));
    drop(writer.finish(&end(1, 3, 0)).unwrap());
    for damage in [
        "UPDATE total SET data = x'1234'",
        "UPDATE cause SET name = 'moonlight'",
        "UPDATE run SET value = 'half-open' WHERE key = 'model'",
        "DELETE FROM run WHERE key = 'title'",
        "UPDATE window SET ok = -1",
        "DROP TABLE tick",
    ] {
        let damaged = directory.path().join("damaged.throng");
        fs::copy(&path, &damaged).unwrap();
        Connection::open(&damaged).unwrap().execute_batch(damage).unwrap();
        assert!(RunFile::open(&damaged).unwrap().summary().is_err(), "{damage}");
    }
}

#[test]
fn the_state_at_the_end_of_a_second_is_given_with_its_window() {
    let mut writer = temporary();
    for second in 0..3_u32 {
        writer.add(&interval(second.into(), 1, Outcome::Ok, MS));
        let gauges = Gauges { planned: 3, open: second, ..Gauges::default() };
        let elapsed_ns = u64::from(second + 2) * S + 100 * MS;
        writer.commit(&Tick { elapsed_ns, gauges, ..Tick::default() }).unwrap();
    }
    let file = writer.finish(&end(9, 3, 0)).unwrap();
    let mut open = Vec::new();
    file.for_each_window(|window| {
        open.push(window.gauges.map(|gauges| gauges.open));
        Ok::<_, RunFileError>(())
    })
    .unwrap();
    assert_eq!(open, [Some(0), Some(1), Some(2)]);
}

/// Ten windows like each other: 60 answers after 1 ms, 20 of which are errors, 30 after 2 ms.
fn ten_windows(writer: &mut RunWriter) {
    for window in 0..10 {
        writer.add(&interval(window, 40, Outcome::Ok, MS));
        writer.add(&interval(window, 20, Outcome::HttpError, MS));
        writer.add(&interval(window, 30, Outcome::Ok, 2 * MS));
    }
}

/// The ends of an interval in hundredths of milliseconds.
fn ci95_ms(distribution: &crate::Distribution, level: Level) -> Option<[Option<f64>; 2]> {
    let ms = |ns: u64| (ns as f64 / MS as f64 * 100.0).round() / 100.0;
    distribution
        .ci95(level)
        .map(|interval| [interval.low_ns, interval.high_ns].map(|ns| ns.map(ms)))
}

#[test]
fn percentiles_have_intervals_and_unanswered_requests_leave_them_open() {
    let mut writer = temporary();
    ten_windows(&mut writer);
    for window in 0..10 {
        writer.add(&interval(window, 10, Outcome::Timeout, 10 * S));
    }
    let summary = writer.finish(&end(10, 1_000, 0)).unwrap().summary().unwrap();
    // Ranks 469 to 532, 726 to 778 and 881 to 920 of 1,000: up to 600 1 ms, up to 900 2 ms.
    let response = &summary.response_time;
    assert_eq!(ci95_ms(response, Level::P50), Some([Some(1.0), Some(1.0)]));
    assert_eq!(ci95_ms(response, Level::P75), Some([Some(2.0), Some(2.0)]));
    assert_eq!(ci95_ms(response, Level::P90), Some([Some(2.0), None]));
    assert!(matches!(response.at(Level::P95), Percentile::AtLeast(_)));
    assert_eq!(ci95_ms(response, Level::P95), None, "what has no value has no interval");
    // Ranks 324 to 378 of 700, of which 400 took 1 ms; 450 + 31 of 900, of which 600 did.
    assert_eq!(ci95_ms(&summary.response_time_ok, Level::P50), Some([Some(1.0), Some(1.0)]));
    assert_eq!(ci95_ms(&summary.service_time, Level::P50), Some([Some(1.0), Some(1.0)]));
    assert_eq!(ci95_ms(&summary.service_time, Level::P99_99), None);
    assert_eq!(ci95_ms(&summary.lateness, Level::P50), None, "nobody asks for it");
}

#[test]
fn the_warm_up_has_no_part_in_intervals() {
    let mut writer = temporary();
    writer.add(&interval(-2, 300, Outcome::Ok, 10 * MS));
    writer.add(&interval(-1, 300, Outcome::Ok, 20 * MS));
    ten_windows(&mut writer);
    let summary = writer.finish(&end(10, 900, 600)).unwrap().summary().unwrap();
    assert_eq!(ci95_ms(&summary.response_time, Level::P50), Some([Some(1.0), Some(1.0)]));
}

#[test]
fn seconds_that_differ_widen_intervals_even_when_half_of_the_samples_are_equal() {
    let mut writer = temporary();
    for window in 0..20_i64 {
        // A second is fast as a whole or slow as a whole; 70 % of all requests are.
        let fast = if window % 2 == 0 { 45 } else { 95 };
        writer.add(&interval(window, fast, Outcome::Ok, MS));
        writer.add(&interval(window, 100 - fast, Outcome::Ok, 3 * MS));
    }
    let summary = writer.finish(&end(20, 2_000, 0)).unwrap().summary().unwrap();
    let response = &summary.response_time;
    // As independent requests, they would have been 70 ± 2 %; so it is 70 ± 10.
    assert_eq!(ci95_ms(response, Level::P50), Some([Some(1.0), Some(1.0)]));
    assert_eq!(ci95_ms(response, Level::P75), Some([Some(1.0), Some(3.0)]));
    assert_eq!(ci95_ms(response, Level::P90), Some([Some(3.0), Some(3.0)]));
}

#[test]
fn what_a_cut_run_lost_counts_as_unanswered_in_its_intervals() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    ten_windows(&mut writer);
    writer.commit(&tick(11, 1_000)).unwrap();
    drop(writer);
    let summary = RunFile::open(&path).unwrap().summary().unwrap();
    assert_eq!(summary.lost, 100);
    let [low, high] = ci95_ms(&summary.response_time, Level::P90).unwrap();
    assert_eq!(high, None);
    assert!(low.is_some_and(|low| low <= 2.0), "{low:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn totals_are_the_sum_of_the_windows(
        deltas in prop::collection::vec((-3_i64..30, 1_u64..5, 0_usize..9, 1_u64..20 * S, any::<bool>()), 1..60),
    ) {
        let mut writer = temporary();
        let mut planned = [0_u64; 2];
        let mut outcomes = [0_u64; 9];
        for (window, count, outcome, took_ns, commits) in deltas {
            let outcome = Outcome::ALL[outcome];
            writer.add(&interval(window, count, outcome, took_ns));
            planned[usize::from(window >= 0)] += count;
            if window >= 0 {
                outcomes[outcome.index()] += count;
            }
            if commits {
                writer.commit(&tick(1, planned[1])).unwrap();
            }
        }
        let file = writer.finish(&end(30, planned[1], planned[0])).unwrap();
        let summary = file.summary().unwrap();
        prop_assert_eq!(summary.outcomes, outcomes);
        prop_assert_eq!(summary.response_time.count, summary.planned);
        assert_totals_are_sums(&file);
    }
}

/// Compares each total with the windows, bucket by bucket.
#[track_caller]
fn assert_totals_are_sums(file: &RunFile) {
    let mut sums = Metric::ALL.map(|_| crate::distribution::empty_histogram());
    file.for_each_window(|window| {
        for metric in Metric::ALL.into_iter().filter(|_| window.window >= 0) {
            window.durations(metric).fold_into(&mut sums[metric.index()]);
        }
        Ok::<_, RunFileError>(())
    })
    .unwrap();
    for metric in Metric::ALL {
        assert!(file.total(metric).unwrap() == sums[metric.index()], "{}", metric.name());
    }
}

#[test]
fn a_distribution_that_moves_as_a_whole_has_closed_intervals() {
    let mut writer = temporary();
    // A thousand requests within 1 µs of each other; each second lies up to 40 µs from the next.
    let shifts_ns = [10, 38, 3, 25, 31, 0, 40, 17, 22, 8, 35, 14].map(|us| us * 1_000_u64);
    for (window, shift_ns) in (0..).zip(shifts_ns) {
        for part in 0..100 {
            let took_ns = 2_000_000 + shift_ns + part * 10;
            writer.add(&interval(window, 10, Outcome::Ok, took_ns));
        }
    }
    let planned = 1_000 * shifts_ns.len() as u64;
    let summary = writer.finish(&end(12, planned, 0)).unwrap().summary().unwrap();
    let estimate = summary.response_time.at(Level::P50).value().unwrap();
    let ci95 = summary.response_time.ci95(Level::P50).unwrap();
    let (low, high) = (ci95.low_ns.unwrap(), ci95.high_ns.unwrap());
    // The medians of the seconds have a standard deviation of 13.4 µs: 8.5 µs is 2.2 of their mean's.
    assert!((7_000..20_000).contains(&(estimate - low)), "{low} to {estimate}");
    assert!((7_000..20_000).contains(&(high - estimate)), "{estimate} to {high}");
    // A thousand requests are too few for a second to have a p99.9 of its own.
    let far = summary.response_time.ci95(Level::P99_9).unwrap();
    assert_eq!(far.high_ns, None);
}
