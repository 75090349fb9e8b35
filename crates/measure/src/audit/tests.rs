use super::*;
use crate::distribution::Distribution;
use crate::testing::{MS, S, summary};
use crate::{Cause, Model, Outcome};

const US: u64 = 1_000;

/// An open run of 100,000 requests that took 5 ms each, over twenty even seconds.
fn fine() -> (Summary, Facts) {
    let mut run = summary(&[(100_000, Outcome::Ok, 5 * MS)]);
    run.span_ns = 20 * S;
    run.open_max = 3;
    (run, Facts { seconds: (0..20).map(second).collect(), ..Facts::default() })
}

fn second(window: i64) -> SecondFacts {
    SecondFacts {
        window,
        is_whole: true,
        count: 5_000,
        completed: 5_000,
        p50_ns: 5 * MS,
        p99_ns: 5 * MS,
        tail: None,
        busiest_worker_ratio: Some(0.2),
        steal_ratio: Some(0.0),
        outstanding: Some(25),
        ..SecondFacts::default()
    }
}

/// The distribution of `count` equal durations.
fn all(count: u64, ns: u64) -> Distribution {
    summary(&[(count, Outcome::Ok, ns)]).response_time
}

/// The only reason that a run is found to have, as check and verdict.
#[track_caller]
fn only_reason(summary: &Summary, facts: &Facts) -> (Check, Verdict) {
    let audit = Audit::judge(summary, facts);
    let [reason] = &audit.reasons[..] else { panic!("{:#?}", audit.reasons) };
    assert_eq!(audit.verdict, reason.verdict);
    assert!(!reason.finding.is_empty() && !reason.remedy().is_empty());
    (reason.check, reason.verdict)
}

#[track_caller]
fn assert_valid(summary: &Summary, facts: &Facts) {
    let audit = Audit::judge(summary, facts);
    assert_eq!(audit.verdict, Verdict::Valid, "{:#?}", audit.reasons);
    assert!(audit.reasons.is_empty());
}

#[test]
fn tables_are_in_the_order_of_their_names() {
    for (i, row) in CHECKS.iter().enumerate() {
        assert_eq!(row.check as usize, i, "{}", row.name);
        assert_eq!(Check::from_name(row.name), Some(row.check));
        assert!(row.suspect.is_some() || row.invalid.is_some(), "{} finds nothing", row.name);
    }
    for (i, row) in seconds::FLAGS.iter().enumerate() {
        assert_eq!(Flag::from_name(row.name).map(|flag| flag as usize), Some(i), "{}", row.name);
    }
    for (verdict, name) in Verdict::ALL {
        assert_eq!((verdict.name(), Verdict::from_name(name)), (name, Some(verdict)));
    }
}

#[test]
fn a_run_without_fault_is_valid() {
    let (run, facts) = fine();
    assert_valid(&run, &facts);
}

#[test]
fn lateness_counts_from_a_tenth_of_a_percentile_and_100_microseconds() {
    let (mut run, facts) = fine();
    run.lateness = all(5_000, 499 * US);
    assert_valid(&run, &facts);
    run.lateness = all(5_000, 510 * US);
    assert_eq!(only_reason(&run, &facts), (Check::Late, Verdict::Suspect));
    run.lateness = all(5_000, 2_600 * US);
    assert_eq!(only_reason(&run, &facts), (Check::Late, Verdict::Invalid));
    // Nearly all of it, but less than a general-purpose kernel can be held to.
    run.response_time = all(100_000, 99 * US);
    run.service_time = run.response_time.clone();
    run.lateness = all(5_000, 98 * US);
    assert_valid(&run, &facts);
}

#[test]
fn a_late_tail_is_suspect_where_the_rest_is_sound() {
    let (mut run, facts) = fine();
    let tail = [(99_800, Outcome::Ok, 10 * US), (200, Outcome::Ok, 4 * MS)];
    run.lateness = summary(&tail).response_time;
    assert_eq!(only_reason(&run, &facts), (Check::LateTail, Verdict::Suspect));
    let tail = [(99_800, Outcome::Ok, 10 * US), (200, Outcome::Ok, 40 * MS)];
    run.lateness = summary(&tail).response_time;
    assert_eq!(only_reason(&run, &facts), (Check::LateTail, Verdict::Invalid));
}

#[test]
fn answers_that_lie_unread_are_suspect() {
    let (mut run, facts) = fine();
    // The kernel's stamps keep this out of every response time.
    run.wakeup = all(5_000, 900 * US);
    assert_valid(&run, &facts);
    run.wakeup = all(5_000, 2_600 * US);
    assert_eq!(only_reason(&run, &facts), (Check::ReadLate, Verdict::Suspect));
    run.wakeup = all(5_000, 12 * MS);
    assert_eq!(only_reason(&run, &facts), (Check::ReadLate, Verdict::Invalid));
}

#[test]
fn a_stalled_second_is_marked_and_a_tenth_of_such_seconds_is_invalid() {
    let (run, mut facts) = fine();
    facts.seconds[7].stalled_ns = 19 * MS;
    assert_valid(&run, &facts);
    facts.seconds[7].stalled_ns = 203 * MS;
    assert_eq!(only_reason(&run, &facts), (Check::BadSeconds, Verdict::Suspect));
    let audit = Audit::judge(&run, &facts);
    let flagged = audit.second(7).unwrap();
    assert_eq!((flagged.grade, &flagged.flags[..]), (Grade::Bad, &[Flag::Stalled][..]));
    assert!(audit.reasons[0].finding.contains("second 7 stalled for 203 ms"), "{audit:?}");
    assert_eq!(audit.second(8), None);
    facts.seconds[8].stalled_ns = 100 * MS;
    assert_eq!(only_reason(&run, &facts), (Check::BadSeconds, Verdict::Invalid));
}

#[test]
fn a_second_is_flagged_for_what_was_wrong_in_it() {
    let tail =
        |late_ns| Some(facts::Tail { share: 0.99, lateness_ns: late_ns, response_ns: 15 * MS });
    type Change = fn(&mut SecondFacts);
    let cases: [(Change, Flag, Grade); 5] = [
        (|s| s.stalled_ns = 20 * MS, Flag::Stalled, Grade::Doubtful),
        (|s| s.steal_ratio = Some(0.05), Flag::Stolen, Grade::Doubtful),
        (|s| s.steal_ratio = Some(0.2), Flag::Stolen, Grade::Bad),
        (|s| s.clock_steps = 1, Flag::ClockStep, Grade::Doubtful),
        (|s| s.stalled_ns = 100 * MS, Flag::Stalled, Grade::Bad),
    ];
    for (change, flag, grade) in cases {
        let (run, mut facts) = fine();
        change(&mut facts.seconds[3]);
        let found = Audit::judge(&run, &facts).second(3).cloned().unwrap();
        assert_eq!((found.flags, found.grade), (vec![flag], grade));
    }
    for (late_ns, grade) in
        [(7 * MS, None), (8 * MS, Some(Grade::Doubtful)), (14 * MS, Some(Grade::Bad))]
    {
        let (run, mut facts) = fine();
        facts.seconds[3].tail = tail(late_ns);
        let found = Audit::judge(&run, &facts).second(3).map(|second| second.grade);
        assert_eq!(found, grade, "{late_ns}");
    }
}

#[test]
fn the_machine_s_own_troubles_are_reasons() {
    type Change = fn(&mut Summary, &mut Facts);
    let cases: [(Change, Check, Verdict); 11] = [
        (|s, _| s.generator.steal_ratio = Some(0.01), Check::Steal, Verdict::Suspect),
        (|s, _| s.generator.steal_ratio = Some(0.1), Check::Steal, Verdict::Invalid),
        (|s, _| s.clock_steps = 1, Check::ClockStep, Verdict::Suspect),
        (|s, _| s.connections.starved = 1, Check::Starved, Verdict::Suspect),
        (|s, _| s.connections.retransmitted = 100, Check::Retransmits, Verdict::Suspect),
        (|_, f| f.host_retransmitted = Some(1_000), Check::Retransmits, Verdict::Suspect),
        (|s, _| s.complete = false, Check::Cut, Verdict::Suspect),
        (|s, _| s.identity_holds = false, Check::Accounts, Verdict::Invalid),
        (|s, _| s.planned += 1, Check::Accounts, Verdict::Invalid),
        (
            |_, f| f.seconds.iter_mut().for_each(|s| s.busiest_worker_ratio = Some(0.95)),
            Check::WorkerBusy,
            Verdict::Suspect,
        ),
        (
            |s, _| {
                s.open_max = s.connections_max;
                s.connections.waited = 2_000;
            },
            Check::ConnectionLimited,
            Verdict::Suspect,
        ),
    ];
    for (change, check, verdict) in cases {
        let (mut run, mut facts) = fine();
        run.generator.steal_ratio = Some(0.0);
        change(&mut run, &mut facts);
        assert_eq!(only_reason(&run, &facts), (check, verdict));
    }
}

#[test]
fn waiting_for_a_connection_is_no_limit_where_the_pool_was_not_full_or_nothing_is_kept() {
    for change in [
        (|s| s.open_max = s.connections_max - 1) as fn(&mut Summary),
        |s| s.keep_alive = false,
        |s| s.model = Model::Closed,
    ] {
        let (mut run, facts) = fine();
        run.open_max = run.connections_max;
        run.connections.waited = 50_000;
        change(&mut run);
        assert_valid(&run, &facts);
    }
}

#[test]
fn a_server_that_falls_behind_is_told_once_and_not_as_four_drifts() {
    let (run, mut facts) = fine();
    for (i, second) in facts.seconds.iter_mut().enumerate() {
        second.completed = 4_000;
        second.outstanding = Some(1_000 * i as u64);
        second.p50_ns = 200 * MS * (i as u64 + 1);
        second.p99_ns = second.p50_ns;
    }
    assert_eq!(only_reason(&run, &facts), (Check::Overloaded, Verdict::Suspect));
    let finding = &Audit::judge(&run, &facts).reasons[0].finding;
    assert!(finding.starts_with("of 5,000/s offered in the second half of the run, 4,000/s"));
}

#[test]
fn what_is_in_flight_at_the_end_is_no_overload_when_as_much_was_in_flight_before() {
    // A second of delay: the run's achieved rate is a twentieth short of the offered one.
    let (mut run, mut facts) = fine();
    run.rates.achieved_per_s = 0.95 * run.rates.offered_per_s;
    facts.seconds[0].completed = 0;
    facts.seconds.iter_mut().for_each(|second| second.outstanding = Some(5_000));
    // Between two seconds, as many as chance makes differ.
    facts.seconds[19].completed = 4_850;
    assert_valid(&run, &facts);
}

#[test]
fn a_steady_rise_is_told_and_a_wave_is_not() {
    let (run, mut facts) = fine();
    for (i, second) in facts.seconds.iter_mut().enumerate() {
        second.p50_ns = 5 * MS + i as u64 * 100 * US + (i as u64 % 3) * 30 * US;
    }
    assert_eq!(only_reason(&run, &facts), (Check::DriftP50, Verdict::Suspect));
    assert!(Audit::judge(&run, &facts).reasons[0].finding.contains("still rising"));
    let (mut closed, _) = fine();
    closed.model = Model::Closed;
    assert_eq!(only_reason(&closed, &facts), (Check::DriftP50, Verdict::Suspect));

    for (i, second) in facts.seconds.iter_mut().enumerate() {
        second.p50_ns = 5 * MS + (i as u64 % 7) * 200 * US;
    }
    assert_valid(&run, &facts);
}

#[test]
fn outstanding_requests_that_pile_up_make_a_rate_unsustainable() {
    let (run, mut facts) = fine();
    for (i, second) in facts.seconds.iter_mut().enumerate() {
        second.outstanding = Some(20 + 3 * i as u64);
    }
    assert_eq!(only_reason(&run, &facts), (Check::RisingOutstanding, Verdict::Suspect));
}

#[test]
fn too_few_requests_and_no_answers_are_told_apart() {
    let (_, facts) = fine();
    let mut few = summary(&[(999, Outcome::Ok, 5 * MS)]);
    few.open_max = 3;
    assert_eq!(only_reason(&few, &facts), (Check::FewSamples, Verdict::Suspect));
    let mut silent = summary(&[(999, Outcome::Timeout, 5 * MS)]);
    silent.open_max = 3;
    assert_eq!(only_reason(&silent, &facts), (Check::NoAnswer, Verdict::Invalid));
}

#[test]
fn the_worst_reason_comes_first_and_decides() {
    let (mut run, facts) = fine();
    run.clock_steps = 1;
    run.generator.steal_ratio = Some(0.5);
    let audit = Audit::judge(&run, &facts);
    let found: Vec<_> = audit.reasons.iter().map(|r| (r.check, r.verdict)).collect();
    assert_eq!(found, [(Check::Steal, Verdict::Invalid), (Check::ClockStep, Verdict::Suspect)]);
    assert_eq!(audit.verdict, Verdict::Invalid);
}

#[test]
fn dropped_requests_are_told_and_from_one_percent_on_invalid() {
    let parts = |dropped| [(99_000, Outcome::Ok, 5 * MS), (dropped, Outcome::Dropped, 0)];
    let (_, facts) = fine();
    for (dropped, verdict) in [(1, Verdict::Suspect), (1_000, Verdict::Invalid)] {
        let mut run = summary(&parts(dropped));
        run.open_max = 3;
        assert_eq!(only_reason(&run, &facts), (Check::Dropped, verdict));
    }
}

#[test]
fn the_audit_that_was_written_is_the_one_that_is_read() {
    let mut writer = crate::testing::temporary();
    let mut interval = crate::testing::interval(0, 50, Outcome::Timeout, MS);
    interval.record(crate::Metric::Stall, 150 * MS);
    writer.add(&interval);
    let file = writer.finish(&crate::testing::end(1, 50, 0)).unwrap();
    let first = file.summary().unwrap();
    assert_eq!(first.audit.verdict, Verdict::Invalid);
    assert!(first.audit.reasons.len() >= 3, "{:?}", first.audit.reasons);
    assert_eq!(first.audit.seconds.len(), 1);
    let stored = first.audit.clone();
    assert_eq!(Audit::of(&file, &first).unwrap(), stored);
    assert_eq!(file.summary().unwrap().audit, stored);
    assert!(first.causes.contains(&(Cause::WaitingForAnswer, 50)));
}
