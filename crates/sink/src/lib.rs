//! A target to shoot at: an HTTP/1.1 server whose answers are known beforehand.
//!
//! It shares no code with throng's client: hyper parses and frames here, so that a defect in the
//! client cannot be hidden by the same defect in the server. What it answers is the table
//! [`ROUTES`]; the page for unknown paths and the command's help are printed from that table.
//!
//! One request passes through, in this order:
//! 1. `serve` accepts its connection and hands it to a worker;
//! 2. `route` turns method and path into a behaviour, or into the reason why it cannot;
//! 3. `respond` carries the behaviour out, waiting with `delay`, echoing with `echo`, standing in
//!    the one `queue` for `/queue/`;
//! 4. `content` is the body of the answer, `wire` the socket that can break in its middle;
//! 5. `log` writes down when the request arrived and when its answer had left, if that is asked for.
//!
//! With the queue and the log it is an oracle: what a client measures can be computed from the log
//! alone, with arrivals stamped by the kernel (`arrival`), and from queueing theory.
//!
//! Invariant: memory depends on the number of connections, never on the sizes that are asked for.
//! The one exception has a limit: `/post` keeps up to 16 MiB per connection to echo it.
//!
//! Not here: options and output of `throng sink` (the `throng` crate). It needs Linux, for timerfd.
#![forbid(unsafe_code)]

mod arrival;
mod clock;
mod content;
mod delay;
mod echo;
mod error;
mod log;
mod queue;
mod respond;
mod route;
mod serve;
mod wire;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

pub use error::SinkError;
pub use route::{ROUTES, RouteHelp};

/// What a [`Sink`] needs to know before it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where to listen. Port 0 lets the system pick one; [`Sink::address`] tells which.
    pub address: SocketAddr,
    /// How many threads answer requests. One more thread accepts connections.
    pub workers: NonZeroUsize,
    /// Decides the random service times of `/queue/exponential/TIME`, in order of arrival.
    pub seed: u64,
    /// Where to log every request: a new file, or an older log, which is replaced.
    ///
    /// It is CSV with one header line behind a comment that tells from when the instants count;
    /// columns `arrival_ns,departure_ns,worker,method,path,status,service_ns`. It is written at
    /// least once a second, and complete when [`Sink::stop`] has returned.
    pub log: Option<PathBuf>,
}

impl Options {
    /// No log, and the seed 1.
    #[must_use]
    pub fn new(address: SocketAddr, workers: NonZeroUsize) -> Self {
        Self { address, workers, seed: 1, log: None }
    }
}

/// A running server. Dropping it stops it, as [`Sink::stop`] does.
#[derive(Debug)]
pub struct Sink {
    server: serve::Server,
}

impl Sink {
    /// Binds, starts the threads and returns once every one of them is ready for connections.
    ///
    /// # Errors
    /// A [`SinkError`] for an address or a log that cannot be used, or a thread that cannot start;
    /// nothing keeps running then.
    pub fn start(options: &Options) -> Result<Self, SinkError> {
        Ok(Self { server: serve::Server::start(options)? })
    }

    /// Where it listens, with the port that the system picked.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// How many requests had their head read. Heads that are not HTTP are refused uncounted.
    #[must_use]
    pub fn request_count(&self) -> u64 {
        self.server.request_count()
    }

    /// How many connections were accepted, those closed since included.
    #[must_use]
    pub fn connection_count(&self) -> u64 {
        self.server.connection_count()
    }

    /// Stops accepting, closes every connection wherever its answer stands, joins the threads.
    ///
    /// Waits for no client: a stalled or slow one cannot hold it up.
    ///
    /// # Errors
    /// [`SinkError::LogIncomplete`] when the log could not be written to its end. The sink has
    /// stopped all the same.
    pub fn stop(self) -> Result<(), SinkError> {
        self.server.stop()
    }
}

#[cfg(test)]
mod tests;
