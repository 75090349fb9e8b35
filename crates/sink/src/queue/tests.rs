use std::time::Duration;

use super::{Queue, Service};

const MS: u64 = 1_000_000;

fn fixed(ms: u64) -> Service {
    Service::Fixed(Duration::from_millis(ms))
}

/// The first service times of a queue with that seed and a mean of 2 ms, in nanoseconds.
fn draws(seed: u64, count: usize) -> Vec<u64> {
    let queue = Queue::new(seed);
    let service = Service::Exponential(Duration::from_millis(2));
    (0..count).map(|_| queue.join(0, service).service_ns).collect()
}

#[test]
fn who_finds_the_server_free_waits_for_nobody_and_the_others_for_all_before_them() {
    let queue = Queue::new(1);
    // Arrival, service, departure, in ms.
    for (arrival, service, departure) in
        [(10, 5, 15), (11, 1, 16), (16, 2, 18), (30, 4, 34), (31, 0, 34), (31, 7, 41)]
    {
        let served = queue.join(arrival * MS, fixed(service));
        assert_eq!(served.service_ns, service * MS);
        assert_eq!(served.departure_ns, departure * MS, "{arrival}");
    }
}

#[test]
fn kinds_and_times_stand_in_one_queue() {
    let queue = Queue::new(1);
    queue.join(0, fixed(3));
    let exponential = queue.join(0, Service::Exponential(Duration::from_millis(2)));
    assert_eq!(exponential.departure_ns, 3 * MS + exponential.service_ns);
    assert_eq!(queue.join(0, fixed(1)).departure_ns, exponential.departure_ns + MS);
}

#[test]
fn a_read_that_comes_late_does_not_move_the_arrival() {
    let queue = Queue::new(1);
    queue.join(10 * MS, fixed(5));
    // Arrived before the other, read after it: it waits, but begins no earlier than it can.
    assert_eq!(queue.join(9 * MS, fixed(1)).departure_ns, 16 * MS);
}

#[test]
fn equal_seeds_draw_equal_service_times_and_others_others() {
    assert_eq!(draws(7, 100), draws(7, 100));
    assert_ne!(draws(7, 100), draws(8, 100));
    // Kept: a log that was published with its seed can be drawn again.
    assert_eq!(draws(1, 3), [2_140_280, 1_529_785, 547_914]);
}

#[test]
fn only_random_service_times_use_up_the_seed() {
    let queue = Queue::new(1);
    queue.join(0, fixed(1));
    let drawn = queue.join(0, Service::Exponential(Duration::from_millis(2))).service_ns;
    assert_eq!(drawn, draws(1, 1)[0]);
}

#[test]
fn random_service_times_are_exponential() {
    const COUNT: usize = 200_000;
    let mut units: Vec<f64> = draws(3, COUNT).iter().map(|ns| *ns as f64 / 2e6).collect();
    let count = COUNT as f64;
    let mean = units.iter().sum::<f64>() / count;
    // Four standard errors of the mean of as many unit exponentials.
    assert!((mean - 1.0).abs() < 4.0 / count.sqrt(), "{mean}");
    units.sort_by(f64::total_cmp);
    let distances = units.iter().enumerate().map(|(index, unit)| {
        let expected = 1.0 - (-unit).exp();
        (expected - index as f64 / count).abs().max(((index + 1) as f64 / count - expected).abs())
    });
    // Kolmogorov's 0.1 % level.
    let distance = distances.fold(0.0, f64::max);
    assert!(distance < 1.95 / count.sqrt(), "{distance}");
}

#[test]
fn the_longest_times_overflow_nothing() {
    let queue = Queue::new(1);
    for _ in 0..3 {
        assert_eq!(queue.join(u64::MAX - 1, fixed(3_600_000)).departure_ns, u64::MAX);
    }
    queue.join(0, Service::Exponential(Duration::MAX));
}
