//! TLS between the I/O backend and the decoder.
//!
//! - [`Setup`] is what all connections of a run have in common, made of the plan before it begins.
//! - [`Tls`] is a worker's: its configurations, the sessions that may be resumed, the bytes that
//!   were decrypted last.
//! - [`Session`] is one connection's: records in, records out. It touches no socket and no clock;
//!   the worker hands it what was received and a way to send.
//!
//! Invariant: a connection without TLS pays for none of this but the test whether it has a session.
//!
//! Not here: when a handshake begins and what follows from its end (`worker/securing.rs`).

use std::sync::Arc;

use rustls::client::{ClientConfig, Resumption};
use rustls::pki_types::ServerName;
use throng_measure::Cause;

mod fault;
mod session;
mod setup;
mod tickets;
mod trust;

use crate::plan::Resume;
use tickets::Tickets;

pub(crate) use session::{Fault, Sent, Session};
pub(crate) use setup::Setup;
pub use setup::TlsError;

/// What one worker needs for TLS.
#[derive(Debug)]
pub(crate) struct Tls {
    server_name: ServerName<'static>,
    full: Arc<ClientConfig>,
    resuming: Arc<ClientConfig>,
    mix: Mix,
    /// What was decrypted last. All connections share it: it is decoded before the next is read.
    pub(crate) plaintext: Vec<u8>,
    /// Records of one send, when there are several.
    pub(crate) records: Vec<u8>,
}

/// Spreads full handshakes evenly among all.
#[derive(Debug)]
struct Mix {
    full_percent: u8,
    /// Hundredths of a full handshake that are owed.
    owed: u8,
}

impl Tls {
    pub(crate) fn new(setup: &Setup) -> Self {
        let with = |tickets: Tickets| {
            let mut config = setup.config.clone();
            config.resumption = Resumption::store(Arc::new(tickets));
            Arc::new(config)
        };
        let full_percent = match setup.resume {
            Resume::Full => 100,
            Resume::Resume => 0,
            Resume::Mixed { full_percent } => full_percent.min(100),
        };
        Self {
            server_name: setup.server_name.clone(),
            full: with(Tickets::refusing()),
            resuming: with(Tickets::keeping()),
            mix: Mix { full_percent, owed: 0 },
            plaintext: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Begins a handshake on a connection that took `connect_ns` to open.
    pub(crate) fn start(&mut self, connect_ns: u64) -> Result<Box<Session>, Cause> {
        let config = if self.mix.next_is_full() { &self.full } else { &self.resuming };
        Session::start(config.clone(), self.server_name.clone(), connect_ns).map(Box::new)
    }
}

impl Mix {
    fn next_is_full(&mut self) -> bool {
        // Both are at most 100.
        self.owed += self.full_percent;
        let is_full = self.owed >= 100;
        self.owed -= if is_full { 100 } else { 0 };
        is_full
    }
}

#[cfg(test)]
mod tests;
