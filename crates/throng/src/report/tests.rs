use std::cell::RefCell;

use serde_json::{Value, json};
use throng_measure::{
    Capacity, Cause, Connections, Environment, Exchange, Gauges, Generator, Interval, Level, Nanos,
    Objective, Outcome, Place, Recorder, RunEnd, RunHeader, RunWriter, Sample, Second, Span, Tick,
    Traffic,
};

use super::*;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// Takes what a recorder hands over straight to the writer.
struct Straight<'a>(&'a RefCell<RunWriter>);

impl Exchange for Straight<'_> {
    fn exchange(&mut self, interval: &mut Box<Interval>) {
        self.0.borrow_mut().add(interval);
        interval.clear();
    }
}

/// One request: due, how long it took, how it ended.
type Arrival = (u64, u64, Outcome);

/// A run with one second of warm-up and three seconds measured.
fn run_of(arrivals: &[Arrival]) -> RunFile {
    run_until(4, arrivals)
}

/// A run with one second of warm-up that ends after so many.
fn run_until(end_s: u64, arrivals: &[Arrival]) -> RunFile {
    run_with(&header(), end_s, arrivals)
}

fn run_with(header: &RunHeader, end_s: u64, arrivals: &[Arrival]) -> RunFile {
    let span = Span { from: Nanos(S), until: Nanos(end_s * S) };
    let writer = RefCell::new(RunWriter::create(Place::Temporary, header).unwrap());
    let mut recorder = Recorder::new(span);
    for &(due, took_ns, outcome) in arrivals {
        recorder.record(&sample(due, took_ns, outcome), &mut Straight(&writer));
    }
    recorder.record_connect(Nanos(S), 90_000, &mut Straight(&writer));
    let traffic = Traffic {
        bytes_sent: 1_234_567,
        bytes_received: 98_765_432,
        connections: Connections { opened: 1, waited: 14_985, ..Connections::default() },
    };
    let [planned_warmup, planned] = recorder.recorded();
    let gauges = Gauges {
        planned_warmup,
        planned,
        open: 20,
        open_max: 20,
        queued_max: 3,
        ..Gauges::default()
    };
    recorder.hand_over(Nanos(end_s * S - 1), gauges, traffic, &mut Straight(&writer));
    let generator = Generator {
        user_ns: 200 * MS,
        system_ns: 1_800 * MS,
        max_rss_bytes: 12_345_678,
        steal_ratio: Some(0.001),
    };
    let mut writer = writer.into_inner();
    for elapsed_s in 1..=end_s {
        let tick = Tick { elapsed_ns: elapsed_s * S, gauges, generator, second: Second::default() };
        writer.commit(&tick).unwrap();
    }
    let end = RunEnd {
        elapsed_ns: end_s * S + 5 * MS,
        span,
        interrupted: false,
        aborted: None,
        gauges,
        generator,
        second: Second::default(),
    };
    writer.finish(&end).unwrap()
}

/// One of each result, of [`mixed`].
const OBJECTIVES: [&str; 3] =
    ["p99 > 5s", "timeout > 0 and achieved_rate > 1 for 2s", "p99.99 > 1ms after 1s"];

fn header() -> RunHeader {
    RunHeader {
        version: "0.1.0".into(),
        plan: json!({"url": "http://localhost:8080/", "connections": 20}),
        title: "open model: 5,000/s constant, 20 connections, GET http://localhost:8080/".into(),
        started_unix_ns: 1_700_000_000_123_456_789,
        warmup_ns: S,
        closed: false,
        connections_max: 20,
        keep_alive: true,
        transmit_sampling: 64,
        tls_verified: None,
        environment: Environment { worker_count: 2, cpu_count: 8, ..Environment::default() },
        objectives: OBJECTIVES.map(|text| Objective::parse(text).unwrap()).to_vec(),
    }
}

fn sample(due: u64, took_ns: u64, outcome: Outcome) -> Sample {
    let answered = outcome.is_answered();
    let sent = due + 20_000;
    Sample {
        due: Nanos(due),
        dispatched: Some(Nanos(due + 3_000)),
        sent: Some(Nanos(sent)),
        transmitted: None,
        first_byte: answered.then_some(Nanos(sent + 1)),
        end: Nanos(due + took_ns),
        read: Nanos(due + took_ns + 7),
        outcome,
        cause: (!answered).then_some(Cause::WaitingForAnswer),
        status: match outcome {
            Outcome::Ok => 200,
            Outcome::HttpError => 503,
            _ => 0,
        },
    }
}

/// 20,000 arrivals over four seconds, of all sizes, with errors and timeouts.
fn mixed() -> RunFile {
    let arrivals: Vec<_> = (0..20_000_u64)
        .map(|i| {
            let took_ns = 80_000 + (i * 7_919 % 1_000).pow(2) * 3;
            let outcome = match i % 1_000 {
                7 => Outcome::Timeout,
                500..505 => Outcome::HttpError,
                _ => Outcome::Ok,
            };
            let took_ns = if outcome == Outcome::Timeout { 2 * S } else { took_ns };
            (i * 200_000, took_ns, outcome)
        })
        .collect();
    run_of(&arrivals)
}

fn all_ok() -> RunFile {
    let arrivals: Vec<_> =
        (0..20_000).map(|i| (i * 200_000, 80_000 + i % 997 * 100, Outcome::Ok)).collect();
    run_of(&arrivals)
}

/// Ten seconds like each other, the last of 1,000 arrivals a second without an answer.
fn steady() -> RunFile {
    let arrivals: Vec<_> = (0..11_000)
        .map(|i| match i % 1_000 {
            999 => (i * MS, 2 * S, Outcome::Timeout),
            place => (i * MS, 400_000 + place * MS / 500, Outcome::Ok),
        })
        .collect();
    run_until(11, &arrivals)
}

/// A run at 5,000/s on a machine that can generate so many.
fn calibrated(rate_per_s: u64, estimated: bool) -> RunFile {
    let calibrated_unix_ns = 1_795_291_169_760_816_762;
    let capacity = Some(Capacity { rate_per_s, estimated, calibrated_unix_ns });
    let environment = Environment { capacity, ..header().environment };
    let arrivals: Vec<_> = (0..20_000).map(|i| (i * 200_000, 80_000, Outcome::Ok)).collect();
    run_with(&RunHeader { environment, ..header() }, 4, &arrivals)
}

fn cut() -> (tempfile::TempDir, RunFile) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.throng");
    let mut writer = RunWriter::create(Place::File(&path), &header()).unwrap();
    let gauges = Gauges { planned: 10, ..Gauges::default() };
    writer.commit(&Tick { elapsed_ns: 2 * S, gauges, ..Tick::default() }).unwrap();
    drop(writer);
    let run = RunFile::open(&path).unwrap();
    (directory, run)
}

fn print(name: &str, run: &RunFile) -> String {
    let mut out = Vec::new();
    Format::named(name).unwrap().write(run, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_format_keeps_the_contract() {
    let (_directory, cut) = cut();
    for run in [mixed(), all_ok(), steady(), run_of(&[]), cut] {
        for format in FORMATS {
            let name = format.name;
            let report = print(name, &run);
            assert!(report.ends_with('\n'), "{name}");
            assert_eq!(report, print(name, &run), "{name}");
            let control = |c: char| c.is_control() && c != '\n';
            assert!(!report.contains(control), "{name} has a control character");
            assert!(!format.description.is_empty());
            assert_eq!(FORMATS.iter().filter(|other| other.name == name).count(), 1);
        }
    }
}

#[test]
fn every_format_fails_when_its_place_does() {
    let run = mixed();
    for format in FORMATS {
        let whole = print(format.name, &run).len();
        for limit in [0, 1, whole / 2, whole - 1] {
            let mut bytes = vec![0; limit];
            let result = format.write(&run, &mut bytes.as_mut_slice());
            assert!(matches!(result, Err(ReportError::Output(_))), "{} at {limit}", format.name);
        }
    }
}

#[test]
fn the_page_fits_a_terminal() {
    for run in [mixed(), all_ok(), steady(), run_of(&[]), calibrated(40_000_000, true)] {
        for line in print("text", &run).lines() {
            assert!(line.chars().count() <= 96, "{line}");
            assert_eq!(line.trim_end(), line, "blanks at the end of {line:?}");
        }
    }
}

#[test]
fn the_page_says_what_a_person_looks_for() {
    let page = print("text", &mixed());
    for part in [
        "open model: 5,000/s constant, 20 connections, GET http://localhost:8080/\n",
        "Verdict      suspect\n  - 99.90 % of the requests waited for one of 20 connections (suspect from",
        "Measured     3.00 s, after 1.00 s of warm-up with 5,000 requests\n",
        "Requests     15,000 planned, 14,910 ok, 90 not ok (0.60 %)\n",
        "Rate         5,000/s offered, ",
        "response time     ok only  service time    lateness  queue wait\n",
        "Outcomes     14,910 ok, 75 http_error, 15 timeout\n",
        "Causes       15 waiting_for_answer\n",
        "Status       14,910 × 200, 75 × 503\n",
        "Data         sent 1.23 MB (412 kB/s), received 98.8 MB (32.9 MB/s)\n",
        "Connections  at most 20 open, 1 opened after the warm-up, at most 3 requests waiting,",
        "Generator    2 worker threads, 0.50 processors busy,",
        "> 2.00 s",
        "– (needs 100,000)",
        "Reading:\n  - 90 of 15,000 requests",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    assert!(!print("text", &all_ok()).contains("ok only"), "the same column twice");
}

#[test]
fn the_page_says_how_far_percentiles_can_be_trusted() {
    let page = print("text", &steady());
    for part in [
        "\n              response time    95 % confidence     ok only  service time    lateness",
        "\n  mean            > 3.40 ms                        1.40 ms ",
        // 98 ranks of 10,000 on both sides of 5,000; ten of them are 2 µs.
        "\n  p50               1.40 ms    1.38 to 1.42 ms     1.40 ms ",
        "\n  p99.9             2.40 ms    2.39 ms or more           – ",
        "\n  p99.99  – (needs 100,000)                              – ",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    assert!(!print("text", &all_ok()).contains("confidence"), "three seconds cannot tell");
}

#[test]
fn json_has_an_interval_for_each_percentile_of_the_whole_run() {
    let run = steady();
    let report: Value = serde_json::from_str(&print("json", &run)).unwrap();
    let summary = run.summary().unwrap();
    for (name, distribution) in [
        ("response_time_ns", &summary.response_time),
        ("response_time_ok_ns", &summary.response_time_ok),
        ("service_time_ns", &summary.service_time),
    ] {
        for level in Level::ALL {
            let expected = distribution.ci95(level).map(|ci95| json!([ci95.low_ns, ci95.high_ns]));
            let found = &report[name][format!("{}_ci95", level.name())];
            assert_eq!(found, &expected.unwrap_or(Value::Null), "{name} {}", level.name());
        }
    }
    let [low, high] = [0, 1].map(|end| report["response_time_ns"]["p50_ci95"][end].as_u64());
    assert!(low.unwrap() < high.unwrap());
    assert!(report["response_time_ns"]["p99_9_ci95"][0].is_u64());
    assert_eq!(report["response_time_ns"]["p99_9_ci95"][1], Value::Null, "an open end");
    assert_eq!(report["response_time_ns"]["p99_99_ci95"], Value::Null);
    assert!(report["lateness_ns"].get("p50_ci95").is_none());
    assert!(report["windows"][0]["response_time_ns"].get("p50_ci95").is_none());
}

#[test]
fn a_run_on_a_calibrated_machine_says_its_share_of_what_that_can_generate() {
    let page = print("text", &calibrated(40_000, false));
    let share = " 12.5 % of what this machine can generate (calibrated 2026-11-21)\n";
    assert!(page.contains(share) && !page.contains("about"), "{page}");
    let page = print("text", &calibrated(40_000, true));
    assert!(page.contains(" about 12.5 % of what this machine can generate ("), "{page}");
    let ratio = |run: &RunFile| -> Value {
        let report: Value = serde_json::from_str(&print("json", run)).unwrap();
        report["generator"]["capacity_ratio"].clone()
    };
    assert_eq!(ratio(&calibrated(40_000, true)), 0.125);
    for run in [all_ok(), calibrated(0, false)] {
        assert_eq!(ratio(&run), Value::Null);
        assert!(!print("text", &run).contains("this machine can generate"));
    }
}

#[test]
fn json_has_the_promised_names_and_its_sums_are_right() {
    let report: Value = serde_json::from_str(&print("json", &mixed())).unwrap();
    assert_eq!(report["planned"], 15_000);
    assert_eq!(report["outcomes"]["ok"], 14_910);
    assert_eq!(report["status"]["503"], 75);
    assert_eq!(report["response_time_ns"]["count"], 15_000);
    assert_eq!(report["response_time_ns"]["p99_99"], Value::Null, "15,000 cannot support it");
    assert_eq!(report["response_time_ns"]["max"], Value::Null, "timeouts have no known maximum");
    assert!(report["response_time_ns"]["at_least"]["max"].as_u64().unwrap() > 1_990 * MS);
    assert_eq!(report["response_time_ok_ns"]["count"], 14_910);
    assert_eq!(report["rate_per_s"]["offered"], 5_000.0);
    assert_eq!(report["bytes"]["sent"], 1_234_567);
    let windows = report["windows"].as_array().unwrap();
    assert_eq!(windows.iter().map(|w| w["start_s"].as_i64().unwrap()).max(), Some(2));
    let planned: u64 = windows.iter().map(|w| w["planned"].as_u64().unwrap()).sum();
    assert_eq!(planned, 15_000);
}

#[test]
fn json_has_what_came_of_each_objective() {
    let report: Value = serde_json::from_str(&print("json", &mixed())).unwrap();
    let objectives = report["objectives"].as_array().unwrap();
    let member = |name| objectives.iter().map(|o| o[name].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(member("expression"), OBJECTIVES);
    assert_eq!(member("result"), ["held", "failed", "not_enough_data"]);
    let details = member("detail");
    assert!(details[0].starts_with("p99 = "), "{details:?}");
    assert_eq!(
        details[1],
        "timeout = 15, achieved_rate > 1.00/s for 3 s in a row, from second 0 on"
    );
    assert_eq!(details[2], "p99.99 after 1 s needs 100,000 samples, has 10,000");
    assert_eq!(report["aborted"], Value::Null);
}

#[test]
fn a_run_that_an_objective_ended_says_so() {
    let run = RunWriter::create(Place::Temporary, &header()).unwrap();
    let span = Span { from: Nanos(S), until: Nanos(8 * S) };
    let end = RunEnd {
        elapsed_ns: 8 * S,
        span,
        interrupted: false,
        aborted: Some(OBJECTIVES[0].to_owned()),
        gauges: Gauges::default(),
        generator: Generator::default(),
        second: Second::default(),
    };
    let run = run.finish(&end).unwrap();
    let page = print("text", &run);
    assert!(page.contains("; aborted: fail-if p99 > 5s was met\n"), "{page}");
    assert!(page.contains("ended after 7.00 s because `p99 > 5s` was met"), "{page}");
    let report: Value = serde_json::from_str(&print("json", &run)).unwrap();
    assert_eq!(report["aborted"], "p99 > 5s");
}

#[test]
fn json_keeps_to_its_published_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let (_directory, cut) = cut();
    for run in [mixed(), all_ok(), steady(), run_of(&[]), cut, calibrated(40_000, true)] {
        let report: Value = serde_json::from_str(&print("json", &run)).unwrap();
        let errors: Vec<_> =
            validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn csv_has_as_many_fields_in_every_row_and_its_sums_are_right() {
    let table = print("csv", &mixed());
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().unwrap();
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), 3);
    let sum = |name| -> u64 {
        let place = names.iter().position(|n| *n == name).unwrap();
        rows.iter().map(|row| row[place].parse::<u64>().unwrap()).sum()
    };
    assert!(rows.iter().all(|row| row.len() == names.len()));
    assert_eq!((sum("planned"), sum("ok"), sum("timeout")), (15_000, 14_910, 15));
}

#[test]
fn hgrm_ends_at_the_maximum_and_counts_every_answer() {
    let text = print("hgrm", &mixed());
    assert!(text.starts_with("       Value     Percentile TotalCount 1/(1-Percentile)\n\n"));
    assert!(text.contains("1.000000000000      14985\n#[Mean    = "), "{text}");
    assert!(text.contains("Total count    =        14985]\n"));
    assert!(text.contains("SubBuckets     =         2048]\n"));
    assert!(text.ends_with("#[15 requests without an answer are not in this distribution]\n"));
}

#[test]
fn hlog_is_read_back_with_the_same_counts() {
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    let text = print("hlog", &mixed());
    assert!(text.starts_with("#[Histogram log format version 1.3]\n"));
    let log = text.replace(&format!("{}\n", hlog_legend(&text)), "");
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        let LogEntry::Interval(interval) = entry.unwrap() else { continue };
        let bytes = base64(interval.encoded_histogram());
        let histogram: hdrhistogram::Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
        let tag = interval.tag().map_or_else(String::new, |tag| tag.as_str().to_owned());
        *counts.entry(tag).or_default() += histogram.len();
    }
    assert_eq!(counts[""], 14_985);
    assert_eq!(counts["unanswered"], 15);
    assert_eq!(counts["service"], 14_985);
    assert_eq!(counts["connect"], 1);
}

fn hlog_legend(text: &str) -> &str {
    text.lines().find(|line| line.starts_with('"')).unwrap()
}

/// Standard base64, decoded.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter(|&b| b != b'=');
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for digit in digits {
        let value = ALPHABET.iter().position(|&a| a == digit).unwrap();
        bits = bits << 6 | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff).try_into().unwrap());
        }
    }
    bytes
}
