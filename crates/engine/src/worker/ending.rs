//! How things end: connections, the requests on them, and the run.

use std::io;

use throng_measure::{Cause, Exchange, Nanos, Outcome, WINDOW_NS};

use super::{LOOK_UP_NS, Worker};
use crate::conn::{Request, State};
use crate::fault::cause_of;
use crate::io::{Close, Io, Slot};
use crate::workload::Due;

/// What a worker knows when its run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WorkerEnd {
    /// Requests that the workload gave out: in the warm-up, and after it.
    pub(crate) planned: [u64; 2],
    /// Requests that the recorder filed: in the warm-up, and after it.
    pub(crate) recorded: [u64; 2],
    /// When the worker had nothing left to do.
    pub(crate) at: Nanos,
    /// When its last request ended.
    pub(crate) last_end: Nanos,
    /// When a plan that is limited by its number of requests is over: for arrivals that do not
    /// depend on answers.
    pub(crate) arrivals_over_at: Option<Nanos>,
    /// Whether the number of requests ended the plan, rather than time.
    pub(crate) used_up: bool,
}

impl<I: Io, X: Exchange> Worker<'_, I, X> {
    /// Runs until everything is answered or the grace period is over.
    pub(crate) fn run(&mut self) -> io::Result<WorkerEnd> {
        while self.turn()? {}
        let now = self.io.now();
        self.give_up(now);
        self.hand_over(now);
        let used_up = self.workload.next_due() == Due::Never;
        Ok(WorkerEnd {
            planned: [self.gauges.planned_warmup, self.gauges.planned],
            recorded: self.recorder.recorded(),
            at: now,
            last_end: self.last_end,
            // Asked only now: a plan that time has ended may be millions of arrivals from there.
            arrivals_over_at: if used_up { self.workload.over_at() } else { None },
            used_up,
        })
    }

    /// A connection could not be opened.
    pub(super) fn connect_failed(&mut self, slot: Slot, now: Nanos, cause: Cause) {
        self.pool.freed(slot);
        self.pool.attempt_failed(now);
        self.traffic.connections.failed += 1;
        let is_starved = matches!(cause, Cause::FileLimit | Cause::PortsExhausted);
        self.traffic.connections.starved += u64::from(is_starved);
        // While another connection is open or opening, waiting requests have hope.
        if self.pool.open_count() == 0 && self.pool.connecting_count() == 0 {
            while let Some(request) = self.waiting.pop_front() {
                self.fail(&request, now, Outcome::ConnectError, cause);
            }
        }
    }

    /// The peer has closed a connection, in order or not.
    pub(super) fn peer_closed(&mut self, slot: Slot, now: Nanos, cause: Option<Cause>) {
        let connection = self.pool.get_mut(slot);
        if connection.state == State::Connecting {
            // The TLS handshake was under way.
            let cause = match cause {
                Some(Cause::ResetByPeer) => Cause::ConnectReset,
                cause => cause.unwrap_or(Cause::TlsClosed),
            };
            return self.handshake_failed(slot, now, cause);
        }
        if cause.is_none() && connection.ring.len > 0 {
            // A body that ends with the connection is whole only if TLS says so (RFC 8446, 6.1).
            let is_cut = connection.tls.as_ref().is_some_and(|tls| !tls.has_peer_ended());
            match connection.decoder.peer_closed() {
                Ok(Some(_)) if is_cut => {
                    let cause = Cause::TlsTruncated;
                    return self.settle(slot, now, Outcome::IoError, cause, false);
                }
                // The body ended with the connection.
                Ok(Some(response)) => {
                    if self.answered(slot, &response, None, now) {
                        self.retire(slot);
                    }
                    return;
                }
                Ok(None) => {}
                Err(fault) => {
                    let cause = cause_of(fault);
                    return self.settle(slot, now, Outcome::IoError, cause, false);
                }
            }
        }
        self.broken(slot, now, cause);
    }

    /// A connection broke outside an orderly exchange.
    pub(super) fn broken(&mut self, slot: Slot, now: Nanos, cause: Option<Cause>) {
        let connection = self.pool.get_mut(slot);
        let in_response = connection.decoder.in_response();
        let is_fresh = connection.answers == 0;
        if is_fresh {
            self.pool.attempt_failed(now);
        }
        let connection = self.pool.get_mut(slot);
        if connection.ring.len == 0 {
            self.traffic.connections.idle_closed += 1;
            return self.end_connection(slot, Close::Now);
        }
        // Without a byte of an answer, a kept-alive connection was most likely closed by the peer
        // as idle while the request was on its way (RFC 9112, 9.3.1).
        let is_stale = !is_fresh && !in_response;
        self.traffic.connections.idle_closed += u64::from(is_stale);
        let cause = cause.unwrap_or(Cause::ClosedBeforeAnswer);
        self.settle(slot, now, Outcome::IoError, cause, is_stale);
    }

    /// Bytes came on a connection that nothing had asked for.
    pub(super) fn unsolicited(&mut self, slot: Slot, now: Nanos) {
        self.traffic.connections.unsolicited += 1;
        if self.pool.get_mut(slot).answers == 0 {
            // A peer that speaks first is no HTTP server: connecting again at once would not help.
            self.pool.attempt_failed(now);
        }
        self.retire(slot);
    }

    /// The connection carries no further request, as both sides agreed.
    pub(super) fn retire(&mut self, slot: Slot) {
        let how = if self.pool.get_mut(slot).closing { Close::Now } else { Close::AfterPeer };
        if self.pool.get_mut(slot).ring.len > 0 {
            let now = self.io.now();
            self.requeue_all(slot, now);
        }
        self.end_connection(slot, how);
    }

    /// Ends a connection with requests on it. The first one bears the outcome, unless it may be
    /// sent again; on a timeout, so does every one whose time is up. The others had no part in it
    /// and are sent again if they may be.
    pub(super) fn settle(
        &mut self,
        slot: Slot,
        now: Nanos,
        outcome: Outcome,
        cause: Cause,
        first_may_retry: bool,
    ) {
        let timeout_ns = self.rules.timeout_ns;
        let is_timeout = outcome == Outcome::Timeout;
        let connection = self.pool.get_mut(slot);
        let count = connection.ring.len;
        for place in (0..count).rev() {
            let ring = &mut self.pool.get_mut(slot).ring;
            let Some(request) = self.in_flight.pop_back(slot, ring) else { break };
            let bears_it = if is_timeout {
                now.since(request.dispatched) >= timeout_ns
            } else {
                place == 0 && !(first_may_retry && self.may_retry(&request))
            };
            if bears_it {
                self.fail(&request, now, outcome, cause);
            } else {
                self.requeue(request, now);
            }
        }
        self.end_connection(slot, Close::Now);
    }

    /// The end of the run: what is left is unfinished.
    fn give_up(&mut self, now: Nanos) {
        while let Some(request) = self.waiting.pop_front() {
            self.fail(&request, now, Outcome::Unfinished, Cause::UnfinishedUnsent);
        }
        for slot in self.pool.slots() {
            loop {
                let ring = &mut self.pool.get_mut(slot).ring;
                let Some(request) = self.in_flight.pop_front(slot, ring) else { break };
                let cause = match request.sent {
                    Some(_) => Cause::UnfinishedInFlight,
                    None => Cause::UnfinishedUnsent,
                };
                self.fail(&request, now, Outcome::Unfinished, cause);
            }
        }
    }

    fn requeue_all(&mut self, slot: Slot, now: Nanos) {
        loop {
            let ring = &mut self.pool.get_mut(slot).ring;
            let Some(request) = self.in_flight.pop_back(slot, ring) else { return };
            self.requeue(request, now);
        }
    }

    fn may_retry(&self, request: &Request) -> bool {
        self.rules.idempotent && request.tries < self.rules.retries_max
    }

    /// Puts a request that the end of its connection took off it back into the queue.
    fn requeue(&mut self, mut request: Request, now: Nanos) {
        if !self.may_retry(&request) {
            return self.fail(&request, now, Outcome::IoError, Cause::ConnectionLost);
        }
        self.traffic.connections.retried += u64::from(request.sent.is_some());
        request.tries += 1;
        request.sent = None;
        request.first_byte = None;
        request.sampled = false;
        // The queue is in the order of dispatch, and this one is older than most.
        let place = self.waiting.partition_point(|other| other.dispatched < request.dispatched);
        self.waiting.insert(place, request);
    }

    fn end_connection(&mut self, slot: Slot, how: Close) {
        if self.pool.get_mut(slot).tls.is_some() {
            self.end_session(slot);
        }
        self.io.close(slot, how);
        self.pool.freed(slot);
    }

    /// Hands over what has been recorded. What was moved meanwhile belongs to the window that
    /// ends here.
    pub(super) fn hand_over(&mut self, now: Nanos) {
        let moved_until = now.min(Nanos(self.next_tick.0 - 1));
        let windows_passed = now.since(self.next_tick) / WINDOW_NS + 1;
        self.next_tick = self.next_tick.plus(windows_passed * WINDOW_NS);
        self.gauges.open = self.pool.open_count();
        self.gauges.queued = u32::try_from(self.waiting.len()).unwrap_or(u32::MAX);
        self.gauges.in_flight = self.in_flight.count();
        let health = self.io.health();
        self.gauges.at = now;
        self.gauges.cpu_ns = health.cpu_ns.saturating_sub(self.cpu_before_ns);
        self.gauges.clock_steps = health.clock_steps;
        self.traffic.connections.retransmitted += health.retransmitted;
        let traffic = std::mem::take(&mut self.traffic);
        self.recorder.hand_over(moved_until, self.gauges, traffic, &mut self.exchange);
    }

    /// Whether the plan gives no further request.
    pub(super) fn is_over(&self, now: Nanos) -> bool {
        match self.workload.next_due() {
            Due::Never => true,
            Due::At(due) => due >= self.stop_at,
            Due::WhenFinished => now >= self.stop_at,
        }
    }

    pub(super) fn is_done(&mut self, now: Nanos) -> bool {
        if !self.is_over(now) {
            return false;
        }
        if self.over_since.is_none() {
            // Arrivals limited by their number end when the next one would have been due.
            if let (Due::Never, Some(over_at)) = (self.workload.next_due(), self.workload.over_at())
            {
                self.recorder.end_span(over_at);
            }
        }
        let over_since = *self.over_since.get_or_insert_with(|| now.min(self.stop_at));
        let is_drained = self.waiting.is_empty() && self.in_flight.count() == 0;
        is_drained || now.since(over_since) >= self.rules.grace_ns
    }

    /// The next instant at which there is something to do without a completion.
    pub(super) fn wake_at(&mut self, now: Nanos) -> Nanos {
        let mut wake_at = self.next_tick.min(now.plus(LOOK_UP_NS));
        match (self.over_since, self.workload.next_due()) {
            (Some(over_since), _) => wake_at = wake_at.min(over_since.plus(self.rules.grace_ns)),
            (None, Due::At(due)) => wake_at = wake_at.min(due),
            (None, _) => wake_at = wake_at.min(self.stop_at),
        }
        if self.in_flight.count() > 0 || !self.waiting.is_empty() {
            wake_at = wake_at.min(self.next_timeout);
        }
        match self.pool.held_until() {
            Some(until) if until > now => wake_at.min(until),
            _ => wake_at,
        }
    }
}
