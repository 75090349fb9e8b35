use clap::{Args as _, Command, FromArgMatches as _};
use throng_engine::plan::{Endpoint, Stop};
use throng_journey::Body;
use throng_measure::compare::Side;

use super::*;

const URLS: [&str; 2] = ["http://127.0.0.1:8080/a", "http://127.0.0.1:8081/b"];

fn turns_of(arguments: &[&str]) -> Result<Turns, (String, String)> {
    let command = Arguments::augment_args(Command::new("versus").no_binary_name(true));
    let matches = command.try_get_matches_from(arguments).expect("clap takes the arguments");
    let arguments = Arguments::from_arg_matches(&matches).expect("and makes options of them");
    Turns::of(&arguments)
        .map_err(|failure| (failure.to_string(), failure.hint().expect("every refusal has a hint")))
}

fn turns(arguments: &[&str]) -> Turns {
    let all = [arguments, &URLS].concat();
    turns_of(&all).unwrap_or_else(|error| panic!("{arguments:?}: {error:?}"))
}

#[test]
fn two_urls_alone_make_a_minute_of_rounds() {
    let turns = turns(&[]);
    assert_eq!(turns.blocks, 6);
    for (plan, target) in turns.plans.iter().zip(["/a", "/b"]) {
        assert_eq!(plan.stop, Stop { duration_ns: Some(2_500_000_000), requests: None });
        assert_eq!(plan.warmup_ns, 500_000_000);
        assert_eq!(plan.request.target, target);
    }
    let rounds_s = 4 * turns.blocks as u64 * 2_500 / 1_000;
    assert_eq!(rounds_s, 60);
}

#[test]
fn the_plans_differ_in_nothing_but_where_requests_go() {
    let options =
        ["-R", "500", "-c", "4", "--seed", "9", "-H", "A: b", "-b", "{}", "--warmup", "0", "-t1"];
    let [a, mut b] = turns(&options).plans;
    assert_eq!(a.request.method, "POST");
    assert_ne!((&a.url, &a.endpoints), (&b.url, &b.endpoints));
    b.url.clone_from(&a.url);
    b.endpoints.clone_from(&a.endpoints);
    (b.request.host, b.request.target) = (a.request.host.clone(), a.request.target.clone());
    assert_eq!(a, b);
}

#[test]
fn a_body_is_read_once_and_sent_to_both() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("body");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let path = pipe.clone();
    // A second reader would wait for a second writer for ever.
    let writer = std::thread::spawn(move || std::fs::write(path, b"once \xff"));
    let [a, b] = turns(&["-B", pipe.to_str().expect("text")]).plans;
    writer.join().expect("no panic").expect("written");
    for plan in [a, b] {
        assert_eq!(plan.request.body.bytes(), b"once \xff");
        assert!(matches!(plan.request.body, Body::File { .. }));
        assert_eq!(plan.request.method, "POST");
    }
}

#[test]
fn neighbouring_rounds_share_their_seed_and_the_next_two_do_not() {
    let turns = turns(&["--seed", "7"]);
    let seed = |side, round| turns.round(side, round).seed;
    for round in 0..12 {
        assert_eq!(seed(Side::A, round), seed(Side::B, round));
        assert_eq!(seed(Side::A, round), 7 + round as u64);
    }
}

#[test]
fn rounds_are_kept_under_names_that_sort() {
    assert_eq!(turns(&[]).file("A", 0), None);
    let named = |rounds: &str, round| {
        let turns = turns(&["--keep", "dir", "--rounds", rounds]);
        turns.file("B", round).expect("kept").display().to_string()
    };
    assert_eq!(named("12", 0), "dir/B-01.throng");
    assert_eq!(named("12", 11), "dir/B-12.throng");
    assert_eq!(named("100", 8), "dir/B-009.throng");
}

#[test]
fn each_side_takes_the_addresses_of_its_own_host() {
    let resolve = ["--resolve", "a.test:80:127.0.0.1", "--resolve", "b.test:80:127.0.0.2"];
    let urls = ["http://a.test/", "http://B.test/"];
    let plans = turns_of(&[&resolve[..], &urls].concat()).expect("both are used").plans;
    let addresses = plans.map(|plan| plan.endpoints);
    let endpoint = |text: &str| Endpoint::Tcp(text.parse().expect("an address"));
    assert_eq!(addresses, [[endpoint("127.0.0.1:80")], [endpoint("127.0.0.2:80")]]);
    // One that neither uses is refused.
    let unused = ["--resolve", "c.test:80:127.0.0.1"];
    let (message, _) = turns_of(&[&unused[..], &URLS].concat()).expect_err("it is unused");
    assert!(message.contains("--resolve names c.test:80"), "{message}");
}

#[test]
fn what_rounds_cannot_be_is_refused_with_the_remedy() {
    for (arguments, message, hint) in [
        (&["--rounds", "7"][..], "--rounds 7 is odd", "--rounds 8"),
        (&["--rounds", "3"], "--rounds 3 is odd", "--rounds 6"),
        (&["--rounds", "4"], "an interval takes 3", "--rounds 6 or more"),
        (&["--rounds", "0"], "an interval takes 3", "--rounds 6 or more"),
        (&["--rounds", "1M"], "--rounds 1000000 is too many: the most is 1000", "1000 or less"),
        (&["--round-duration", "0"], "--round-duration 0 ends", "2.5s"),
        (
            &["--warmup", "3s"],
            "--warmup 3s leaves nothing of a round of 2.5s",
            "longer rounds with --round-duration",
        ),
        (&["-d", "10s"], "-d does not go with throng versus", "--round-duration"),
        (&["-n", "100"], "-n does not go with throng versus", "--round-duration"),
        (&["-o", "x.throng"], "-o does not go with throng versus", "--keep"),
        (&["-c", "0"], "-c 0 opens no connection", "at least 1"),
        (&["--fail-if", "p99 > 5ms"], "--fail-if 'p99 > 5ms'", "did you mean `p99_change`?"),
        (&["--fail-if", "rate > 5"], "--fail-if 'rate > 5'", "did you mean `rate_change`?"),
        (&["--fail-if", "x > 5%"], "--fail-if 'x > 5%'", "p99_change > 5%"),
    ] {
        let (said, told) = turns_of(&[arguments, &URLS].concat()).expect_err("it is refused");
        assert!(said.contains(message), "{arguments:?}: {said}");
        assert!(told.contains(hint), "{arguments:?}: {told}");
    }
}

#[test]
fn anything_but_two_urls_is_refused() {
    for (urls, message) in [
        (&[][..], "two URLs, and none was given"),
        (&URLS[..1], "two URLs, and only one was given"),
        (&["http://a/", "http://b/", "http://c/"], "two URLs, and 3 were given"),
        (&["http://127.0.0.1/", "127.0.0.1:80"], "has no scheme"),
    ] {
        let (said, _) = turns_of(urls).expect_err("it is refused");
        assert!(said.contains(message), "{said}");
    }
}
