//! The worker: one thread, one event loop, everything one request touches.
//!
//! A worker owns its connections, its share of the arrivals, its recorder and its I/O backend.
//! It shares nothing with other workers until it hands an interval over.
//!
//! One call to [`Worker::turn`]:
//! 1. takes completed I/O, one completion at a time: protocol events become samples, ended
//!    requests become new due times;
//! 2. after each, starts every request that is due, oldest first;
//! 3. times out what has waited too long, opens connections that are wanted;
//! 4. once a second, hands its interval over;
//! 5. waits for the next due time, deadline or completion.
//!
//! Invariant: a request's due time is fixed before its connection is chosen and never changes.
//! Falling behind shows up as response time, not as a lower rate.
//!
//! The steps of an ordinary request are `inline(always)`: together they are one function of the
//! compiler, and cost a fifth less than as many calls (callgrind: 1,201 -> 968 instructions).
//!
//! Not here: parsing (`proto`), due times (`workload`), which connection (`conn`), percentiles
//! (`measure`).

use std::collections::VecDeque;
use std::io;

use throng_measure::{
    Cause, Exchange, Gauges, Nanos, Outcome, Recorder, STALL_NS, Sample, Span, Traffic, WINDOW_NS,
};
use throng_proto::h1::HeadCache;

use crate::conn::tls::{Setup, Tls};
use crate::conn::{InFlight, Outgoing, Pool, Request};
use crate::control::Control;
use crate::io::{Close, Io};
use crate::plan::Plan;
use crate::workload::{Share, Workload, of_plan};

mod ending;
mod receiving;
mod sampling;
mod securing;
mod sending;

pub(crate) use ending::WorkerEnd;
use sampling::Sampling;

/// A worker on a backend `I`, handing its intervals over through `X`.
pub(crate) struct Worker<'a, I, X> {
    io: I,
    exchange: X,
    control: &'a Control,
    rules: Rules,
    workload: Box<dyn Workload>,
    /// Requests that are due and wait for a connection, oldest first.
    waiting: VecDeque<Request>,
    pool: Pool,
    in_flight: InFlight,
    outgoing: Outgoing,
    tls: Option<Tls>,
    heads: HeadCache,
    recorder: Recorder,
    traffic: Traffic,
    gauges: Gauges,
    /// Requests due at or after this instant are not part of the plan.
    stop_at: Nanos,
    /// When the plan was seen to be over.
    over_since: Option<Nanos>,
    last_end: Nanos,
    has_begun: bool,
    /// No request times out before this instant.
    next_timeout: Nanos,
    /// The end of the present window: intervals are handed over then.
    next_tick: Nanos,
    /// The loop should be back at its clock by this instant.
    expected_at: Nanos,
    /// Requests until the next one whose transmission is stamped.
    sampling: Sampling,
    /// Processor time of the thread before the run began.
    cpu_before_ns: u64,
    /// When connections that take too long to open are looked for next: that walks over all.
    next_sweep: Nanos,
}

/// What the plan says of every request.
struct Rules {
    warmup: Nanos,
    timeout_ns: u64,
    grace_ns: u64,
    /// A request may be sent again when its connection turned out to be closed.
    idempotent: bool,
    retries_max: u32,
}

impl<'a, I: Io, X: Exchange> Worker<'a, I, X> {
    /// A worker for its share of the plan. `secure` is there if the plan speaks TLS.
    pub(crate) fn new(
        plan: &Plan,
        share: Share,
        secure: Option<&Setup>,
        io: I,
        exchange: X,
        control: &'a Control,
    ) -> Self {
        let pool = Pool::new(plan, share);
        let until = Nanos(plan.stop.duration_ns.unwrap_or(u64::MAX));
        Self {
            io,
            exchange,
            control,
            rules: Rules {
                warmup: Nanos(plan.warmup_ns),
                timeout_ns: plan.timeout_ns,
                grace_ns: plan.grace_ns,
                idempotent: plan.request.is_idempotent(),
                retries_max: RETRIES_MAX + plan.pipeline,
            },
            workload: of_plan(plan, share),
            waiting: VecDeque::with_capacity(WAITING_FIRST),
            in_flight: InFlight::new(plan.pipeline, pool.connections_max()),
            pool,
            outgoing: Outgoing::of_plan(plan),
            tls: secure.map(Tls::new),
            heads: HeadCache::default(),
            recorder: Recorder::new(Span { from: Nanos(plan.warmup_ns), until }),
            traffic: Traffic::default(),
            gauges: Gauges::default(),
            stop_at: until,
            over_since: None,
            last_end: Nanos::ZERO,
            has_begun: false,
            next_timeout: Nanos::ZERO,
            next_tick: first_window_end(plan.warmup_ns),
            expected_at: Nanos::MAX,
            sampling: Sampling::of_plan(plan, share),
            cpu_before_ns: 0,
            next_sweep: Nanos::ZERO,
        }
    }

    /// Opens the connections that the run begins with, so that its first requests do not all pay
    /// for a handshake. Gives up at the first failure or after [`PREPARE_NS_MAX`]: the run itself
    /// shows what is wrong.
    pub(crate) fn prepare(&mut self) -> io::Result<()> {
        let until = self.io.now().plus(PREPARE_NS_MAX);
        loop {
            self.complete_all();
            while self.pool.wanted_first() > 0 && self.io.now() < until {
                let now = self.io.now();
                self.open_connection(now);
                // On loopback it is open by now: looking only after all of them have been started
                // would count the others' system calls as its connect time.
                self.io.wait(now)?;
                self.complete_all();
            }
            if self.pool.connecting_count() == 0 || self.io.now() >= until {
                return Ok(());
            }
            self.io.wait(until)?;
        }
    }

    fn complete_all(&mut self) {
        while let Some(completion) = self.io.next() {
            self.complete(completion);
        }
    }

    /// Waits for `start`, an instant of the clock so far, and begins the run there: it becomes the
    /// clock's zero.
    pub(crate) fn begin(&mut self, start: Nanos) -> io::Result<()> {
        while self.io.now() < start {
            self.io.wait(start)?;
            self.complete_all();
        }
        self.io.begin(start);
        self.pool.begin(start);
        self.has_begun = true;
        self.cpu_before_ns = self.io.health().cpu_ns;
        self.expected_at = self.io.now();
        Ok(())
    }

    /// Begins the run now.
    pub(crate) fn begin_now(&mut self) -> io::Result<()> {
        self.begin(self.io.now())
    }

    /// One round of the loop; see the module. Returns whether there is anything left to do.
    pub(crate) fn turn(&mut self) -> io::Result<bool> {
        if self.control.stop_at() < self.stop_at {
            self.stop_at = self.control.stop_at();
            self.recorder.end_span(self.stop_at);
        }
        while let Some(completion) = self.io.next() {
            let now = self.complete(completion);
            self.back_at(now);
            self.start_due(now);
        }
        let now = self.io.now();
        self.back_at(now);
        self.start_due(now);
        self.expire(now);
        self.open_connections(now);
        if now >= self.next_tick {
            self.hand_over(now);
        }
        if self.is_done(now) {
            return Ok(false);
        }
        let wake_at = self.wake_at(now);
        // What is already due is not waited for.
        self.expected_at = wake_at.max(now);
        self.io.wait(wake_at)?;
        Ok(true)
    }

    /// Notes that the loop is back at its clock, and since when it should have been.
    #[inline(always)]
    pub(super) fn back_at(&mut self, now: Nanos) {
        let expected = std::mem::replace(&mut self.expected_at, now);
        if now.since(expected) >= STALL_NS {
            self.recorder.record_stall(now, now.since(expected), &mut self.exchange);
        }
    }

    /// Times out what has waited too long.
    fn expire(&mut self, now: Nanos) {
        if now >= self.next_timeout {
            self.expire_requests(now);
        }
        if self.pool.connecting_count() > 0 && now >= self.next_sweep {
            self.next_sweep = now.plus(LOOK_UP_NS);
            while let Some(slot) = self.pool.overdue(now, self.rules.timeout_ns) {
                self.io.close(slot, Close::Now);
                self.connect_failed(slot, now, Cause::ConnectTimeout);
            }
        }
    }

    /// Times out requests and finds out when the next one will: what is dispatched from now on
    /// comes later than anything there is.
    fn expire_requests(&mut self, now: Nanos) {
        let timeout_ns = self.rules.timeout_ns;
        let is_over = |dispatched: Nanos| now.since(dispatched) >= timeout_ns;
        while let Some(request) = self.waiting.front().copied()
            && is_over(request.dispatched)
        {
            self.waiting.pop_front();
            self.fail(&request, now, Outcome::Timeout, Cause::WaitingForConnection);
        }
        let in_flight = loop {
            match self.in_flight.oldest() {
                Some((slot, dispatched)) if is_over(dispatched) => {
                    self.traffic.connections.timed_out += 1;
                    self.settle(slot, now, Outcome::Timeout, Cause::WaitingForAnswer, false);
                }
                oldest => break oldest.map(|(_, dispatched)| dispatched),
            }
        };
        let waiting = self.waiting.front().map(|request| request.dispatched);
        let oldest = [waiting, in_flight].into_iter().flatten().min().unwrap_or(now);
        self.next_timeout = oldest.plus(timeout_ns);
    }

    fn open_connections(&mut self, now: Nanos) {
        let ending = self.is_over(now);
        for _ in 0..self.pool.wanted(self.waiting.len(), now, ending) {
            // Starting the one before took time.
            let now = self.io.now();
            self.open_connection(now);
        }
    }

    fn open_connection(&mut self, now: Nanos) {
        let (slot, is_new) = self.pool.start(now);
        if is_new {
            self.in_flight.make_room();
        }
        if let Err(cause) = self.io.connect(slot, self.pool.next_endpoint()) {
            self.connect_failed(slot, now, cause);
        }
    }

    /// Files a request that got no answer.
    fn fail(&mut self, request: &Request, now: Nanos, outcome: Outcome, cause: Cause) {
        let sample = Sample {
            due: request.due,
            dispatched: (outcome != Outcome::Dropped).then_some(request.dispatched),
            sent: request.sent,
            transmitted: None,
            first_byte: request.first_byte,
            end: now,
            read: now,
            outcome,
            cause: Some(cause),
            status: 0,
        };
        self.recorder.record(&sample, &mut self.exchange);
        self.last_end = self.last_end.max(now);
        self.workload.finished(now);
    }
}

/// Windows begin whole seconds before and after the end of the warm-up; the first may be short.
fn first_window_end(warmup_ns: u64) -> Nanos {
    match warmup_ns % WINDOW_NS {
        0 => Nanos(WINDOW_NS),
        into_window => Nanos(into_window),
    }
}

/// Room for waiting requests to begin with. The queue allocates only when more wait than ever
/// before; room for [`WAITING_MAX`] from the start would be walked through, and so claimed, by any
/// long run.
const WAITING_FIRST: usize = 4096;

/// Requests that wait for a connection, per worker. One more is dropped, and counted so.
const WAITING_MAX: usize = 1 << 20;

/// Times that a request is sent again beyond those that pipelining alone can cause.
const RETRIES_MAX: u32 = 2;

/// How long connections are opened before the run begins without them.
const PREPARE_NS_MAX: u64 = 2_000_000_000;

/// A worker looks whether it should stop at least this often.
pub(crate) const LOOK_UP_NS: u64 = 100_000_000;
