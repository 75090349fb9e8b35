//! From due to sent.

use throng_measure::{Cause, Exchange, Nanos, Outcome};

use super::{WAITING_MAX, Worker};
use crate::conn::Request;
use crate::io::{Io, Slot};

impl<I: Io, X: Exchange> Worker<'_, I, X> {
    /// Starts every request that is due, oldest first, as far as connections have room.
    #[inline(always)]
    pub(super) fn start_due(&mut self, mut now: Nanos) {
        let mut has_more = self.has_due(now);
        while has_more {
            let Some(slot) = self.pool.take_available() else {
                return self.wait_for_connection(now);
            };
            let stamped = self.load(slot, now);
            self.flush(slot, stamped);
            has_more = self.has_due(now);
            if has_more {
                // Sending took time: what is picked up and sent next must not pretend otherwise.
                now = self.io.now();
                self.back_at(now);
            }
        }
    }

    #[inline]
    fn has_due(&self, now: Nanos) -> bool {
        !self.waiting.is_empty() || self.workload.is_due(now, self.stop_at)
    }

    /// Puts requests on a connection, as many as are due and as it has room for. Returns whether
    /// the kernel is to stamp the transmission.
    #[inline(always)]
    fn load(&mut self, slot: Slot, now: Nanos) -> bool {
        let depth = self.in_flight.depth();
        let mut stamped = false;
        while self.pool.get_mut(slot).ring.len < depth {
            let Some(mut request) = self.waiting.pop_front().or_else(|| self.pick_up(now)) else {
                break;
            };
            // A request is sent when the call that takes its last byte is made. That is about to
            // be; `flush` takes it back if the kernel does not take all.
            request.sent = Some(now);
            stamped = request.sampled;
            let connection = self.pool.get_mut(slot);
            self.in_flight.push(slot, &mut connection.ring, request);
            connection.unsent_bytes += self.outgoing.request_bytes();
        }
        self.pool.list(slot);
        stamped
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
        let sampled = self.sampling.next();
        Some(Request { due, dispatched: now, sent: None, first_byte: None, tries: 0, sampled })
    }

    /// No connection has room: what is due waits for one.
    fn wait_for_connection(&mut self, now: Nanos) {
        while let Some(request) = self.pick_up(now) {
            self.traffic.connections.waited += 1;
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
    pub(super) fn flush(&mut self, slot: Slot, stamped: bool) {
        let connection = self.pool.get_mut(slot);
        if connection.tls.is_some() {
            return self.flush_records(slot, stamped);
        }
        let unsent = connection.unsent_bytes;
        let bytes = self.outgoing.next(unsent);
        let sent =
            if stamped { self.io.send_stamped(slot, bytes) } else { self.io.send(slot, bytes) };
        match sent {
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
        // A stamp would be of the part that was taken.
        self.forget_sample(slot);
        let connection = self.pool.get_mut(slot);
        connection.unsent_bytes -= taken;
        connection.blocked = taken < offered;
        if connection.blocked {
            self.stamp_unsent(slot, None);
        } else {
            self.stamp_unsent(slot, Some(now));
            self.flush(slot, false);
        }
    }

    /// The kernel has room for what a short send left over.
    pub(super) fn resume(&mut self, slot: Slot, now: Nanos) {
        self.pool.get_mut(slot).blocked = false;
        self.stamp_unsent(slot, Some(now));
        let connection = self.pool.get_mut(slot);
        if connection.unsent_bytes > 0 || connection.tls.is_some() {
            self.flush(slot, false);
        }
        self.pool.list(slot);
    }

    /// Says when the requests that are not wholly sent, the last ones of the ring, are.
    pub(super) fn stamp_unsent(&mut self, slot: Slot, sent: Option<Nanos>) {
        let connection = self.pool.get_mut(slot);
        let unsent_count = self.outgoing.requests_in(connection.unsent_bytes);
        for place in connection.ring.len.saturating_sub(unsent_count)..connection.ring.len {
            if let Some(request) = self.in_flight.nth_mut(slot, &connection.ring, place) {
                request.sent = sent;
            }
        }
    }
}
