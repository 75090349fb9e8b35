//! From a completion to a sample.

use throng_measure::{Exchange, Nanos, Outcome, Sample};
use throng_proto::h1::{Progress, Response};

use super::Worker;
use crate::fault::cause_of;
use crate::io::{Close, Completion, Io, Slot};

impl<I: Io, X: Exchange> Worker<'_, I, X> {
    /// Takes one completion; returns the present instant.
    #[inline(always)]
    pub(super) fn complete(&mut self, completion: Completion) -> Nanos {
        if let Completion::Received { slot, stamp, read, closing } = completion {
            self.receive(slot, stamp, read, closing);
            return read;
        }
        let now = self.io.now();
        match completion {
            Completion::Received { .. } => {}
            Completion::Connected { slot } => {
                if self.tls.is_some() {
                    self.begin_handshake(slot, now);
                } else {
                    let took_ns = self.pool.opening_ns(slot, now);
                    self.recorder.record_connect(self.instant(now), took_ns, &mut self.exchange);
                    self.is_open(slot);
                }
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

    /// A connection is open for requests.
    pub(super) fn is_open(&mut self, slot: Slot) {
        self.pool.opened(slot);
        self.traffic.connections.opened += 1;
        self.gauges.open_max = self.gauges.open_max.max(self.pool.open_count());
        self.pool.list(slot);
    }

    /// Takes received bytes: any number of answers, and perhaps a part of one.
    #[inline(always)]
    fn receive(&mut self, slot: Slot, stamp: Option<Nanos>, read: Nanos, closing: bool) {
        self.traffic.bytes_received += self.io.received().len() as u64;
        let connection = self.pool.get_mut(slot);
        connection.closing |= closing;
        if connection.tls.is_some() {
            return self.receive_records(slot, stamp, read);
        }
        self.take_answers::<false>(slot, stamp, read);
    }

    /// Takes the bytes of answers: those received, or those decrypted.
    #[inline(always)]
    pub(super) fn take_answers<const DECRYPTED: bool>(
        &mut self,
        slot: Slot,
        stamp: Option<Nanos>,
        read: Nanos,
    ) {
        let end = stamp.unwrap_or(read);
        let mut consumed_count = 0;
        loop {
            let connection = self.pool.get_mut(slot);
            let bytes = if DECRYPTED {
                self.tls.as_ref().map_or(&[][..], |tls| &tls.plaintext)
            } else {
                self.io.received()
            };
            let bytes = &bytes[consumed_count..];
            if bytes.is_empty() {
                return;
            }
            let Some(request) = self.in_flight.front_mut(slot, &connection.ring) else {
                // Some servers explain so why they close an idle connection.
                return self.unsolicited(slot, read);
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
    pub(super) fn answered(
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
        // An answer cannot end before its request was sent, nor after it was read. The kernel's
        // clock is mapped to ours with a small error; what lies further outside comes from a step
        // of the wall clock that has not been noticed yet, and says nothing.
        let earliest = request.sent.unwrap_or(request.dispatched);
        let end = match stamp {
            Some(at) if at.plus(STAMP_ERROR_NS) >= earliest && at <= read.plus(STAMP_ERROR_NS) => {
                at.clamp(earliest, read)
            }
            _ => {
                connections.unstamped += 1;
                read
            }
        };
        connections.interim += u64::from(response.interim_count);
        connections.framing_conflicts += u64::from(response.framing_conflict);
        let transmitted =
            if request.sampled { self.transmitted(slot, earliest, end) } else { None };
        let outcome = if response.status < 400 { Outcome::Ok } else { Outcome::HttpError };
        let sample = Sample {
            due: request.due,
            dispatched: Some(request.dispatched),
            sent: request.sent,
            transmitted,
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

    /// When the kernel handed a sampled request to the device, held between `sent` and `end` as the
    /// receive stamp is.
    #[cold]
    fn transmitted(&mut self, slot: Slot, sent: Nanos, end: Nanos) -> Option<Nanos> {
        let stamp = self
            .io
            .transmitted(slot)
            .filter(|at| at.plus(STAMP_ERROR_NS) >= sent && *at <= end.plus(STAMP_ERROR_NS));
        self.traffic.connections.untransmitted += u64::from(stamp.is_none());
        stamp.map(|at| at.clamp(sent, end))
    }
}

/// The most that a kernel timestamp is off: the wall clock is slewed by at most 500 ppm (adjtimex)
/// between two comparisons 100 ms apart, and as much again for comparing.
const STAMP_ERROR_NS: u64 = 100_000;
