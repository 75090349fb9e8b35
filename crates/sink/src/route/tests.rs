use std::time::Duration;

use hyper::{Method, StatusCode};

use super::{Behaviour, ROUTES, RouteError, Rule, route};
use crate::queue::Service;

fn get(path: &str) -> Result<Behaviour, RouteError> {
    route(&Method::GET, path)
}

#[test]
fn every_row_understands_its_own_example() {
    for row in ROUTES {
        let method = if row.pattern == "/post" { Method::POST } else { Method::GET };
        let path = row.example.split('?').next().unwrap();
        route(&method, path).unwrap_or_else(|error| panic!("{}: {error}", row.example));
    }
}

#[test]
fn prefixes_are_those_of_their_patterns() {
    for row in ROUTES {
        if let Rule::Size { prefix, .. } | Rule::Time { prefix, .. } | Rule::Status { prefix } =
            row.rule
        {
            assert_eq!(row.pattern.rsplit_once('/').unwrap().0, prefix.trim_end_matches('/'));
        }
    }
}

#[test]
fn fixed_paths_are_told_apart() {
    for (path, behaviour) in [
        ("/", Behaviour::Bytes(100)),
        ("/close", Behaviour::Close),
        ("/close/head", Behaviour::CloseHead),
        ("/close/body", Behaviour::CloseBody),
        ("/stall", Behaviour::Stall),
        ("/stall/body", Behaviour::StallBody),
        ("/get", Behaviour::EchoGet),
        ("/headers", Behaviour::EchoHeaders),
    ] {
        assert_eq!(get(path), Ok(behaviour));
    }
    assert_eq!(route(&Method::POST, "/post"), Ok(Behaviour::EchoPost));
}

#[test]
fn sizes_are_digits_up_to_ten_gibibytes() {
    assert_eq!(get("/bytes/0"), Ok(Behaviour::Bytes(0)));
    assert_eq!(get("/bytes/10737418240"), Ok(Behaviour::Bytes(10_737_418_240)));
    assert_eq!(get("/chunked/007"), Ok(Behaviour::Chunked(7)));
    for value in ["", "+1", "-1", " 1", "1 ", "1e3", "1k", "0x1", "10737418241", "1/", "%31"] {
        let error = get(&format!("/bytes/{value}")).unwrap_err();
        assert!(matches!(&error, RouteError::BadValue { found, .. } if found == value), "{error}");
        assert_eq!(error.status(), StatusCode::BAD_REQUEST);
    }
    assert!(get("/bytes/99999999999999999999999999").is_err());
}

#[test]
fn durations_are_read_exactly() {
    for (value, delay_ns) in [
        ("0s", 0),
        ("200us", 200_000),
        ("50ms", 50_000_000),
        ("0.3s", 300_000_000),
        ("1.5s", 1_500_000_000),
        ("0.0000001ms", 0),
        ("1.234567891us", 1_234),
        ("2m", 120_000_000_000),
        ("0.5m", 30_000_000_000),
        ("1h", 3_600_000_000_000),
        ("3600s", 3_600_000_000_000),
    ] {
        let delay = Behaviour::Delay(Duration::from_nanos(delay_ns));
        assert_eq!(get(&format!("/delay/{value}")), Ok(delay), "{value}");
    }
}

#[test]
fn malformed_and_excessive_durations_are_refused() {
    for value in [
        "",
        "5",
        "ms",
        "5.",
        ".5s",
        "1.s",
        "1..5s",
        "1,5s",
        "-1s",
        "+1s",
        "1 s",
        "1S",
        "1sec",
        "1d",
        "1ns",
        "3601s",
        "1.1h",
        "18446744073709551616us",
        "18446744073709551615h",
        "0.1234567890123456789s",
        "5m5s",
        "NaNs",
        "1e3ms",
    ] {
        assert!(get(&format!("/delay/{value}")).is_err(), "{value}");
    }
}

#[test]
fn queues_take_the_same_times() {
    let two_ms = Duration::from_millis(2);
    let exponential = Behaviour::Queue(Service::Exponential(two_ms));
    assert_eq!(get("/queue/exponential/2ms"), Ok(exponential));
    let fixed = Behaviour::Queue(Service::Fixed(two_ms));
    assert_eq!(get("/queue/fixed/0.002s"), Ok(fixed));
    for path in ["/queue/fixed/", "/queue/fixed/2", "/queue/exponential/3601s"] {
        assert_eq!(get(path).unwrap_err().status(), StatusCode::BAD_REQUEST, "{path}");
    }
    for path in ["/queue", "/queue/", "/queue/uniform/2ms", "/queue/fixed"] {
        assert_eq!(get(path).unwrap_err().status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[test]
fn statuses_are_final_ones() {
    assert_eq!(get("/status/200"), Ok(Behaviour::Status(StatusCode::OK)));
    assert_eq!(get("/status/599"), Ok(Behaviour::Status(StatusCode::from_u16(599).unwrap())));
    for value in ["199", "100", "600", "", "2e2", "-200", "65736"] {
        assert!(get(&format!("/status/{value}")).is_err(), "{value}");
    }
}

#[test]
fn unknown_paths_are_not_found() {
    for path in ["", "*", "/Get", "/get/", "//", "/byte/1", "/bytes", "/closed"] {
        let error = get(path).unwrap_err();
        assert_eq!(error.status(), StatusCode::NOT_FOUND, "{path}: {error}");
    }
}

#[test]
fn only_echoes_mind_the_method() {
    for path in ["/", "/bytes/1", "/delay/1s", "/status/200", "/close", "/stall", "/headers"] {
        assert!(route(&Method::DELETE, path).is_ok(), "{path}");
    }
    let error = route(&Method::PUT, "/get").unwrap_err();
    assert_eq!(error.to_string(), "/get: found method PUT, expected GET, HEAD");
    assert_eq!(error.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert!(route(&Method::HEAD, "/get").is_ok());
    assert!(route(&Method::HEAD, "/post").is_err());
}

#[test]
fn a_long_value_is_repeated_in_part() {
    let text = get(&format!("/bytes/{}", "9".repeat(5_000))).unwrap_err().to_string();
    assert!(text.contains(&format!("found \"{}...\"", "9".repeat(64))), "{text}");
}
