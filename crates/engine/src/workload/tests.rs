use super::*;
use crate::plan::Rate;
use proptest::prelude::*;

const ALONE: Share = Share { worker: 0, workers: 1 };
const HOUR_NS: u64 = 3_600_000_000_000;

/// Every open workload, by name: the table that the contract's tests run over.
fn open(name: &str, rate: Rate, share: Share, limit: Option<u64>, seed: u64) -> Box<dyn Workload> {
    match name {
        "constant" => Box::new(Constant::new(rate, share, limit)),
        "poisson" => Box::new(Poisson::new(rate, share, limit, seed)),
        "uniform" => Box::new(Uniform::new(rate, share, limit, seed)),
        other => panic!("no workload {other}"),
    }
}

const OPEN: [&str; 3] = ["constant", "poisson", "uniform"];

fn per_s(count: u64) -> Rate {
    Rate { count, per_ns: 1_000_000_000 }
}

fn dues(workload: &mut dyn Workload, until: Nanos) -> Vec<Nanos> {
    let mut dues = Vec::new();
    while let Due::At(due) = workload.next_due() {
        if due >= until {
            break;
        }
        workload.take();
        dues.push(due);
    }
    dues
}

#[test]
fn constant_rate_does_not_drift_over_an_hour() {
    let mut workload = Constant::new(per_s(700_000), ALONE, None);
    workload.next = 700_000 * 3600 - 1;
    workload.take();
    // Half a gap (714.28 ns) into the first slice after the hour.
    assert_eq!(workload.next_due(), Due::At(Nanos(HOUR_NS + 714)));
}

#[test]
fn constant_arrivals_stand_in_the_middle_of_their_slices() {
    let mut workload = Constant::new(per_s(4), ALONE, None);
    let expected = [125_000_000, 375_000_000, 625_000_000, 875_000_000].map(Nanos);
    assert_eq!(dues(&mut workload, Nanos(1_000_000_000)), expected);
}

#[test]
fn schedules_do_not_depend_on_the_number_of_workers() {
    for name in OPEN {
        let whole = dues(&mut *open(name, per_s(999), ALONE, Some(5000), 7), Nanos::MAX);
        assert_eq!(whole.len(), 5000, "{name}");
        for workers in [2, 3, 7] {
            let share = |worker| Share { worker, workers };
            let mut merged: Vec<_> = (0..workers)
                .flat_map(|w| {
                    dues(&mut *open(name, per_s(999), share(w), Some(5000), 7), Nanos::MAX)
                })
                .collect();
            merged.sort();
            assert_eq!(merged, whole, "{name} over {workers} workers");
        }
    }
}

#[test]
fn due_times_never_decrease() {
    for name in OPEN {
        let dues = dues(&mut *open(name, per_s(1_000_000), ALONE, Some(100_000), 3), Nanos::MAX);
        assert!(dues.is_sorted(), "{name}");
    }
}

#[test]
fn the_end_of_a_limited_plan_is_the_due_time_of_the_first_arrival_beyond_it() {
    for name in OPEN {
        for workers in [1, 2, 5] {
            for worker in 0..workers {
                let share = Share { worker, workers };
                let mut limited = open(name, per_s(1000), share, Some(1003), 5);
                dues(&mut *limited, Nanos::MAX);
                let over_at = limited.over_at().expect("the plan is limited");
                let mut unlimited = open(name, per_s(1000), ALONE, None, 5);
                (0..1003).for_each(|_| unlimited.take());
                let Due::At(next) = unlimited.next_due() else { panic!("unlimited") };
                // Slices begin up to a whole gap before their arrival.
                let gap_ns = if name == "poisson" { 1 } else { 1_000_000 };
                assert!(next.since(over_at) <= gap_ns && over_at.since(next) <= 1, "{name}");
            }
        }
    }
}

#[test]
fn uniform_arrivals_stand_one_in_each_slice() {
    let dues = dues(&mut Uniform::new(per_s(1000), ALONE, None, 11), Nanos(1_000_000_000));
    assert_eq!(dues.len(), 1000);
    for (k, due) in (0_u64..).zip(&dues) {
        assert_eq!(due.0 / 1_000_000, k);
    }
}

#[test]
fn poisson_gaps_are_exponential() {
    let dues = dues(&mut Poisson::new(per_s(1000), ALONE, Some(100_000), 1), Nanos::MAX);
    let mut gaps: Vec<f64> = dues.windows(2).map(|w| w[1].since(w[0]) as f64 / 1e6).collect();
    gaps.sort_by(f64::total_cmp);
    // Kolmogorov-Smirnov against 1 − e^−x: the critical value at 1 % is 1.63 / √n.
    let n = gaps.len() as f64;
    let distance = (0_u32..).zip(&gaps).map(|(i, x)| (f64::from(i) / n - (1.0 - (-x).exp())).abs());
    let distance = distance.fold(0.0, f64::max);
    assert!(distance < 1.63 / n.sqrt(), "KS distance {distance}");
}

#[test]
fn other_seeds_give_other_schedules() {
    for name in ["poisson", "uniform"] {
        let of_seed = |seed| dues(&mut *open(name, per_s(100), ALONE, Some(10), seed), Nanos::MAX);
        assert_ne!(of_seed(1), of_seed(2), "{name}");
        assert_eq!(of_seed(1), of_seed(1), "{name}");
    }
}

#[test]
fn a_closed_user_is_due_when_its_last_request_ended() {
    let mut workload = Closed::new(1, Some(2));
    assert_eq!(workload.next_due(), Due::At(Nanos::ZERO));
    workload.take();
    assert_eq!(workload.next_due(), Due::WhenFinished);
    workload.finished(Nanos(5));
    assert_eq!(workload.next_due(), Due::At(Nanos(5)));
    workload.take();
    workload.finished(Nanos(9));
    assert_eq!(workload.next_due(), Due::Never);
}

#[test]
fn remainders_are_dealt_not_dropped() {
    for (total, workers) in [(10, 3), (2, 4), (0, 1), (7, 7), (1_000_003, 16)] {
        let dealt: u64 = (0..workers).map(|worker| Share { worker, workers }.of(total)).sum();
        assert_eq!(dealt, total);
    }
}

proptest! {
    #[test]
    fn no_rate_overflows(count in 1_u64.., per_ns in 1_u64.., k in 0_u64..) {
        let mut workload = Constant::new(Rate { count, per_ns }, ALONE, None);
        workload.next = k;
        workload.take();
        workload.next_due();
        let _ = slice_of_uniform(Rate { count, per_ns }, k);
    }
}

fn slice_of_uniform(rate: Rate, k: u64) -> Due {
    let mut workload = Uniform::new(rate, ALONE, None, 1);
    workload.next = k;
    workload.take();
    workload.next_due()
}
