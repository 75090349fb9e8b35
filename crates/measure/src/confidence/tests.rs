use super::*;
use crate::testing::random::Random;

/// The samples of each window of a run.
type Run = Vec<Vec<f64>>;

/// A process whose true percentiles are known.
struct Process {
    run: fn(&mut Random, usize) -> Run,
    /// The true value of the percentile of a share.
    truth: fn(f64) -> f64,
}

/// Logarithms of independent log-normal response times (a percentile's rank does not mind), 100 a
/// second.
const INDEPENDENT: Process = Process {
    run: |random, windows| {
        (0..windows).map(|_| (0..100).map(|_| random.normal()).collect()).collect()
    },
    truth: normal_quantile,
};

/// As above, but each second is faster or slower as a whole, and resembles the one before.
fn modulated(random: &mut Random, phi: f64, windows: usize) -> Run {
    let seconds = random.autoregressive(phi, windows);
    let window = |&level: &f64| (0..100).map(|_| 0.6 * level + random.normal()).collect();
    seconds.iter().map(window).collect()
}

fn modulated_truth(share: f64) -> f64 {
    (0.36_f64 + 1.0).sqrt() * normal_quantile(share)
}

const SECONDS_APART: Process =
    Process { run: |random, n| modulated(random, 0.0, n), truth: modulated_truth };
const SECONDS_ALIKE: Process =
    Process { run: |random, n| modulated(random, 0.5, n), truth: modulated_truth };
const SECONDS_MUCH_ALIKE: Process =
    Process { run: |random, n| modulated(random, 0.8, n), truth: modulated_truth };

/// Response times of an M/M/1 queue that serves so many a second, 80 % busy.
fn queue(random: &mut Random, served_per_s: f64, windows: usize) -> Run {
    let arriving_per_s = BUSY * served_per_s;
    // In the steady state the work ahead is 0 or exponential.
    let mut ahead = if random.exponential() < -BUSY.ln() {
        random.exponential() / (served_per_s - arriving_per_s)
    } else {
        0.0
    };
    let mut run = vec![Vec::new(); windows];
    let mut now = random.exponential() / arriving_per_s;
    while now < windows as f64 {
        let response = ahead + random.exponential() / served_per_s;
        run[now as usize].push(response * (served_per_s - arriving_per_s));
        let until_next = random.exponential() / arriving_per_s;
        ahead = (response - until_next).max(0.0);
        now += until_next;
    }
    run
}

const BUSY: f64 = 0.8;

/// In units of their mean, they are exponential.
fn queue_truth(share: f64) -> f64 {
    -(1.0 - share).ln()
}

const QUEUE: Process = Process { run: |random, n| queue(random, 500.0, n), truth: queue_truth };
const SLOW_QUEUE: Process = Process { run: |random, n| queue(random, 50.0, n), truth: queue_truth };

const SHARES: [f64; 3] = [0.5, 0.9, 0.99];

/// In which share of runs the interval holds the true p50, p90 and p99: ours, and that of
/// independent samples.
fn coverage(process: &Process, windows: usize, runs: u64) -> [[f64; 3]; 2] {
    let mut held = [[0_u64; 3]; 2];
    for seed in 1..=runs {
        let run = (process.run)(&mut Random::new(seed), windows);
        let mut sorted: Vec<f64> = run.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        for (i, share) in SHARES.into_iter().enumerate() {
            let truth = (process.truth)(share);
            let at = |rank: u64| sorted[usize::try_from(rank).unwrap() - 1];
            let holds = |ranks: RankInterval| {
                ranks.low.is_none_or(|low| at(low) <= truth)
                    && ranks.high.is_none_or(|high| at(high) >= truth)
            };
            let splits = split(&run, at((share * sorted.len() as f64).ceil() as u64));
            held[0][i] += u64::from(holds(rank_interval(share, &splits).unwrap()));
            held[1][i] += u64::from(holds(independent(share, sorted.len())));
        }
    }
    held.map(|row| row.map(|held| held as f64 / runs as f64))
}

fn split(run: &Run, estimate: f64) -> Vec<Split> {
    let below = |window: &Vec<f64>| window.iter().filter(|&&v| v <= estimate).count();
    run.iter().map(|w| Split { below: below(w) as f64, count: w.len() as u64 }).collect()
}

/// The interval of a percentile of so many independent samples.
fn independent(share: f64, count: usize) -> RankInterval {
    let n = count as f64;
    let reach = 1.96 * (n * share * (1.0 - share)).sqrt();
    let (low, high) = ((n * share - reach).floor(), (n * share + reach).ceil() + 1.0);
    RankInterval {
        low: (low >= 1.0).then_some(low as u64),
        high: (high <= n).then_some(high as u64),
    }
}

fn windows(of: &[(u32, u64)]) -> Vec<Split> {
    of.iter().map(|&(below, count)| Split { below: below.into(), count }).collect()
}

fn ranks(low: impl Into<Option<u64>>, high: impl Into<Option<u64>>) -> Option<RankInterval> {
    Some(RankInterval { low: low.into(), high: high.into() })
}

#[test]
fn the_ranks_are_those_of_a_calculation_by_hand() {
    // Residuals 20, −20, 0, 20, −20; squares 1,600, so that the count below has the variance
    // 5/4 · 1,600 = 2,000. Neighbours are unlike and skewness is 0. t(4) = 2.7764, times 44.72:
    // 124.16 ranks around 250.
    let found =
        rank_interval(0.5, &windows(&[(70, 100), (30, 100), (50, 100), (70, 100), (30, 100)]));
    assert_eq!(found, ranks(125, 376));
}

#[test]
fn it_is_never_narrower_than_that_of_independent_samples() {
    // No window differs from another: 1.96 · √(1,000 · 0.25) = 30.99 ranks around 500.
    assert_eq!(rank_interval(0.5, &windows(&[(50, 100); 10])), ranks(469, 532));
}

#[test]
fn it_takes_five_windows_with_samples() {
    let mut few = windows(&[(99, 100); 4]);
    few.extend([Split::default(); 20]);
    assert_eq!(rank_interval(0.99, &few), None);
    few.push(Split { below: 1.0, count: 1 });
    assert!(rank_interval(0.99, &few).is_some());
    assert_eq!(rank_interval(0.5, &[]), None);
}

#[test]
fn ends_beyond_the_samples_are_open() {
    // All slow requests came in one second of 60: another run may have had none, or three.
    let mut burst = windows(&[(1_000, 1_000); 60]);
    burst[30].below = 400.0;
    let found = rank_interval(0.99, &burst).unwrap();
    assert_eq!(found.high, None);
    assert!(found.low.unwrap() > 57_000, "{found:?}");
    // A step: the run says nothing of where the median would have settled.
    let step = windows(&[(100, 100), (100, 100), (100, 100), (0, 100), (0, 100), (0, 100)]);
    assert_eq!(rank_interval(0.5, &step), ranks(None, None));
}

#[test]
fn seconds_that_resemble_their_neighbours_make_it_wider() {
    let width = |phi| {
        let widths = (1..=20).map(|seed| {
            let run = modulated(&mut Random::new(seed), phi, 300);
            let mut sorted: Vec<f64> = run.iter().flatten().copied().collect();
            sorted.sort_by(f64::total_cmp);
            let found = rank_interval(0.5, &split(&run, sorted[14_999])).unwrap();
            found.high.unwrap() - found.low.unwrap()
        });
        widths.sum::<u64>() as f64
    };
    // In theory √((1 + φ)/(1 − φ)) = 3 times as wide, when everything but chance differs by second.
    let ratio = width(0.8) / width(0.0);
    assert!((2.2..3.5).contains(&ratio), "{ratio}");
}

#[test]
fn windows_of_any_size_count_by_their_samples() {
    let mut even = windows(&[(45, 50), (47, 50), (43, 50), (46, 50), (44, 50), (45, 50)]);
    let wide = rank_interval(0.9, &even).unwrap();
    // A window that has next to no samples changes next to nothing, whatever they are.
    even.push(Split { below: 0.0, count: 1 });
    let found = rank_interval(0.9, &even).unwrap();
    assert!(found.low.unwrap().abs_diff(wide.low.unwrap()) <= 3, "{found:?} {wide:?}");
}

#[test]
fn the_interval_holds_the_truth_in_nineteen_of_twenty_runs() {
    for (process, windows) in [
        (INDEPENDENT, 30),
        (SECONDS_APART, 30),
        (SECONDS_ALIKE, 60),
        (SECONDS_MUCH_ALIKE, 300),
        (QUEUE, 60),
        (SLOW_QUEUE, 300),
    ] {
        let [ours, _] = coverage(&process, windows, 300);
        println!("{windows} windows: {ours:?}");
        assert!(ours.iter().all(|&held| held >= 0.92), "{windows} windows: {ours:?}");
    }
}

#[test]
fn taking_the_samples_for_independent_would_hold_it_far_less_often() {
    let [_, few] = coverage(&INDEPENDENT, 30, 300);
    assert!(few.iter().all(|&held| held >= 0.92), "where they are, it does: {few:?}");
    for (process, windows) in [(SECONDS_MUCH_ALIKE, 300), (QUEUE, 60)] {
        let [_, few] = coverage(&process, windows, 100);
        assert!(few.iter().all(|&held| held < 0.6), "{few:?}");
    }
}

/// Prints the table of the module.
#[test]
#[ignore = "takes a minute; run it to renew the table"]
fn coverage_is_measured() {
    let rows: [(&str, Process); 6] = [
        ("independent", INDEPENDENT),
        ("seconds differ, φ = 0", SECONDS_APART),
        ("seconds differ, φ = 0.5", SECONDS_ALIKE),
        ("seconds differ, φ = 0.8", SECONDS_MUCH_ALIKE),
        ("M/M/1, 80 % of 500/s", QUEUE),
        ("M/M/1, 80 % of 50/s", SLOW_QUEUE),
    ];
    let percent = |row: [f64; 3]| row.map(|held| format!("{:.0}", held * 100.0)).join(", ");
    for (name, process) in rows {
        let cells = [10, 60, 300].map(|windows| {
            let [ours, theirs] = coverage(&process, windows, 1_000);
            format!("{} ({})", percent(ours), percent(theirs))
        });
        println!("//! | {name} | {} |", cells.join(" | "));
    }
}
