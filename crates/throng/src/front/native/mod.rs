//! The native vocabulary: `throng [OPTIONS] URL`.
//!
//! `options` holds what was typed and nothing else, `values` reads its texts, `rules` refuses
//! combinations that mean nothing, `plan` decides what was left open.

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};

use super::{Front, Job};
use crate::failure::Failure;

mod error;
mod options;
mod plan;
mod request;
mod rules;
mod tls;
pub(crate) mod values;

pub(crate) use options::{ArrivalsName, Options};
pub(crate) use plan::job;

/// The front itself.
pub(crate) struct Native;

impl Front for Native {
    fn name(&self) -> &'static str {
        "throng"
    }

    fn augment(&self, command: Command) -> Command {
        Options::augment_args(command)
    }

    fn job(&self, matches: &ArgMatches) -> Result<Job, Box<dyn Failure>> {
        let options = Options::from_arg_matches(matches)
            .expect("matches come from a command that `augment` gave these arguments");
        job(&options)
    }

    #[cfg(test)]
    fn example(&self) -> &'static [&'static str] {
        &["-R", "2.5k/s", "--arrivals", "poisson", "-d", "1m30s", "-b", "{}", "http://[::1]:8080/a"]
    }
}
