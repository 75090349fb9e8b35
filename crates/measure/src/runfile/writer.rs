//! Writing a run file while the run lasts.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, params};

use super::blob::{self, Encoder};
use super::schema::{self, APPLICATION_ID};
use super::windows::{Windows, begin};
use super::{Place, Progress, RunEnd, RunFile, RunFileError, RunHeader, Tick};
use crate::distribution::{Distribution, Level, fold};
use crate::interval::Sum;
use crate::objective::Watch;
use crate::{Counts, Interval, Metric, Objective, Outcome};

/// Writes one run.
pub struct RunWriter {
    connection: Connection,
    path: Option<PathBuf>,
    encoder: Encoder,
    windows: Windows,
    /// What was added since the last commit, the warm-up left out.
    recent: Box<Interval>,
    /// Answers since the last commit, the warm-up included.
    recent_completed: u64,
    /// The sum of the windows from 0 on.
    totals: Sum,
    warmup: Counts,
    warmup_ns: u64,
    progress: Progress,
    tick_count: i64,
    /// Why an interval could not be added; the next commit returns it.
    failure: Option<RunFileError>,
}

impl RunWriter {
    /// Begins a run file.
    ///
    /// # Errors
    /// [`RunFileError::WouldOverwrite`] when the file exists and is not a run file; otherwise what
    /// the system or SQLite said.
    pub fn create(place: Place<'_>, header: &RunHeader) -> Result<Self, RunFileError> {
        let write = |source| RunFileError::Write { source };
        let (connection, path) = match place {
            Place::Temporary => (Connection::open("").map_err(write)?, None),
            Place::File(path) => {
                clear_the_way(path)?;
                let connection = Connection::open(path).map_err(write)?;
                // A transaction stays in memory until its commit, which keeps the time short in
                // which the file alone is not whole. A temporary database is to spill instead.
                connection.pragma_update(None, "cache_spill", false).map_err(write)?;
                (connection, Some(path.to_owned()))
            }
        };
        configure(&connection).map_err(write)?;
        begin(&connection)?;
        schema::create(&connection).map_err(write)?;
        write_header(&connection, header).map_err(write)?;
        connection.execute_batch("COMMIT").map_err(write)?;
        Ok(Self {
            connection,
            path,
            encoder: Encoder::new(),
            windows: Windows::new(),
            recent: Box::default(),
            recent_completed: 0,
            totals: Sum::new(),
            warmup: Counts::default(),
            warmup_ns: header.warmup_ns,
            progress: Progress::default(),
            tick_count: 0,
            failure: None,
        })
    }

    /// Adds a worker's interval to its window and, from window 0 on, to the totals.
    ///
    /// Nearly always in memory only; an error in making place for its window is returned by the
    /// next [`RunWriter::commit`]. The interval's gauges are not looked at.
    pub fn add(&mut self, interval: &Interval) {
        if interval.is_empty() || self.failure.is_some() {
            return;
        }
        self.recent_completed += interval.counts.completed;
        if interval.window < 0 {
            self.warmup.merge(&interval.counts);
        } else {
            self.recent.merge(interval);
        }
        self.failure = self.windows.add(interval, &self.connection, &mut self.encoder).err();
    }

    /// Writes what changed since the last commit, in one transaction.
    ///
    /// When a reader holds the file for longer than a second, the transaction stays open and
    /// the next commit takes it along.
    ///
    /// # Errors
    /// What SQLite said: the run file is then of no use beyond its last whole second.
    pub fn commit(&mut self, tick: &Tick) -> Result<(), RunFileError> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        begin(&self.connection)?;
        self.windows.store(&self.connection, &mut self.encoder)?;
        self.add_to_totals();
        self.store_tick(tick).map_err(|source| RunFileError::Write { source })?;
        self.advance(tick);
        match end_transaction(&self.connection) {
            Err(RunFileError::Locked) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Has objectives judged at every commit from now on, for [`RunWriter::met`].
    pub fn watch(&mut self, objectives: &[Objective]) {
        self.windows.watch(Watch::new(objectives, self.warmup_ns));
    }

    /// The first watched objective that is met by what was committed so far. At a cost that does
    /// not grow with the length of the run.
    pub fn met(&mut self) -> Option<&Objective> {
        self.windows.met(&self.totals, self.progress.elapsed_ns)
    }

    /// How the run stands, as of the last commit.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Ends the run: writes the rest, and through to the disk.
    ///
    /// # Errors
    /// [`RunFileError::Unbalanced`] when not every planned request ended in exactly one outcome;
    /// the file is complete even then, and shows it. [`RunFileError::Locked`] when a reader does
    /// not let go. Otherwise what SQLite said.
    pub fn finish(mut self, end: &RunEnd) -> Result<RunFile, RunFileError> {
        let write = |source| RunFileError::Write { source };
        self.commit(&Tick {
            elapsed_ns: end.elapsed_ns,
            gauges: end.gauges,
            generator: end.generator,
            second: end.second,
        })?;
        if !self.connection.is_autocommit() {
            end_transaction(&self.connection)?;
        }
        self.connection.pragma_update(None, "synchronous", "FULL").map_err(write)?;
        begin(&self.connection)?;
        self.store_totals().map_err(write)?;
        write_end(&self.connection, end).map_err(write)?;
        end_transaction(&self.connection)?;
        let ended = [self.warmup.ended(), self.totals.counts.ended()];
        let planned = [end.gauges.planned_warmup, end.gauges.planned];
        for (warmup, (ended, planned)) in
            [true, false].into_iter().zip(ended.into_iter().zip(planned))
        {
            if ended != planned {
                return Err(RunFileError::Unbalanced { planned, ended, warmup });
            }
        }
        let file = RunFile::of(self.connection, self.path)?;
        file.keep_audit()?;
        Ok(file)
    }

    /// Adds what is new to the totals, which are written at the end: until then they are the sum
    /// of the windows.
    fn add_to_totals(&mut self) {
        self.totals.add(&self.recent);
        self.recent.clear();
    }

    fn store_totals(&mut self) -> rusqlite::Result<()> {
        let mut insert = self.connection.prepare("INSERT INTO total VALUES (?, ?)")?;
        for metric in Metric::ALL {
            let total = self.totals.histogram(metric);
            insert.execute(params![metric.name(), blob::encode(total)])?;
        }
        Ok(())
    }

    fn store_tick(&mut self, tick: &Tick) -> rusqlite::Result<()> {
        let Tick { elapsed_ns, gauges, generator, second } = tick;
        self.connection
            .prepare_cached(
                "INSERT INTO tick VALUES
                 (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                self.tick_count,
                schema::stored(*elapsed_ns),
                schema::stored(gauges.planned_warmup),
                schema::stored(gauges.planned),
                gauges.open,
                gauges.open_max,
                gauges.queued,
                gauges.queued_max,
                gauges.in_flight,
                schema::stored(generator.user_ns),
                schema::stored(generator.system_ns),
                schema::stored(generator.max_rss_bytes),
                generator.steal_ratio,
                schema::stored(gauges.cpu_ns),
                schema::stored(gauges.clock_steps),
                second.busiest_worker_ratio,
                second.steal_ratio,
                second.host_retransmitted.map(schema::stored),
            ])?;
        self.tick_count += 1;
        Ok(())
    }

    fn advance(&mut self, tick: &Tick) {
        let [p50_ns, p99_ns] = response_time(&self.totals);
        let tick_ns = tick.elapsed_ns.saturating_sub(self.progress.elapsed_ns);
        let counts = &self.totals.counts;
        self.progress = Progress {
            elapsed_ns: tick.elapsed_ns,
            rate_per_s: match tick_ns {
                0 => 0.0,
                _ => self.recent_completed as f64 * 1e9 / tick_ns as f64,
            },
            p50_ns,
            p99_ns,
            planned: tick.gauges.planned,
            completed: counts.completed,
            failed: counts.ended() - counts.outcomes[Outcome::Ok.index()],
            open_count: tick.gauges.open,
            queued: tick.gauges.queued,
            in_flight: tick.gauges.in_flight,
        };
        self.recent_completed = 0;
    }
}

/// Median and 99th percentile of the response time of all arrivals, where they are known.
fn response_time(totals: &Sum) -> [Option<u64>; 2] {
    let of = |metric| totals.histogram(metric);
    let (ok, error) = (of(Metric::ResponseOk), of(Metric::ResponseError));
    let (levels, censored_count) = ([Level::P50, Level::P99], of(Metric::Unanswered).len());
    if error.is_empty() {
        return Distribution::known(levels, ok, censored_count);
    }
    let mut answered = ok.clone();
    fold(&mut answered, error);
    Distribution::known(levels, &answered, censored_count)
}

/// Removes an older run file; refuses anything else.
fn clear_the_way(path: &Path) -> Result<(), RunFileError> {
    let access = |source| RunFileError::Access { path: path.to_owned(), source };
    match is_replaceable(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(access(error)),
        Ok(false) => {
            return Err(RunFileError::WouldOverwrite { path: path.to_owned() });
        }
        Ok(true) => fs::remove_file(path).map_err(access)?,
    }
    // What a cut run left beside it would be rolled back into the new file.
    match fs::remove_file(journal_of(path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(access(error)),
        _ => Ok(()),
    }
}

/// Whether the file is empty or a run file.
fn is_replaceable(path: &Path) -> io::Result<bool> {
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut start = Vec::new();
    fs::File::open(path)?.take(SQLITE_HEADER_BYTES).read_to_end(&mut start)?;
    Ok(start.is_empty()
        || start.starts_with(b"SQLite format 3\0")
            && start
                .get(APPLICATION_ID_AT..)
                .is_some_and(|id| id.starts_with(&APPLICATION_ID.to_be_bytes())))
}

/// Where SQLite keeps the rollback journal of a file.
pub(super) fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

fn end_transaction(connection: &Connection) -> Result<(), RunFileError> {
    connection.execute_batch("COMMIT").map_err(|source| match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy) => RunFileError::Locked,
        _ => RunFileError::Write { source },
    })
}

fn write_header(connection: &Connection, header: &RunHeader) -> rusqlite::Result<()> {
    let environment = serde_json::to_string(&header.environment)
        .expect("a struct of strings and numbers has a JSON form");
    let mut set = connection.prepare("INSERT INTO run VALUES (?, ?)")?;
    set.execute(params!["version", header.version])?;
    set.execute(params!["plan", header.plan.to_string()])?;
    set.execute(params!["title", header.title])?;
    set.execute(params!["started_unix_ns", header.started_unix_ns])?;
    set.execute(params!["warmup_ns", schema::stored(header.warmup_ns)])?;
    set.execute(params!["model", if header.closed { "closed" } else { "open" }])?;
    set.execute(params!["connections_max", header.connections_max])?;
    set.execute(params!["keep_alive", header.keep_alive])?;
    set.execute(params!["transmit_sampling", header.transmit_sampling])?;
    if let Some(verified) = header.tls_verified {
        set.execute(params!["tls_verified", verified])?;
    }
    set.execute(params!["environment", environment])?;
    let objectives: Vec<_> = header.objectives.iter().map(Objective::text).collect();
    let objectives = serde_json::to_string(&objectives).expect("a list of strings has a JSON form");
    set.execute(params!["objectives", objectives])?;
    Ok(())
}

fn write_end(connection: &Connection, end: &RunEnd) -> rusqlite::Result<()> {
    let mut set = connection.prepare("INSERT INTO run VALUES (?, ?)")?;
    set.execute(params!["span_from_ns", schema::stored(end.span.from.0)])?;
    set.execute(params!["span_until_ns", schema::stored(end.span.until.0)])?;
    set.execute(params!["interrupted", i64::from(end.interrupted)])?;
    if let Some(objective) = &end.aborted {
        set.execute(params!["aborted", objective])?;
    }
    Ok(())
}

/// How long a commit waits for a reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// Distinct statements that a run repeats.
const STATEMENTS: usize = 20;

/// The length of SQLite's file header, and where the application's id is in it.
const SQLITE_HEADER_BYTES: u64 = 100;
const APPLICATION_ID_AT: usize = 68;
