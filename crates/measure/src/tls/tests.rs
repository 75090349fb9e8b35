use super::*;

fn agreement(version: u16, cipher_suite: u16, key_exchange_group: u16) -> Agreement {
    Agreement { version, cipher_suite, key_exchange_group }
}

#[test]
fn every_agreement_is_found_again_by_its_names() {
    for agreement in [
        agreement(0x0304, 0x1302, 0x11ec),
        agreement(0x0303, 0xc030, 0),
        agreement(0x0305, 0xfefe, 0x4242),
        Agreement::default(),
    ] {
        let (version, suite) = (agreement.version_name(), agreement.cipher_suite_name());
        let group = agreement.key_exchange_group_name();
        assert_eq!(Agreement::from_names([&version, &suite, &group]), Some(agreement));
    }
    assert_eq!(Agreement::from_names(["1.3", "no such suite", "X25519"]), None);
}

#[test]
fn too_many_kinds_are_counted_and_not_told_apart() {
    let mut agreements = Agreements::default();
    for kind in 1..=1_000 {
        agreements.add(agreement(0x0304, kind, 1), 2);
    }
    assert_eq!(agreements.iter().count(), AGREEMENTS_MAX);
    assert_eq!(agreements.iter().map(|(_, count)| count).sum::<u32>(), 2_000);
    let (unknown, count) = agreements.iter().last().unwrap();
    assert_eq!((unknown, count), (Agreement::default(), 2 * (1_000 - 7)));
}

#[test]
fn merging_adds_the_counts_of_equal_agreements() {
    let (a, b) = (agreement(0x0304, 0x1301, 0x1d), agreement(0x0303, 0xc02f, 0x17));
    let mut one = Agreements::default();
    assert!(one.is_empty());
    one.add(a, 3);
    let mut other = Agreements::default();
    other.add(b, 1);
    other.add(a, 4);
    one.merge(&other);
    assert_eq!(one.iter().collect::<Vec<_>>(), [(a, 7), (b, 1)]);
}

#[test]
fn a_resumption_without_a_key_exchange_is_no_kind_of_its_own() {
    let full = agreement(0x0303, 0xc030, 0x1d);
    let resumed = agreement(0x0303, 0xc030, 0);
    let other = agreement(0x0304, 0x1301, 0x1d);
    let of = |counts: &[_]| {
        let tls = TlsUse::of(counts, true);
        (tls.agreement, tls.kind_count)
    };
    assert_eq!(of(&[(resumed, 90), (full, 10), (other, 50)]), (Some(full), 2));
    assert_eq!(of(&[(resumed, 90)]), (Some(resumed), 1));
    assert_eq!(of(&[]), (None, 0));
}
