//! Where a calibration is kept: one JSON file in the user's state directory.
//!
//! Invariant: the file is whole or absent. It is written under another name and renamed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{Calibration, FORMAT, Machine};
use crate::failure::Failure;

/// Names the file in place of the state directory's; empty: there is none.
pub(crate) const VARIABLE: &str = "THRONG_CALIBRATION";

/// Why a calibration was not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// Nothing says where.
    #[error("there is no place to store it: no state directory, and {VARIABLE} names no file")]
    NoPlace,
    /// The directory cannot be made.
    #[error("cannot store it: there is no directory {}, and it cannot be made", path.display())]
    Directory { path: PathBuf, source: io::Error },
    /// The file cannot be written.
    #[error("cannot store it in {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Failure for StoreError {
    fn hint(&self) -> Option<String> {
        Some("name a file that you may write: --store calibration.json".to_owned())
    }
}

/// The file that later runs look into, from the environment's variables: [`VARIABLE`],
/// `$XDG_STATE_HOME/throng/calibration.json`, `$HOME/.local/state/throng/calibration.json`.
///
/// # Source
/// XDG Base Directory Specification 0.8; by it, a relative `XDG_STATE_HOME` is as if unset.
pub(crate) fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(named) = variable(VARIABLE) {
        return (!named.is_empty()).then(|| named.into());
    }
    let directory =
        |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = directory("XDG_STATE_HOME")
        .or_else(|| directory("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("throng/calibration.json"))
}

/// The calibration in a file, if it is one of this machine. Whatever is wrong with the file, a run
/// needs no calibration.
pub(crate) fn load(path: &Path, machine: &Machine) -> Option<Calibration> {
    let mut text = String::new();
    File::open(path).ok()?.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    let calibration: Calibration = serde_json::from_str(&text).ok()?;
    (calibration.format == FORMAT && calibration.machine == *machine).then_some(calibration)
}

/// Puts a calibration into a file, in place of what is there.
///
/// # Errors
/// [`StoreError`] when it cannot; what was there is left as it was.
pub(crate) fn save(path: &Path, calibration: &Calibration) -> Result<(), StoreError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        fs::create_dir_all(parent)
            .map_err(|source| StoreError::Directory { path: parent.to_owned(), source })?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let temporary = path.with_file_name(name);
    let result = write(&temporary, calibration).and_then(|()| fs::rename(&temporary, path));
    result.map_err(|source| {
        // It may not exist; what made it fail is what there is to say.
        let _ = fs::remove_file(&temporary);
        StoreError::Write { path: path.to_owned(), source }
    })
}

/// The JSON, with a line feed at its end.
pub(crate) fn json(calibration: &Calibration) -> String {
    // Numbers and text under text keys: serialising cannot fail.
    serde_json::to_string_pretty(calibration).unwrap_or_default() + "\n"
}

fn write(path: &Path, calibration: &Calibration) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(json(calibration).as_bytes())?;
    // Renamed before it is on the disk, it could be found empty after a power failure.
    file.sync_all()
}

/// A hundred times what a calibration has.
const BYTES_MAX: u64 = 1 << 20;

#[cfg(test)]
mod tests;
