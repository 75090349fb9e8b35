//! Why a run has no result.

use std::io;

use throng_measure::RunFileError;

use crate::conn::TlsError;

/// Why a run could not be finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The kernel gave no event queue.
    #[error("the kernel gave no event queue (epoll) for a worker")]
    Backend(#[source] io::Error),
    /// Waiting for events failed.
    #[error("waiting for network events failed")]
    Wait(#[source] io::Error),
    /// A thread could not be started.
    #[error("worker thread {number} could not be started")]
    Thread {
        /// Which one, from 0.
        number: u32,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A worker ended by a defect of throng.
    #[error("a worker stopped by a defect of throng; please report what was run")]
    WorkerPanicked,
    /// TLS cannot be spoken as the plan says.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The run file could not be written.
    #[error(transparent)]
    RunFile(#[from] RunFileError),
    /// The workload and the recorder counted differently.
    #[error(
        "accounting does not add up, by a defect of throng: {planned} requests were planned, \
         {recorded} were recorded"
    )]
    Identity {
        /// Counted by the workload.
        planned: u64,
        /// Counted by the recorder.
        recorded: u64,
    },
}

impl RunError {
    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Backend(_) => Some("raise the limit on open files: ulimit -n"),
            Self::Thread { .. } => Some("use fewer threads: -t"),
            Self::Tls(error) => Some(error.hint()),
            Self::RunFile(error) => error.hint(),
            Self::Wait(_) | Self::WorkerPanicked | Self::Identity { .. } => None,
        }
    }
}
