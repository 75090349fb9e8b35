//! The load generator: the only crate that touches the clock and the network while a run is
//! measured.
//!
//! - [`plan`]: what a run is; immutable.
//! - `worker`: the loop. One thread, one turn, a handful of steps.
//! - [`workload`]: when requests are due.
//! - `conn`: connections, which one is used, what is on them.
//! - [`io`]: the clock and the syscalls: epoll, or a simulated network in virtual time.
//! - `run` and `conductor`: threads, the end, and what is written down once a second.
#![deny(unsafe_code)]

mod conductor;
mod conn;
mod control;
mod error;
mod fault;
mod host;
#[allow(unsafe_code, reason = "syscalls; each block says why it is sound")]
pub mod io;
mod mailbox;
pub mod plan;
mod rendezvous;
mod run;
mod simulate;

mod worker;
pub mod workload;

pub use conn::TlsError;
pub use control::Stopper;
pub use error::RunError;
pub use io::limits;
pub use run::run;
pub use simulate::simulate;
