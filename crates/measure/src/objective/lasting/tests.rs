use proptest::prelude::*;

use super::*;
use crate::objective::evidence::Known;
use crate::objective::finding::Shortage;

fn truth(is_true: Option<bool>) -> Truth {
    match is_true {
        Some(true) => Truth::True(Known::Exactly(1.0)),
        Some(false) => Truth::False(Known::Exactly(0.0)),
        None => Truth::Unknown(Shortage::NoSamples),
    }
}

/// Whether there are `needed` windows in a row, all of them true.
fn brute(windows: &[bool], needed: usize) -> bool {
    windows.windows(needed).any(|stretch| stretch.iter().all(|&is_true| is_true))
}

#[test]
fn of_stretches_of_one_length_the_first_is_told() {
    let windows = [true, true, false, true, true].map(|is_true| truth(Some(is_true)));
    let expected = Lasting { from_s: 10, length_s: 2 };
    assert_eq!(lasting(&windows, 10, 2), (Some(true), Found::Lasted(expected)));
    assert_eq!(lasting(&windows, 10, 3), (Some(false), Found::Lasted(expected)));
}

#[test]
fn the_undecided_window_that_is_told_could_have_completed_a_stretch() {
    let windows = [None, Some(false), Some(true), None, Some(true)].map(truth);
    let expected = Found::LackingAt(3, Shortage::NoSamples);
    assert_eq!(lasting(&windows, 0, 2), (None, expected));
}

proptest! {
    /// Kleene: true if it is whatever the undecided are, false if it is not whatever they are.
    #[test]
    fn undecided_is_what_depends_on_the_undecided(
        windows in prop::collection::vec(any::<Option<bool>>(), 0..9), needed in 1_usize..6,
    ) {
        let undecided = windows.iter().filter(|window| window.is_none()).count();
        let results = (0..1_u32 << undecided).map(|choice| {
            let mut next = 0;
            let decided: Vec<_> = windows.iter().map(|window| window.unwrap_or_else(|| {
                next += 1;
                choice >> (next - 1) & 1 == 1
            })).collect();
            brute(&decided, needed)
        });
        let results: Vec<_> = results.collect();
        let expected = match (results.contains(&true), results.contains(&false)) {
            (true, false) => Some(true),
            (false, _) => Some(false),
            (true, true) => None,
        };
        let windows: Vec<_> = windows.into_iter().map(truth).collect();
        prop_assert_eq!(lasting(&windows, 0, needed).0, expected);
    }
}
