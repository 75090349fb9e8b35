//! The tables of a run file.
//!
//! People query them, so names are spelled out and counts have columns of their own:
//! `SELECT window, ok, timeout FROM window`, `SELECT * FROM cause WHERE name = 'reset_by_peer'`.

use std::fmt::Write as _;

use rusqlite::{Connection, Row};

use super::RunFileError;
use crate::{Agreement, Cause, Counts};

/// The format that this throng writes (`PRAGMA user_version`). It reads no other: before
/// version 1.0 of throng, formats are not kept alive.
pub const FORMAT_VERSION: i32 = 3;

/// `PRAGMA application_id`: "thrg".
pub const APPLICATION_ID: i32 = i32::from_be_bytes(*b"thrg");

/// Creates the tables of an empty database.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", FORMAT_VERSION)?;
    connection.execute_batch(TABLES)?;
    connection.execute_batch(crate::audit::TABLES)?;
    let mut window = String::from(
        "-- Counts of the requests that were due in one second; seconds count from the end of the \
         warm-up and are negative in it.\nCREATE TABLE window (window INTEGER PRIMARY KEY",
    );
    for name in Counts::names() {
        let _ = write!(window, ", {name} INTEGER NOT NULL");
    }
    window.push_str(") STRICT;");
    connection.execute_batch(&window)
}

/// Comments inside a statement are kept by SQLite: `.schema` shows them.
const TABLES: &str = "
CREATE TABLE run ( -- facts of the whole run; 'span_until_ns' is there once it has ended
    key TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE status ( -- answers due in a window, by HTTP status
    window INTEGER NOT NULL,
    code INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (window, code)
) STRICT, WITHOUT ROWID;

CREATE TABLE cause ( -- requests due in a window that got no answer, by cause
    window INTEGER NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (window, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE tls ( -- TLS handshakes that ended in a window, by what they agreed on
    window INTEGER NOT NULL,
    version TEXT NOT NULL,
    cipher_suite TEXT NOT NULL,
    key_exchange_group TEXT NOT NULL, -- 'none' when a TLS 1.2 session was resumed
    count INTEGER NOT NULL,
    PRIMARY KEY (window, version, cipher_suite, key_exchange_group)
) STRICT, WITHOUT ROWID;

CREATE TABLE histogram ( -- nanoseconds, HdrHistogram V2 with deflate
    window INTEGER NOT NULL,
    metric TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (window, metric)
) STRICT;

CREATE TABLE total ( -- the sum of the windows from 0 on
    metric TEXT PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

CREATE TABLE tick ( -- the state at the end of each second; planned and costs since the run began
    tick INTEGER PRIMARY KEY,
    elapsed_ns INTEGER NOT NULL,
    planned_warmup INTEGER NOT NULL,
    planned INTEGER NOT NULL,
    open INTEGER NOT NULL,
    open_max INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    queued_max INTEGER NOT NULL,
    in_flight INTEGER NOT NULL,
    user_ns INTEGER NOT NULL,
    system_ns INTEGER NOT NULL,
    max_rss_bytes INTEGER NOT NULL,
    steal_ratio REAL,
    cpu_ns INTEGER NOT NULL, -- of the workers' threads
    clock_steps INTEGER NOT NULL,
    busiest_worker_ratio REAL, -- these three are of the time since the tick before
    second_steal_ratio REAL,
    host_retransmitted INTEGER
) STRICT;

CREATE TABLE anatomy ( -- sums over sampled requests, by response time: eight cells to a doubling
    window INTEGER NOT NULL,
    cell INTEGER NOT NULL,
    count INTEGER NOT NULL,
    lateness_ns INTEGER NOT NULL,
    queue_wait_ns INTEGER NOT NULL,
    transmit_ns INTEGER NOT NULL,
    wire_ns INTEGER NOT NULL,
    wakeup_ns INTEGER NOT NULL,
    PRIMARY KEY (window, cell)
) STRICT, WITHOUT ROWID;
";

/// A count as SQLite stores it: 63 bits, which no count reaches.
pub(super) fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The count in one column.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let stored: i64 = row.get(column)?;
    u64::try_from(stored).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, stored))
}

/// The counts in the columns from `first` on.
pub(super) fn counts(row: &Row<'_>, first: usize) -> rusqlite::Result<Counts> {
    let mut array = [0; Counts::COLUMNS];
    for (i, place) in array.iter_mut().enumerate() {
        *place = count(row, first + i)?;
    }
    Ok(Counts::from_array(array))
}

/// The agreement named in three columns, of which `first` is the first.
pub(super) fn agreement(row: &Row<'_>, first: usize) -> Result<Agreement, RunFileError> {
    let damaged = RunFileError::Damaged { what: "what a TLS handshake agreed on" };
    let text = |column| row.get_ref(column).ok().and_then(|value| value.as_str().ok());
    let [Some(version), Some(suite), Some(group)] = [first, first + 1, first + 2].map(text) else {
        return Err(damaged);
    };
    Agreement::from_names([version, suite, group]).ok_or(damaged)
}

/// The cause named in one column.
pub(super) fn cause(row: &Row<'_>, column: usize) -> Result<Cause, RunFileError> {
    let name = row.get_ref(column).map_err(|source| RunFileError::Read { source })?;
    let cause = name.as_str().ok().and_then(Cause::from_name);
    cause.ok_or(RunFileError::Damaged { what: "the name of a cause" })
}
