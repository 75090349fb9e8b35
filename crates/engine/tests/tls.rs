//! Runs over TLS against servers that end as no well-behaved server does.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConnection, StreamOwned};
use throng_engine::plan::{Endpoint, Model, Plan, Resume, Stop, Tls, TlsVersion, Trust};
use throng_engine::{Stopper, run};
use throng_journey::{Request, Url};
use throng_measure::{Cause, Environment, Objectives, Outcome, Place, Summary};

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "src/conn/tls/testdata", name].iter().collect()
}

/// How a server treats its connections.
#[derive(Clone, Copy)]
enum Manner {
    /// It answers with a body that ends with the connection, and ends TLS as it should.
    Ends,
    /// It does the same without ending TLS.
    Cuts,
    /// It wants a client certificate, and says so only after the client's part of the handshake.
    WantsCertificate,
    /// It closes instead of taking part in the handshake.
    Closes,
}

/// Serves so many connections, one after the other.
#[allow(clippy::disallowed_methods, reason = "the server of a test")]
fn serve(manner: Manner, connections: usize) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound");
    let config = config(manner);
    let thread = thread::spawn(move || {
        for _ in 0..connections {
            let (mut socket, _) = listener.accept().expect("a client");
            if matches!(manner, Manner::Closes) {
                // Closing on unread bytes would be a reset.
                let _ = socket.read(&mut [0; 16_384]);
                continue;
            }
            let connection = ServerConnection::new(config.clone()).expect("a session");
            let mut stream = StreamOwned::new(connection, socket);
            let mut request = [0; 1000];
            // What fails here fails for the client, which is asked about it.
            if stream.read(&mut request).is_err() {
                let _ = stream.sock.read_to_end(&mut Vec::new());
                continue;
            }
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nno length");
            let _ = stream.flush();
            if matches!(manner, Manner::Ends) {
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    (address, thread)
}

fn config(manner: Manner) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let certificate = |name| CertificateDer::from_pem_file(file(name)).expect("a certificate");
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("a version");
    let builder = if matches!(manner, Manner::WantsCertificate) {
        let mut roots = RootCertStore::empty();
        roots.add(certificate("ca.pem")).expect("a root");
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
        builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
    } else {
        builder.with_no_client_auth()
    };
    let key = PrivateKeyDer::from_pem_file(file("server.key")).expect("a key");
    Arc::new(builder.with_single_cert(vec![certificate("server.pem")], key).expect("they fit"))
}

fn measure(manner: Manner) -> Summary {
    let (address, server) = serve(manner, 3);
    let url: Url = "https://tls.test/".parse().expect("a URL");
    let plan = Plan {
        request: Request::new("GET", url.host_header(), url.target.clone()).expect("a request"),
        url,
        endpoints: vec![Endpoint::Tcp(address)],
        model: Model::Closed { connections: 1 },
        stop: Stop { duration_ns: Some(10_000_000_000), requests: Some(3) },
        warmup_ns: 0,
        timeout_ns: 5_000_000_000,
        grace_ns: 1_000_000_000,
        keep_alive: false,
        pipeline: 1,
        transmit_sampling: 0,
        tls: Some(Tls {
            server_name: "tls.test".into(),
            trust: Trust::File(file("ca.pem")),
            client: None,
            version_min: TlsVersion::V1_2,
            version_max: TlsVersion::V1_3,
            groups: Vec::new(),
            resume: Resume::Full,
        }),
        workers: 1,
        seed: 1,
    };
    let (environment, objectives) = (Environment::default(), Objectives::default());
    let stopper = Stopper::new();
    let place = Place::Temporary;
    let file = run(&plan, place, environment, &objectives, &stopper, &mut |_| {}).expect("a run");
    server.join().expect("the server ends");
    file.summary().expect("a summary")
}

#[test]
fn a_body_that_ends_with_the_connection_is_whole_only_if_tls_says_so() {
    let summary = measure(Manner::Ends);
    assert_eq!(summary.outcome(Outcome::Ok), 3, "{:?}", summary.causes);
    assert_eq!(summary.tls_full_time.count, 3);
    let summary = measure(Manner::Cuts);
    assert_eq!(summary.outcome(Outcome::IoError), 3, "{:?}", summary.outcomes);
    assert_eq!(summary.causes, [(Cause::TlsTruncated, 3)]);
}

#[test]
fn a_refusal_after_the_handshake_has_the_alert_s_name() {
    let summary = measure(Manner::WantsCertificate);
    assert_eq!(summary.outcome(Outcome::IoError), 3, "{:?}", summary.outcomes);
    assert_eq!(summary.causes, [(Cause::TlsCertificateRequired, 3)]);
}

#[test]
fn a_peer_that_closes_in_the_handshake_opens_no_connection() {
    let summary = measure(Manner::Closes);
    assert_eq!(summary.outcome(Outcome::ConnectError), 3, "{:?}", summary.outcomes);
    assert_eq!(summary.causes, [(Cause::TlsClosed, 3)]);
    assert_eq!((summary.connections.opened, summary.connections.failed), (0, 3));
    assert_eq!((summary.connect_time.count, summary.tls_full_time.count), (3, 0));
}
