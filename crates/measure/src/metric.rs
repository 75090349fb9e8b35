//! The durations that are kept as histograms.

/// One duration of a request or connection, each with a histogram per window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Metric {
    /// `end − due` of requests that ended `ok`.
    ResponseOk,
    /// `end − due` of requests that were answered but not `ok`. Kept apart so that fast errors
    /// cannot improve what successes show; added back for "all arrivals".
    ResponseError,
    /// Time from `due` until throng stopped waiting, for requests without an answer: a lower bound
    /// of their response time (right-censored).
    Unanswered,
    /// `end − sent`: what most tools call latency. Answered requests.
    Service,
    /// `dispatched − due`: the generator's own fault. Every dispatched request.
    Lateness,
    /// `sent − dispatched`: waiting for a connection. Every sent request that was answered.
    QueueWait,
    /// `first_byte − sent`. Answered requests.
    FirstByte,
    /// `read − end`: from the kernel's receive timestamp until user space had the last byte.
    Wakeup,
    /// From starting to open a connection until it was open: of TLS connections the part before
    /// the handshake. One per connection.
    Connect,
    /// From an open connection to the end of a full TLS handshake. One per connection.
    TlsFull,
    /// The same of a TLS handshake that resumed an earlier session.
    TlsResumed,
    /// `transmitted − sent`: the kernel's send path. Sampled requests.
    Transmit,
    /// `end − transmitted`: the network and the server, by the kernel's own timestamps. Sampled
    /// requests.
    Wire,
    /// How long a worker's loop was kept from its work: by how much it woke too late, or how long
    /// it did not read its clock while awake. Filed from [`STALL_NS`] on, in the
    /// window in which the stall ended.
    Stall,
}

/// The shortest stall of a worker's loop that is filed: 1 ms. Shorter ones show as lateness.
pub const STALL_NS: u64 = 1_000_000;

impl Metric {
    /// Every metric, in the order of [`Metric::index`].
    pub const ALL: [Self; 14] = [
        Self::ResponseOk,
        Self::ResponseError,
        Self::Unanswered,
        Self::Service,
        Self::Lateness,
        Self::QueueWait,
        Self::FirstByte,
        Self::Wakeup,
        Self::Connect,
        Self::TlsFull,
        Self::TlsResumed,
        Self::Transmit,
        Self::Wire,
        Self::Stall,
    ];

    /// Its place in [`Metric::ALL`].
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in the run file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ResponseOk => "response_ok",
            Self::ResponseError => "response_error",
            Self::Unanswered => "unanswered",
            Self::Service => "service",
            Self::Lateness => "lateness",
            Self::QueueWait => "queue_wait",
            Self::FirstByte => "first_byte",
            Self::Wakeup => "wakeup",
            Self::Connect => "connect",
            Self::TlsFull => "tls_full",
            Self::TlsResumed => "tls_resumed",
            Self::Transmit => "transmit",
            Self::Wire => "wire",
            Self::Stall => "stall",
        }
    }
}

/// Histograms resolve 1 ns and reach one hour; longer durations are filed at one hour and counted
/// as saturated.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;

/// Significant decimal digits: a value is filed at most 0.1 % away from itself.
pub const SIGNIFICANT_DIGITS: u8 = 3;
