//! What one worker recorded for one window, as it travels to the conductor.

use hdrhistogram::Histogram;

use crate::distribution::empty_histogram;
use crate::{
    Agreement, Agreements, Anatomy, Buckets, Cause, Metric, Nanos, Outcome, Sample, Stretches,
};

/// The length of a window. Windows count from the end of the warm-up.
pub const WINDOW_NS: u64 = 1_000_000_000;

/// Status codes are filed by value; everything a decoder lets through is below this.
pub const STATUS_CODES: usize = 1000;

/// Counts and histograms of the requests that were due in one window: a delta, which adds up with
/// other deltas of the same window.
#[derive(Clone, Debug)]
pub struct Interval {
    /// Seconds since the end of the warm-up, rounded down; negative during the warm-up.
    pub window: i64,
    /// What was counted.
    pub counts: Counts,
    /// The state of the worker when it handed the interval over; `None` when the interval was
    /// handed over early, to make place for another window.
    pub gauges: Option<Gauges>,
    status: Box<[u32; STATUS_CODES]>,
    causes: [u32; Cause::COUNT],
    durations: [Buckets; Metric::ALL.len()],
    anatomy: Anatomy,
    agreements: Agreements,
}

/// What an [`Interval`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests by how they ended, by [`Outcome::index`]; in the window of their due time.
    pub outcomes: [u64; Outcome::ALL.len()],
    /// Answers whose last byte arrived in this window and before the plan's end, whatever window
    /// they were due in: the achieved rate.
    pub completed: u64,
    /// The part of `completed` that was `ok`.
    pub completed_ok: u64,
    /// Bytes handed to the kernel, heads included, since the last hand-over.
    pub bytes_sent: u64,
    /// Bytes received, heads included, since the last hand-over.
    pub bytes_received: u64,
    /// Durations beyond the histograms' range.
    pub saturated: u64,
    /// What happened to connections since the last hand-over.
    pub connections: Connections,
}

/// What happened to connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Opened.
    pub opened: u64,
    /// Attempts to open one that failed.
    pub failed: u64,
    /// Closed by the peer while no request was in flight.
    pub idle_closed: u64,
    /// Requests sent again because their kept-alive connection turned out to be closed
    /// (RFC 9110, 9.2.2: idempotent methods only).
    pub retried: u64,
    /// Closed by throng because a request on it timed out.
    pub timed_out: u64,
    /// Interim (1xx) answers.
    pub interim: u64,
    /// Answers with both Transfer-Encoding and Content-Length (RFC 9112, 6.3).
    pub framing_conflicts: u64,
    /// Answers without a usable kernel receive timestamp: `end` is when they were read.
    pub unstamped: u64,
    /// Closed by throng because bytes came that no request had asked for.
    pub unsolicited: u64,
    /// Attempts to open one that failed for want of a file or a local port: the generator's limit.
    pub starved: u64,
    /// Segments that the kernel sent again on the connections that it was asked about (TCP_INFO,
    /// a sample).
    pub retransmitted: u64,
    /// Sampled requests of which the kernel did not say when it transmitted them.
    pub untransmitted: u64,
    /// Requests that found no connection with room when they were dispatched.
    pub waited: u64,
}

/// What a worker moved since its last hand-over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes handed to the kernel, heads included.
    pub bytes_sent: u64,
    /// Bytes received, heads included.
    pub bytes_received: u64,
    /// What happened to connections.
    pub connections: Connections,
}

/// The state of one worker at a hand-over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    /// When it was handed over.
    pub at: Nanos,
    /// Processor time of the worker's thread since the run began.
    pub cpu_ns: u64,
    /// Times that the wall clock was seen to jump since the run began.
    pub clock_steps: u64,
    /// Requests that the workload has planned since the run began, in the warm-up.
    pub planned_warmup: u64,
    /// Requests that the workload has planned since the run began, after the warm-up.
    pub planned: u64,
    /// Connections open now.
    pub open: u32,
    /// The most connections open at one time.
    pub open_max: u32,
    /// Requests due but not sent, waiting for a connection.
    pub queued: u32,
    /// The most requests that waited for a connection at one time.
    pub queued_max: u32,
    /// Requests sent or being sent, not answered.
    pub in_flight: u32,
}

impl Gauges {
    /// Adds the state of another worker. Workers reach their maxima at different times, so the sum
    /// of the maxima is an upper bound. They see the same clock jump: the most that one saw count.
    pub fn add(&mut self, other: &Self) {
        self.at = self.at.max(other.at);
        self.cpu_ns += other.cpu_ns;
        self.clock_steps = self.clock_steps.max(other.clock_steps);
        self.planned_warmup += other.planned_warmup;
        self.planned += other.planned;
        self.open += other.open;
        self.open_max += other.open_max;
        self.queued += other.queued;
        self.queued_max += other.queued_max;
        self.in_flight += other.in_flight;
    }
}

impl Gauges {
    /// The share of the time since `earlier` in which the worker's thread had a processor, 0..=1;
    /// `None` over less than a tenth of a second, where the clocks' granularity is all that would
    /// show.
    #[must_use]
    pub fn busy_ratio_since(&self, earlier: &Self) -> Option<f64> {
        let wall_ns = self.at.since(earlier.at);
        let cpu_ns = self.cpu_ns.saturating_sub(earlier.cpu_ns);
        (wall_ns >= BUSY_OVER_NS).then(|| (cpu_ns as f64 / wall_ns as f64).min(1.0))
    }
}

/// How busy a worker is, is said of at least this long.
const BUSY_OVER_NS: u64 = 100_000_000;

impl Counts {
    /// Files what was moved since the last hand-over, of which an interval sees only one.
    pub(crate) fn move_traffic(&mut self, traffic: Traffic) {
        self.bytes_sent += traffic.bytes_sent;
        self.bytes_received += traffic.bytes_received;
        self.connections = traffic.connections;
    }
}

impl Interval {
    /// An empty interval. It claims memory as durations touch it.
    #[must_use]
    pub fn new() -> Self {
        Self {
            window: 0,
            counts: Counts::default(),
            gauges: None,
            status: Box::new([0; STATUS_CODES]),
            causes: [0; Cause::COUNT],
            durations: std::array::from_fn(|_| Buckets::new()),
            anatomy: Anatomy::new(),
            agreements: Agreements::default(),
        }
    }

    /// Files an ended request, except for `completed`, which belongs to another window.
    #[inline(always)]
    pub(crate) fn add(&mut self, sample: &Sample) {
        self.counts.outcomes[sample.outcome.index()] += 1;
        if let Some(dispatched) = sample.dispatched {
            self.record(Metric::Lateness, dispatched.since(sample.due));
        }
        if !sample.outcome.is_answered() {
            self.record(Metric::Unanswered, sample.end.since(sample.due));
            if let Some(cause) = sample.cause {
                self.causes[cause.index()] += 1;
            }
            return;
        }
        let response =
            if sample.outcome == Outcome::Ok { Metric::ResponseOk } else { Metric::ResponseError };
        self.record(response, sample.end.since(sample.due));
        self.record(Metric::Wakeup, sample.read.since(sample.end));
        if let Some(code) = self.status.get_mut(usize::from(sample.status)) {
            *code += 1;
        }
        if let (Some(dispatched), Some(sent)) = (sample.dispatched, sample.sent) {
            self.record(Metric::QueueWait, sent.since(dispatched));
            self.record(Metric::Service, sample.end.since(sent));
            if let Some(first_byte) = sample.first_byte {
                self.record(Metric::FirstByte, first_byte.since(sent));
            }
        }
        if sample.transmitted.is_some() {
            self.add_sampled(sample);
        }
    }

    /// Files where the time of a sampled request went.
    #[cold]
    fn add_sampled(&mut self, sample: &Sample) {
        let Some(stretches) = Stretches::of(sample) else { return };
        self.record(Metric::Transmit, stretches.transmit_ns);
        self.record(Metric::Wire, stretches.wire_ns);
        self.anatomy.file(sample.end.since(sample.due), &stretches);
    }

    /// Where the time of the sampled requests went.
    #[must_use]
    pub fn anatomy(&self) -> &Anatomy {
        &self.anatomy
    }

    /// What TLS handshakes agreed on.
    #[must_use]
    pub fn agreements(&self) -> &Agreements {
        &self.agreements
    }

    /// Files what TLS handshakes agreed on.
    pub(crate) fn add_agreement(&mut self, agreement: Agreement, count: u32) {
        self.agreements.add(agreement, count);
    }

    /// Files one duration.
    #[inline(always)]
    pub fn record(&mut self, metric: Metric, duration_ns: u64) {
        self.durations[metric.index()].record(duration_ns);
    }

    /// The durations of one metric.
    #[must_use]
    pub fn durations(&self, metric: Metric) -> &Buckets {
        &self.durations[metric.index()]
    }

    /// The durations of one metric as a histogram.
    #[must_use]
    pub fn histogram(&self, metric: Metric) -> Histogram<u64> {
        let mut histogram = empty_histogram();
        self.durations(metric).fold_into(&mut histogram);
        histogram
    }

    /// How many answers had this status.
    pub fn status_counts(&self) -> impl Iterator<Item = (u16, u32)> {
        (0_u16..).zip(self.status.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// How many requests ended for each cause.
    pub fn cause_counts(&self) -> impl Iterator<Item = (Cause, u32)> {
        Cause::all().zip(self.causes.iter().copied()).filter(|&(_, count)| count > 0)
    }

    /// Counts what was too long for its histogram, once all has been filed.
    pub(crate) fn count_saturated(&mut self) {
        self.counts.saturated = self.durations.iter().map(Buckets::saturated).sum();
    }

    /// Whether nothing was counted or filed since [`Interval::clear`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == Counts::default()
            && self.durations.iter().all(Buckets::is_empty)
            && self.agreements.is_empty()
    }

    /// Empties it for another use, keeping its memory.
    pub fn clear(&mut self) {
        self.window = 0;
        self.counts = Counts::default();
        self.gauges = None;
        self.status.fill(0);
        self.causes.fill(0);
        self.durations.iter_mut().for_each(Buckets::clear);
        self.anatomy.clear();
        self.agreements = Agreements::default();
    }
}

impl Default for Interval {
    fn default() -> Self {
        Self::new()
    }
}

mod merge;
mod sum;

pub(crate) use sum::Sum;

#[cfg(test)]
mod tests;
