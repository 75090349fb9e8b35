//! The audit on runs of which the truth is known: what it says of clean ones, and of each trouble.
//!
//! `THRONG_AUDIT_SEEDS=1000 cargo test --release -p throng-engine --test sim audit -- --nocapture`
//! prints the table of `docs/measurement.md`: false alarms and misses over so many seeds.

#![allow(clippy::print_stdout, reason = "a test tells what it found")]

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use throng_engine::io::sim::{ClockStep, Scene, Service};
use throng_engine::plan::{Arrivals, Plan, Pool};
use throng_engine::workload::unit_interval;
use throng_measure::Summary;
use throng_measure::audit::{Check, Verdict};

use crate::common::{MS, S, closed, constant, open, plan, run};

/// A run, and what the audit should say of it.
struct Case {
    name: &'static str,
    /// The plan and the scene of a seed.
    arrange: fn(u64) -> (Plan, Scene),
    /// Any of these must be among the reasons; none: the run is clean.
    expected: &'static [Check],
    /// The least verdict that is right.
    verdict: Verdict,
    /// The share of runs of which the audit may be wrong.
    wrong_ratio_max: f64,
}

/// One in fifty.
const RARELY: f64 = 0.02;

const CASES: &[Case] = &[
    Case {
        name: "clean: constant 500/s, exponential service of 2 ms",
        arrange: |seed| (plan(constant(500, Pool::UpTo(500)), 20), server(seed, 2 * MS)),
        expected: &[],
        verdict: Verdict::Valid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "clean: Poisson 500/s, one queue at 70 % utilisation",
        arrange: |seed| (poisson(seed, 500), queue(seed, 1_400_000)),
        expected: &[],
        verdict: Verdict::Valid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "clean: 10 closed users, exponential service of 10 ms",
        arrange: |seed| (plan(closed(10), 20), server(seed, 10 * MS)),
        expected: &[],
        verdict: Verdict::Valid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "clean: Poisson 500/s, a delay of 2 s",
        arrange: |seed| (poisson(seed, 500), Scene::quiet(seed, 2 * S)),
        expected: &[],
        verdict: Verdict::Valid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "clean generator: the server stops for 1 s",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.stalls.push(between(seed, 3, 15)..between(seed, 3, 15) + S);
            (poisson(seed, 500), scene)
        },
        expected: &[],
        verdict: Verdict::Valid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the generator is stopped for 200 ms",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.pauses.push(between(seed, 1, 18)..between(seed, 1, 18) + 200 * MS);
            (poisson(seed, 500), scene)
        },
        expected: &[Check::BadSeconds],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the same in a run of 5 s",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.pauses.push(between(seed, 1, 3)..between(seed, 1, 3) + 200 * MS);
            let mut plan = poisson(seed, 500);
            plan.stop.duration_ns = Some(5 * S);
            (plan, scene)
        },
        expected: &[Check::Late],
        verdict: Verdict::Invalid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the generator takes 2.2 ms for each request of 500/s",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.send_ns = 2_200_000;
            (poisson(seed, 500), scene)
        },
        expected: &[Check::Late, Check::ReadLate],
        verdict: Verdict::Invalid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the generator takes 1.9 ms for each request of 500/s",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.send_ns = 1_900_000;
            (poisson(seed, 500), scene)
        },
        expected: &[Check::Late],
        verdict: Verdict::Invalid,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "a pool of one connection at 50 % utilisation",
        arrange: |seed| {
            let mut plan = poisson(seed, 500);
            plan.model = open(500, Arrivals::Poisson, Pool::Fixed(1));
            (plan, server(seed, MS))
        },
        expected: &[Check::ConnectionLimited],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "one queue at 110 % utilisation",
        arrange: |seed| (poisson(seed, 500), queue(seed, 2_200_000)),
        expected: &[Check::Overloaded],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        // In 20 s, 500 requests more than are answered, where chance alone makes 140.
        name: "one queue at 105 % utilisation",
        arrange: |seed| (poisson(seed, 500), queue(seed, 2_100_000)),
        expected: &[Check::Overloaded, Check::RisingOutstanding, Check::DriftP50],
        verdict: Verdict::Suspect,
        wrong_ratio_max: 0.25,
    },
    Case {
        name: "the server slows down by 3 % a second",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.ageing_per_s = 0.03;
            (poisson(seed, 500), scene)
        },
        expected: &[Check::DriftP50, Check::DriftP99, Check::RisingOutstanding],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the server speeds up by 2 % a second (10 closed users)",
        arrange: |seed| {
            let mut scene = server(seed, 10 * MS);
            scene.ageing_per_s = -0.02;
            (plan(closed(10), 20), scene)
        },
        expected: &[Check::DriftP50, Check::DriftP99],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "the wall clock is set by 1 s",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            let by_ns = if seed.is_multiple_of(2) { 1_000_000_000 } else { -1_000_000_000 };
            scene.clock_steps.push(ClockStep { at_ns: between(seed, 1, 18), by_ns });
            (poisson(seed, 500), scene)
        },
        expected: &[Check::ClockStep],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "no file is left for one connection in 50",
        arrange: |seed| {
            let mut plan = poisson(seed, 500);
            plan.keep_alive = false;
            let mut scene = server(seed, 2 * MS);
            scene.answer = CLOSING_ANSWER.to_vec();
            scene.trouble.close_after_ratio = 1.0;
            scene.trouble.starve_ratio = 0.02;
            (plan, scene)
        },
        expected: &[Check::Starved],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "one request in 200 is lost on the way",
        arrange: |seed| {
            let mut scene = server(seed, 2 * MS);
            scene.trouble.loss_ratio = 0.005;
            (poisson(seed, 500), scene)
        },
        expected: &[Check::Retransmits],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
    Case {
        name: "400 requests in all",
        arrange: |seed| (poisson(seed, 20), server(seed, 2 * MS)),
        expected: &[Check::FewSamples],
        verdict: Verdict::Suspect,
        wrong_ratio_max: RARELY,
    },
];

const CLOSING_ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

fn poisson(seed: u64, per_s: u64) -> Plan {
    let mut plan = plan(open(per_s, Arrivals::Poisson, Pool::UpTo(10_000)), 20);
    plan.seed = seed;
    plan
}

/// Works on all requests at once.
fn server(seed: u64, mean_ns: u64) -> Scene {
    let mut scene = Scene::quiet(seed, 0);
    scene.service = Service::Exponential(mean_ns);
    scene
}

/// Works on one request at a time.
fn queue(seed: u64, mean_ns: u64) -> Scene {
    let mut scene = server(seed, mean_ns);
    scene.one_at_a_time = true;
    scene
}

/// An instant of the run, `from` to `until` seconds after its beginning, that the seed decides.
fn between(seed: u64, from: u64, until: u64) -> u64 {
    let span_ms = (until - from) * 1_000;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let at_ms = (unit_interval(seed, 77) * span_ms as f64) as u64;
    from * S + at_ms * MS
}

/// How often the audit was right about a case.
#[derive(Default)]
struct Score {
    /// Verdicts, by their order.
    verdicts: [AtomicU64; 3],
    /// Runs of which it did not say what it should.
    wrong: AtomicU64,
}

fn is_right(case: &Case, summary: &Summary) -> bool {
    let audit = &summary.audit;
    let found = |check: &Check| audit.reasons.iter().any(|reason| reason.check == *check);
    if case.expected.is_empty() {
        return audit.verdict == Verdict::Valid;
    }
    audit.verdict >= case.verdict && case.expected.iter().any(found)
}

fn score(case: &Case, seeds: u64) -> Score {
    let score = Score::default();
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed) + 1;
                    if seed > seeds {
                        return;
                    }
                    let (plan, scene) = (case.arrange)(seed);
                    let summary = run(&plan, &scene);
                    score.verdicts[summary.audit.verdict as usize].fetch_add(1, Ordering::Relaxed);
                    if !is_right(case, &summary) {
                        score.wrong.fetch_add(1, Ordering::Relaxed);
                        if seeds <= SEEDS_DEFAULT {
                            println!("{}, seed {seed}: {:#?}", case.name, summary.audit);
                        }
                    }
                }
            });
        }
    });
    score
}

const SEEDS_DEFAULT: u64 = 20;

#[test]
#[allow(clippy::cast_precision_loss, reason = "counts of seeds")]
fn clean_runs_are_valid_and_each_trouble_is_found() {
    let seeds = std::env::var("THRONG_AUDIT_SEEDS").ok().and_then(|text| text.parse().ok());
    let seeds = seeds.unwrap_or(SEEDS_DEFAULT);
    let mut table =
        String::from("| run | valid | suspect | invalid | wrong |\n|---|---|---|---|---|\n");
    let mut failures = Vec::new();
    for case in CASES {
        let score = score(case, seeds);
        let [valid, suspect, invalid] =
            [0, 1, 2].map(|i: usize| score.verdicts[i].load(Ordering::Relaxed));
        let wrong = score.wrong.load(Ordering::Relaxed);
        let _ = writeln!(table, "| {} | {valid} | {suspect} | {invalid} | {wrong} |", case.name);
        if wrong as f64 > case.wrong_ratio_max * seeds as f64 {
            failures.push(case.name);
        }
    }
    println!("{table}");
    assert!(failures.is_empty(), "wrong too often over {seeds} seeds: {failures:#?}");
}
