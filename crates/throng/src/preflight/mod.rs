//! Whether this machine can carry a job out, found out before any load.
//!
//! In this order: open files, local ports, the Unix socket, the places of the outputs. Names are
//! resolved earlier ([`names`]), since their addresses are part of the plan.
//!
//! Invariant: nothing is sent, and what is written is removed again.
//!
//! Not here: options that contradict each other (`front`).

use std::io;
use std::num::NonZeroU32;
use std::path::PathBuf;

use throng_engine::plan::{Endpoint, Plan};

use crate::failure::Failure;
use crate::front::Outputs;

mod files;
mod limits;
mod loopback;
pub(crate) mod names;

pub(crate) use files::FileError;
pub(crate) use limits::connections_possible;

/// Why this machine cannot carry a plan out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PreflightError {
    /// The process may not open enough files.
    #[error("this run needs {needed_count} file descriptors, the limit is {limit_count}")]
    OpenFiles { needed_count: u64, limit_count: u64 },
    /// The limit on open files cannot be read or set.
    #[error("the limit on open files cannot be raised to {needed_count}")]
    OpenFilesUnknown { needed_count: u64, source: io::Error },
    /// More connections to one address than there are local ports.
    #[error(
        "{needed_count} connections to {peer} need as many local ports, and {low} to {high} are \
         {free_count}"
    )]
    LocalPorts { peer: Endpoint, needed_count: u64, low: u16, high: u16, free_count: u64 },
    /// There is no Unix socket at the path.
    #[error("there is no Unix socket at {}", path.display())]
    NoSocket { path: PathBuf, source: io::Error },
    /// Something else is at the path.
    #[error("{} is not a Unix socket", path.display())]
    NotASocket { path: PathBuf },
    /// The kernel keeps the path of a socket in a field of fixed size.
    #[error(
        "the path of the Unix socket has {length_bytes} bytes, the most is {limit_bytes}: {}",
        path.display()
    )]
    SocketPathTooLong { path: PathBuf, length_bytes: usize, limit_bytes: usize },
    /// An output cannot go where it should.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Failure for PreflightError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::OpenFiles { needed_count, .. } => Some(format!(
                "ulimit -n {needed_count} (as root when the hard limit is lower), or fewer \
                 connections with -c"
            )),
            Self::OpenFilesUnknown { needed_count, .. } => {
                Some(format!("ulimit -n {needed_count}"))
            }
            Self::LocalPorts { free_count, low, needed_count, .. } => {
                Some(ports_hint(*free_count, *low, *needed_count))
            }
            Self::NoSocket { .. } => Some("start the server, or correct the path".to_owned()),
            Self::NotASocket { .. } => Some("give the path that the server listens on".to_owned()),
            Self::SocketPathTooLong { .. } => {
                Some("give a shorter path, such as one relative to this directory".to_owned())
            }
            Self::File(error) => error.hint(),
        }
    }
}

fn ports_hint(free_count: u64, low: u16, needed_count: u64) -> String {
    let addresses = needed_count.div_ceil(free_count.max(1));
    // Ports from 1024 to 65535 at most.
    if low > 1024 && needed_count <= 64_512 {
        return format!(
            "sysctl net.ipv4.ip_local_port_range='1024 65535', -c {free_count}, or let the server \
             listen on {addresses} addresses and name them with --resolve"
        );
    }
    format!(
        "-c {free_count}, or let the server listen on {addresses} addresses and name them with \
         --resolve"
    )
}

/// Finds out whether this machine can carry the plan out and keep its results.
///
/// # Errors
/// [`PreflightError`] for the first thing that is missing.
pub(crate) fn check(plan: &Plan, outputs: &Outputs) -> Result<(), PreflightError> {
    limits::open_files(plan)?;
    limits::local_ports(plan, limits::local_port_range())?;
    files::sockets(&plan.endpoints)?;
    files::outputs(outputs)?;
    Ok(())
}

/// How many of the connections go to one endpoint when all are used in turn.
fn per_endpoint(connections: u32, endpoints: &[Endpoint]) -> u32 {
    let count = u32::try_from(endpoints.len()).ok().and_then(NonZeroU32::new);
    connections.div_ceil(count.map_or(1, NonZeroU32::get))
}

#[cfg(test)]
mod tests;
