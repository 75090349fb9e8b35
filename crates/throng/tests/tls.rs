//! Runs over TLS, against nginx and OpenSSL.

mod common;

use common::certificates::Certificates;
use common::nginx::Nginx;
use common::{Done, throng};
use serde_json::Value;

/// An nginx that speaks both versions of TLS; an older one's default is TLS 1.2.
fn nginx(certificates: &Certificates, certificate: &str, directives: &str) -> Nginx {
    let protocols = if directives.contains("ssl_protocols") { "" } else { PROTOCOLS };
    let (pem, key) = (format!("{certificate}.pem"), format!("{certificate}.key"));
    Nginx::start_secure(&format!(
        "ssl_certificate {}; ssl_certificate_key {}; {protocols} {directives}",
        certificates.file(&pem),
        certificates.file(&key),
    ))
}

const PROTOCOLS: &str = "ssl_protocols TLSv1.2 TLSv1.3;";

/// Runs against `https://tls.test`.
fn run(nginx: &Nginx, arguments: &[&str]) -> Done {
    let resolve = format!("tls.test:{}:127.0.0.1", nginx.secure_port());
    let usual = ["--json", "-", "--resolve", &resolve, &nginx.secure_url("tls.test", "/")];
    throng(&[&usual, arguments].concat())
}

fn report_of(done: &Done) -> Value {
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    serde_json::from_str(&done.stdout).expect("JSON")
}

/// Runs, trusting the issuer of nginx's certificate.
fn measure(nginx: &Nginx, certificates: &Certificates, arguments: &[&str]) -> Value {
    let ca = certificates.file("ca.pem");
    report_of(&run(nginx, &[&["--cacert", &ca], arguments].concat()))
}

fn refused(done: &Done, parts: &[&str]) {
    assert_eq!(done.status, Some(3), "{}{}", done.stdout, done.stderr);
    for part in parts {
        assert!(done.stderr.contains(part), "'{part}' is not in: {}", done.stderr);
    }
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(report["outcomes"]["ok"], 0);
}

#[test]
fn our_count_is_nginx_s_own_over_both_versions() {
    let certificates = Certificates::make();
    let nginx = nginx(&certificates, "server", "");
    for version in ["1.2", "1.3"] {
        let only = ["--tls-min", version, "--tls-max", version];
        let arguments = ["-n", "5003", "-c", "7", "-t", "2"];
        let report = measure(&nginx, &certificates, &[&only[..], &arguments].concat());
        assert_eq!(report["outcomes"]["ok"], 5003);
        assert_eq!(report["status"]["200"], 5003);
        assert_eq!(report["tls"]["version"], version);
        assert_eq!(report["tls"]["verified"], true);
        assert_eq!(report["tls"]["kind_count"], 1);
        let handshakes = [&report["tls"]["full"], &report["tls"]["resumed"]];
        let count: u64 = handshakes.iter().filter_map(|count| count.as_u64()).sum();
        assert_eq!(report["connections"]["opened"], count);
        assert_eq!(report["connect_time_ns"]["count"], count);
        // An answer fits into one record: the kernel's timestamp is that of its last byte.
        assert_eq!(report["connections"]["unstamped"], 0);
        assert!(report["transmit_ns"]["count"].as_u64() > Some(0));
        assert!(report["plan"].to_string().contains("ca.pem"));
    }
    let log = nginx.end();
    assert_eq!(log.len(), 2 * 5003);
    assert!(log.iter().all(|line| line.starts_with("200 ")));
}

#[test]
fn the_report_names_what_was_agreed_on() {
    let certificates = Certificates::make();
    let nginx = nginx(&certificates, "server", "ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;");
    let report = measure(
        &nginx,
        &certificates,
        &["-n", "10", "--tls-max", "1.2", "--tls-groups", "secp384r1,secp256r1"],
    );
    assert_eq!(report["tls"]["version"], "1.2");
    assert_eq!(report["tls"]["cipher_suite"], "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    assert_eq!(report["tls"]["key_exchange_group"], "secp384r1");
    let report = measure(&nginx, &certificates, &["-n", "10", "--tls-groups", "x25519"]);
    assert_eq!(report["tls"]["version"], "1.3");
    assert_eq!(report["tls"]["key_exchange_group"], "X25519");
    let schema = include_str!("../../../docs/report.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    assert!(jsonschema::is_valid(&schema, &report), "{report}");
    let resolve = format!("tls.test:{}:127.0.0.1", nginx.secure_port());
    let url = nginx.secure_url("tls.test", "/");
    let text = throng(&["-k", "-n", "10", "--resolve", &resolve, &url]).stdout;
    let lines: Vec<_> = text.lines().skip_while(|line| !line.starts_with("TLS")).collect();
    assert!(lines[0].starts_with("TLS          1.3, TLS13_AES_"), "{text}");
    assert!(lines.join(" ").contains("certificate not verified"), "{text}");
}

#[test]
fn sessions_are_resumed_as_often_as_wanted() {
    let certificates = Certificates::make();
    let nginx = nginx(&certificates, "server", "ssl_session_cache shared:c:1m;");
    let mut total = 0;
    for version in ["1.2", "1.3"] {
        let handshakes = |mode: &str| {
            let arguments = ["-n", "200", "-c", "1", "-t", "1", "--no-keepalive"];
            let how = ["--tls-resume", mode, "--tls-min", version, "--tls-max", version];
            let report = measure(&nginx, &certificates, &[&arguments[..], &how].concat());
            assert_eq!(report["outcomes"]["ok"], 200);
            let of = |name: &str| report["tls"][name].as_u64().expect("a count");
            assert_eq!(report["tls_full_time_ns"]["count"], of("full"));
            assert_eq!(report["tls_resumed_time_ns"]["count"], of("resumed"));
            assert_eq!(report["tls"]["kind_count"], 1);
            (of("full"), of("resumed"))
        };
        assert_eq!(handshakes("full"), (200, 0), "{version}");
        assert_eq!(handshakes("resume"), (1, 199), "{version}");
        // Handshakes 4, 8, ... are full as wanted, and the first one as it must be.
        assert_eq!(handshakes("mixed:25"), (51, 149), "{version}");
        total += 600;
    }
    assert_eq!(nginx.end().len(), total);
}

#[test]
fn every_way_a_connection_ends_counts_the_same() {
    let certificates = Certificates::make();
    let nginx = nginx(&certificates, "server", "");
    let ca = certificates.file("ca.pem");
    let measure = |arguments: &[&str], path: &str| {
        // The certificate is for the address too.
        let url = nginx.secure_url("127.0.0.1", path);
        let usual = ["--json", "-", "--cacert", &ca, &url];
        report_of(&throng(&[&usual, arguments].concat()))
    };
    let report = measure(&["-n", "300", "-c", "5"], "/once");
    assert_eq!(report["outcomes"]["ok"], 300);
    assert_eq!(report["connections"]["opened"], 300);
    let report = measure(&["-n", "2000", "-c", "3", "--pipeline", "16"], "/");
    assert_eq!(report["outcomes"]["ok"], 2000);
    let report = measure(&["-n", "20", "-c", "4"], "/big");
    assert_eq!(report["outcomes"]["ok"], 20);
    assert!(report["bytes"]["received"].as_u64() > Some(20 * 3_000_000));
    // A request of many records, of which the kernel does not take all at once.
    let body = certificates.path().join("body");
    std::fs::write(&body, "x".repeat(900_000)).expect("written");
    let report = measure(&["-n", "20", "-c", "4", "-B", &body.display().to_string()], "/");
    assert_eq!(report["status"]["405"], 20);
    assert_eq!(nginx.end().len(), 300 + 2000 + 20 + 20);
}

#[test]
fn a_certificate_that_does_not_hold_is_named_by_what_is_wrong_with_it() {
    let certificates = Certificates::make();
    let (ca, other) = (certificates.file("ca.pem"), certificates.file("other.pem"));
    let good = nginx(&certificates, "server", "");
    let expired = nginx(&certificates, "expired", "");
    let n = ["-n", "5"];
    let run = |nginx, arguments: &[&str]| run(nginx, &[&n, arguments].concat());
    refused(&run(&good, &["--cacert", &other]), &["nobody who is trusted has issued", "--cacert"]);
    refused(&run(&good, &[]), &["nobody who is trusted has issued", "-k"]);
    refused(&run(&good, &["--cacert", &ca, "--sni", "a.test"]), &["for another name", "--sni"]);
    refused(&run(&expired, &["--cacert", &ca]), &["has expired"]);
    for nginx in [&good, &expired] {
        let report = report_of(&run(nginx, &["-k", "--sni", "a.test"]));
        assert_eq!(report["outcomes"]["ok"], 5);
        assert_eq!(report["tls"]["verified"], false);
    }
    assert_eq!(good.end().len() + expired.end().len(), 10);
}

#[test]
fn a_server_that_accepts_nothing_is_named_by_its_alert() {
    let certificates = Certificates::make();
    let nginx = nginx(&certificates, "server", "ssl_protocols TLSv1.2;");
    let done = run(&nginx, &["-k", "-n", "5", "--tls-min", "1.3"]);
    refused(&done, &["no TLS version that was offered", "--tls-min"]);
    // A server without TLS.
    let url = nginx.url("/").replace("http:", "https:");
    refused(&throng(&["--json", "-", "-n", "5", "-k", &url]), &["does not speak TLS", "http://"]);
}

#[test]
fn a_client_certificate_is_shown_to_the_server() {
    let certificates = Certificates::make();
    let wants =
        format!("ssl_client_certificate {}; ssl_verify_client on;", certificates.file("ca.pem"));
    let nginx = nginx(&certificates, "server", &wants);
    let files = |name: &str| {
        (certificates.file(&format!("{name}.pem")), certificates.file(&format!("{name}.key")))
    };
    let ((cert, key), (stranger, stranger_key)) = (files("client"), files("stranger"));
    let report = measure(&nginx, &certificates, &["-n", "50", "--cert", &cert, "--key", &key]);
    assert_eq!(report["outcomes"]["ok"], 50);
    // nginx lets the handshake end and then answers with 400.
    for arguments in [&["--cert", &stranger, "--key", &stranger_key][..], &[]] {
        let report = measure(&nginx, &certificates, &[&["-n", "5"], arguments].concat());
        assert_eq!(report["status"]["400"], 5);
    }
    assert_eq!(nginx.end().len(), 60);
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_is_sent() {
    let certificates = Certificates::make();
    let (ca, key) = (certificates.file("ca.pem"), certificates.file("client.key"));
    let (cert, empty) = (certificates.file("client.pem"), certificates.file("empty"));
    std::fs::write(&empty, "no PEM").expect("written");
    let other = certificates.file("server.key");
    for (arguments, parts) in [
        (&["--cacert", "/no/such.pem"][..], &["certificate from /no/such.pem: ", "hint: "][..]),
        (&["--cacert", &empty], &["there is no certificate in", "hint: give a PEM file"]),
        (&["--cert", &cert, "--key", &ca], &["there is no private key in"]),
        (&["--cert", &cert, "--key", &other], &["does not fit the certificate", "hint: "]),
        (&["--cert", &cert], &["there is no private key in", "hint: "]),
        (&["--key", &key], &["there is none", "hint: give the certificate with --cert"]),
        (&["--sni", "a b"], &["'a b' is neither a host name nor an address"]),
        (&["-k", "--cacert", &ca], &["-k trusts anybody"]),
        (&["--tls-min", "1.3", "--tls-max", "1.2"], &["--tls-min 1.3 is above --tls-max 1.2"]),
        (&["--tls-max", "1.2", "--tls-groups", "mlkem768"], &["MLKEM768 needs TLS 1.3"]),
        (&["--tls-groups", "x448"], &["'x448' is not a key-exchange group", "X25519MLKEM768"]),
        (&["--tls-resume", "mixed:101"], &["expected full, resume or mixed:P"]),
        (&["--tls-max", "1.1"], &["'1.1' is not a version of TLS", "1.2 or 1.3"]),
    ] {
        let url = "https://127.0.0.1:9/";
        let done = throng(&[arguments, &["-n", "1", url]].concat());
        assert_eq!(done.status, Some(2), "{arguments:?}: {}", done.stderr);
        for part in parts {
            assert!(done.stderr.contains(part), "{arguments:?}: {}", done.stderr);
        }
    }
    let done = throng(&["-k", "-n", "1", "http://127.0.0.1:9/"]);
    assert_eq!(done.status, Some(2));
    assert!(done.stderr.contains("-k is about TLS"), "{}", done.stderr);
}
