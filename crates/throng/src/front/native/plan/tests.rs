use std::num::NonZeroU32;

use clap::{Args as _, Command, FromArgMatches as _};
use throng_engine::plan::{
    Arrivals, ClientCertificate, Endpoint, Group, Model, Pool, Rate, Resume, Tls, TlsVersion, Trust,
};
use throng_journey::Body;

use super::*;
use crate::front::native::rules::RULES;

const URL: &str = "http://127.0.0.1:8080/a?b";

fn options(arguments: &[&str]) -> Options {
    let command = Options::augment_args(Command::new("throng").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments).expect("clap takes the arguments");
    Options::from_arg_matches(&matches).expect("and makes options of them")
}

fn job_of(arguments: &[&str]) -> Result<Job, (String, String)> {
    job(&options(arguments))
        .map_err(|failure| (failure.to_string(), failure.hint().expect("every refusal has a hint")))
}

fn plan(arguments: &[&str]) -> Plan {
    let with_url = [arguments, &[URL]].concat();
    job_of(&with_url).unwrap_or_else(|error| panic!("{arguments:?}: {error:?}")).plan
}

fn refusal(arguments: &[&str]) -> String {
    let with_url = [arguments, &[URL]].concat();
    match job_of(&with_url) {
        Ok(job) => panic!("{arguments:?} was accepted: {:?}", job.plan),
        Err((message, hint)) => format!("{message} | {hint}"),
    }
}

#[test]
fn a_url_alone_is_ten_connections_for_ten_seconds() {
    let plan = plan(&[]);
    assert_eq!(plan.model, Model::Closed { connections: 10 });
    assert_eq!(plan.stop, Stop { duration_ns: Some(10_000_000_000), requests: None });
    assert_eq!((plan.warmup_ns, plan.timeout_ns), (0, 10_000_000_000));
    assert_eq!((plan.grace_ns, plan.pipeline, plan.seed), (5_000_000_000, 1, 1));
    assert!(plan.keep_alive);
    assert_eq!(plan.endpoints, [Endpoint::Tcp("127.0.0.1:8080".parse().expect("an address"))]);
    assert_eq!((&*plan.request.method, &*plan.request.target), ("GET", "/a?b"));
    assert_eq!(plan.request.host, "127.0.0.1:8080");
    assert_eq!(plan.workers, threads_default());
}

#[test]
fn a_number_of_requests_takes_the_place_of_the_default_duration() {
    assert_eq!(plan(&["-n", "7"]).stop, Stop { duration_ns: None, requests: Some(7) });
    let both = plan(&["-n", "7", "-d", "3"]).stop;
    assert_eq!(both, Stop { duration_ns: Some(3_000_000_000), requests: Some(7) });
}

#[test]
fn a_rate_makes_an_open_model_whose_pool_follows_from_what_was_typed() {
    let open = |arguments: &[&str]| match plan(arguments).model {
        Model::Open { rate, arrivals, pool } => (rate, arrivals, pool),
        Model::Closed { .. } => panic!("{arguments:?} is an open model"),
    };
    let rate = Rate { count: 500, per_ns: 1_000_000_000 };
    assert_eq!(open(&["-R500", "-c", "4"]), (rate, Arrivals::Constant, Pool::Fixed(4)));
    let capped = ["-R500", "--max-connections", "9", "--arrivals", "uniform"];
    assert_eq!(open(&capped), (rate, Arrivals::Uniform, Pool::UpTo(9)));
    let (_, _, pool) = open(&["-R500"]);
    assert!(matches!(pool, Pool::UpTo(1..=CONNECTIONS_MAX_DEFAULT)), "{pool:?}");
}

#[test]
fn there_are_never_more_workers_than_connections() {
    assert_eq!(plan(&["-c", "3", "-t", "8"]).workers, 3);
    assert_eq!(plan(&["-c", "8", "-t", "3"]).workers, 3);
    assert_eq!(plan(&["-R", "10", "--max-connections", "2", "-t", "8"]).workers, 2);
}

#[test]
fn a_body_makes_it_a_post_unless_a_method_is_given() {
    let text = plan(&["-b", "{}"]).request;
    assert_eq!((&*text.method, text.body.bytes()), ("POST", &b"{}"[..]));
    assert_eq!(plan(&["-b", "{}", "-X", "PUT"]).request.method, "PUT");
    assert_eq!(plan(&["-b", "-x", "-X", "GET"]).request.body, Body::Text("-x".to_owned()));
}

#[test]
fn a_body_file_is_read_when_the_plan_is_made() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("body");
    std::fs::write(&path, b"\0binary\xff").expect("written");
    let request = plan(&["-B", path.to_str().expect("text")]).request;
    assert_eq!((&*request.method, request.body.bytes()), ("POST", &b"\0binary\xff"[..]));
    let Body::File { length_bytes, .. } = request.body else { panic!("it is a file") };
    assert_eq!(length_bytes, 8);
}

#[test]
fn headers_keep_their_order_and_a_host_replaces_the_urls() {
    let request = plan(&["-H", "B: 2", "-H", "a:1", "-H", "Host: other"]).request;
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(request.headers, [header("B", "2"), header("a", "1")]);
    assert_eq!(request.host, "other");
}

#[test]
fn several_addresses_are_used_in_turn_each_once() {
    let endpoints = plan(&["--resolve", "127.0.0.1:8080:10.0.0.1,10.0.0.2,10.0.0.1"]).endpoints;
    let tcp = |text: &str| Endpoint::Tcp(text.parse().expect("an address"));
    assert_eq!(endpoints, [tcp("10.0.0.1:8080"), tcp("10.0.0.2:8080")]);
    let twice = ["--resolve", "127.0.0.1:8080:10.0.0.1", "--resolve", "127.0.0.1:8080:[::1]"];
    assert_eq!(plan(&twice).endpoints, [tcp("10.0.0.1:8080"), tcp("[::1]:8080")]);
    let v6 = [&twice[..], &["-6"]].concat();
    assert_eq!(plan(&v6).endpoints, [tcp("[::1]:8080")]);
    assert_eq!(plan(&["--unix", "/run/a"]).endpoints, [Endpoint::Unix("/run/a".into())]);
}

#[test]
fn outputs_go_where_they_were_sent() {
    let outputs =
        |arguments: &[&str]| job_of(&[arguments, &[URL]].concat()).expect("accepted").outputs;
    assert!(outputs(&[]).text());
    assert!(!outputs(&["-q"]).text());
    assert!(!outputs(&["--json", "-"]).text());
    let both = outputs(&["--json", "a.json", "-o", "b"]);
    assert_eq!(both.json, Some(JsonTo::File("a.json".into())));
    assert_eq!(both.run_file, Some("b".into()));
    assert!(both.text());
}

#[test]
fn every_rule_refuses_its_combination_and_nothing_else_does() {
    let cases: &[&[&str]] = &[
        &["-c", "0"],
        &["-R1", "--max-connections", "0"],
        &["-t", "0"],
        &["-n", "0"],
        &["-d", "0"],
        &["--timeout", "0ms"],
        &["--pipeline", "0"],
        &["--pipeline", "2", "--no-keepalive"],
        &["--max-connections", "5"],
        &["-R1", "--max-connections", "5", "-c", "5"],
        &["--arrivals", "poisson"],
        &["-b", "a", "-B", "f"],
        &["--unix", "s", "--resolve", "127.0.0.1:8080:10.0.0.1"],
        &["--unix", "s", "-4"],
        &["-4", "-6"],
        &["-k", "--cacert", "f"],
        &["--key", "f"],
        &["--abort"],
        &["-o", "-"],
        &["--json", "f", "-o", "f"],
    ];
    assert_eq!(cases.len(), RULES.len(), "one case per rule, in the table's order");
    for (case, rule) in cases.iter().zip(RULES) {
        assert_eq!(refusal(case), format!("{} | {}", rule.message, rule.hint));
    }
    assert_eq!(plan(&["--pipeline", "1", "--no-keepalive"]).pipeline, 1);
}

#[test]
fn an_https_url_is_measured_as_a_browser_would() {
    let tls = |arguments: &[&str]| {
        let with_url = [arguments, &["https://127.0.0.1/"]].concat();
        job_of(&with_url).unwrap_or_else(|error| panic!("{arguments:?}: {error:?}")).plan.tls
    };
    let usual = Tls {
        server_name: "127.0.0.1".into(),
        trust: Trust::System,
        client: None,
        version_min: TlsVersion::V1_2,
        version_max: TlsVersion::V1_3,
        groups: Vec::new(),
        resume: Resume::Resume,
    };
    assert_eq!(tls(&[]).as_ref(), Some(&usual));
    assert_eq!(plan(&[]).tls, None);
    let client = ClientCertificate { certificate: "a".into(), key: "a".into() };
    let one_file = Tls { client: Some(client), trust: Trust::Anybody, ..usual.clone() };
    assert_eq!(tls(&["--cert", "a", "-k"]), Some(one_file));
    let groups = vec![Group::Secp384r1, Group::X25519];
    let chosen = Tls {
        server_name: "a.test".into(),
        trust: Trust::File("ca".into()),
        version_max: TlsVersion::V1_2,
        groups,
        resume: Resume::Mixed { full_percent: 7 },
        ..usual
    };
    let arguments = ["--sni", "a.test", "--cacert", "ca", "--tls-max", "1.2"];
    let more = ["--tls-groups", "SECP384R1,x25519", "--tls-resume", "mixed:7"];
    assert_eq!(tls(&[&arguments[..], &more].concat()), Some(chosen));
}

#[test]
fn refusals_name_the_number_and_the_remedy() {
    for (arguments, parts) in [
        (&["-c", "2M"][..], &["-c 2000000 is too many: the most is 1000000", "-c 1000000"][..]),
        (&["-c", "5G"], &["-c 5000000000 is too many"]),
        (&["-t", "2k"], &["-t 2000 is too many: the most is 1024"]),
        (&["--pipeline", "1025"], &["--pipeline 1025 is too many: the most is 1024"]),
        (&["-R", "11M"], &["a rate of 11000000/s is too high: the most is 10000000/s", "leave -R"]),
        (&["-R", "1", "--max-connections", "2M"], &["--max-connections 2000000 is too many"]),
        (&["--timeout", "61m"], &["--timeout 1h1m is too long", "up to 1h", "--timeout 1h or"]),
        (&["--warmup", "10s"], &["--warmup 10s leaves nothing of a run of 10s", "-d"]),
        (&["--warmup", "2s", "-n100", "-R", "50"], &["nothing of 100 requests", "within 2s", "-n"]),
        (&["-X", "GE T"], &["'GE T' is not an HTTP method", "-X"]),
        (&["-X", ""], &["'' is not an HTTP method"]),
        (&["-X", "HEAD", "-b", "a"], &["HEAD requests have no body", "leave -X out"]),
        (&["-X", "TRACE", "-b", "a"], &["TRACE requests have no body"]),
        (&["-H", "nocolon"], &["header 'nocolon' has no colon", "-H 'Accept"]),
        (&["-H", "a b: c"], &["'a b' is not a header name"]),
        (&["-H", "a: b\nc"], &["the value of header 'a'"]),
        (&["-H", "Content-Length: 5"], &["header 'Content-Length' decides", "-b or -B"]),
        (&["-H", "connection: close"], &["header 'connection' decides", "--no-keepalive"]),
        (&["-B", "/no/such/file"], &["cannot read the body from /no/such/file", "check the name"]),
        (
            &["--resolve", "127.0.0.1:80:10.0.0.1"],
            &["--resolve names 127.0.0.1:80, but the URL connects to 127.0.0.1:8080", "8080:ADDR"],
        ),
        (&["-6"], &["'127.0.0.1' has no IPv6 address, only 127.0.0.1", "leave -6 out"]),
        (&["--fail-if", "p99 >"], &["--fail-if 'p99 >'"]),
        (&["--fail-if", "p999 > 5ms"], &["--fail-if 'p999 > 5ms'", "did you mean `p99.9`"]),
    ] {
        let found = refusal(arguments);
        for part in parts {
            assert!(found.contains(part), "{arguments:?}: '{part}' is not in: {found}");
        }
    }
}

#[test]
fn urls_that_cannot_be_measured_are_refused_with_a_remedy() {
    for (url, message, hint) in [
        ("localhost:8080", "'localhost:8080' has no scheme: write http://localhost:8080", "--help"),
        ("ftp://h/", "scheme 'ftp' is not supported", "http://host:port/path"),
        ("http://h:70000/", "port '70000'", "http://host:port/path"),
        ("http://u:p@h/", "carries user information", "http://host"),
        ("", "'' is not a URL", "http://host"),
    ] {
        let (found, found_hint) = job_of(&[url]).expect_err(url);
        assert!(found.contains(message), "{url}: {found}");
        assert!(found_hint.contains(hint), "{url}: {found_hint}");
    }
    let (message, hint) = job_of(&[]).expect_err("nothing to measure");
    assert_eq!(message, "there is no URL to measure");
    assert!(hint.contains("throng demo") && hint.contains("--help"));
}

#[test]
fn a_warm_up_of_a_part_of_the_requests_is_accepted() {
    assert_eq!(plan(&["--warmup", "1s", "-n", "100", "-R", "50"]).warmup_ns, 1_000_000_000);
    assert_eq!(plan(&["--warmup", "1s", "-n", "1"]).warmup_ns, 1_000_000_000);
}

#[test]
fn the_default_number_of_threads_is_at_least_one() {
    assert!(NonZeroU32::new(threads_default()).is_some());
}
