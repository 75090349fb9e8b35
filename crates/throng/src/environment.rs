//! The machine that generates the load, for the result. What cannot be read stays empty.

use std::num::NonZeroUsize;
use std::{env, fs, thread};

use throng_engine::plan::Plan;
use throng_measure::Environment;

use crate::calibration::{Machine, store};

/// Half of the processors, at least one: the other half is for who stands at the other end.
pub(crate) fn half_of_the_processors() -> NonZeroUsize {
    NonZeroUsize::new(processors() / 2).unwrap_or(NonZeroUsize::MIN)
}

/// Processors that throng may run on; 1 when the system does not say.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Describes this machine for a run, with what it can generate at most in such a run, if it was
/// calibrated.
pub(crate) fn describe(plan: &Plan) -> Environment {
    let mut environment = machine(plan.workers);
    let calibration = store::place(|name| env::var_os(name))
        .and_then(|path| store::load(&path, &Machine::from(&environment)));
    environment.capacity = calibration.and_then(|calibration| calibration.capacity(plan));
    environment
}

/// Describes this machine.
pub(crate) fn machine(worker_count: u32) -> Environment {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    Environment {
        host_kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        cpu_model: cpu_model(&read("/proc/cpuinfo")).unwrap_or_default(),
        cpu_count: u32::try_from(processors()).unwrap_or(u32::MAX),
        worker_count,
        capacity: None,
    }
}

/// The first processor's name: `model name` on x86, `Model` or `Hardware` on Arm boards.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model", "Hardware"].into_iter().find_map(|wanted| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == wanted).then(|| value.trim().to_owned())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_found_on_x86_and_arm() {
        let x86 = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: a\n";
        assert_eq!(cpu_model(x86).as_deref(), Some("Some CPU @ 2 GHz"));
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Board 4\n";
        assert_eq!(cpu_model(arm).as_deref(), Some("Board 4"));
        assert_eq!(cpu_model("nothing here"), None);
    }

    #[test]
    fn this_machine_has_a_kernel_and_a_processor() {
        let environment = machine(3);
        assert!(!environment.host_kernel.is_empty());
        assert!(environment.cpu_count >= 1);
        assert_eq!(environment.worker_count, 3);
    }
}
