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
//! compiler, which halves what passes through memory (callgrind: 1,201 -> 968 instructions).
//!
//! Not here: parsing (`proto`), due times (`workload`), which connection (`conn`), percentiles
//! (`measure`).

use std::collections::VecDeque;
use std::io;

use throng_measure::{
    Cause, Exchange, Gauges, Nanos, Outcome, Recorder, Sample, Span, Traffic, WINDOW_NS,
};
use throng_proto::h1::{HeadCache, Progress, Response};

use crate::conn::{InFlight, Outgoing, Pool, Request};
use crate::control::Control;
use crate::fault::cause_of;
use crate::io::{Close, Completion, Io, Slot};
use crate::plan::Plan;
use crate::workload::{Share, Workload, of_plan};

mod ending;

pub(crate) use ending::WorkerEnd;

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
    next_tick: Nanos,
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
    pub(crate) fn new(plan: &Plan, share: Share, io: I, exchange: X, control: &'a Control) -> Self {
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
            heads: HeadCache::default(),
            recorder: Recorder::new(Span { from: Nanos(plan.warmup_ns), until }),
            traffic: Traffic::default(),
            gauges: Gauges::default(),
            stop_at: until,
            over_since: None,
            last_end: Nanos::ZERO,
            has_begun: false,
            next_timeout: Nanos::ZERO,
            next_tick: Nanos(WINDOW_NS),
            next_sweep: Nanos::ZERO,
        }
    }

    /// Opens the connections that the run begins with, so that its first requests do not all pay
    /// for a handshake. Gives up at the first failure or after [`PREPARE_NS_MAX`]: the run itself
    /// shows what is wrong.
    pub(crate) fn prepare(&mut self) -> io::Result<()> {
        let until = self.io.now().plus(PREPARE_NS_MAX);
        loop {
            while let Some(completion) = self.io.next() {
                self.complete(completion);
            }
            let now = self.io.now();
            for _ in 0..self.pool.wanted_first() {
                self.open_connection(now);
            }
            if self.pool.connecting_count() == 0 || now >= until {
                return Ok(());
            }
            self.io.wait(until)?;
        }
    }

    /// Waits for `start`, an instant of the clock so far, and begins the run there: it becomes the
    /// clock's zero.
    pub(crate) fn begin(&mut self, start: Nanos) -> io::Result<()> {
        while self.io.now() < start {
            self.io.wait(start)?;
            while let Some(completion) = self.io.next() {
                self.complete(completion);
            }
        }
        self.io.begin(start);
        self.pool.begin(start);
        self.has_begun = true;
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
            self.start_due(now);
        }
        let now = self.io.now();
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
        self.io.wait(wake_at)?;
        Ok(true)
    }

    /// Starts every request that is due, oldest first, as far as connections have room.
    #[inline(always)]
    fn start_due(&mut self, mut now: Nanos) {
        let mut has_more = self.has_due(now);
        while has_more {
            let Some(slot) = self.pool.take_available() else {
                return self.wait_for_connection(now);
            };
            self.load(slot, now);
            self.flush(slot);
            has_more = self.has_due(now);
            if has_more {
                // Sending took time: what is picked up and sent next must not pretend otherwise.
                now = self.io.now();
            }
        }
    }

    #[inline]
    fn has_due(&self, now: Nanos) -> bool {
        !self.waiting.is_empty() || self.workload.is_due(now, self.stop_at)
    }

    /// Puts requests on a connection, as many as are due and as it has room for.
    #[inline(always)]
    fn load(&mut self, slot: Slot, now: Nanos) {
        let depth = self.in_flight.depth();
        while self.pool.get_mut(slot).ring.len < depth {
            let Some(mut request) = self.waiting.pop_front().or_else(|| self.pick_up(now)) else {
                break;
            };
            // A request is sent when the call that takes its last byte is made. That is about to
            // be; `flush` takes it back if the kernel does not take all.
            request.sent = Some(now);
            let connection = self.pool.get_mut(slot);
            self.in_flight.push(slot, &mut connection.ring, request);
            connection.unsent_bytes += self.outgoing.request_bytes();
        }
        self.pool.list(slot);
    }

    /// Takes the next request that is due from the workload. From here on it waits for a
    /// connection, not for the generator.
    #[inline(always)]
    fn pick_up(&mut self, now: Nanos) -> Option<Request> {
        let due = self.workload.take_due(now, self.stop_at)?;
        if due >= self.rules.warmup {
            self.gauges.planned += 1;
        } else {
            self.gauges.planned_warmup += 1;
        }
        Some(Request { due, dispatched: now, sent: None, first_byte: None, tries: 0 })
    }

    /// No connection has room: what is due waits for one.
    fn wait_for_connection(&mut self, now: Nanos) {
        while let Some(request) = self.pick_up(now) {
            if self.waiting.len() < WAITING_MAX {
                self.waiting.push_back(request);
            } else {
                self.fail(&request, now, Outcome::Dropped, Cause::QueueFull);
            }
        }
        let waiting_count = u32::try_from(self.waiting.len()).unwrap_or(u32::MAX);
        self.gauges.queued_max = self.gauges.queued_max.max(waiting_count);
        self.open_connections(now);
    }

    /// Hands a connection's unsent bytes to the kernel, as far as it takes them.
    #[inline(always)]
    fn flush(&mut self, slot: Slot) {
        let connection = self.pool.get_mut(slot);
        let unsent = connection.unsent_bytes;
        let bytes = self.outgoing.next(unsent);
        match self.io.send(slot, bytes) {
            Ok(taken) if taken == unsent => {
                self.traffic.bytes_sent += taken as u64;
                connection.unsent_bytes = 0;
            }
            Ok(taken) => self.send_rest(slot, bytes.len(), taken),
            Err(cause) => {
                let now = self.io.now();
                self.broken(slot, now, Some(cause));
            }
        }
    }

    /// Goes on after a call that did not take all: with the next bytes, or when the kernel has
    /// room again. What is not wholly sent by then has not been sent.
    #[cold]
    fn send_rest(&mut self, slot: Slot, offered: usize, taken: usize) {
        let now = self.io.now();
        self.traffic.bytes_sent += taken as u64;
        let connection = self.pool.get_mut(slot);
        connection.unsent_bytes -= taken;
        connection.blocked = taken < offered;
        if connection.blocked {
            self.stamp_unsent(slot, None);
        } else {
            self.stamp_unsent(slot, Some(now));
            self.flush(slot);
        }
    }

    /// The kernel has room for what a short send left over.
    fn resume(&mut self, slot: Slot, now: Nanos) {
        self.pool.get_mut(slot).blocked = false;
        self.stamp_unsent(slot, Some(now));
        if self.pool.get_mut(slot).unsent_bytes > 0 {
            self.flush(slot);
        }
        self.pool.list(slot);
    }

    /// Says when the requests that are not wholly sent, the last ones of the ring, are.
    fn stamp_unsent(&mut self, slot: Slot, sent: Option<Nanos>) {
        let connection = self.pool.get_mut(slot);
        let unsent_count = self.outgoing.requests_in(connection.unsent_bytes);
        for place in connection.ring.len.saturating_sub(unsent_count)..connection.ring.len {
            if let Some(request) = self.in_flight.nth_mut(slot, &connection.ring, place) {
                request.sent = sent;
            }
        }
    }

    /// Takes one completion; returns the present instant.
    #[inline(always)]
    fn complete(&mut self, completion: Completion) -> Nanos {
        if let Completion::Received { slot, stamp, read, closing } = completion {
            self.receive(slot, stamp, read, closing);
            return read;
        }
        let now = self.io.now();
        match completion {
            Completion::Received { .. } => {}
            Completion::Connected { slot } => {
                let took_ns = self.pool.opened(slot, now);
                // What was opened before the run belongs to its first window.
                let at = if self.has_begun { now } else { Nanos::ZERO };
                self.recorder.record_connect(at, took_ns, &mut self.exchange);
                self.traffic.connections.opened += 1;
                self.gauges.open_max = self.gauges.open_max.max(self.pool.open_count());
                self.pool.list(slot);
            }
            Completion::ConnectFailed { slot, cause } => {
                self.io.close(slot, Close::Now);
                self.connect_failed(slot, now, cause);
            }
            Completion::Writable { slot } => self.resume(slot, now),
            Completion::Closed { slot, cause } => self.peer_closed(slot, now, cause),
        }
        now
    }

    /// Takes received bytes: any number of answers, and perhaps a part of one.
    #[inline(always)]
    fn receive(&mut self, slot: Slot, stamp: Option<Nanos>, read: Nanos, closing: bool) {
        self.traffic.bytes_received += self.io.received().len() as u64;
        let end = stamp.unwrap_or(read);
        let mut consumed_count = 0;
        self.pool.get_mut(slot).closing |= closing;
        loop {
            let connection = self.pool.get_mut(slot);
            let bytes = &self.io.received()[consumed_count..];
            if bytes.is_empty() {
                return;
            }
            let Some(request) = self.in_flight.front_mut(slot, &connection.ring) else {
                // Some servers explain so why they close an idle connection.
                self.traffic.connections.unsolicited += 1;
                return self.retire(slot);
            };
            request.first_byte.get_or_insert(end);
            match connection.decoder.receive(bytes, &mut self.heads) {
                Ok(Progress::NeedMore) => return,
                Ok(Progress::Complete { consumed, response }) => {
                    consumed_count += consumed;
                    if !self.answered(slot, &response, stamp, read) {
                        return;
                    }
                }
                Err(fault) => {
                    let cause = cause_of(fault);
                    return self.settle(slot, read, Outcome::ProtocolError, cause, false);
                }
            }
        }
    }

    /// Records the answer to a connection's oldest request. Returns whether the connection lives.
    #[inline(always)]
    fn answered(
        &mut self,
        slot: Slot,
        response: &Response,
        stamp: Option<Nanos>,
        read: Nanos,
    ) -> bool {
        let connection = self.pool.get_mut(slot);
        let Some(request) = self.in_flight.pop_front(slot, &mut connection.ring) else {
            return false;
        };
        connection.answers += 1;
        // An answer that came before the whole request was sent ends the connection: the rest of
        // the request would be read as the next one.
        let reusable = response.reusable && request.sent.is_some();
        let connections = &mut self.traffic.connections;
        // The kernel's clock is mapped to ours with an error of under a microsecond: an answer
        // cannot end before its request was sent, nor after it was read.
        let earliest = request.sent.unwrap_or(request.dispatched);
        let end = match stamp {
            Some(stamp) => stamp.clamp(earliest, read),
            None => {
                connections.unstamped += 1;
                read
            }
        };
        connections.interim += u64::from(response.interim_count);
        connections.framing_conflicts += u64::from(response.framing_conflict);
        let outcome = if response.status < 400 { Outcome::Ok } else { Outcome::HttpError };
        let sample = Sample {
            due: request.due,
            dispatched: Some(request.dispatched),
            sent: request.sent,
            first_byte: request.first_byte.map(|instant| instant.clamp(earliest, end)),
            end,
            read,
            outcome,
            cause: None,
            status: response.status,
        };
        self.recorder.record(&sample, &mut self.exchange);
        self.last_end = self.last_end.max(end);
        self.pool.attempt_succeeded();
        self.workload.finished(end);
        if reusable {
            self.pool.list(slot);
            return true;
        }
        self.retire(slot);
        false
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
