//! The command line's outermost layer: which command is meant.
//!
//! `throng [OPTIONS] URL` is the native front; every other front and every command that is no run
//! is a subcommand.

use std::ffi::OsString;

use clap::{ArgMatches, Command, FromArgMatches as _, Subcommand as _};

use crate::commands::{self, Subcommands};
use crate::failure::{Exit, Failure};
use crate::front::{self, FRONTS, Front};

/// Parses the arguments (the first is the program's name) and does what they ask for.
///
/// # Errors
/// What made the command fail. Errors of usage that clap finds are printed here, with its own
/// explanation, and are no error of this function.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<Exit, Box<dyn Failure>> {
    match command().try_get_matches_from(arguments) {
        Ok(matches) => dispatch(&matches),
        Err(error) => Ok(explain(&error)),
    }
}

/// The whole command line, for parsing and for help.
pub(crate) fn command() -> Command {
    let root = Command::new("throng")
        .version(env!("CARGO_PKG_VERSION"))
        .override_usage("throng [OPTIONS] URL\n       throng COMMAND [OPTIONS]")
        .subcommand_help_heading("Commands")
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .after_help(EXAMPLES);
    let root = front::NATIVE.augment(root);
    let others = FRONTS.iter().filter(|front| front.name() != front::NATIVE.name());
    let root =
        others.fold(root, |root, front| root.subcommand(front.augment(Command::new(front.name()))));
    // Last: the structs' own comments would take its place.
    Subcommands::augment_subcommands(root).about(ABOUT)
}

fn dispatch(matches: &ArgMatches) -> Result<Exit, Box<dyn Failure>> {
    let Some((name, arguments)) = matches.subcommand() else {
        return commands::run::run(&front::NATIVE.job(matches)?);
    };
    if let Some(front) = FRONTS.iter().find(|front| front.name() == name) {
        return commands::run::run(&front.job(arguments)?);
    }
    match Subcommands::from_arg_matches(matches) {
        Ok(Subcommands::Sink(arguments)) => commands::sink::run(&arguments),
        Ok(Subcommands::Demo(arguments)) => commands::demo::run(&arguments),
        Ok(Subcommands::Report(arguments)) => commands::report::run(&arguments),
        Ok(Subcommands::Calibrate(arguments)) => commands::calibrate::run(&arguments),
        Ok(Subcommands::Compare(arguments)) => commands::compare::run(&arguments),
        Ok(Subcommands::Versus(arguments)) => commands::versus::run(&arguments),
        Err(error) => Ok(explain(&error)),
    }
}

/// Prints clap's message: help and version to standard output, errors to standard error.
fn explain(error: &clap::Error) -> Exit {
    // It goes to a closed pipe at worst (`throng --help | head -1`), where nobody misses it.
    let _ = error.print();
    if error.use_stderr() { Exit::Usage } else { Exit::Success }
}

const ABOUT: &str = "HTTP load testing that proves its numbers";

const EXAMPLES: &str = "\
Examples:
  throng http://127.0.0.1:8080/
      10 connections for 10 s, each sending as fast as it is answered
  throng -R 2000 -d 30s --fail-if 'p99 > 50ms' http://127.0.0.1:8080/
      2000 requests a second, whatever the server does; status 1 if p99 is above 50 ms
  throng -n 1M -c 64 -b '{}' -H 'Content-Type: application/json' http://127.0.0.1:8080/
      a million POST requests over 64 connections
  throng demo
      a server, a run and a report, with nothing to set up

Durations take us, ms, s, m, h (1m30s, 250ms; a bare number is seconds); counts take
k, M, G. Exit status: 0 it ran and every --fail-if held, 1 one did not, 2 it could not
be started as asked, 3 nothing could be measured, 4 the audit calls it invalid (--strict).";

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_consistent() {
        super::command().debug_assert();
    }
}
