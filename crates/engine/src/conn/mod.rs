//! Connections: what is on them, how many there are, when another is opened.
//!
//! - [`pool::Connection`] is one place for a connection: its state, its decoder, how much of its requests
//!   is still to be sent.
//! - [`Pool`] decides which connection carries the next request and when one is opened.
//! - [`InFlight`] holds the requests on the connections.
//! - [`Outgoing`] is the encoded request.
//! - [`tls`] encrypts it, and decrypts the answers.

mod backoff;
mod in_flight;
mod outgoing;
mod pool;
pub(crate) mod tls;

pub(crate) use in_flight::{InFlight, Request};
pub(crate) use outgoing::Outgoing;
pub(crate) use pool::{Pool, State};
pub use tls::TlsError;
