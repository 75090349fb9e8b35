//! Service time against the wire: what tcpdump saw of the same requests.
//!
//! The kernel stamps every request when it transmits it and when its answer has come. What lies
//! between, `wire`, is what the capture sees: it must be the same to 5 µs or 1 %.
//!
//! Service time begins before the call that sends, so it is never the shorter of the two, and longer
//! by the way through the sending side only: 1 to 4 µs, 10 µs at low rates, which leave the caches
//! cold, more on a busy machine. throng tells how long that way was (`transmit`): beyond what that
//! explains, service time must be the capture's to 5 µs or 1 % too. The table of `./x bench referee`,
//! made on a quiet machine, has the difference without that allowance.
//!
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
        let arguments = ["-R", load.rate, "-c", "16", "-d", "1s", "--tx-stamps", "1"];
        let done = throng(&[&arguments[..], &["--json", "-", &url]].concat());
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
    let mut wires = QUANTILES.map(|_| Vec::new());
    let mut services = QUANTILES.map(|_| Vec::new());
    for (run, count) in runs.iter().zip(counts) {
        // The runs came one after the other.
        let later = exchanges.split_off(count);
        let times_ns = sorted_times_ns(&exchanges);
        exchanges = later;
        assert_eq!(number(&run["wire_ns"]["count"]) as usize, count, "every request is stamped");
        for (i, (name, quantile)) in QUANTILES.iter().enumerate() {
            let seen_ns = at(&times_ns, *quantile);
            let told = |what: &str| number(&run[what][name]);
            wires[i].push(Pair { seen_ns, told_ns: told("wire_ns"), sending_ns: 0 });
            let sending_ns = told("transmit_ns");
            services[i].push(Pair { seen_ns, told_ns: told("service_time_ns"), sending_ns });
        }
    }
    for (i, (name, _)) in QUANTILES.iter().enumerate() {
        let wire = middle(&mut wires[i]);
        assert!(wire.excess_ratio() <= 1.0, "wire, {name} of {}: {:#?}", load.path, wires[i]);
        let service = middle(&mut services[i]);
        let holds = service.told_ns >= service.seen_ns && service.excess_ratio() <= 1.0;
        assert!(holds, "service time, {name} of {}: {:#?}", load.path, services[i]);
    }
}

/// The pair in the middle by how far it is off.
fn middle(pairs: &mut [Pair]) -> Pair {
    pairs.sort_by(|one, other| one.excess_ratio().total_cmp(&other.excess_ratio()));
    pairs[RUNS / 2]
}

/// One percentile of one run, twice.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// By the capture.
    seen_ns: u64,
    told_ns: u64,
    /// What of `told_ns` the capture does not see.
    sending_ns: u64,
}

impl Pair {
    /// The difference over what is allowed: 5 µs or 1 %, whichever is more.
    fn excess_ratio(&self) -> f64 {
        let allowed_ns = (self.seen_ns as f64 / 100.0).max(5_000.0);
        let off_ns = self.told_ns.abs_diff(self.seen_ns).saturating_sub(self.sending_ns);
        off_ns as f64 / allowed_ns
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
