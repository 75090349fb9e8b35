//! TLS on a connection: from connected to open, and the way of bytes through records.
//!
//! In this order: the connection opens, the handshake begins; what is received goes through it
//! until it has ended; only then is the connection open for requests. From there on bytes that are
//! received are decrypted before they are decoded, and requests encrypted before they are sent.
//!
//! Not here: the records themselves (`conn/tls`).

use throng_measure::{Cause, Exchange, Nanos, Outcome};

use super::Worker;
use crate::conn::State;
use crate::conn::tls::{Fault, Sent};
use crate::io::{Close, Io, Slot};

impl<I: Io, X: Exchange> Worker<'_, I, X> {
    /// A connection has opened, and a handshake follows.
    pub(super) fn begin_handshake(&mut self, slot: Slot, now: Nanos) {
        let connect_ns = self.pool.opening_ns(slot, now);
        self.recorder.record_connect(self.instant(now), connect_ns, &mut self.exchange);
        let Some(tls) = &mut self.tls else { return };
        match tls.start(connect_ns) {
            Ok(session) => {
                self.pool.get_mut(slot).tls = Some(session);
                self.flush_records(slot, false);
            }
            Err(cause) => self.handshake_failed(slot, now, cause),
        }
    }

    /// The handshake has ended: the connection is open.
    fn end_handshake(&mut self, slot: Slot, now: Nanos) {
        let Some(session) = &self.pool.get_mut(slot).tls else { return };
        let (connect_ns, resumed) = (session.connect_ns, session.is_resumed());
        let agreement = session.agreement();
        let took_ns = self.pool.opening_ns(slot, now).saturating_sub(connect_ns);
        let at = self.instant(now);
        self.recorder.record_handshake(at, took_ns, resumed, agreement, &mut self.exchange);
        self.is_open(slot);
    }

    /// What was opened before the run belongs to its first window.
    pub(super) fn instant(&self, now: Nanos) -> Nanos {
        if self.has_begun { now } else { Nanos::ZERO }
    }

    /// The handshake will not end.
    pub(super) fn handshake_failed(&mut self, slot: Slot, now: Nanos, cause: Cause) {
        self.io.close(slot, Close::Now);
        self.connect_failed(slot, now, cause);
    }

    /// Takes received records: of the handshake, or with answers.
    #[cold]
    #[inline(never)]
    pub(super) fn receive_records(&mut self, slot: Slot, stamp: Option<Nanos>, read: Nanos) {
        let connection = self.pool.get_mut(slot);
        let (Some(session), Some(tls)) = (&mut connection.tls, &mut self.tls) else { return };
        tls.plaintext.clear();
        let received = session.receive(self.io.received(), &mut tls.plaintext);
        let must_send = session.wants_to_send();
        if matches!(&received, Ok(received) if received.established) {
            self.end_handshake(slot, read);
        }
        if must_send {
            self.flush_records(slot, false);
        }
        // What was decrypted before a fault counts; the session may end with it.
        self.take_answers::<true>(slot, stamp, read);
        if self.pool.get_mut(slot).tls.is_none() {
            return;
        }
        match received {
            Ok(received) if received.ended => self.peer_ended(slot, read),
            Ok(_) => {}
            Err(fault) => self.session_failed(slot, read, fault),
        }
    }

    /// The peer has announced that nothing follows (RFC 8446, 6.1).
    fn peer_ended(&mut self, slot: Slot, now: Nanos) {
        let connection = self.pool.get_mut(slot);
        if connection.state == State::Connecting {
            return self.handshake_failed(slot, now, Cause::TlsClosed);
        }
        if connection.ring.len > 0 {
            return self.peer_closed(slot, now, None);
        }
        if connection.answers == 0 {
            self.pool.attempt_failed(now);
        }
        self.traffic.connections.idle_closed += 1;
        self.retire(slot);
    }

    fn session_failed(&mut self, slot: Slot, now: Nanos, fault: Fault) {
        if self.pool.get_mut(slot).state == State::Connecting {
            self.handshake_failed(slot, now, fault.cause);
        } else if fault.is_alert {
            self.broken(slot, now, Some(fault.cause));
        } else {
            if self.pool.get_mut(slot).answers == 0 {
                self.pool.attempt_failed(now);
            }
            self.settle(slot, now, Outcome::ProtocolError, fault.cause, false);
        }
    }

    /// Hands a connection's records to the kernel, as far as it takes them: those that are there,
    /// then those of unsent requests.
    #[cold]
    #[inline(never)]
    pub(super) fn flush_records(&mut self, slot: Slot, mut stamped: bool) {
        while self.encrypt_next(slot) {
            let connection = self.pool.get_mut(slot);
            let (Some(session), Some(tls)) = (&mut connection.tls, &mut self.tls) else { return };
            let (io, bytes_sent) = (&mut self.io, &mut self.traffic.bytes_sent);
            let sent = session.send(&mut tls.records, |records| {
                let sent =
                    if stamped { io.send_stamped(slot, records) } else { io.send(slot, records) };
                *bytes_sent += *sent.as_ref().unwrap_or(&0) as u64;
                sent
            });
            match sent {
                Ok(Sent::All { plaintext_bytes }) => {
                    connection.unsent_bytes -= plaintext_bytes;
                    if connection.unsent_bytes == 0 || !session.is_established() {
                        return;
                    }
                    // A stamp would be of the first of several records.
                    self.forget_sample(slot);
                    stamped = false;
                }
                Ok(Sent::Part) => {
                    self.forget_sample(slot);
                    self.pool.get_mut(slot).blocked = true;
                    return self.stamp_unsent(slot, None);
                }
                Err(cause) => {
                    let now = self.io.now();
                    return self.sending_failed(slot, now, cause);
                }
            }
        }
    }

    /// Encrypts as much of the unsent requests as the session takes. They are sent when that has
    /// been done, not before: it is throng's own work. Returns whether sending makes sense.
    fn encrypt_next(&mut self, slot: Slot) -> bool {
        let connection = self.pool.get_mut(slot);
        let Some(session) = &mut connection.tls else { return false };
        if connection.blocked {
            // `Writable` will follow.
            self.stamp_unsent(slot, None);
            return false;
        }
        let unsent = connection.unsent_bytes;
        if unsent == 0 || !session.takes_plaintext() {
            return true;
        }
        let encrypted = session.encrypt(self.outgoing.next(unsent));
        let now = self.io.now();
        match encrypted {
            Ok(()) => self.stamp_unsent(slot, Some(now)),
            Err(cause) => self.session_failed(slot, now, Fault { cause, is_alert: false }),
        }
        encrypted.is_ok()
    }

    fn sending_failed(&mut self, slot: Slot, now: Nanos, cause: Cause) {
        if self.pool.get_mut(slot).state == State::Connecting {
            self.handshake_failed(slot, now, cause);
        } else {
            self.broken(slot, now, Some(cause));
        }
    }

    /// Says good-bye on a connection that ends in order, as far as the kernel takes that at once
    /// (RFC 8446, 6.1).
    #[cold]
    #[inline(never)]
    pub(super) fn end_session(&mut self, slot: Slot) {
        let connection = self.pool.get_mut(slot);
        let Some(mut session) = connection.tls.take() else { return };
        // Who has closed its side listens no more.
        if connection.state != State::Open || connection.blocked || connection.closing {
            return;
        }
        session.end();
        let Some(tls) = &mut self.tls else { return };
        let (io, bytes_sent) = (&mut self.io, &mut self.traffic.bytes_sent);
        // The connection ends whatever comes of it.
        let _ = session.send(&mut tls.records, |records| {
            let sent = io.send(slot, records);
            *bytes_sent += *sent.as_ref().unwrap_or(&0) as u64;
            sent
        });
    }
}
