use super::*;
use crate::{Nanos, Outcome};

fn sample(late: u64, queued: u64, transmit: u64, wire: u64) -> Sample {
    let instants = [0, late, late + queued, late + queued + transmit];
    let [due, dispatched, sent, transmitted] = instants.map(Nanos);
    let end = Nanos(transmitted.0 + wire);
    Sample {
        due,
        dispatched: Some(dispatched),
        sent: Some(sent),
        transmitted: Some(transmitted),
        first_byte: Some(end),
        end,
        read: Nanos(end.0 + 500),
        outcome: Outcome::Ok,
        cause: None,
        status: 200,
    }
}

fn filed(samples: &[(u64, [u64; 4])]) -> Anatomy {
    let mut anatomy = Anatomy::new();
    for &(count, [late, queued, transmit, wire]) in samples {
        let sample = sample(late, queued, transmit, wire);
        let stretches = Stretches::of(&sample).unwrap();
        for _ in 0..count {
            anatomy.file(sample.end.since(sample.due), &stretches);
        }
    }
    anatomy
}

#[test]
fn the_stretches_up_to_the_end_add_up_to_the_response_time() {
    let sample = sample(1_000, 20_000, 3_000, 700_000);
    let s = Stretches::of(&sample).unwrap();
    let sum = s.lateness_ns + s.queue_wait_ns + s.transmit_ns + s.wire_ns;
    assert_eq!(sum, sample.end.since(sample.due));
    assert_eq!(s.wakeup_ns, 500);
}

#[test]
fn a_request_without_a_transmit_stamp_has_no_anatomy() {
    let sample = Sample { transmitted: None, ..sample(1, 1, 1, 1) };
    assert_eq!(Stretches::of(&sample), None);
}

#[test]
fn a_percentile_is_made_of_its_own_requests_and_not_of_other_percentiles() {
    // The slow ones are slow by the wire alone; the late ones are not among them.
    let anatomy = filed(&[(900, [90_000, 0, 1_000, 9_000]), (100, [1_000, 0, 1_000, 800_000])]);
    let slow = anatomy.breakdown(802_000).unwrap();
    assert_eq!((slow.count, slow.lateness_ns), (100, 1_000.0));
    assert_eq!((slow.wire_ns, slow.transmit_ns, slow.wakeup_ns), (800_000.0, 1_000.0, 500.0));
    assert_eq!(anatomy.breakdown(100_000).unwrap().lateness_ns, 90_000.0);
}

#[test]
fn a_breakdown_takes_neighbours_until_it_has_enough_and_none_from_afar() {
    let anatomy = filed(&[(6, [0, 0, 0, 100_000]), (6, [0, 0, 0, 120_000])]);
    let between = anatomy.breakdown(110_000).unwrap();
    assert_eq!((between.count, between.wire_ns), (12, 110_000.0), "parts add up to what was asked");
    assert_eq!(anatomy.breakdown(1_000_000), None, "nothing lies within a factor of two");
    assert_eq!(filed(&[(9, [0, 0, 0, 100_000])]).breakdown(100_000), None, "nine are too few");
}

#[test]
fn cells_rise_with_the_response_time_and_are_an_eighth_wide() {
    let mut last = 0;
    let rising = std::iter::successors(Some(10_000_u64), |ns| Some(ns + ns / 50));
    for ns in (0..10_000).chain(rising.take_while(|&ns| ns < crate::HIGHEST_NS)) {
        let cell = cell_of(ns);
        assert!(cell == last || cell == last + 1, "{ns}: {last} then {cell}");
        last = cell;
    }
    assert_eq!(cell_of(u64::MAX), CELLS - 1);
    assert!(cell_of(crate::HIGHEST_NS) < CELLS);
}

#[test]
fn merging_adds_and_clearing_forgets() {
    let mut anatomy = filed(&[(10, [1, 2, 3, 50_000])]);
    anatomy.merge(&filed(&[(10, [1, 2, 3, 50_000])]));
    assert_eq!(anatomy.count(), 20);
    assert_eq!(anatomy.cells().map(|(_, s)| s.wire_ns).sum::<u64>(), 1_000_000);
    anatomy.clear();
    assert_eq!((anatomy.count(), anatomy.cells().count()), (0, 0));
}
