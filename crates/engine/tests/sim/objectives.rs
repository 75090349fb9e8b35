//! Objectives with `for` and `after`, on runs whose windows are known by arithmetic.

use throng_engine::io::sim::Scene;
use throng_engine::plan::Pool;
use throng_engine::simulate;
use throng_measure::objective::{Judgement, Objective, judge};
use throng_measure::{Place, RunFile};

use crate::common::{MS, S, constant, plan};

/// 20 s at so many per second; the server takes 0.1 ms for one request at a time and does nothing
/// from 5 s to 8 s.
fn stalled(per_s: u64) -> RunFile {
    let mut scene = Scene::quiet(1, MS / 10);
    scene.one_at_a_time = true;
    scene.stalls.push(5 * S..8 * S);
    let plan = plan(constant(per_s, Pool::UpTo(5000)), 20);
    simulate(&plan, &scene, Place::Temporary).expect("a simulated run ends")
}

#[track_caller]
fn assert_judged(run: &RunFile, cases: &[(&str, Judgement)]) {
    let parse = |(text, _): &(&str, Judgement)| Objective::parse(text).expect("an objective");
    let objectives: Vec<_> = cases.iter().map(parse).collect();
    let summary = run.summary().expect("a summary");
    let findings = judge(&objectives, run, &summary).expect("a readable run");
    for ((text, expected), finding) in cases.iter().zip(findings) {
        assert_eq!(finding.judgement(), *expected, "{text}: {}", finding.detail());
    }
}

#[test]
fn a_stall_of_three_seconds_lasts_three_windows() {
    use Judgement::{Failed, Held};
    let cases = [
        ("achieved_rate < 1 for 3s", Failed),
        ("achieved_rate < 1 for 4s", Held),
        ("achieved_rate < 1 for 2s after 6s", Failed),
        ("achieved_rate < 1 for 2s after 7s", Held),
        ("achieved_rate > 3.9k for 1s", Failed),
        ("offered_rate != 1k for 1s", Held),
        // The k-th request due in the stall is answered at 8 s + k · 0.1 ms, so the medians of the
        // three windows are 2.55 s, 1.65 s and 0.75 s.
        ("p50 > 2.5s for 1s", Failed),
        ("p50 > 1.6s for 2s", Failed),
        ("p50 > 1.7s for 2s", Held),
        ("p50 > 0.7s for 3s", Failed),
        ("p50 > 0.8s for 3s", Held),
        // The backlog is worked off 0.3 s after the stall, and a bit.
        ("p99 > 2s", Failed),
        ("p99 > 2s after 6s", Held),
        ("max > 1ms after 9s", Held),
        ("p97.5 > 2.4s", Failed),
    ];
    assert_judged(&stalled(1_000), &cases);
}

#[test]
fn a_hundred_a_second_cannot_show_a_p99_of_a_second() {
    let cases = [
        ("p99 > 1s for 2s", Judgement::NotEnoughData),
        ("p90 > 1s for 2s", Judgement::Failed),
        ("p99 > 1s for 21s", Judgement::NotEnoughData),
        ("p99 > 1s", Judgement::Failed),
    ];
    assert_judged(&stalled(100), &cases);
}
