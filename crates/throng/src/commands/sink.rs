//! `throng sink`: a server to shoot at.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use throng_sink::{Options, ROUTES, Sink, SinkError};

use super::print;
use crate::environment::half_of_the_processors;
use crate::failure::{Exit, Failure, say};
use crate::signals::SignalError;

/// What `throng sink` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = routes())]
pub(crate) struct Arguments {
    /// Where to listen; port 0 lets the system choose
    #[arg(
        short, long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080",
        value_parser = address
    )]
    address: SocketAddr,

    /// Threads that answer [default: half of the processors]
    #[arg(short, long, value_name = "N")]
    workers: Option<NonZeroUsize>,

    /// Seed of the random service times of /queue/exponential/TIME
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Log every request to this file, as CSV
    ///
    /// One line per request: when it arrived, when its answer had left (empty if it never was
    /// whole), in nanoseconds since the instant that the first line names; worker, method, path,
    /// status, and the service time that a /queue/ path drew. Written at least once a second.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl Failure for SinkError {
    fn hint(&self) -> Option<String> {
        Some(Self::hint(self))
    }
}

/// Serves until SIGINT or SIGTERM, then tells how many requests it had.
///
/// # Errors
/// When it cannot listen, or cannot keep the log that was asked for.
pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    // Before the address is announced: who reads it may send the signal at once.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(SignalError::from)?;
    let sink = Sink::start(&Options {
        address: arguments.address,
        workers: arguments.workers.unwrap_or_else(half_of_the_processors),
        seed: arguments.seed,
        log: arguments.log.clone(),
    })?;
    print(&format!("listening on http://{}\n{}\n", sink.address(), routes()))?;
    signals.forever().next();
    let request_count = sink.request_count();
    let stopped = sink.stop();
    say(&format!("served {request_count} requests\n"));
    stopped?;
    Ok(Exit::Success)
}

/// What it answers, one line per path.
fn routes() -> String {
    let width = ROUTES.iter().map(|route| route.pattern.len()).max().unwrap_or(0);
    let mut text = "It answers:".to_owned();
    for route in ROUTES {
        let _ = write!(text, "\n  {:width$}  {}", route.pattern, route.about);
    }
    text
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("found '{text}'; expected an address with a port, such as 127.0.0.1:8080 or [::]:0")
    })
}
