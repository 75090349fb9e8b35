//! The file that the log goes to.
//!
//! Invariant: only whole batches of lines are appended; after the first that fails none is, so that
//! a disk that was full for a moment leaves a log that ends early, and not one with a hole.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{SinkError, clock};

/// An open log; shared by all workers.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    /// The instant from which the file counts.
    pub(super) started_ns: u64,
    state: Mutex<State>,
}

/// The file, and what went wrong with it first.
#[derive(Debug)]
struct State {
    file: File,
    failure: Option<io::Error>,
}

impl LogFile {
    /// Creates it, or empties the log that is there, and writes its header.
    ///
    /// # Errors
    /// When a file is there that is no log of ours, or when it cannot be written.
    pub(crate) fn create(path: &Path) -> Result<Self, SinkError> {
        let unwritable = |source| SinkError::LogUnwritable { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let options = options.read(true).append(true).create(true);
        let mut file = options.open(path).map_err(unwritable)?;
        if !is_replaceable(&mut file).map_err(unwritable)? {
            return Err(SinkError::LogWouldOverwrite { path: path.to_owned() });
        }
        let (started_unix_ns, started_ns) = (clock::unix_now_ns(), clock::now_ns());
        let header = format!(
            "{SIGNATURE}ns since started_unix_ns={started_unix_ns} \
             started_monotonic_ns={started_ns}\n{COLUMNS}\n"
        );
        file.write_all(header.as_bytes()).map_err(unwritable)?;
        let state = Mutex::new(State { file, failure: None });
        Ok(Self { path: path.to_owned(), started_ns, state })
    }

    /// Appends whole lines. A failure is kept for [`LogFile::failure`].
    pub(super) fn append(&self, lines: &[u8]) {
        let mut state = self.state();
        if state.failure.is_none() {
            state.failure = state.file.write_all(lines).err();
        }
    }

    /// Takes what went wrong since the start, if something did.
    pub(crate) fn failure(&self) -> Option<SinkError> {
        let source = self.state().failure.take()?;
        Some(SinkError::LogIncomplete { path: self.path.clone(), source })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Empties a log of ours; returns false for anything else that has contents.
fn is_replaceable(file: &mut File) -> io::Result<bool> {
    let metadata = file.metadata()?;
    // A pipe or a device has nothing to lose, and reading it could wait for ever.
    if !metadata.is_file() || metadata.len() == 0 {
        return Ok(true);
    }
    let mut start = Vec::new();
    file.take(SIGNATURE.len() as u64).read_to_end(&mut start)?;
    let is_ours = start == SIGNATURE.as_bytes();
    if is_ours {
        file.set_len(0)?;
    }
    Ok(is_ours)
}

/// What every log begins with.
const SIGNATURE: &str = "# throng sink log: ";
const COLUMNS: &str = "arrival_ns,departure_ns,worker,method,path,status,service_ns";

#[cfg(test)]
mod tests;
