//! Service time against the wire: what tcpdump saw of the same requests.
//!
//! Service time begins before the call that sends; in the capture a request begins when it reaches
//! the receiving side. So service time is never the shorter of the two, and longer only by the way
//! through the sending side: 1 to 4 µs, 10 µs at low rates, which leave the caches cold.
//! Both take the same stamps of the same packets, so a busy machine changes both alike, but for
//! a run whose worker lost its core on just that way: of several runs, the middle one counts.

mod common;

use std::io::Write as _;

use common::capture::{Capture, Captured, Exchange};
use common::{Sink, throng};
use serde_json::Value;

/// What is run against the sink, several times for a second.
struct Load {
    path: &'static str,
    rate: &'static str,
}

/// Half of what the sink answers beside the capture on two cores; a delay, of which one percent is
/// allowed; answers of several packets, of which the last counts: 100 kB often pass while the
/// generator wakes up, 300 kB do not.
const LOADS: [Load; 4] = [
    Load { path: "/", rate: "40k" },
    Load { path: "/delay/5ms", rate: "1k" },
    Load { path: "/bytes/100000", rate: "5k" },
    Load { path: "/bytes/300000", rate: "4k" },
];

#[test]
fn service_time_is_what_the_wire_shows() {
    for _ in 0..ATTEMPTS {
        let sinks = LOADS.each_ref().map(|_| Sink::start());
        let capture = match Capture::start(&sinks.each_ref().map(|sink| sink.address.port())) {
            Ok(capture) => capture,
            Err(why) => return say(&format!("skipped: tcpdump cannot capture here: {why}")),
        };
        let runs: Vec<_> =
            LOADS.iter().zip(&sinks).map(|(load, sink)| measure(load, sink)).collect();
        let captured = capture.end();
        if captured.lost_count > 0 {
            say(&format!("the capture lost {} packets: once more", captured.lost_count));
            continue;
        }
        for ((load, sink), runs) in LOADS.iter().zip(&sinks).zip(&runs) {
            compare(load, runs, &captured, sink.address.port());
        }
        return;
    }
    panic!("the capture lost packets {ATTEMPTS} times");
}

/// The reports of [`RUNS`] runs of one load.
fn measure(load: &Load, sink: &Sink) -> Vec<Value> {
    let url = sink.url(load.path);
    let run = |_| {
        let done = throng(&["-R", load.rate, "-c", "16", "-d", "1s", "--json", "-", &url]);
        assert_eq!((done.status, &*done.stderr), (Some(0), ""));
        serde_json::from_str(&done.stdout).expect("JSON")
    };
    (0..RUNS).map(run).collect()
}

fn compare(load: &Load, runs: &[Value], captured: &Captured, port: u16) {
    let (mut exchanges, unanswered_count) = captured.exchanges(port);
    let counts: Vec<_> = runs.iter().map(|run| number(&run["outcomes"]["ok"]) as usize).collect();
    // Nothing disappears: what was counted is what the wire carried.
    assert_eq!((counts.iter().sum(), 0), (exchanges.len(), unanswered_count), "{}", load.path);
    let mut pairs = QUANTILES.map(|_| Vec::new());
    for (run, count) in runs.iter().zip(counts) {
        // The runs came one after the other.
        let later = exchanges.split_off(count);
        let wire_ns = sorted_times_ns(&exchanges);
        exchanges = later;
        for ((name, quantile), pairs) in QUANTILES.iter().zip(&mut pairs) {
            let told_ns = number(&run["service_time_ns"][name]);
            pairs.push(Pair { wire_ns: at(&wire_ns, *quantile), told_ns });
        }
    }
    for ((name, _), mut pairs) in QUANTILES.iter().zip(pairs) {
        pairs.sort_by(|one, other| one.excess_ratio().total_cmp(&other.excess_ratio()));
        let middle = &pairs[RUNS / 2];
        let holds = middle.told_ns >= middle.wire_ns && middle.excess_ratio() <= 1.0;
        assert!(holds, "{} of {}: {pairs:#?}", name, load.path);
    }
}

/// One percentile of one run, twice.
#[derive(Debug)]
struct Pair {
    wire_ns: u64,
    told_ns: u64,
}

impl Pair {
    /// The difference over what is allowed: 5 µs or 1 %, whichever is more.
    fn excess_ratio(&self) -> f64 {
        let allowed_ns = (self.wire_ns as f64 / 100.0).max(5_000.0);
        self.told_ns.abs_diff(self.wire_ns) as f64 / allowed_ns
    }
}

fn sorted_times_ns(exchanges: &[Exchange]) -> Vec<u64> {
    let mut times_ns: Vec<_> =
        exchanges.iter().map(|exchange| exchange.end_ns - exchange.sent_ns).collect();
    times_ns.sort_unstable();
    times_ns
}

/// The least value that `quantile` of all do not exceed.
fn at(sorted: &[u64], quantile: f64) -> u64 {
    let rank = (quantile * sorted.len() as f64).ceil() as usize;
    sorted[rank.max(1) - 1]
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Past the test harness, which hides what a passing test prints.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "wire: {}", text.trim_end());
}

const QUANTILES: [(&str, f64); 2] = [("p50", 0.50), ("p99", 0.99)];
/// Odd, so that one is in the middle.
const RUNS: usize = 3;
/// A capture that lost packets is taken again.
const ATTEMPTS: usize = 3;
