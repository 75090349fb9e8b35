use super::*;

/// Keeps what is handed over.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "an exchange hands over boxes")]
struct Kept(Vec<Box<Interval>>);

impl Exchange for Kept {
    fn exchange(&mut self, interval: &mut Box<Interval>) {
        self.0.push(std::mem::take(interval));
    }
}

impl Kept {
    fn outcomes_of(&self, window: i64) -> u64 {
        let of_window = self.0.iter().filter(|interval| interval.window == window);
        of_window.map(|interval| interval.counts.outcomes.iter().sum::<u64>()).sum()
    }

    fn completed_in(&self, window: i64) -> u64 {
        let of_window = self.0.iter().filter(|interval| interval.window == window);
        of_window.map(|interval| interval.counts.completed).sum()
    }
}

const S: u64 = 1_000_000_000;

fn ok(due: u64, end: u64) -> Sample {
    Sample {
        due: Nanos(due),
        dispatched: Some(Nanos(due)),
        transmitted: None,
        sent: Some(Nanos(due)),
        first_byte: Some(Nanos(end)),
        end: Nanos(end),
        read: Nanos(end),
        outcome: Outcome::Ok,
        cause: None,
        status: 200,
    }
}

fn recorder(from: u64, until: u64) -> Recorder {
    Recorder::new(Span { from: Nanos(from), until: Nanos(until) })
}

#[test]
fn a_sample_belongs_to_the_window_of_its_due_time_and_completes_in_that_of_its_end() {
    let (mut recorder, mut kept) = (recorder(0, 100 * S), Kept::default());
    recorder.record(&ok(S - 1, 5 * S), &mut kept);
    recorder.hand_over(Nanos(5 * S), Gauges::default(), Traffic::default(), &mut kept);
    assert_eq!(kept.outcomes_of(0), 1);
    assert_eq!(kept.outcomes_of(5), 0);
    assert_eq!(kept.completed_in(0), 0);
    assert_eq!(kept.completed_in(5), 1);
}

#[test]
fn windows_count_from_the_end_of_the_warm_up() {
    let (mut recorder, mut kept) = (recorder(1_500_000_000, 100 * S), Kept::default());
    for due in [0, 400_000_000, 1_499_999_999, 1_500_000_000, 2_499_999_999, 2_500_000_000] {
        recorder.record(&ok(due, due + 1), &mut kept);
    }
    recorder.hand_over(Nanos(2 * S), Gauges::default(), Traffic::default(), &mut kept);
    let counts: Vec<_> = (-2..=1).map(|window| kept.outcomes_of(window)).collect();
    assert_eq!(counts, [2, 1, 2, 1]);
    assert_eq!(recorder.recorded(), [3, 3]);
}

#[test]
fn answers_to_far_older_requests_lose_nothing() {
    let (mut recorder, mut kept) = (recorder(0, 1000 * S), Kept::default());
    for i in 0..1000 {
        recorder.record(&ok((i * 7919 % 50) * S, 60 * S), &mut kept);
    }
    recorder.hand_over(Nanos(60 * S), Gauges::default(), Traffic::default(), &mut kept);
    assert_eq!((0..50).map(|window| kept.outcomes_of(window)).sum::<u64>(), 1000);
    assert_eq!(kept.completed_in(60), 1000);
}

#[test]
fn answers_after_the_end_of_the_plan_are_not_part_of_the_achieved_rate() {
    let (mut recorder, mut kept) = (recorder(0, 2 * S), Kept::default());
    recorder.record(&ok(S, 2 * S - 1), &mut kept);
    recorder.record(&ok(S, 2 * S), &mut kept);
    recorder.hand_over(Nanos(3 * S), Gauges::default(), Traffic::default(), &mut kept);
    assert_eq!(kept.outcomes_of(1), 2);
    assert_eq!((0..4).map(|window| kept.completed_in(window)).sum::<u64>(), 1);
}

#[test]
fn a_worker_without_samples_still_hands_its_state_over() {
    let (mut recorder, mut kept) = (recorder(0, S), Kept::default());
    let gauges = Gauges { open: 7, ..Gauges::default() };
    recorder.hand_over(Nanos(S / 2), gauges, Traffic::default(), &mut kept);
    assert_eq!(kept.0.len(), 1);
    assert_eq!(kept.0[0].gauges, Some(gauges));
}
