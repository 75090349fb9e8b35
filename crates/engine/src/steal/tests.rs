use super::*;

#[test]
fn steal_is_the_eighth_number_of_the_first_line() {
    let before = Steal::parse("cpu  100 0 100 700 0 0 0 100 50 0\ncpu0 1 2 3\n");
    let after = Steal::parse("cpu  150 0 150 850 0 0 0 150 50 0\n");
    assert_eq!(before, Steal { total_ticks: 1000, stolen_ticks: 100 });
    assert_eq!(after.ratio_since(before), Some(50.0 / 300.0));
}

#[test]
fn a_machine_without_the_file_has_no_reading() {
    let nothing = Steal::parse("");
    assert_eq!(nothing.ratio_since(nothing), None);
}
