//! How a planned request ended. Every planned request ends in exactly one of these.

/// The end of one planned request.
///
/// The accounting identity, asserted at the end of every run:
/// `planned = ok + http_error + check_failed + timeout + connect_error + io_error + protocol_error
/// + dropped + unfinished`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// A whole answer with a status below 400.
    Ok,
    /// A whole answer with a status of 400 or above.
    HttpError,
    /// A whole answer that a check of the plan rejected.
    CheckFailed,
    /// No whole answer within the plan's timeout, counted from dispatch.
    Timeout,
    /// No connection could be opened for it.
    ConnectError,
    /// The connection broke before the answer was whole.
    IoError,
    /// The peer broke the protocol.
    ProtocolError,
    /// Due, but never started: the worker's queue of waiting requests was full.
    Dropped,
    /// Still waiting when the grace period ended.
    Unfinished,
}

impl Outcome {
    /// Every outcome, in the order of reports and of [`Outcome::index`].
    pub const ALL: [Self; 9] = [
        Self::Ok,
        Self::HttpError,
        Self::CheckFailed,
        Self::Timeout,
        Self::ConnectError,
        Self::IoError,
        Self::ProtocolError,
        Self::Dropped,
        Self::Unfinished,
    ];

    /// The name in JSON, in the run file and in objectives.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::HttpError => "http_error",
            Self::CheckFailed => "check_failed",
            Self::Timeout => "timeout",
            Self::ConnectError => "connect_error",
            Self::IoError => "io_error",
            Self::ProtocolError => "protocol_error",
            Self::Dropped => "dropped",
            Self::Unfinished => "unfinished",
        }
    }

    /// Whether a whole answer arrived, so that its response time is known rather than bounded.
    #[inline]
    #[must_use]
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Ok | Self::HttpError | Self::CheckFailed)
    }

    /// Its place in [`Outcome::ALL`].
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}
