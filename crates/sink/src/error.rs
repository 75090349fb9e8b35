//! Why the sink could not start, or not keep its log.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use rustix::io::Errno;

/// Why the sink could not start, or not keep its log.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SinkError {
    /// Another socket listens on that address.
    #[error("{address} is in use by another listener")]
    AddressInUse {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The process may not listen there.
    #[error("this process may not listen on port {} ({address})", address.port())]
    PermissionDenied {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// No interface of this machine has that address.
    #[error("{} is not an address of this machine", address.ip())]
    AddressNotAvailable {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Listening failed for a reason that has no variant of its own.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The process may not open the files that listening and waiting need.
    #[error("the process may not open more files")]
    FileLimit {
        /// What the system said.
        source: io::Error,
    },
    /// A thread, or the event queue and timer that it needs, could not be had.
    #[error("thread {thread_index} of {thread_count} could not start")]
    ThreadStart {
        /// Which thread, from 0: first the workers, then the acceptor.
        thread_index: usize,
        /// How many threads were to start: the workers and the acceptor.
        thread_count: usize,
        /// What the system said.
        source: io::Error,
    },
    /// Something that no sink wrote is where the log should go.
    #[error("{} exists and is not a log of a sink, so it is not replaced", path.display())]
    LogWouldOverwrite {
        /// Where the log should go.
        path: PathBuf,
    },
    /// The log cannot be opened, or not begun.
    #[error("the log {} cannot be written", path.display())]
    LogUnwritable {
        /// Where the log should go.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Writing the log failed while the sink ran; from then on nothing was logged.
    #[error("the log {} ends early", path.display())]
    LogIncomplete {
        /// Where the log is.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl SinkError {
    /// Files what the system said about listening on `address` under its variant.
    pub(crate) fn from_bind(address: SocketAddr, source: io::Error) -> Self {
        if is_file_limit(&source) {
            return Self::FileLimit { source };
        }
        match source.kind() {
            io::ErrorKind::AddrInUse => Self::AddressInUse { address, source },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { address, source },
            io::ErrorKind::AddrNotAvailable => Self::AddressNotAvailable { address, source },
            _ => Self::Bind { address, source },
        }
    }

    /// Files what the system said about starting a thread under its variant.
    pub(crate) fn from_start(thread_index: usize, thread_count: usize, source: io::Error) -> Self {
        if is_file_limit(&source) {
            return Self::FileLimit { source };
        }
        Self::ThreadStart { thread_index, thread_count, source }
    }

    /// What to do next, as an imperative sentence without a full stop.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::AddressInUse { address, .. } => format!(
                "stop the other server (ss -ltnp 'sport = :{}' names it), or ask for port 0",
                address.port()
            ),
            Self::PermissionDenied { .. } => {
                "choose a port of 1024 or above, or ask for port 0".to_owned()
            }
            Self::AddressNotAvailable { address, .. } => {
                let everywhere = if address.is_ipv4() { "0.0.0.0" } else { "[::]" };
                format!(
                    "choose an address that `ip address` lists, or {everywhere}:{} for all of them",
                    address.port()
                )
            }
            Self::Bind { address, .. } => {
                let loopback = if address.is_ipv4() { "[::1]" } else { "127.0.0.1" };
                format!("try another address, such as {loopback}:{}", address.port())
            }
            Self::FileLimit { .. } => {
                "raise the limit (ulimit -n 65536), or start fewer workers".to_owned()
            }
            Self::ThreadStart { .. } => {
                "start fewer workers, or raise the limit of processes (ulimit -u)".to_owned()
            }
            Self::LogWouldOverwrite { .. } => {
                "choose another name, or remove the file; only logs of a sink are replaced"
                    .to_owned()
            }
            Self::LogUnwritable { .. } => {
                "name a file in a directory that exists and that you may write to".to_owned()
            }
            Self::LogIncomplete { .. } => "check the free space where it goes".to_owned(),
        }
    }
}

fn is_file_limit(source: &io::Error) -> bool {
    let limits = [Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(source).is_some_and(|errno| limits.contains(&errno))
}

#[cfg(test)]
mod tests;
