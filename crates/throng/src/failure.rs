//! How a command fails: what is said, what to do about it, which status the process ends with.

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// The status that the process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It ran, and every `--fail-if` held.
    Success = 0,
    /// An objective failed, or had too few samples to be judged.
    ObjectiveFailed = 1,
    /// The arguments, the plan or the machine do not allow the run.
    Usage = 2,
    /// Nothing could be measured.
    NothingMeasured = 3,
    /// The audit says that the numbers are invalid (with `--strict`).
    Invalid = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error that ends a command. Its `Display` states the fact with its numbers.
pub(crate) trait Failure: Error {
    /// The next action, when there is one to suggest.
    fn hint(&self) -> Option<String>;

    /// The status to end with.
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

impl<'a, F: Failure + 'a> From<F> for Box<dyn Failure + 'a> {
    fn from(failure: F) -> Self {
        Box::new(failure)
    }
}

/// Writes `error: …` with its causes and ` hint: …` to standard error.
pub(crate) fn print(failure: &dyn Failure) {
    let mut text = format!("error: {failure}");
    let mut cause = failure.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text.push('\n');
    if let Some(hint) = failure.hint() {
        text.push_str(&format!(" hint: {hint}\n"));
    }
    say(&text);
}

/// Writes to standard error. When even that is closed there is nobody left to tell.
pub(crate) fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] io::Error);

    impl Failure for Outer {
        fn hint(&self) -> Option<String> {
            Some("do it".to_owned())
        }
    }

    #[test]
    fn any_failure_becomes_a_boxed_one() {
        let boxed: Box<dyn Failure> = Outer(io::Error::other("inner")).into();
        assert_eq!(boxed.to_string(), "outer");
        assert_eq!(boxed.exit(), Exit::Usage);
        assert_eq!(boxed.source().map(ToString::to_string).as_deref(), Some("inner"));
    }
}
