//! throng: generates HTTP load and proves its numbers.
//!
//! A command line becomes a `Job` (`front`), the job is checked against this machine
//! (`preflight`), run by the engine and printed (`commands`, `report`).
//!
//! Invariant: standard output holds only the report that was asked for; everything said to people
//! beside it goes to standard error.
#![forbid(unsafe_code)]

mod calibration;
mod cli;
mod commands;
mod environment;
mod failure;
mod front;
mod objectives;
mod preflight;
mod progress;
mod report;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(std::env::args_os()) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure::print(&*failure);
            failure.exit().into()
        }
    }
}
