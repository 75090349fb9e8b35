//! Files of a job: the socket to connect to, the places of the outputs.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use throng_engine::plan::Endpoint;
use throng_measure::{RunFile, RunFileError};

use super::PreflightError;
use crate::failure::Failure;
use crate::front::{JsonTo, Outputs};

/// Why an output cannot go where it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// A directory is in the way.
    #[error("{option} {} is a directory", path.display())]
    IsDirectory { option: &'static str, path: PathBuf },
    /// Something that throng did not write is in the way.
    #[error("{option} {} exists and is not a run file, so it is not replaced", path.display())]
    WouldOverwrite { option: &'static str, path: PathBuf },
    /// The directory does not exist.
    #[error("{option} {}: there is no directory {}", path.display(), directory.display())]
    NoDirectory { option: &'static str, path: PathBuf, directory: PathBuf },
    /// The file cannot be written.
    #[error("{option} {} cannot be written", path.display())]
    Unwritable { option: &'static str, path: PathBuf, source: io::Error },
}

impl Failure for FileError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::IsDirectory { option, path } => {
                let name = if *option == "-o" { "run.throng" } else { "run.json" };
                format!("{option} {}", path.join(name).display())
            }
            Self::WouldOverwrite { .. } => {
                "give another name, or remove the file; only run files are replaced".to_owned()
            }
            Self::NoDirectory { directory, .. } => format!("mkdir -p {}", directory.display()),
            Self::Unwritable { .. } => "give a place that you may write to".to_owned(),
        })
    }
}

/// Whether every Unix endpoint is a socket.
pub(super) fn sockets(endpoints: &[Endpoint]) -> Result<(), PreflightError> {
    for endpoint in endpoints {
        let Endpoint::Unix(path) = endpoint else { continue };
        let length_bytes = path.as_os_str().as_bytes().len();
        if length_bytes > SOCKET_PATH_BYTES_MAX {
            return Err(PreflightError::SocketPathTooLong {
                path: path.clone(),
                length_bytes,
                limit_bytes: SOCKET_PATH_BYTES_MAX,
            });
        }
        match fs::metadata(path) {
            Err(source) => return Err(PreflightError::NoSocket { path: path.clone(), source }),
            Ok(found) if !found.file_type().is_socket() => {
                return Err(PreflightError::NotASocket { path: path.clone() });
            }
            Ok(_) => {}
        }
    }
    Ok(())
}

/// Whether every output can be written where it should go.
pub(super) fn outputs(outputs: &Outputs) -> Result<(), FileError> {
    if let Some(JsonTo::File(path)) = &outputs.json {
        writable("--json", path)?;
    }
    if let Some(path) = &outputs.run_file {
        replaceable("-o", path)?;
        writable("-o", path)?;
    }
    Ok(())
}

/// Whether the run file may take the place of what is there.
fn replaceable(option: &'static str, path: &Path) -> Result<(), FileError> {
    if path.is_dir() || !path.exists() {
        return Ok(());
    }
    match RunFile::open(path) {
        Err(RunFileError::NotARunFile { path }) => Err(FileError::WouldOverwrite { option, path }),
        // A run file, whole or not, or an empty file; what else is wrong shows when it is written.
        _ => Ok(()),
    }
}

/// Whether the file can be written: opened when it exists, or else created and removed again.
fn writable(option: &'static str, path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Err(FileError::IsDirectory { option, path: path.to_owned() });
    }
    let unwritable = |source| FileError::Unwritable { option, path: path.to_owned(), source };
    match OpenOptions::new().append(true).open(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritable(error)),
        Err(_) => {}
    }
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        return Err(FileError::NoDirectory {
            option,
            path: path.to_owned(),
            directory: directory.to_owned(),
        });
    }
    // Under another name: a run that is refused later must not leave an empty result behind, nor
    // remove one that somebody else just created.
    let mut probe = path.file_name().map_or_else(OsString::new, OsString::from);
    probe.push(format!(".{}", std::process::id()));
    let probe = directory.join(probe);
    OpenOptions::new().write(true).create_new(true).open(&probe).map_err(unwritable)?;
    fs::remove_file(&probe).map_err(unwritable)
}

/// `sun_path` has 108 bytes, the last of them zero.
const SOCKET_PATH_BYTES_MAX: usize = 107;
