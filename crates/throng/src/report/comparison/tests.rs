use serde_json::{Value, json};
use throng_measure::{
    Environment, Gauges, Generator, Interval, Metric, Nanos, Outcome, Place, RunEnd, RunFile,
    RunHeader, RunWriter, Second, Span,
};

use super::*;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// A run of some seconds with 2,000 requests each; one in a hundred takes ten times as long.
fn run(took_ns: &[u64], closed: bool) -> Run {
    let header = RunHeader {
        version: "0.1.0".into(),
        plan: json!({"url": "http://a/", "stop": {"duration_ns": took_ns.len() as u64 * S}}),
        title: "closed model: 10 connections, GET http://127.0.0.1:8080/".into(),
        started_unix_ns: 1_700_000_000_000_000_000,
        warmup_ns: 0,
        closed,
        connections_max: 10,
        keep_alive: true,
        transmit_sampling: 64,
        objectives: Vec::new(),
        tls_verified: None,
        environment: Environment::default(),
    };
    let mut writer = RunWriter::create(Place::Temporary, &header).expect("a run file");
    for (window, &took_ns) in (0..).zip(took_ns) {
        let mut interval = Interval::new();
        interval.window = window;
        for i in 0..2_000_u64 {
            let tail = if i % 100 == 0 { 10 } else { 1 };
            interval.record(Metric::ResponseOk, (took_ns + i * 100) * tail);
        }
        interval.counts.outcomes[Outcome::Ok.index()] = 2_000;
        (interval.counts.completed, interval.counts.completed_ok) = (2_000, 2_000);
        writer.add(&interval);
    }
    let planned = 2_000 * took_ns.len() as u64;
    let end = RunEnd {
        elapsed_ns: took_ns.len() as u64 * S,
        span: Span { from: Nanos(0), until: Nanos(took_ns.len() as u64 * S) },
        aborted: None,
        interrupted: false,
        gauges: Gauges { planned, ..Gauges::default() },
        generator: Generator::default(),
        second: Second::default(),
    };
    let file: RunFile = writer.finish(&end).expect("a whole run");
    Run::of(&file).expect("readable")
}

fn side(name: &str, runs: Vec<Run>) -> SideOfReport {
    SideOfReport { name: name.into(), runs, files: Vec::new() }
}

fn conditions(texts: &[&str]) -> Vec<Condition> {
    texts.iter().map(|text| Condition::parse(text).expect("a condition")).collect()
}

/// Recorded once from `throng versus` between `/delay/2ms` and `/delay/3ms`: the p50 of each round.
const RECORDED_NS: [[u64; 6]; 2] = [
    [2_087_000, 2_093_000, 2_078_000, 2_101_000, 2_096_000, 2_090_000],
    [3_104_000, 3_115_000, 3_097_000, 3_109_000, 3_121_000, 3_100_000],
];

fn rounds(closed: bool) -> ComparisonReport {
    let [a, b] = RECORDED_NS.map(|side| side.iter().map(|&ns| run(&[ns], closed)).collect());
    let conditions = conditions(&["p50_change > 40%", "p99.9_change > 5%", "p50_change > 48.5%"]);
    let how = vec!["6 rounds of each in blocks of A B B A".to_owned()];
    ComparisonReport::of(Method::Rounds, how, vec![side("A", a), side("B", b)], &conditions, vec![])
}

/// B is as A, C is half as fast; the second runs of B and C are longer.
fn runs() -> ComparisonReport {
    let of = |ns: u64| vec![run(&[ns], true), run(&[ns + 10_000, ns], true)];
    let sides = vec![side("A", of(MS)), side("B", of(MS)), side("C", of(2 * MS))];
    let how = vec!["2 runs of each".to_owned()];
    ComparisonReport::of(Method::Runs, how, sides, &conditions(&["p50_change > 5%"]), vec![])
}

fn single() -> ComparisonReport {
    let of = |ns: u64| {
        let seconds: Vec<_> = (0..8).map(|i| ns + i % 3 * 10_000).collect();
        vec![run(&seconds, true)]
    };
    let sides = vec![side("A", of(MS)), side("B", of(MS))];
    ComparisonReport::of(Method::Single, vec!["one run of each".into()], sides, &[], vec![])
}

fn text(report: &ComparisonReport) -> String {
    let mut out = Vec::new();
    report.write_text(&mut out).expect("memory");
    String::from_utf8(out).expect("text")
}

fn json(report: &ComparisonReport) -> Value {
    let mut out = Vec::new();
    report.write_json(&mut out).expect("memory");
    assert!(out.ends_with(b"}\n"));
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn the_page_has_a_table_a_sentence_notes_and_verdicts() {
    let page = text(&rounds(true));
    for part in [
        "A            closed model: 10 connections, GET http://127.0.0.1:8080/\n",
        "Compared     6 rounds of each in blocks of A B B A\n",
        "                       A             B      change           95 % interval\n",
        "\n  rate           2,000/s       2,000/s      0.00 %          0.00 to 0.00 %\n",
        "\n  p50            2.19 ms       3.21 ms     +46.4 %        +46.1 to +46.6 %  *\n",
        "\n  p99.9                –             –           –                       –\n",
        "\nB is 46.1–46.6 % slower at p50, ",
        "; no significant change in the rate; p99.9 and p99.99 are not compared: p99.9\n\
         needs 10,000 requests a round; A had one with 2,000.\n",
        "\nNotes:\n  - Intervals are at 95 %, from how the blocks of A B B A differ",
        "\n  - * marks what is significant",
        "\nfail-if p50_change > 40%: failed: p50_change is +46.4 % (+46.1 to +46.6 %)\n",
        "\nfail-if p99.9_change > 5%: not enough data: p99.9 needs 10,000 requests a round; A had \
         one with 2,000; it takes more rounds, or longer ones\n",
        "\nfail-if p50_change > 48.5%: held\n",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
}

#[test]
fn what_is_broken_is_said_alone_where_the_page_is_not_printed() {
    let report = rounds(true);
    assert!(!report.held());
    let broken = report.broken();
    assert_eq!(broken.lines().count(), 2, "{broken}");
    assert!(!broken.contains("held"), "{broken}");
    assert!(single().held(), "nothing was asked");
}

#[test]
fn a_rate_that_the_plan_decides_is_called_offered() {
    let page = text(&rounds(false));
    assert!(page.contains("\n  offered        2,000/s       2,000/s     by plan\n"), "{page}");
    assert!(!page.contains("in the rate"), "{page}");
}

#[test]
fn every_one_that_is_compared_has_its_own_table_sentence_and_verdict() {
    let page = text(&runs());
    assert!(page.contains("\nB shows no significant change at p50,"), "{page}");
    assert!(page.contains("\nC is 87.9–93.3 % slower at p50"), "{page}");
    assert!(page.contains("\nfail-if p50_change > 5%: B: held\n"), "{page}");
    assert!(
        page.contains("\nfail-if p50_change > 5%: C: failed: p50_change is +90.5 % (+8"),
        "{page}"
    );
    assert!(
        page.contains("Not alike: duration: 1.00 s in A1, B1, C1; 2.00 s in A2, B2, C2."),
        "{page}"
    );
}

#[test]
fn one_run_of_each_is_said_to_be_blind_to_what_runs_differ_by() {
    let page = text(&single()).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("cannot show how much runs of one and the same server differ"), "{page}");
    assert!(page.contains("`throng versus URL_A URL_B` takes turns"), "{page}");
    assert!(page.contains("B shows no significant change at p50, p75, p90, p95"), "{page}");
}

#[test]
fn the_page_fits_a_terminal() {
    for report in [rounds(true), rounds(false), runs(), single()] {
        // A condition is as long as somebody wrote it.
        for line in text(&report).lines().filter(|line| !line.starts_with("fail-if")) {
            assert!(line.chars().count() <= 96, "{line}");
            assert_eq!(line.trim_end(), line, "blanks at the end of {line:?}");
            assert!(!line.contains(char::is_control), "{line:?}");
        }
    }
}

#[test]
fn json_keeps_to_its_published_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../../../docs/comparison.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut kept = rounds(true);
    kept.sides[0].files = vec![PathBuf::from("dir/A-01.throng")];
    for report in [kept, rounds(false), runs(), single()] {
        let report = json(&report);
        let errors: Vec<_> =
            validator.iter_errors(&report).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn json_has_the_numbers_of_the_page() {
    let report = json(&rounds(true));
    assert_eq!(report["method"], "rounds");
    let p50 = &report["comparisons"][0]["figures"][1];
    assert_eq!(
        (&p50["figure"], &p50["unit"], &p50["found"]),
        (&json!("p50"), &json!("ns"), &json!("measured"))
    );
    let number = |key: &str| p50[key].as_f64().expect(key);
    // Worked out apart from the three blocks, with t = 4.3027 and buckets of 2,048 ns.
    assert!((number("change_ratio") - 0.463_733).abs() < 1e-6);
    assert!((number("low_ratio") - 0.461_122).abs() < 1e-6);
    assert!((number("high_ratio") - 0.466_349).abs() < 1e-6);
    assert!((number("b") / number("a") - 1.0 - number("change_ratio")).abs() < 1e-9);
    assert_eq!(p50["significant"], true);
    let p99_9 = &report["comparisons"][0]["figures"][6];
    assert_eq!((&p99_9["found"], &p99_9["change_ratio"]), (&json!("not_compared"), &Value::Null));
    let results: Vec<_> =
        report["fail_if"].as_array().expect("an array").iter().map(|v| &v["result"]).collect();
    assert_eq!(results, ["failed", "not_enough_data", "held"]);
    let sides = report["sides"].as_array().expect("an array");
    let p50s = |side: &Value| -> Vec<f64> {
        let runs = side["runs"].as_array().expect("an array");
        runs.iter().map(|run| run["response_time_ns"]["p50"].as_f64().expect("a number")).collect()
    };
    // The column of the page is their geometric mean.
    let logs: Vec<_> = p50s(&sides[0]).iter().map(|ns| ns.ln()).collect();
    assert_eq!(logs.len(), 6);
    assert!((logs.iter().sum::<f64>() / 6.0 - number("a").ln()).abs() < 1e-9);
    let given = json(&rounds(false));
    let rate = &given["comparisons"][0]["figures"][0];
    assert_eq!((&rate["found"], &rate["change_ratio"]), (&json!("given"), &json!(0.0)));
}
