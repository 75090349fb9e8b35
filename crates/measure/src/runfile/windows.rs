//! The windows under assembly: a few in memory, the rest in the database.
//!
//! A window's deltas arrive over several seconds: workers hand over at different moments, and
//! answers to late requests arrive when their window is long past. Each window touched is held
//! whole. When a place is needed, the one touched longest ago is written out; when a delta for it
//! comes after that, it is read back, added to and written again.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::RunFileError;
use super::blob::{self, Encoder};
use super::schema;
use crate::interval::Sum;
use crate::objective::Watch;
use crate::{Counts, Interval, Metric, Objective, Stretches};

/// Windows held in memory: the present one, the one before, and two for late answers.
pub const OPEN_WINDOWS: usize = 4;

/// The windows in memory.
pub(super) struct Windows {
    open: Vec<Open>,
    uses: u64,
    /// Sees every window that is written.
    watch: Option<Watch>,
}

struct Open {
    interval: Box<Interval>,
    /// Whether it differs from what the database has.
    changed: bool,
    /// The counts of its histograms as the database has them; one that has not grown is not
    /// written again.
    stored: [u64; Metric::ALL.len()],
    last_use: u64,
}

impl Windows {
    pub(super) fn new() -> Self {
        Self { open: Vec::with_capacity(OPEN_WINDOWS), uses: 0, watch: None }
    }

    /// Has objectives judged from now on.
    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch = Some(watch);
    }

    /// The first objective that is met by what was written, of which `totals` is the sum.
    pub(super) fn met(&mut self, totals: &Sum, elapsed_ns: u64) -> Option<&Objective> {
        self.watch.as_mut()?.met(totals, elapsed_ns)
    }

    /// Adds a delta to its window. Touches the database only when the window is not in memory.
    pub(super) fn add(
        &mut self,
        delta: &Interval,
        connection: &Connection,
        encoder: &mut Encoder,
    ) -> Result<(), RunFileError> {
        let place = match self.open.iter().position(|open| open.interval.window == delta.window) {
            Some(place) => place,
            None => self.fetch(delta.window, connection, encoder)?,
        };
        self.uses += 1;
        let open = &mut self.open[place];
        open.interval.merge(delta);
        open.changed = true;
        open.last_use = self.uses;
        if let Some(watch) = &mut self.watch {
            watch.add(delta);
        }
        Ok(())
    }

    /// Writes every window that changed. A transaction must be open.
    pub(super) fn store(
        &mut self,
        connection: &Connection,
        encoder: &mut Encoder,
    ) -> Result<(), RunFileError> {
        for place in 0..self.open.len() {
            self.store_one(place, connection, encoder)?;
        }
        Ok(())
    }

    fn store_one(
        &mut self,
        place: usize,
        connection: &Connection,
        encoder: &mut Encoder,
    ) -> Result<(), RunFileError> {
        let open = &mut self.open[place];
        if let Some(watch) = self.watch.as_mut().filter(|_| open.changed) {
            watch.look_at(&open.interval);
        }
        open.store(connection, encoder)
    }

    /// Makes place for a window and brings it into memory.
    fn fetch(
        &mut self,
        window: i64,
        connection: &Connection,
        encoder: &mut Encoder,
    ) -> Result<usize, RunFileError> {
        let place = if self.open.len() < OPEN_WINDOWS {
            self.open.push(Open {
                interval: Box::default(),
                changed: false,
                stored: [0; Metric::ALL.len()],
                last_use: 0,
            });
            self.open.len() - 1
        } else {
            let oldest = (0..self.open.len()).min_by_key(|&i| self.open[i].last_use).unwrap_or(0);
            if self.open[oldest].changed {
                begin(connection)?;
                self.store_one(oldest, connection, encoder)?;
            }
            oldest
        };
        let open = &mut self.open[place];
        open.interval.clear();
        open.interval.window = window;
        load(connection, window, &mut open.interval)?;
        open.stored = Metric::ALL.map(|metric| open.interval.durations(metric).len());
        Ok(place)
    }
}

impl Open {
    fn store(
        &mut self,
        connection: &Connection,
        encoder: &mut Encoder,
    ) -> Result<(), RunFileError> {
        if !self.changed {
            return Ok(());
        }
        let write = |source| RunFileError::Write { source };
        store_counts(connection, &self.interval).map_err(write)?;
        let mut upsert = connection
            .prepare_cached("INSERT OR REPLACE INTO histogram VALUES (?, ?, ?)")
            .map_err(write)?;
        for metric in Metric::ALL {
            let durations = self.interval.durations(metric);
            let stored = &mut self.stored[metric.index()];
            if durations.len() != *stored {
                let data = encoder.encode_buckets(durations);
                upsert
                    .execute(params![self.interval.window, metric.name(), data])
                    .map_err(write)?;
                *stored = durations.len();
            }
        }
        self.changed = false;
        Ok(())
    }
}

fn store_counts(connection: &Connection, interval: &Interval) -> rusqlite::Result<()> {
    let window = interval.window;
    let row = std::iter::once(window).chain(interval.counts.to_array().map(schema::stored));
    let places = ", ?".repeat(Counts::COLUMNS);
    connection
        .prepare_cached(&format!("INSERT OR REPLACE INTO window VALUES (?{places})"))?
        .execute(rusqlite::params_from_iter(row))?;
    let mut status = connection.prepare_cached("INSERT OR REPLACE INTO status VALUES (?, ?, ?)")?;
    for (code, count) in interval.status_counts() {
        status.execute(params![window, code, count])?;
    }
    let mut cause = connection.prepare_cached("INSERT OR REPLACE INTO cause VALUES (?, ?, ?)")?;
    for (reason, count) in interval.cause_counts() {
        cause.execute(params![window, reason.name(), count])?;
    }
    let mut tls = connection.prepare_cached("INSERT OR REPLACE INTO tls VALUES (?, ?, ?, ?, ?)")?;
    for (agreement, count) in interval.agreements().iter() {
        let (version, suite) = (agreement.version_name(), agreement.cipher_suite_name());
        tls.execute(params![window, version, suite, agreement.key_exchange_group_name(), count])?;
    }
    let mut anatomy = connection
        .prepare_cached("INSERT OR REPLACE INTO anatomy VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (cell, s) in interval.anatomy().cells() {
        let sums = [s.count, s.lateness_ns, s.queue_wait_ns, s.transmit_ns, s.wire_ns, s.wakeup_ns];
        let row = [window, schema::stored(cell as u64)].into_iter();
        anatomy.execute(rusqlite::params_from_iter(row.chain(sums.map(schema::stored))))?;
    }
    Ok(())
}

/// The anatomy of one window, and of all measured ones: rows for [`stretches`].
const ANATOMY: &str = "SELECT cell, count, lateness_ns, queue_wait_ns, transmit_ns, wire_ns, \
                       wakeup_ns FROM anatomy WHERE window = ?";
pub(super) const TOTAL_ANATOMY: &str = "SELECT cell, sum(count), sum(lateness_ns), sum(queue_wait_ns), sum(transmit_ns), \
     sum(wire_ns), sum(wakeup_ns) FROM anatomy WHERE window >= 0 GROUP BY cell";

/// A cell of an anatomy and its sums.
pub(super) fn stretches(row: &Row<'_>) -> rusqlite::Result<(usize, Stretches)> {
    let cell = usize::try_from(row.get::<_, u32>(0)?).unwrap_or(usize::MAX);
    let stretches = Stretches {
        count: schema::count(row, 1)?,
        lateness_ns: schema::count(row, 2)?,
        queue_wait_ns: schema::count(row, 3)?,
        transmit_ns: schema::count(row, 4)?,
        wire_ns: schema::count(row, 5)?,
        wakeup_ns: schema::count(row, 6)?,
    };
    Ok((cell, stretches))
}

/// Adds what the database has of a window to an empty interval; nothing when it has none.
pub(super) fn load(
    connection: &Connection,
    window: i64,
    interval: &mut Interval,
) -> Result<(), RunFileError> {
    let read = |source| RunFileError::Read { source };
    let counts = connection
        .prepare_cached("SELECT * FROM window WHERE window = ?")
        .and_then(|mut select| select.query_row([window], |row| schema::counts(row, 1)).optional())
        .map_err(read)?;
    let Some(counts) = counts else { return Ok(()) };
    interval.counts = counts;

    let mut select = connection
        .prepare_cached("SELECT code, count FROM status WHERE window = ?")
        .map_err(read)?;
    let mut rows = select.query([window]).map_err(read)?;
    while let Some(row) = rows.next().map_err(read)? {
        interval.set_status(row.get(0).map_err(read)?, row.get(1).map_err(read)?);
    }

    let mut select = connection
        .prepare_cached("SELECT name, count FROM cause WHERE window = ?")
        .map_err(read)?;
    let mut rows = select.query([window]).map_err(read)?;
    while let Some(row) = rows.next().map_err(read)? {
        interval.set_cause(schema::cause(row, 0)?, row.get(1).map_err(read)?);
    }

    let mut select = connection
        .prepare_cached(
            "SELECT version, cipher_suite, key_exchange_group, count FROM tls WHERE window = ?",
        )
        .map_err(read)?;
    let mut rows = select.query([window]).map_err(read)?;
    while let Some(row) = rows.next().map_err(read)? {
        interval.add_agreement(schema::agreement(row, 0)?, row.get(3).map_err(read)?);
    }

    let mut select = connection.prepare_cached(ANATOMY).map_err(read)?;
    let mut rows = select.query([window]).map_err(read)?;
    while let Some(row) = rows.next().map_err(read)? {
        let (cell, stretches) = stretches(row).map_err(read)?;
        interval.add_stretches(cell, &stretches);
    }
    load_histograms(connection, window, interval)
}

fn load_histograms(
    connection: &Connection,
    window: i64,
    interval: &mut Interval,
) -> Result<(), RunFileError> {
    let read = |source| RunFileError::Read { source };
    let mut select = connection
        .prepare_cached("SELECT data FROM histogram WHERE window = ? AND metric = ?")
        .map_err(read)?;
    for metric in Metric::ALL {
        let mut rows = select.query(params![window, metric.name()]).map_err(read)?;
        let Some(row) = rows.next().map_err(read)? else {
            continue;
        };
        let bytes = row.get_ref(0).and_then(|data| Ok(data.as_blob()?)).map_err(read)?;
        interval.add_histogram(metric, &blob::decode(metric, bytes)?);
    }
    Ok(())
}

/// Begins a transaction unless one is open.
pub(super) fn begin(connection: &Connection) -> Result<(), RunFileError> {
    if connection.is_autocommit() {
        connection.execute_batch("BEGIN").map_err(|source| RunFileError::Write { source })?;
    }
    Ok(())
}
