//! What every front owes its caller, checked over the table.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn job(front: &dyn Front, arguments: &[String]) -> Option<Result<Job, Box<dyn Failure>>> {
    let command = front.augment(Command::new(front.name()));
    let matches = command.no_binary_name(true).try_get_matches_from(arguments).ok()?;
    Some(front.job(&matches))
}

fn example(front: &dyn Front) -> Job {
    let arguments = front.example().iter().map(ToString::to_string).collect::<Vec<_>>();
    let job = job(front, &arguments).expect("clap takes the example");
    job.unwrap_or_else(|failure| panic!("{}: {failure}", front.name()))
}

#[test]
fn names_are_unique() {
    let names = FRONTS.iter().map(|front| front.name()).collect::<HashSet<_>>();
    assert_eq!(names.len(), FRONTS.len());
}

#[test]
fn every_front_makes_a_complete_plan_of_its_example() {
    for front in FRONTS {
        let plan = example(*front).plan;
        assert!(!plan.endpoints.is_empty(), "{}", front.name());
        assert!(plan.workers >= 1 && plan.pipeline >= 1 && plan.connections_max() >= 1);
        assert!(plan.workers <= plan.connections_max());
        assert!(plan.stop.duration_ns.is_some() || plan.stop.requests.is_some());
        assert!(plan.timeout_ns > 0);
    }
}

#[test]
fn every_front_makes_the_same_plan_of_the_same_arguments() {
    for front in FRONTS {
        assert_eq!(example(*front).plan, example(*front).plan, "{}", front.name());
    }
}

#[test]
fn every_plan_survives_being_stored() {
    for front in FRONTS {
        let plan = example(*front).plan;
        let stored = serde_json::to_string(&plan).expect("a plan is plain data");
        assert_eq!(serde_json::from_str::<Plan>(&stored).expect("reads back"), plan);
    }
}

proptest! {
    #[test]
    fn no_argument_makes_a_front_panic(
        options in prop::collection::vec(
            prop_oneof![
                "-[cdtnRXHbt4q]",
                "--(max-connections|warmup|grace|timeout|pipeline|resolve|arrivals|fail-if|seed)",
                "[0-9.]{1,12}(k|M|G|us|ms|s|m|h|/s)?",
                ".{0,12}",
            ],
            0..6,
        ),
    ) {
        for front in FRONTS {
            let mut arguments = options.clone();
            // A literal address: nothing is looked up.
            arguments.push("http://127.0.0.1:1/".to_owned());
            let _ = job(*front, &arguments);
        }
    }
}
