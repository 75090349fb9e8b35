//! Same plan, same seed: same result.

use throng_engine::io::sim::Scene;
use throng_engine::plan::{Arrivals, Pool};
use throng_engine::simulate;
use throng_measure::Place;

use crate::common::{MS, open, plan, run};

#[test]
fn equal_seeds_give_byte_identical_run_files() {
    let folder = std::env::temp_dir().join(format!("throng-repeat-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let mut plan = plan(open(1000, Arrivals::Poisson, Pool::UpTo(50)), 3);
    plan.timeout_ns = 100 * MS;
    let mut scene = Scene::quiet(9, 2 * MS);
    scene.trouble.reset_ratio = 0.01;
    scene.trouble.silence_ratio = 0.001;
    scene.splits = true;
    let bytes_of = |name: &str, scene: &Scene| {
        let path = folder.join(name);
        drop(simulate(&plan, scene, Place::File(&path)).expect("a simulated run ends"));
        std::fs::read(&path).expect("the run file is there")
    };
    let first = bytes_of("a.throng", &scene);
    assert_eq!(first, bytes_of("b.throng", &scene));
    scene.seed += 1;
    assert_ne!(first, bytes_of("c.throng", &scene));
    std::fs::remove_dir_all(&folder).expect("the temporary folder goes");
}

#[test]
fn the_number_of_workers_does_not_change_what_is_due() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson, Arrivals::Uniform] {
        let planned = |workers| {
            let mut plan = plan(open(999, arrivals, Pool::Fixed(50)), 5);
            plan.workers = workers;
            plan.seed = 42;
            run(&plan, &Scene::quiet(1, MS)).planned
        };
        assert_eq!([planned(2), planned(3), planned(8)], [planned(1); 3], "{arrivals:?}");
    }
}
