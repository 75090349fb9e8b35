//! The recorder: files a worker's samples by the window they were due in.
//!
//! A worker owns one and shares it with nobody. It keeps a few windows open, because answers to
//! late requests arrive beside those to punctual ones. When a sample's window is not open, the
//! window used longest ago is handed over and its place reused; once a second all are. Deltas of
//! one window add up at the conductor, so handing over early loses nothing.
//!
//! Invariant: after construction, recording allocates nothing and takes no lock.

use crate::interval::{Gauges, Traffic, WINDOW_NS};
use crate::{Agreement, Interval, Metric, Nanos, Outcome, Sample};

/// Takes a full interval to the conductor and brings an empty one back.
pub trait Exchange {
    /// Hands the interval over and leaves an empty one ([`Interval::is_empty`]) in its place.
    fn exchange(&mut self, interval: &mut Box<Interval>);
}

/// The part of the run that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The end of the warm-up: window 0 begins here.
    pub from: Nanos,
    /// The end of the plan: answers that arrive later are drained, not part of the achieved rate.
    pub until: Nanos,
}

/// A worker's recorder.
#[derive(Debug)]
pub struct Recorder {
    span: Span,
    open: [Slot; OPEN_WINDOWS],
    /// The slot used last: nearly always the right one for the next sample.
    current: usize,
    uses: u64,
    recorded: [u64; 2],
}

#[derive(Debug)]
struct Slot {
    interval: Box<Interval>,
    /// First instant of its window and the first one after it; empty range when unused.
    range: (u64, u64),
    last_use: u64,
}

impl Recorder {
    /// A recorder for the windows of `span`.
    #[must_use]
    pub fn new(span: Span) -> Self {
        let slot = || Slot { interval: Box::default(), range: (0, 0), last_use: 0 };
        Self { span, open: std::array::from_fn(|_| slot()), current: 0, uses: 0, recorded: [0; 2] }
    }

    /// The end of the plan, once it is known or when it comes sooner than planned.
    pub fn end_span(&mut self, until: Nanos) {
        self.span.until = self.span.until.min(until);
    }

    /// Files an ended request in the window of its due time.
    #[inline(always)]
    pub fn record(&mut self, sample: &Sample, exchange: &mut impl Exchange) {
        self.recorded[usize::from(sample.due >= self.span.from)] += 1;
        self.at(sample.due, exchange).add(sample);
        if sample.outcome.is_answered() && sample.end < self.span.until {
            let is_ok = sample.outcome == Outcome::Ok;
            let counts = &mut self.at(sample.end, exchange).counts;
            counts.completed += 1;
            counts.completed_ok += u64::from(is_ok);
        }
    }

    /// Files the time it took to open a connection, without its TLS handshake.
    pub fn record_connect(&mut self, now: Nanos, took_ns: u64, exchange: &mut impl Exchange) {
        self.at(now, exchange).record(Metric::Connect, took_ns);
    }

    /// Files a TLS handshake: how long it took, whether it resumed a session, what it agreed on.
    pub fn record_handshake(
        &mut self,
        now: Nanos,
        took_ns: u64,
        resumed: bool,
        agreement: Agreement,
        exchange: &mut impl Exchange,
    ) {
        let metric = if resumed { Metric::TlsResumed } else { Metric::TlsFull };
        let interval = self.at(now, exchange);
        interval.record(metric, took_ns);
        interval.add_agreement(agreement, 1);
    }

    /// Files how long the worker's loop was kept from its work, up to `now`.
    pub fn record_stall(&mut self, now: Nanos, stall_ns: u64, exchange: &mut impl Exchange) {
        self.at(now, exchange).record(Metric::Stall, stall_ns);
    }

    /// Requests recorded so far: in the warm-up, and after it. Set against the workload's own
    /// count at the end of a run.
    #[must_use]
    pub fn recorded(&self) -> [u64; 2] {
        self.recorded
    }

    /// Hands over everything recorded since the last time, with what the worker moved meanwhile
    /// (it belongs to the window of `now`) and its state. At least one interval is handed over, so that the state arrives even when
    /// nothing happened.
    pub fn hand_over(
        &mut self,
        now: Nanos,
        gauges: Gauges,
        traffic: Traffic,
        exchange: &mut impl Exchange,
    ) {
        self.at(now, exchange).counts.move_traffic(traffic);
        let current = self.current;
        for (i, slot) in self.open.iter_mut().enumerate() {
            if i == current || !slot.interval.is_empty() {
                slot.interval.gauges = Some(gauges);
                slot.hand_over(exchange);
            }
        }
    }

    #[inline(always)]
    fn at(&mut self, instant: Nanos, exchange: &mut impl Exchange) -> &mut Interval {
        if !self.open[self.current].holds(instant) {
            self.switch_to(instant, exchange);
        }
        &mut self.open[self.current].interval
    }

    #[cold]
    fn switch_to(&mut self, instant: Nanos, exchange: &mut impl Exchange) {
        self.uses += 1;
        self.current = match self.open.iter().position(|slot| slot.holds(instant)) {
            Some(open) => open,
            None => self.reopen(instant, exchange),
        };
        self.open[self.current].last_use = self.uses;
    }

    fn reopen(&mut self, instant: Nanos, exchange: &mut impl Exchange) -> usize {
        let oldest = (0..OPEN_WINDOWS).min_by_key(|&i| self.open[i].last_use).unwrap_or(0);
        let slot = &mut self.open[oldest];
        if !slot.interval.is_empty() {
            slot.hand_over(exchange);
        }
        let (window, range) = window_of(instant, self.span.from);
        slot.interval.window = window;
        slot.range = range;
        oldest
    }
}

impl Slot {
    #[inline]
    fn holds(&self, instant: Nanos) -> bool {
        self.range.0 <= instant.0 && instant.0 < self.range.1
    }

    /// Swaps the interval for an empty one of the same window.
    fn hand_over(&mut self, exchange: &mut impl Exchange) {
        let window = self.interval.window;
        self.interval.count_saturated();
        exchange.exchange(&mut self.interval);
        debug_assert!(self.interval.is_empty(), "an exchange returns an empty interval");
        self.interval.window = window;
    }
}

/// The window of an instant (seconds since the end of the warm-up, rounded down) and its bounds.
fn window_of(instant: Nanos, from: Nanos) -> (i64, (u64, u64)) {
    let (instant, from) = (i128::from(instant.0), i128::from(from.0));
    let window = (instant - from).div_euclid(i128::from(WINDOW_NS));
    let start = from + window * i128::from(WINDOW_NS);
    let end = start + i128::from(WINDOW_NS);
    // Every value is between -2^64 and 2^65; clamping only touches bounds outside the run.
    let clamp = |bound: i128| u64::try_from(bound.max(0)).unwrap_or(u64::MAX);
    (i64::try_from(window).unwrap_or(i64::MAX), (clamp(start), clamp(end)))
}

/// Windows a worker keeps open: the present one, the one before, and one for late answers.
const OPEN_WINDOWS: usize = 3;

#[cfg(test)]
mod tests;
