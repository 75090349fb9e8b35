//! `throng demo`: a server, a run and a report, with nothing to set up.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use throng_engine::plan::Rate;
use throng_sink::{Options as SinkOptions, Sink};

use super::run;
use crate::environment::half_of_the_processors;
use crate::failure::{Exit, Failure, say};
use crate::front::native::{self, ArrivalsName, Options};

/// What `throng demo` takes: nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

/// Starts a sink, measures it and prints the report.
///
/// # Errors
/// As for a run.
pub(crate) fn run(_: &Arguments) -> Result<Exit, Box<dyn Failure>> {
    let sink = Sink::start(&SinkOptions::new(
        SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        half_of_the_processors(),
    ))?;
    let url = format!("http://{}/", sink.address());
    say(&format!(
        "A server (throng sink) starts and is sent {RATE_PER_S} requests a second for {DURATION_S} s; \
         the generator's use below includes it.\n\
         throng -R {RATE_PER_S} --arrivals poisson -d {DURATION_S}s {url}\n\n"
    ));
    let options = Options {
        url: Some(url),
        rate: Some(Rate { count: RATE_PER_S, per_ns: 1_000_000_000 }),
        arrivals: Some(ArrivalsName::Poisson),
        duration: Some(Duration::from_secs(DURATION_S)),
        ..Options::default()
    };
    run::run(&native::job(&options)?)
}

const RATE_PER_S: u64 = 2_000;
const DURATION_S: u64 = 5;
