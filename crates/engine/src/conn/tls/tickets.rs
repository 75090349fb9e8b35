//! What it takes to resume sessions: one worker's, from one server.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

/// A worker's tickets. rustls asks for a store that threads can share; this one's lock is never
/// contended, since only one worker has it.
pub(super) struct Tickets {
    is_keeping: bool,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    group: Option<NamedGroup>,
    /// A session of TLS 1.2 may be resumed any number of times.
    session: Option<Tls12ClientSessionValue>,
    /// A ticket of TLS 1.3 is used once (RFC 8446, C.4). The newest is used first.
    tickets: VecDeque<Tls13ClientSessionValue>,
}

impl Tickets {
    /// A store that keeps tickets.
    pub(super) fn keeping() -> Self {
        Self { is_keeping: true, kept: Mutex::default() }
    }

    /// A store that keeps none: every handshake is a full one.
    pub(super) fn refusing() -> Self {
        Self { is_keeping: false, kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics while it is held, and any state of it is a good one.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientSessionStore for Tickets {
    fn set_kx_hint(&self, _: ServerName<'static>, group: NamedGroup) {
        self.kept().group = Some(group);
    }

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        self.kept().group
    }

    fn set_tls12_session(&self, _: ServerName<'static>, session: Tls12ClientSessionValue) {
        if self.is_keeping {
            self.kept().session = Some(session);
        }
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        self.kept().session.clone()
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.kept().session = None;
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        if !self.is_keeping {
            return;
        }
        let tickets = &mut self.kept().tickets;
        if tickets.len() >= TICKETS_MAX {
            tickets.pop_front();
        }
        tickets.push_back(ticket);
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
        self.kept().tickets.pop_back()
    }
}

/// Tickets are secrets.
impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tickets").finish_non_exhaustive()
    }
}

/// As many as handshakes may be under way at one time (`pool::HANDSHAKES_MAX`): rustls's own store
/// keeps eight, and connections that are opened together would be counted as full handshakes that
/// no server asked for.
const TICKETS_MAX: usize = 256;
