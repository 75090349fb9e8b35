use serde_json::json;

use super::super::tests::{closed, run};
use super::*;
use crate::RunHeader;

fn with_plan(plan: Value) -> Run {
    run(&RunHeader { plan, ..closed() }, &[])
}

fn plan() -> Value {
    json!({
        "url": "http://a/", "endpoints": [{"tcp": "127.0.0.1:80"}],
        "request": {"method": "GET", "target": "/", "host": "a", "headers": []},
        "model": {"closed": {"connections": 10}},
        "stop": {"duration_ns": 10_000_000_000_u64, "requests": null},
        "seed": 1, "keep_alive": true, "timeout_ns": 10_000_000_000_u64, "workers": 1,
    })
}

#[test]
fn runs_that_differ_in_nothing_but_their_server_are_alike() {
    let mut other = plan();
    other["url"] = json!("http://b/x");
    other["endpoints"] = json!([]);
    other["request"]["target"] = json!("/x");
    other["request"]["host"] = json!("b");
    other["seed"] = json!(7);
    let (a, b) = (with_plan(plan()), with_plan(other));
    assert_eq!(differences(&[("A", &a), ("B", &b)]), Vec::<String>::new());
}

#[test]
fn each_difference_is_one_line_with_who_has_what() {
    let differing = |path: &str, value: Value| {
        let mut other = plan();
        *other.pointer_mut(path).expect("the plan has it") = value;
        let (a, b) = (with_plan(plan()), with_plan(other));
        differences(&[("A1", &a), ("A2", &a), ("B", &b)])
    };
    for (path, value, expected) in [
        ("/model/closed/connections", json!(2_000), "connections: 10 in A1, A2; 2,000 in B"),
        ("/stop/duration_ns", json!(30_000_000_000_u64), "duration: 10.0 s in A1, A2; 30.0 s in B"),
        ("/stop/requests", json!(100), "requests: none in A1, A2; 100 in B"),
        ("/request/method", json!("POST"), "request method: GET in A1, A2; POST in B"),
        (
            "/request/headers",
            json!([["Accept", "x"]]),
            "request headers: [] in A1, A2; [[\"Accept\",\"x\"]] in B",
        ),
        ("/keep_alive", json!(false), "keep alive: true in A1, A2; false in B"),
        ("/timeout_ns", json!(5_000_000_000_u64), "timeout: 10.0 s in A1, A2; 5.00 s in B"),
    ] {
        assert_eq!(differing(path, value), [expected]);
    }
}

#[test]
fn rates_models_and_bodies_are_named_as_a_person_would() {
    let open = |count: u64, body: &str| {
        let mut plan = plan();
        plan["model"] = json!({"open": {
            "rate": {"count": count, "per_ns": 2_000_000_000_u64},
            "arrivals": "poisson", "pool": {"up_to": 100},
        }});
        plan["request"]["body"] = json!({"Text": body});
        run(&RunHeader { plan, closed: false, ..closed() }, &[])
    };
    let (slow, fast) = (open(2_000, "{}"), open(4_000, &"x".repeat(100)));
    assert_eq!(
        differences(&[("A", &slow), ("B", &fast)]),
        [
            "rate: 1,000/s in A; 2,000/s in B",
            &format!("body: {{}} in A; {}… (100 bytes) in B", "x".repeat(40)),
        ]
    );
    let closed = with_plan(plan());
    let lines = differences(&[("A", &closed), ("B", &slow)]);
    for line in ["model: closed in A; open in B", "connections: 10 in A; none in B"] {
        assert!(lines.contains(&line.to_owned()), "{lines:#?}");
    }
}

#[test]
fn the_machine_and_the_version_of_throng_belong_to_it() {
    let a = with_plan(plan());
    let mut b = a.clone();
    b.summary.environment.cpu_count = 64;
    b.summary.environment.host_kernel = "6.18".into();
    b.summary.version = "0.2.0".into();
    assert_eq!(
        differences(&[("A", &a), ("B", &b)]),
        [
            "processors: 4 in A; 64 in B",
            "kernel:  in A; 6.18 in B",
            "throng: 0.1.0 in A; 0.2.0 in B"
        ]
    );
}
