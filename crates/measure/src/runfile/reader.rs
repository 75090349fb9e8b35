//! Reading a run file: live at the end of a run, or later.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hdrhistogram::Histogram;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row};

use super::schema::{self, APPLICATION_ID, FORMAT_VERSION};
use super::writer::journal_of;
use super::{Generator, RunFileError, Second, Tick, blob, summarize, windows};
use crate::audit;
use crate::distribution::{empty_histogram, fold};
use crate::{Anatomy, Gauges, Interval, Metric, Nanos, Summary, WINDOW_NS};

/// A run, finished or cut, to be reported on.
pub struct RunFile {
    pub(super) connection: Connection,
}

impl RunFile {
    /// Opens a run file. When its run was killed while it wrote a second, that second is rolled
    /// back.
    ///
    /// # Errors
    /// [`RunFileError::NotARunFile`], [`RunFileError::Newer`] and their like when the file is not
    /// one that can be read; [`RunFileError::NeedsRollback`] when it was cut and its directory
    /// cannot be written; otherwise what the system or SQLite said.
    pub fn open(path: &Path) -> Result<Self, RunFileError> {
        let access = |source| RunFileError::Access { path: path.to_owned(), source };
        if fs::metadata(path).map_err(access)?.len() == 0 {
            return Err(RunFileError::Empty { path: path.to_owned() });
        }
        // Rolling back needs to write; SQLite falls back to reading where it may not.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|source| why_unreadable(path, source))?;
        Self::of(connection, Some(path.to_owned()))
    }

    /// Takes over a connection to a run file.
    pub(super) fn of(connection: Connection, path: Option<PathBuf>) -> Result<Self, RunFileError> {
        let path = path.unwrap_or_default();
        connection.busy_timeout(PATIENCE).map_err(|source| RunFileError::Read { source })?;
        let pragma = |name| {
            connection
                .pragma_query_value(None, name, |row| row.get::<_, i32>(0))
                .map_err(|source| why_unreadable(&path, source))
        };
        if pragma("application_id")? != APPLICATION_ID {
            return Err(RunFileError::NotARunFile { path });
        }
        let found = pragma("user_version")?;
        if found > FORMAT_VERSION {
            return Err(RunFileError::Newer { path, found });
        }
        if found < FORMAT_VERSION {
            return Err(RunFileError::Older { path, found });
        }
        Ok(Self { connection })
    }

    /// What every report prints from.
    ///
    /// # Errors
    /// [`RunFileError::Damaged`] and its like when the file has what throng does not write;
    /// otherwise what SQLite said.
    pub fn summary(&self) -> Result<Summary, RunFileError> {
        let snapshot = self.snapshot()?;
        let summary = summarize::summary(self);
        drop(snapshot);
        summary
    }

    /// Audits the run that has just ended and writes down what came of it.
    pub(super) fn keep_audit(&self) -> Result<(), RunFileError> {
        let audit = summarize::audit(self)?;
        let write = |source| RunFileError::Write { source };
        let transaction = self.connection.unchecked_transaction().map_err(write)?;
        audit::write(&transaction, &audit).map_err(write)?;
        transaction.commit().map_err(write)
    }

    /// Calls `visit` with every window in rising order, those of the warm-up first (negative).
    /// An interval's gauges are the state at the end of its second, if one was noted then.
    ///
    /// Holds one window in memory at a time.
    ///
    /// # Errors
    /// Those of `visit`, and those of [`RunFile::summary`].
    pub fn for_each_window<E: From<RunFileError>>(
        &self,
        mut visit: impl FnMut(&Interval) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = |source| RunFileError::Read { source };
        let snapshot = self.snapshot()?;
        let warmup_ns = summarize::warmup_ns(self)?;
        let mut select =
            self.connection.prepare("SELECT window FROM window ORDER BY window").map_err(read)?;
        let mut rows = select.query([]).map_err(read)?;
        let mut interval = Box::<Interval>::default();
        while let Some(row) = rows.next().map_err(read)? {
            interval.clear();
            interval.window = row.get(0).map_err(read)?;
            windows::load(&self.connection, interval.window, &mut interval)?;
            interval.gauges = self.gauges_at_end_of(interval.window, warmup_ns)?;
            visit(&interval)?;
        }
        drop(rows);
        drop(select);
        drop(snapshot);
        Ok(())
    }

    /// The histogram of one metric over all measured windows.
    ///
    /// # Errors
    /// [`RunFileError::DamagedHistogram`] when it cannot be decoded; otherwise what SQLite said.
    pub fn total(&self, metric: Metric) -> Result<Histogram<u64>, RunFileError> {
        let read = |source| RunFileError::Read { source };
        let mut select = self
            .connection
            .prepare_cached("SELECT data FROM total WHERE metric = ?")
            .map_err(read)?;
        let mut rows = select.query([metric.name()]).map_err(read)?;
        match rows.next().map_err(read)? {
            Some(row) => decode(metric, row),
            None => self.sum_of_windows(metric),
        }
    }

    /// The total of a run that was cut: it was to be written at the end.
    fn sum_of_windows(&self, metric: Metric) -> Result<Histogram<u64>, RunFileError> {
        let read = |source| RunFileError::Read { source };
        let mut select = self
            .connection
            .prepare_cached("SELECT data FROM histogram WHERE metric = ? AND window >= 0")
            .map_err(read)?;
        let mut rows = select.query([metric.name()]).map_err(read)?;
        let mut sum = empty_histogram();
        while let Some(row) = rows.next().map_err(read)? {
            fold(&mut sum, &decode(metric, row)?);
        }
        Ok(sum)
    }

    /// The response times of all answers, `ok` or not.
    ///
    /// # Errors
    /// Those of [`RunFile::total`].
    pub fn total_answered(&self) -> Result<Histogram<u64>, RunFileError> {
        let mut answered = self.total(Metric::ResponseOk)?;
        fold(&mut answered, &self.total(Metric::ResponseError)?);
        Ok(answered)
    }

    /// Where the time of the sampled requests went, over all measured windows.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn total_anatomy(&self) -> Result<Anatomy, RunFileError> {
        let read = |source| RunFileError::Read { source };
        let mut select = self.connection.prepare(windows::TOTAL_ANATOMY).map_err(read)?;
        let mut rows = select.query([]).map_err(read)?;
        let mut anatomy = Anatomy::new();
        while let Some(row) = rows.next().map_err(read)? {
            let (cell, stretches) = windows::stretches(row).map_err(read)?;
            anatomy.add(cell, &stretches);
        }
        Ok(anatomy)
    }

    /// Calls `visit` with every tick, in the order of time.
    ///
    /// # Errors
    /// What SQLite said.
    pub fn for_each_tick(&self, mut visit: impl FnMut(&Tick)) -> Result<(), RunFileError> {
        let read = |source| RunFileError::Read { source };
        let mut select =
            self.connection.prepare("SELECT * FROM tick ORDER BY tick").map_err(read)?;
        let mut rows = select.query([]).map_err(read)?;
        while let Some(row) = rows.next().map_err(read)? {
            visit(&tick(row).map_err(read)?);
        }
        Ok(())
    }

    /// The state at the end of the last second that was written.
    pub(super) fn last_tick(&self) -> Result<Option<Tick>, RunFileError> {
        self.connection
            .prepare_cached("SELECT * FROM tick ORDER BY tick DESC LIMIT 1")
            .and_then(|mut select| select.query_row([], tick).optional())
            .map_err(|source| RunFileError::Read { source })
    }

    /// The tick nearest to the end of a window, when it is less than half a window away.
    fn gauges_at_end_of(
        &self,
        window: i64,
        warmup_ns: u64,
    ) -> Result<Option<Gauges>, RunFileError> {
        let length = i128::from(WINDOW_NS);
        let end = i128::from(warmup_ns) + (i128::from(window) + 1) * length;
        let bound = |ns: i128| i64::try_from(ns).unwrap_or(i64::MAX);
        let (from, until) = (bound(end - length / 2), bound(end + length / 2));
        self.connection
            .prepare_cached(
                "SELECT * FROM tick WHERE elapsed_ns >= ?1 AND elapsed_ns < ?2
                 ORDER BY abs(elapsed_ns - ?3) LIMIT 1",
            )
            .and_then(|mut select| select.query_row([from, until, bound(end)], tick).optional())
            .map(|found| found.map(|tick| tick.gauges))
            .map_err(|source| RunFileError::Read { source })
    }

    /// One state of the file for several queries, whatever a run adds meanwhile.
    /// `None` within another one, which does the same.
    fn snapshot(&self) -> Result<Option<Snapshot<'_>>, RunFileError> {
        if !self.connection.is_autocommit() {
            return Ok(None);
        }
        let begun = self.connection.unchecked_transaction();
        begun.map(|begun| Some(Snapshot(begun))).map_err(|source| RunFileError::Read { source })
    }
}

/// Reads one state of the file; ends when dropped.
struct Snapshot<'a>(#[allow(dead_code, reason = "held for its drop")] rusqlite::Transaction<'a>);

fn decode(metric: Metric, row: &Row<'_>) -> Result<Histogram<u64>, RunFileError> {
    let bytes = row.get_ref(0).and_then(|data| Ok(data.as_blob()?));
    blob::decode(metric, bytes.map_err(|source| RunFileError::Read { source })?)
}

fn tick(row: &Row<'_>) -> rusqlite::Result<Tick> {
    Ok(Tick {
        elapsed_ns: schema::count(row, 1)?,
        gauges: Gauges {
            at: Nanos(schema::count(row, 1)?),
            cpu_ns: schema::count(row, 13)?,
            clock_steps: schema::count(row, 14)?,
            planned_warmup: schema::count(row, 2)?,
            planned: schema::count(row, 3)?,
            open: row.get(4)?,
            open_max: row.get(5)?,
            queued: row.get(6)?,
            queued_max: row.get(7)?,
            in_flight: row.get(8)?,
        },
        generator: Generator {
            user_ns: schema::count(row, 9)?,
            system_ns: schema::count(row, 10)?,
            max_rss_bytes: schema::count(row, 11)?,
            steal_ratio: row.get(12)?,
        },
        second: Second {
            busiest_worker_ratio: row.get(15)?,
            steal_ratio: row.get(16)?,
            host_retransmitted: row.get::<_, Option<i64>>(17)?.map(i64::unsigned_abs),
        },
    })
}

/// Tells apart why the first read of a file failed.
fn why_unreadable(path: &Path, source: rusqlite::Error) -> RunFileError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => RunFileError::NotARunFile { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => RunFileError::Locked,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) if journal_of(&path).exists() => {
            RunFileError::NeedsRollback { path, source }
        }
        _ => RunFileError::Read { source },
    }
}

/// How long a read waits for a commit of a run that is still going on.
const PATIENCE: Duration = Duration::from_secs(5);
