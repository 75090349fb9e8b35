use std::rc::Rc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, LocalOptions};

use super::{Timer, now_ns};

/// Runs `body` as a worker would, beside the task that ends delays.
fn with_timer<T>(body: impl AsyncFnOnce(Rc<Timer>) -> T) -> T {
    let runtime =
        Builder::new_current_thread().enable_all().build_local(LocalOptions::default()).unwrap();
    runtime.block_on(async {
        let timer = Rc::new(Timer::new().unwrap());
        tokio::task::spawn_local(Rc::clone(&timer).run());
        body(timer).await
    })
}

/// Waits once and returns how late it ended.
async fn lateness_ns(timer: &Rc<Timer>, duration: Duration) -> u64 {
    let delay = timer.delay(duration);
    let due_ns = delay.due_ns;
    delay.await;
    let end_ns = now_ns();
    assert!(end_ns >= due_ns, "ended {} ns early", due_ns - end_ns);
    end_ns - due_ns
}

#[test]
fn a_delay_of_nothing_ends_at_once() {
    with_timer(async |timer| lateness_ns(&timer, Duration::ZERO).await);
}

#[test]
fn no_delay_ends_early() {
    with_timer(async |timer| {
        for duration_us in [1, 50, 999, 1_001, 5_000, 20_000] {
            lateness_ns(&timer, Duration::from_micros(duration_us)).await;
        }
    });
}

#[test]
fn delays_end_in_the_order_of_their_instants_not_of_their_entry() {
    let ended = with_timer(async |timer| {
        let ended = Rc::new(std::cell::RefCell::new(Vec::new()));
        let tasks: Vec<_> = [30, 10, 20, 10]
            .into_iter()
            .map(|duration_ms| {
                let (delay, ended) =
                    (timer.delay(Duration::from_millis(duration_ms)), Rc::clone(&ended));
                tokio::task::spawn_local(async move {
                    delay.await;
                    ended.borrow_mut().push(duration_ms);
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        ended.take()
    });
    assert_eq!(ended, [10, 10, 20, 30]);
}

#[test]
fn a_dropped_delay_leaves_nothing_behind_and_the_next_still_ends() {
    with_timer(async |timer| {
        let dropped = tokio::task::spawn_local(timer.delay(Duration::from_millis(5)));
        let next = tokio::task::spawn_local(timer.delay(Duration::from_millis(15)));
        tokio::task::yield_now().await;
        assert_eq!(timer.waiting.borrow().wakers.len(), 2);
        dropped.abort();
        tokio::task::yield_now().await;
        assert_eq!(timer.waiting.borrow().wakers.len(), 1);
        next.await.unwrap();
        assert!(dropped.await.unwrap_err().is_cancelled());
        assert!(timer.waiting.borrow().wakers.is_empty());
    });
}

#[test]
#[ignore = "measures: run with --release --nocapture on a quiet machine"]
fn lateness_of_one_delay_at_a_time() {
    let mut latenesses = with_timer(async |timer| {
        let mut latenesses = Vec::new();
        for index in 0..2_000_u64 {
            let duration = Duration::from_micros(200 + index % 10 * 333);
            latenesses.push(lateness_ns(&timer, duration).await);
        }
        latenesses
    });
    print_quantiles("1 delay of 0.2 to 3.2 ms at a time", &mut latenesses);
    assert!(latenesses[latenesses.len() / 2] <= 100_000);
}

#[test]
#[ignore = "measures: run with --release --nocapture on a quiet machine"]
fn lateness_of_a_thousand_delays_at_a_time() {
    let wall_start_ns = now_ns();
    let cpu_start = clock_gettime(ClockId::ThreadCPUTime);
    let mut latenesses = with_timer(async |timer| {
        let tasks: Vec<_> = (0..1_000_u64)
            .map(|index| {
                let timer = Rc::clone(&timer);
                tokio::task::spawn_local(async move {
                    let mut latenesses = Vec::new();
                    for turn in 0..20 {
                        // Spread over 50 to 150 ms, in an order that is not that of entry.
                        let duration_us = 50_000 + (index * 7_919 + turn * 104_729) % 100_000;
                        latenesses
                            .push(lateness_ns(&timer, Duration::from_micros(duration_us)).await);
                    }
                    latenesses
                })
            })
            .collect();
        let mut latenesses = Vec::new();
        for task in tasks {
            latenesses.extend(task.await.unwrap());
        }
        latenesses
    });
    let cpu_end = clock_gettime(ClockId::ThreadCPUTime);
    let cpu_ns =
        (cpu_end.tv_sec - cpu_start.tv_sec) * 1_000_000_000 + cpu_end.tv_nsec - cpu_start.tv_nsec;
    let wall_ns = now_ns() - wall_start_ns;
    print_quantiles("1,000 delays of 50 to 150 ms at a time", &mut latenesses);
    let busy_ratio = cpu_ns as f64 / wall_ns as f64;
    println!("thread busy for {:.1} % of {} ms", busy_ratio * 100.0, wall_ns / 1_000_000);
    assert!(busy_ratio < 0.5);
}

fn print_quantiles(name: &str, latenesses: &mut [u64]) {
    latenesses.sort_unstable();
    let at = |quantile: f64| latenesses[((latenesses.len() - 1) as f64 * quantile) as usize];
    println!(
        "{name}: lateness in ns, n {}, p50 {}, p90 {}, p99 {}, p99.9 {}, max {}",
        latenesses.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}
