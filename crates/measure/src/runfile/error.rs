//! What can go wrong with a run file.

use std::io;
use std::path::PathBuf;

use super::schema::FORMAT_VERSION;

/// Why a run file could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunFileError {
    /// The place of the output holds something that throng did not write.
    #[error("{} exists and is not a throng run file, so it is not replaced", path.display())]
    WouldOverwrite {
        /// The file.
        path: PathBuf,
    },
    /// The file or its place cannot be accessed.
    #[error("cannot access the run file {}", path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a throng run file", path.display())]
    NotARunFile {
        /// The file.
        path: PathBuf,
    },
    /// The file was created but the run ended before anything was written.
    #[error("{} is empty: its run ended before anything was written", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A later throng wrote the file.
    #[error(
        "{} has run file format {found}, this throng reads {FORMAT_VERSION}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: i32,
    },
    /// An earlier throng wrote the file.
    #[error("{} has run file format {found}, this throng reads {FORMAT_VERSION}", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format version.
        found: i32,
    },
    /// The run was cut while it wrote, and the unfinished second cannot be rolled back here.
    #[error(
        "{} was cut while a second was written, and it cannot be rolled back in place",
        path.display()
    )]
    NeedsRollback {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Another process kept the file locked.
    #[error("the run file is locked by another process")]
    Locked,
    /// Writing failed.
    #[error("cannot write the run file")]
    Write {
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Reading failed.
    #[error("cannot read the run file")]
    Read {
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A stored histogram cannot be decoded, or has values beyond the range.
    #[error("the run file is damaged: the histogram {metric} cannot be decoded")]
    DamagedHistogram {
        /// The metric.
        metric: &'static str,
    },
    /// A stored value is missing or has a form that throng does not write.
    #[error("the run file is damaged: {what} is missing or malformed")]
    Damaged {
        /// Which value.
        what: &'static str,
    },
    /// A finished run in which requests are missing or were counted twice: a defect in throng.
    #[error(
        "{planned} requests were planned {} but {ended} ended",
        if *warmup { "in the warm-up" } else { "after the warm-up" }
    )]
    Unbalanced {
        /// Requests that the workload planned.
        planned: u64,
        /// Requests that the recorders saw end.
        ended: u64,
        /// Whether the warm-up is what does not add up.
        warmup: bool,
    },
}

impl RunFileError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::WouldOverwrite { .. } => {
                Some("choose another name, or remove the file; only run files are replaced")
            }
            Self::Access { .. } => Some("check that the directory exists and can be written"),
            Self::NotARunFile { .. } | Self::Empty { .. } => {
                Some("name a file that was written by `throng -o FILE`")
            }
            Self::Newer { .. } => Some("read it with the throng that wrote it, or a later one"),
            Self::Older { .. } => Some("read it with the throng that wrote it, or run it again"),
            Self::NeedsRollback { .. } => {
                Some("copy the file and FILE-journal into a directory that can be written")
            }
            Self::Locked => Some("close the program that has the file open"),
            Self::Write { .. } => Some("check the free space where the run file is"),
            Self::Unbalanced { .. } => {
                Some("this is a defect in throng: please report it with the run file")
            }
            Self::Read { .. } | Self::DamagedHistogram { .. } | Self::Damaged { .. } => None,
        }
    }
}
