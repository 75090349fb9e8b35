//! A run: checked, measured, reported, judged.
//!
//! In this order: preflight, the load, the reports, the objectives. The reports are printed
//! whatever the objectives say.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use throng_engine::{RunError, Stopper};
use throng_measure::audit;
use throng_measure::{Cause, Outcome, Place, RunFile, RunFileError, Summary};

use super::judge::{self, Judged};
use super::{format, print_report};
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::front::{Job, JsonTo, Outputs};
use crate::preflight;
use crate::progress::ProgressLine;
use crate::signals;

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NothingMeasured {
    /// No connection was ever open.
    #[error(
        "no connection could be opened: {failed_count} attempts failed{}",
        most_frequent.map(|c| format!(", most because {}", c.explain())).unwrap_or_default()
    )]
    NoConnection { failed_count: u64, most_frequent: Option<Cause> },
    /// The run ended before the first request that would have counted.
    #[error("no request was due in the measured part of the run")]
    NoRequest { interrupted: bool },
}

impl Failure for NothingMeasured {
    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoConnection { most_frequent: Some(cause), .. } if tls_hint(*cause).is_some() => {
                return tls_hint(*cause).map(str::to_owned);
            }
            Self::NoConnection { .. } => "check that the server runs and that the port is right",
            Self::NoRequest { interrupted: true } => "it was stopped during the warm-up",
            Self::NoRequest { interrupted: false } => "give a longer run, or a higher rate",
        };
        Some(hint.to_owned())
    }

    fn exit(&self) -> Exit {
        Exit::NothingMeasured
    }
}

/// What to do when TLS was the reason.
fn tls_hint(cause: Cause) -> Option<&'static str> {
    Some(match cause {
        Cause::TlsNotTls => "measure http:// if the server speaks no TLS",
        Cause::TlsCertificateUnknownIssuer => {
            "name the issuer's certificate with --cacert, or accept any certificate with -k"
        }
        Cause::TlsCertificateName => {
            "name the server with --sni, or accept any certificate with -k"
        }
        Cause::TlsCertificateExpired | Cause::TlsCertificateInvalid => {
            "accept any certificate with -k"
        }
        Cause::TlsHandshakeFailure | Cause::TlsProtocolVersion => {
            "check --tls-min, --tls-max and --tls-groups, and what the server allows"
        }
        Cause::TlsCertificateRequired | Cause::TlsBadCertificate | Cause::TlsUnknownCa => {
            "give a client certificate that the server accepts, with --cert and --key"
        }
        _ => return None,
    })
}

impl Failure for RunError {
    fn hint(&self) -> Option<String> {
        Self::hint(self).map(str::to_owned)
    }

    fn exit(&self) -> Exit {
        match self {
            // The machine or a file name does not allow the run; nothing was sent.
            Self::Backend(_)
            | Self::Thread { .. }
            | Self::Tls(_)
            | Self::RunFile(RunFileError::WouldOverwrite { .. } | RunFileError::Access { .. }) => {
                Exit::Usage
            }
            _ => Exit::NothingMeasured,
        }
    }
}

/// Carries a job out.
///
/// # Errors
/// What preflight found missing, what stopped the run, or that it measured nothing.
pub(crate) fn run(job: &Job) -> Result<Exit, Box<dyn Failure>> {
    preflight::check(&job.plan, &job.outputs)?;
    let run_file = measure(job)?;
    let summary = run_file.summary()?;
    let judged = judge::judge(&job.objectives.conditions, &run_file, &summary)?;
    write_reports(&run_file, &job.outputs, &judged)?;
    if let Some(nothing) = nothing_measured(&summary) {
        return Err(nothing.into());
    }
    // What cannot be believed fails no objective and holds none.
    if job.strict && summary.audit.verdict == audit::Verdict::Invalid {
        return Ok(Exit::Invalid);
    }
    Ok(judge::exit(&judged))
}

fn measure(job: &Job) -> Result<RunFile, Box<dyn Failure>> {
    let stopper = Stopper::new();
    signals::stop_on_signal(&stopper.flag())?;
    let place = job.outputs.run_file.as_deref().map_or(Place::Temporary, Place::File);
    let line = ProgressLine::start(&job.plan, job.outputs.quiet);
    let result = throng_engine::run(
        &job.plan,
        place,
        environment::describe(&job.plan),
        &job.objectives,
        &stopper,
        &mut |progress| line.tick(progress, stopper.is_requested()),
    );
    line.finish();
    Ok(result?)
}

fn write_reports(
    run_file: &RunFile,
    outputs: &Outputs,
    judged: &[Judged<'_>],
) -> Result<(), Box<dyn Failure>> {
    if outputs.json == Some(JsonTo::Stdout) {
        print_report(format(JSON), run_file)?;
    }
    if outputs.text() {
        print_report(format(TEXT), run_file)?;
    }
    judge::tell(judged, outputs.text())?;
    // Last: when the file cannot be written, what was printed remains.
    if let Some(JsonTo::File(path)) = &outputs.json {
        write_json(run_file, path)?;
    }
    Ok(())
}

pub(super) fn nothing_measured(summary: &Summary) -> Option<NothingMeasured> {
    let answered = |outcomes: &[u64; Outcome::ALL.len()]| {
        Outcome::ALL.into_iter().any(|o| o.is_answered() && outcomes[o.index()] > 0)
    };
    let ever_connected = summary.connections.opened > 0
        || summary.open_max > 0
        || answered(&summary.outcomes)
        || answered(&summary.warmup.outcomes);
    if !ever_connected && summary.connections.failed + summary.outcome(Outcome::ConnectError) > 0 {
        let most_frequent = summary.causes.iter().max_by_key(|(_, count)| count);
        return Some(NothingMeasured::NoConnection {
            failed_count: summary.connections.failed,
            most_frequent: most_frequent.map(|&(cause, _)| cause),
        });
    }
    (summary.planned == 0)
        .then_some(NothingMeasured::NoRequest { interrupted: summary.interrupted })
}

/// A file that could not be written after the run.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub(super) struct JsonError {
    pub(super) path: PathBuf,
    pub(super) source: io::Error,
}

impl Failure for JsonError {
    fn hint(&self) -> Option<String> {
        Some("check the free space where it goes".to_owned())
    }
}

fn write_json(run_file: &RunFile, path: &Path) -> Result<(), Box<dyn Failure>> {
    let unwritable = |source| JsonError { path: path.to_owned(), source };
    let mut out = BufWriter::new(File::create(path).map_err(unwritable)?);
    format(JSON).write(run_file, &mut out)?;
    out.flush().map_err(unwritable)?;
    Ok(())
}

pub(super) const TEXT: &str = "text";
pub(super) const JSON: &str = "json";

#[cfg(test)]
mod tests;
