use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::net::UnixListener;

use throng_engine::plan::{Model, Stop};
use throng_journey::Request;

use super::*;
use crate::front::JsonTo;
use crate::preflight::names::{Family, endpoints};

fn tcp(text: &str) -> Endpoint {
    Endpoint::Tcp(text.parse().expect("an address"))
}

fn plan(connections: u32, endpoints: Vec<Endpoint>) -> Plan {
    let url = "http://127.0.0.1:8080/".parse().expect("a URL");
    let request = Request::new("GET", "127.0.0.1:8080".to_owned(), "/".to_owned());
    Plan {
        url,
        endpoints,
        request: request.expect("a request"),
        model: Model::Closed { connections },
        stop: Stop { duration_ns: Some(1), requests: None },
        warmup_ns: 0,
        timeout_ns: 1,
        grace_ns: 1,
        keep_alive: true,
        pipeline: 1,
        transmit_sampling: 0,
        tls: None,
        workers: 2,
        seed: 1,
    }
}

#[test]
fn connections_beyond_the_local_ports_are_refused_with_both_numbers() {
    let range = (32_768, 60_999);
    let one = vec![tcp("127.0.0.1:8080")];
    assert!(limits::local_ports(&plan(28_232, one.clone()), range).is_ok());
    let error = limits::local_ports(&plan(28_233, one), range).expect_err("one too many");
    assert_eq!(
        error.to_string(),
        "28233 connections to 127.0.0.1:8080 need as many local ports, and 32768 to 60999 are 28232"
    );
    let hint = error.hint().expect("a remedy");
    assert!(hint.contains("ip_local_port_range") && hint.contains("-c 28232"), "{hint}");
    assert!(hint.contains("2 addresses"), "{hint}");
}

#[test]
fn every_address_of_the_server_has_local_ports_of_its_own() {
    let range = (1_024, 65_535);
    let two = vec![tcp("10.0.0.1:80"), tcp("10.0.0.2:80")];
    assert!(limits::local_ports(&plan(2 * 64_512, two.clone()), range).is_ok());
    let error = limits::local_ports(&plan(2 * 64_512 + 1, two), range).expect_err("one too many");
    assert!(!error.hint().expect("a remedy").contains("sysctl"), "the range is as wide as it gets");
    let unix = vec![Endpoint::Unix("/run/a".into())];
    assert!(limits::local_ports(&plan(200_000, unix), range).is_ok());
}

#[test]
fn a_limit_on_open_files_that_is_too_low_is_named_with_the_remedy() {
    let error = PreflightError::OpenFiles { needed_count: 10_240, limit_count: 1_024 };
    assert_eq!(error.to_string(), "this run needs 10240 file descriptors, the limit is 1024");
    assert!(error.hint().expect("a remedy").starts_with("ulimit -n 10240"));
}

#[test]
fn a_default_number_of_connections_fits_the_limits() {
    let one = [tcp("127.0.0.1:8080")];
    let possible = |limit, ports| limits::possible(10_000, 2, &one, limit, ports).ok();
    assert_eq!(possible(1 << 20, 28_232), Some(10_000));
    assert_eq!(possible(limits::files_needed(500, 2), 28_232), Some(500));
    assert_eq!(possible(1 << 20, 300), Some(300));
    assert_eq!(possible(10, 28_232), None);
}

#[test]
fn a_port_range_is_read_as_the_kernel_writes_it() {
    assert_eq!(limits::parse_port_range("32768\t60999\n"), Some((32_768, 60_999)));
    for damaged in ["", "5", "9 5", "a b", "1 70000"] {
        assert_eq!(limits::parse_port_range(damaged), None, "{damaged}");
    }
}

#[test]
fn only_a_socket_passes_for_a_unix_endpoint() {
    let directory = tempfile::tempdir().expect("a directory");
    let check = |name: &str| files::sockets(&[Endpoint::Unix(directory.path().join(name))]);
    let _listener = UnixListener::bind(directory.path().join("socket")).expect("a socket");
    fs::write(directory.path().join("file"), "").expect("a file");
    assert!(check("socket").is_ok());
    assert!(matches!(check("file"), Err(PreflightError::NotASocket { .. })));
    assert!(matches!(check("none"), Err(PreflightError::NoSocket { .. })));
    let long = check(&"x".repeat(200)).expect_err("no such long paths");
    assert!(long.to_string().contains("the most is 107"), "{long}");
}

#[test]
fn outputs_are_tried_before_the_run_and_leave_nothing_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    fs::write(at("notes.txt"), "mine").expect("a file");
    let json = |name| Outputs { json: Some(JsonTo::File(at(name))), ..Outputs::default() };
    let run_file = |name| Outputs { run_file: Some(at(name)), ..Outputs::default() };
    assert!(files::outputs(&json("new.json")).is_ok());
    assert!(files::outputs(&json("notes.txt")).is_ok());
    assert!(files::outputs(&run_file("new.throng")).is_ok());
    let left = fs::read_dir(directory.path()).expect("readable").count();
    assert_eq!(left, 1, "only what was there before");
    assert_eq!(fs::read(at("notes.txt")).expect("readable"), b"mine");

    let refusal = |outputs| files::outputs(&outputs).expect_err("refused");
    assert!(matches!(refusal(run_file("notes.txt")), FileError::WouldOverwrite { .. }));
    assert!(matches!(refusal(run_file("")), FileError::IsDirectory { .. }));
    assert!(matches!(refusal(json("")), FileError::IsDirectory { .. }));
    let missing = refusal(json("no/such/a.json"));
    assert!(missing.hint().expect("a remedy").starts_with("mkdir -p"), "{missing}");
    assert!(matches!(refusal(json("notes.txt/a")), FileError::Unwritable { .. }));
}

#[test]
fn a_literal_address_is_its_own_endpoint() {
    let of = |url: &str, family| endpoints(&url.parse().expect("a URL"), &[], family);
    assert_eq!(of("http://[::1]:81/", None).expect("found"), [tcp("[::1]:81")]);
    assert_eq!(of("http://10.1.2.3/", Some(Family::V4)).expect("found"), [tcp("10.1.2.3:80")]);
    assert!(of("http://10.1.2.3/", Some(Family::V6)).is_err());
}

#[test]
fn a_name_that_leads_nowhere_is_refused_by_name() {
    // RFC 6761: no resolver answers names under .invalid.
    let url = "http://no-such-host.invalid/".parse().expect("a URL");
    let error = endpoints(&url, &[], None).expect_err("no address");
    assert!(error.to_string().contains("'no-such-host.invalid'"), "{error}");
    assert!(error.hint().expect("a remedy").contains("--resolve no-such-host.invalid:PORT"));
}

const TABLE_4: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1
   1: 0100007F:1F91 0100007F:C350 01 00000000:00000000 00:00000000 00000000 0 0 2
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 3
   damaged line
   3: xyz:1F90 00000000:0000 0A";
const TABLE_6: &str = "  sl  local_address rem_address st
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 0
   1: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0";

#[test]
#[cfg(target_endian = "little")]
fn listeners_are_read_from_the_kernels_table() {
    let of = |table| loopback::listeners(table).map(|a| a.to_string()).collect::<Vec<_>>();
    assert_eq!(of(TABLE_4), ["127.0.0.1:8080", "0.0.0.0:22"]);
    assert_eq!(of(TABLE_6), ["[::1]:8080", "[::]:80"]);
    assert!(of("").is_empty());
}

#[test]
fn only_loopback_addresses_that_are_listened_on_are_used() {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    let both =
        |port: u16| vec![address(&format!("[::1]:{port}")), address(&format!("127.0.0.1:{port}"))];
    let listeners = ["127.0.0.1:8080", "0.0.0.0:22", "[::]:80"].map(address);
    let listeners = HashSet::from(listeners);
    assert_eq!(loopback::among(both(8080), &listeners), [address("127.0.0.1:8080")]);
    assert_eq!(loopback::among(both(22), &listeners), [address("127.0.0.1:22")]);
    assert_eq!(loopback::among(both(80), &listeners), [address("[::1]:80")]);
    assert_eq!(loopback::among(both(9), &listeners), both(9), "nobody listens: nothing is hidden");
}
