//! Ctrl-C: the first asks for a graceful end, the second ends at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Failure;

/// The system refused a signal handler.
#[derive(Debug, thiserror::Error)]
#[error("the system refused a handler for Ctrl-C")]
pub(crate) struct SignalError(#[from] io::Error);

impl Failure for SignalError {
    fn hint(&self) -> Option<String> {
        None
    }
}

/// Sets `flag` at SIGINT and SIGTERM; the next one of either ends the process at once, with the
/// status that a shell reports for a death by that signal.
///
/// # Errors
/// When the system refuses.
pub(crate) fn stop_on_signal(flag: &Arc<AtomicBool>) -> Result<(), SignalError> {
    for signal in [SIGINT, SIGTERM] {
        // Handlers run in the order of registration: the first signal finds the flag unset here.
        flag::register_conditional_shutdown(signal, STATUS_OF_SIGNALS + signal, Arc::clone(flag))?;
        flag::register(signal, Arc::clone(flag))?;
    }
    Ok(())
}

const STATUS_OF_SIGNALS: i32 = 128;
