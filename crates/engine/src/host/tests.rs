use super::*;

const SNMP: &str = "Ip: Forwarding\nIp: 1\n\
                    Tcp: RtoAlgorithm OutSegs RetransSegs InErrs\nTcp: 1 500 17 0\n";

#[test]
fn steal_is_the_eighth_number_of_the_first_line() {
    let before = Host::parse("cpu  100 0 100 700 0 0 0 100 50 0\ncpu0 1 2 3\n", "");
    let after = Host::parse("cpu  150 0 150 850 0 0 0 150 50 0\n", "");
    assert_eq!((before.total_ticks, before.stolen_ticks), (1000, 100));
    assert_eq!(after.steal_ratio_since(&before), Some(50.0 / 300.0));
}

#[test]
fn retransmitted_segments_are_found_by_their_name() {
    let before = Host::parse("", SNMP);
    let after = Host::parse("", &SNMP.replace(" 17 ", " 20 "));
    assert_eq!(after.retransmitted_since(&before), Some(3));
}

#[test]
fn a_machine_without_the_files_has_no_reading() {
    let nothing = Host::parse("", "");
    assert_eq!(nothing.steal_ratio_since(&nothing), None);
    assert_eq!(nothing.retransmitted_since(&nothing), None);
}
