//! What a run came to: everything a report prints, as plain numbers.

use crate::audit::Audit;
use crate::runfile::Environment;
use crate::{
    Anatomy, Breakdown, Cause, Connections, Counts, Distribution, Level, Objective, Outcome, TlsUse,
};

/// Who decides when the next request is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The plan: a slow server changes nothing about the arrivals.
    Open,
    /// The answers: the next request of a user waits for the one before.
    Closed,
}

impl Model {
    /// The name in JSON and in the run file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// A run in numbers. The warm-up is left out of everything but `warmup`, `elapsed_ns`, `gauges`
/// and `generator`.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The throng that ran it.
    pub version: String,
    /// The plan in one line.
    pub title: String,
    /// Who decided when requests were due.
    pub model: Model,
    /// The most connections that the plan allows.
    pub connections_max: u32,
    /// Whether a connection carries more than one request.
    pub keep_alive: bool,
    /// One request in so many was to have its transmission stamped; 0: none.
    pub transmit_sampling: u32,
    /// The plan, complete.
    pub plan: serde_json::Value,
    /// The machine that generated the load.
    pub environment: Environment,
    /// When the run began, in nanoseconds since 1970, UTC.
    pub started_unix_ns: i64,
    /// Whether the run came to its end; a run that was cut has what its last whole second had.
    pub complete: bool,
    /// Whether it was told to end before its plan did, by a signal.
    pub interrupted: bool,
    /// The objective that ended it before its plan did.
    pub aborted: Option<String>,
    /// The conditions under which it fails.
    pub objectives: Vec<Objective>,
    /// Since the run began, until the last request had ended.
    pub elapsed_ns: u64,
    /// The length of the warm-up.
    pub warmup_ns: u64,
    /// The measured part, from the end of the warm-up to the end of the plan: what rates are per.
    pub span_ns: u64,
    /// Requests planned in the span.
    pub planned: u64,
    /// How they ended, by [`Outcome::index`]. In a run that was cut, those of which nothing was
    /// written any more are among the unfinished.
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Of a run that was cut: requests counted as unfinished because nothing was written of them.
    pub lost: u64,
    /// Whether `planned` is the sum of `outcomes`, and the warm-up's likewise.
    pub identity_holds: bool,
    /// The warm-up's requests.
    pub warmup: Warmup,
    /// Answers by status, rising.
    pub statuses: Vec<(u16, u64)>,
    /// Requests without an answer, by cause.
    pub causes: Vec<(Cause, u64)>,
    /// Requests per second.
    pub rates: Rates,
    /// Answers that arrived in the span.
    pub completed: u64,
    /// `end − due` of every arrival, those without an answer as bounds.
    pub response_time: Distribution,
    /// `end − due` of the requests that ended `ok`.
    pub response_time_ok: Distribution,
    /// `end − sent`.
    pub service_time: Distribution,
    /// `dispatched − due`.
    pub lateness: Distribution,
    /// `sent − dispatched`.
    pub queue_wait: Distribution,
    /// `first_byte − sent`.
    pub first_byte: Distribution,
    /// The time it took to open a connection, without its TLS handshake.
    pub connect_time: Distribution,
    /// What TLS handshakes agreed on, in the warm-up too; `None` for a run without TLS.
    pub tls: Option<TlsUse>,
    /// How long full TLS handshakes took.
    pub tls_full_time: Distribution,
    /// How long TLS handshakes took that resumed a session.
    pub tls_resumed_time: Distribution,
    /// `read − end`.
    pub wakeup: Distribution,
    /// `transmitted − sent`, of sampled requests.
    pub transmit: Distribution,
    /// `end − transmitted`, of sampled requests.
    pub wire: Distribution,
    /// How long workers were kept from their work, where that was 1 ms or longer.
    pub stalls: Distribution,
    /// Where the time of the sampled requests went.
    pub anatomy: Anatomy,
    /// Durations beyond the histograms' range of one hour, filed at one hour.
    pub saturated: u64,
    /// Bytes handed to the kernel, heads included.
    pub bytes_sent: u64,
    /// Bytes received, heads included.
    pub bytes_received: u64,
    /// What happened to connections.
    pub connections: Connections,
    /// The most connections open at one time; the workers' maxima added up.
    pub open_max: u32,
    /// The most requests that waited for a connection; the workers' maxima added up.
    pub queued_max: u32,
    /// What generating the load cost.
    pub generator: GeneratorUse,
    /// How often the wall clock was set while the run lasted.
    pub clock_steps: u64,
    /// How far all this can be believed.
    pub audit: Audit,
}

/// The warm-up's requests: run, but not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warmup {
    /// Planned.
    pub planned: u64,
    /// How they ended, by [`Outcome::index`].
    pub outcomes: [u64; Outcome::ALL.len()],
}

/// Requests per second of the span.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Planned.
    pub offered_per_s: f64,
    /// Answered before the span ended.
    pub achieved_per_s: f64,
    /// The part of the answered that was `ok`.
    pub ok_per_s: f64,
}

/// What generating the load cost, from the start of the run to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GeneratorUse {
    /// Processor seconds in user space.
    pub user_s: f64,
    /// Processor seconds in the kernel.
    pub system_s: f64,
    /// Both, over the run's length: 1 is one processor kept busy.
    pub cpu_cores: f64,
    /// The most memory resident at one time.
    pub max_rss_bytes: u64,
    /// The share of processor time that the hypervisor gave to others, 0..=1.
    pub steal_ratio: Option<f64>,
}

impl GeneratorUse {
    /// Processor seconds, user space and kernel.
    #[must_use]
    pub fn cpu_s(&self) -> f64 {
        self.user_s + self.system_s
    }
}

impl Rates {
    /// The rates of so much over so much time; 0 when there was none.
    #[must_use]
    pub fn of(planned: u64, counts: &Counts, time_ns: u64) -> Self {
        let per_s = |count: u64| match time_ns {
            0 => 0.0,
            _ => count as f64 * 1e9 / time_ns as f64,
        };
        Self {
            offered_per_s: per_s(planned),
            achieved_per_s: per_s(counts.completed),
            ok_per_s: per_s(counts.completed_ok),
        }
    }
}

impl Summary {
    /// How many requests ended this way.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome.index()]
    }

    /// Requests that were planned and did not end `ok`.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.planned.saturating_sub(self.outcome(Outcome::Ok))
    }

    /// The share of planned requests that did not end `ok`, 0..=1; `None` when none was planned.
    #[must_use]
    pub fn error_ratio(&self) -> Option<f64> {
        (self.planned > 0).then(|| self.failed() as f64 / self.planned as f64)
    }

    /// The achieved rate over what the machine can generate at most; `None` where it was not
    /// calibrated for such a run.
    #[must_use]
    pub fn capacity_ratio(&self) -> Option<f64> {
        let capacity = self.environment.capacity.filter(|capacity| capacity.rate_per_s > 0)?;
        Some(self.rates.achieved_per_s / capacity.rate_per_s as f64)
    }

    /// The span in seconds.
    #[must_use]
    pub fn span_s(&self) -> f64 {
        self.span_ns as f64 / 1e9
    }

    /// What a percentile of the response time is made of; `None` when it is not known or too few
    /// requests near it were sampled.
    #[must_use]
    pub fn breakdown(&self, level: Level) -> Option<Breakdown> {
        self.anatomy.breakdown(self.response_time.at(level).value()?)
    }

    /// Whether any request was answered.
    #[must_use]
    pub fn any_answered(&self) -> bool {
        Outcome::ALL.into_iter().filter(|o| o.is_answered()).any(|o| self.outcome(o) > 0)
    }
}
