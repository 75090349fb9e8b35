//! The audit in the run file: what the live run said is what a later report says.

use rusqlite::{Connection, params};

use super::{Audit, Check, Flag, FlaggedSecond, Grade, Reason, Verdict};
use crate::RunFileError;

/// Tables for the audit. `.schema` shows the comments.
pub(crate) const TABLES: &str = "
CREATE TABLE verdict ( -- one row: valid, suspect or invalid
    verdict TEXT NOT NULL
) STRICT;

CREATE TABLE reason ( -- why the run is not valid, the worst first
    place INTEGER PRIMARY KEY,
    check_name TEXT NOT NULL,
    verdict TEXT NOT NULL,
    finding TEXT NOT NULL,
    figure REAL NOT NULL,
    threshold TEXT NOT NULL
) STRICT;

CREATE TABLE flag ( -- what was wrong with a second, and how bad the second is for it
    place INTEGER PRIMARY KEY,
    window INTEGER NOT NULL,
    flag TEXT NOT NULL,
    grade TEXT NOT NULL,
    finding TEXT NOT NULL
) STRICT;
";

/// Writes an audit. A transaction must be open.
pub(crate) fn write(connection: &Connection, audit: &Audit) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO verdict VALUES (?)", [audit.verdict.name()])?;
    let mut insert = connection.prepare("INSERT INTO reason VALUES (NULL, ?, ?, ?, ?, ?)")?;
    for Reason { check, verdict, finding, figure, threshold } in &audit.reasons {
        insert.execute(params![check.help().name, verdict.name(), finding, figure, threshold])?;
    }
    let mut insert = connection.prepare("INSERT INTO flag VALUES (NULL, ?, ?, ?, ?)")?;
    for FlaggedSecond { window, grade, flags, findings } in &audit.seconds {
        for (flag, finding) in flags.iter().zip(findings) {
            insert.execute(params![window, flag.name(), grade.name(), finding])?;
        }
    }
    Ok(())
}

/// Reads the audit of a finished run; `None` when none was written.
pub(crate) fn read(connection: &Connection) -> Result<Option<Audit>, RunFileError> {
    let failed = |source| RunFileError::Read { source };
    let mut select = connection.prepare("SELECT verdict FROM verdict").map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    let Some(row) = rows.next().map_err(failed)? else { return Ok(None) };
    let verdict = named(row.get(0).map_err(failed)?, Verdict::from_name)?;
    Ok(Some(Audit { verdict, reasons: reasons(connection)?, seconds: seconds(connection)? }))
}

fn reasons(connection: &Connection) -> Result<Vec<Reason>, RunFileError> {
    let failed = |source| RunFileError::Read { source };
    let sql = "SELECT check_name, verdict, finding, figure, threshold FROM reason ORDER BY place";
    let mut select = connection.prepare(sql).map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    let mut reasons = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        reasons.push(Reason {
            check: named(row.get(0).map_err(failed)?, Check::from_name)?,
            verdict: named(row.get(1).map_err(failed)?, Verdict::from_name)?,
            finding: row.get(2).map_err(failed)?,
            figure: row.get(3).map_err(failed)?,
            threshold: row.get(4).map_err(failed)?,
        });
    }
    Ok(reasons)
}

fn seconds(connection: &Connection) -> Result<Vec<FlaggedSecond>, RunFileError> {
    let failed = |source| RunFileError::Read { source };
    let sql = "SELECT window, flag, grade, finding FROM flag ORDER BY place";
    let mut select = connection.prepare(sql).map_err(failed)?;
    let mut rows = select.query([]).map_err(failed)?;
    let mut seconds: Vec<FlaggedSecond> = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let window: i64 = row.get(0).map_err(failed)?;
        let flag = named(row.get(1).map_err(failed)?, Flag::from_name)?;
        let grade = named(row.get(2).map_err(failed)?, Grade::from_name)?;
        let finding = row.get(3).map_err(failed)?;
        match seconds.last_mut().filter(|second| second.window == window) {
            Some(second) => {
                second.flags.push(flag);
                second.findings.push(finding);
            }
            None => {
                let (flags, findings) = (vec![flag], vec![finding]);
                seconds.push(FlaggedSecond { window, grade, flags, findings });
            }
        }
    }
    Ok(seconds)
}

fn named<T>(name: String, find: fn(&str) -> Option<T>) -> Result<T, RunFileError> {
    find(&name).ok_or(RunFileError::Damaged { what: "a name in the audit" })
}
