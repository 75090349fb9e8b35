//! The run file: everything that was measured, in one SQLite database.
//!
//! The conductor owns a [`RunWriter`]. It adds the workers' intervals as they arrive and commits
//! once a second: one transaction with the windows that changed, the totals so far and a row about
//! the second. When the run ends, [`RunWriter::finish`] adds what only the end knows and returns
//! the [`RunFile`] that every report is printed from; [`RunFile::open`] gives the same one later.
//! A run that is not to be kept lives in SQLite's private temporary database, so there is one
//! report path.
//!
//! # A killed run
//!
//! The rollback journal is kept in its default form (`journal_mode = DELETE`), not as a
//! write-ahead log. Between commits, and so at nearly every instant, the file is whole by itself:
//! a copy of that one file can be read anywhere. With a write-ahead log it never would be, since
//! the last seconds are then in a second file. During the fraction of a millisecond in which a
//! commit copies its pages, `FILE-journal` lies beside the file; a process killed just then leaves
//! both, and the next open in place rolls the second back. `synchronous = OFF` while the run
//! lasts: what a killed process has written the kernel keeps; only a power failure can damage the
//! file. Finishing writes through to the disk.
//!
//! Invariant: memory does not grow with the length of the run; at most [`OPEN_WINDOWS`] windows
//! are held.
//!
//! Not here: what the numbers mean ([`crate::distribution`], [`crate::reading`]).

mod blob;
mod error;
mod header;
mod intervals;
mod reader;
mod schema;
mod summarize;
mod windows;
mod writer;

pub use error::RunFileError;
pub use header::{Environment, Generator, Place, Progress, RunEnd, RunHeader, Second, Tick};
pub use reader::RunFile;
pub use schema::{APPLICATION_ID, FORMAT_VERSION};
pub use windows::OPEN_WINDOWS;
pub use writer::RunWriter;

#[cfg(test)]
mod tests;
