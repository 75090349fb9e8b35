//! Plans as data.

use throng_engine::io::sim::Scene;
use throng_engine::plan::{Arrivals, Endpoint, Model, Plan, Pool, Rate, Stop};
use throng_engine::simulate;
use throng_journey::{Request, Url};
use throng_measure::{Outcome, Place, Summary};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const S: u64 = 1_000_000_000;

/// A GET over keep-alive connections for `seconds`, one worker, seed 1.
pub(crate) fn plan(model: Model, seconds: u64) -> Plan {
    let url: Url = "http://sim.invalid/".parse().expect("a constant URL");
    Plan {
        endpoints: vec![Endpoint::Unix("sim".into())],
        request: Request::new("GET", url.host_header(), url.target.clone()).expect("GET"),
        url,
        model,
        stop: Stop { duration_ns: Some(seconds * S), requests: None },
        warmup_ns: 0,
        timeout_ns: 10 * S,
        grace_ns: 5 * S,
        keep_alive: true,
        pipeline: 1,
        transmit_sampling: 64,
        tls: None,
        workers: 1,
        seed: 1,
    }
}

pub(crate) fn closed(connections: u32) -> Model {
    Model::Closed { connections }
}

pub(crate) fn open(per_s: u64, arrivals: Arrivals, pool: Pool) -> Model {
    Model::Open { rate: Rate { count: per_s, per_ns: S }, arrivals, pool }
}

pub(crate) fn constant(per_s: u64, pool: Pool) -> Model {
    open(per_s, Arrivals::Constant, pool)
}

pub(crate) fn run(plan: &Plan, scene: &Scene) -> Summary {
    let file = simulate(plan, scene, Place::Temporary).expect("a simulated run ends");
    file.summary().expect("a run file just written is readable")
}

pub(crate) fn count(summary: &Summary, outcome: Outcome) -> u64 {
    summary.outcomes[outcome.index()]
}

/// `actual` is within `percent` of `expected`.
#[track_caller]
pub(crate) fn assert_near(what: &str, actual: f64, expected: f64, percent: f64) {
    let off = (actual - expected).abs() / expected * 100.0;
    assert!(off <= percent, "{what}: {actual} is {off:.2} % off {expected}");
}
