use super::*;

#[test]
fn every_cause_stands_at_its_own_index_in_the_table() {
    for (place, cause) in Cause::all().enumerate() {
        assert_eq!(cause.index(), place, "{}", cause.name());
        assert_eq!(Cause::from_name(cause.name()), Some(cause));
    }
    assert_eq!(Cause::UnfinishedInFlight.index() + 1, Cause::COUNT);
}
