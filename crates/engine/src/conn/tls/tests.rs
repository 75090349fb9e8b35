use std::io::Write as _;
use std::path::PathBuf;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, ServerConnection};
use rustls::version::{TLS12, TLS13};

use super::*;
use crate::plan::{self, Group, TlsVersion, Trust};

/// The certificate is for `tls.test`, issued by `ca.pem`; both hold for a hundred years.
fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src/conn/tls/testdata", name].iter().collect()
}

fn options() -> plan::Tls {
    plan::Tls {
        server_name: "tls.test".into(),
        trust: Trust::File(file("ca.pem")),
        client: None,
        version_min: TlsVersion::V1_2,
        version_max: TlsVersion::V1_3,
        groups: Vec::new(),
        resume: Resume::Resume,
    }
}

fn tls(options: &plan::Tls) -> Tls {
    Tls::new(&Setup::load(options).expect("files that are there"))
}

fn server_config(versions: &[&'static rustls::SupportedProtocolVersion]) -> Arc<ServerConfig> {
    let mut provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.kx_groups = rustls::crypto::aws_lc_rs::ALL_KX_GROUPS.to_vec();
    let provider = Arc::new(provider);
    let chain = vec![CertificateDer::from_pem_file(file("server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(file("server.key")).expect("a key");
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("they fit");
    Arc::new(config)
}

/// A client's session and a server, with nothing but memory between them.
struct Pair {
    client: Box<Session>,
    server: ServerConnection,
    /// The most bytes that arrive, or that the kernel takes, at one time.
    step: usize,
    plaintext: Vec<u8>,
    established: bool,
    ended: bool,
}

impl Pair {
    fn new(tls: &mut Tls, config: &Arc<ServerConfig>, step: usize) -> Self {
        Self {
            client: tls.start(0).expect("a session"),
            server: ServerConnection::new(config.clone()).expect("a server"),
            step,
            plaintext: Vec::new(),
            established: false,
            ended: false,
        }
    }

    /// What the client sends, in pieces as the kernel takes them.
    fn sent(&mut self) -> (Vec<u8>, usize) {
        let (mut wire, mut records) = (Vec::new(), Vec::new());
        loop {
            let step = self.step;
            let sent = self.client.send(&mut records, |bytes| {
                let taken = bytes.len().min(step);
                wire.extend_from_slice(&bytes[..taken]);
                Ok(taken)
            });
            match sent.expect("memory") {
                Sent::All { plaintext_bytes } => return (wire, plaintext_bytes),
                Sent::Part => assert!(self.client.wants_to_send()),
            }
        }
    }

    /// Carries bytes both ways until neither side has any.
    fn exchange(&mut self) -> Result<(), Fault> {
        loop {
            let (to_server, _) = self.sent();
            for piece in to_server.chunks(self.step) {
                self.deliver(piece);
            }
            let mut to_client = Vec::new();
            while self.server.wants_write() {
                self.server.write_tls(&mut to_client).expect("memory");
            }
            if to_server.is_empty() && to_client.is_empty() {
                return Ok(());
            }
            for piece in to_client.chunks(self.step) {
                let received = self.client.receive(piece, &mut self.plaintext)?;
                assert!(!(self.established && received.established), "established twice");
                self.established |= received.established;
                self.ended |= received.ended;
            }
        }
    }

    fn deliver(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.server.read_tls(&mut bytes).expect("memory");
            // What it refuses, it says in an alert.
            let _ = self.server.process_new_packets();
        }
    }

    fn shake_hands(mut self) -> Self {
        self.exchange().expect("a handshake");
        assert!(self.established && self.client.is_established());
        self
    }

    fn received_by_server(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ = std::io::Read::read_to_end(&mut self.server.reader(), &mut bytes);
        bytes
    }
}

const BOTH: &[&rustls::SupportedProtocolVersion] = &[&TLS13, &TLS12];

#[test]
fn a_request_and_its_answer_survive_every_split() {
    for config in [server_config(&[&TLS12]), server_config(&[&TLS13])] {
        for step in [1, 2, 3, 5, 7, 64, 1000, 16_406, usize::MAX] {
            let mut pair = Pair::new(&mut tls(&options()), &config, step).shake_hands();
            assert!(pair.client.takes_plaintext());
            pair.client.encrypt(b"GET / HTTP/1.1\r\n\r\n").expect("a record");
            assert!(!pair.client.takes_plaintext());
            pair.exchange().expect("no fault");
            assert_eq!(pair.received_by_server(), b"GET / HTTP/1.1\r\n\r\n", "step {step}");
            let answer = "answer ".repeat(9_000);
            pair.server.writer().write_all(answer.as_bytes()).expect("memory");
            pair.exchange().expect("no fault");
            assert_eq!(pair.plaintext, answer.as_bytes(), "step {step}");
            assert!(!pair.ended && !pair.client.has_peer_ended());
            pair.server.send_close_notify();
            pair.exchange().expect("no fault");
            assert!(pair.ended && pair.client.has_peer_ended());
        }
    }
}

#[test]
fn plaintext_counts_as_sent_when_its_record_is() {
    let mut pair = Pair::new(&mut tls(&options()), &server_config(BOTH), usize::MAX).shake_hands();
    let body: Vec<u8> = (0..40_000_u32).map(|i| i as u8).collect();
    let mut unsent = &body[..];
    let mut counted = Vec::new();
    let (mut sends, mut calls, mut records) = (0, 0, Vec::new());
    while !unsent.is_empty() {
        pair.client.encrypt(unsent).expect("a record");
        let taken = loop {
            let mut wire = Vec::new();
            sends += 1;
            let sent = pair.client.send(&mut records, |bytes| {
                calls += 1;
                wire.extend_from_slice(&bytes[..bytes.len().min(10_000)]);
                Ok(wire.len())
            });
            pair.deliver(&wire);
            if let Sent::All { plaintext_bytes } = sent.expect("memory") {
                break plaintext_bytes;
            }
            // A part of a record is nothing that the peer can read.
            assert_eq!(pair.received_by_server(), b"");
        };
        counted.push(taken);
        assert!(pair.received_by_server() == unsent[..taken], "what was sent is what arrived");
        unsent = &unsent[taken..];
    }
    assert_eq!(counted, [16_384, 16_384, 40_000 - 2 * 16_384]);
    // A kernel that took less than all is not asked again at once.
    assert_eq!((sends, calls), (2 + 2 + 1, 2 + 2 + 1));
}

#[test]
fn several_records_are_offered_in_one_call() {
    let mut pair = Pair::new(&mut tls(&options()), &server_config(BOTH), usize::MAX).shake_hands();
    pair.client.encrypt(b"one").expect("a record");
    pair.client.end();
    let mut calls = 0;
    let sent = pair.client.send(&mut Vec::new(), |bytes| {
        calls += 1;
        Ok(bytes.len())
    });
    assert_eq!((sent, calls), (Ok(Sent::All { plaintext_bytes: 3 }), 1));
    pair.client.end();
    let failed = pair.client.send(&mut Vec::new(), |_| Err(Cause::ResetByPeer));
    // Once is enough: there is nothing more to say.
    assert_eq!(failed, Ok(Sent::All { plaintext_bytes: 0 }));
}

#[test]
fn what_sending_says_is_passed_on() {
    let mut session = tls(&options()).start(0).expect("a session");
    let failed = session.send(&mut Vec::new(), |_| Err(Cause::ResetByPeer));
    assert_eq!(failed, Err(Cause::ResetByPeer));
}

#[test]
fn sessions_are_resumed_as_the_plan_says() {
    for config in [server_config(&[&TLS12]), server_config(&[&TLS13])] {
        let resumed = |resume| {
            let mut tls = tls(&plan::Tls { resume, ..options() });
            let one =
                |_| Pair::new(&mut tls, &config, usize::MAX).shake_hands().client.is_resumed();
            (0..6).map(one).collect::<Vec<_>>()
        };
        assert_eq!(resumed(Resume::Full), [false; 6]);
        assert_eq!(resumed(Resume::Resume), [false, true, true, true, true, true]);
        let half = resumed(Resume::Mixed { full_percent: 50 });
        assert_eq!(half, [false, false, true, false, true, false]);
        assert_eq!(resumed(Resume::Mixed { full_percent: 100 }), [false; 6]);
    }
}

#[test]
fn the_offer_decides_what_is_agreed_on() {
    let agreement = |options: &plan::Tls| {
        let pair = Pair::new(&mut tls(options), &server_config(BOTH), usize::MAX).shake_hands();
        pair.client.agreement()
    };
    let usual = agreement(&options());
    assert_eq!((usual.version, usual.key_exchange_group), (0x0304, 0x11ec));
    for group in Group::all() {
        let options = plan::Tls { groups: vec![group], ..options() };
        let name = agreement(&options).key_exchange_group_name();
        assert!(name.eq_ignore_ascii_case(group.name()), "{name} for {}", group.name());
    }
    let old = agreement(&plan::Tls { version_max: TlsVersion::V1_2, ..options() });
    assert_eq!((old.version, old.key_exchange_group), (0x0303, 0x001d));
}

#[test]
fn what_is_wrong_with_a_certificate_is_told_apart() {
    let fault = |options: plan::Tls| {
        let mut pair = Pair::new(&mut tls(&options), &server_config(BOTH), usize::MAX);
        let fault = pair.exchange().expect_err("a refusal");
        // The peer is told why.
        assert!(pair.client.wants_to_send());
        assert!(!fault.is_alert);
        fault.cause
    };
    let unknown = plan::Tls { trust: Trust::File(file("other-ca.pem")), ..options() };
    assert_eq!(fault(unknown), Cause::TlsCertificateUnknownIssuer);
    let wrong_name = plan::Tls { server_name: "other.test".into(), ..options() };
    assert_eq!(fault(wrong_name), Cause::TlsCertificateName);
    let anybody =
        plan::Tls { trust: Trust::Anybody, server_name: "other.test".into(), ..options() };
    Pair::new(&mut tls(&anybody), &server_config(BOTH), usize::MAX).shake_hands();
}

#[test]
fn what_the_peer_refuses_has_its_alert_s_name() {
    let new_only = plan::Tls { version_min: TlsVersion::V1_3, ..options() };
    let mut pair = Pair::new(&mut tls(&new_only), &server_config(&[&TLS12]), usize::MAX);
    let fault = pair.exchange().expect_err("no version in common");
    assert_eq!(fault, Fault { cause: Cause::TlsProtocolVersion, is_alert: true });
}

#[test]
fn a_peer_without_tls_is_told_apart_at_every_split() {
    for step in [1, 3, usize::MAX] {
        let mut session = tls(&options()).start(0).expect("a session");
        let answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
        let fault = answer
            .chunks(step.min(answer.len()))
            .find_map(|piece| session.receive(piece, &mut Vec::new()).err());
        assert_eq!(fault, Some(Fault { cause: Cause::TlsNotTls, is_alert: false }), "step {step}");
    }
}

#[test]
fn records_that_were_changed_on_the_way_are_a_fault() {
    let mut pair = Pair::new(&mut tls(&options()), &server_config(BOTH), usize::MAX).shake_hands();
    pair.server.writer().write_all(b"answer").expect("memory");
    let mut record = Vec::new();
    pair.server.write_tls(&mut record).expect("memory");
    let last = record.len() - 1;
    record[last] ^= 1;
    let fault = pair.client.receive(&record, &mut pair.plaintext).expect_err("changed");
    assert_eq!(fault, Fault { cause: Cause::TlsProtocol, is_alert: false });
    assert_eq!(pair.plaintext, b"");
}

#[test]
fn full_handshakes_are_spread_evenly() {
    let mut mix = Mix { full_percent: 30, owed: 0 };
    let full: Vec<_> = (0..100).map(|_| mix.next_is_full()).collect();
    assert_eq!(full.iter().filter(|&&is_full| is_full).count(), 30);
    assert!(full.windows(4).all(|four| four.contains(&true)));
}
