//! Which connection carries the next request, and when another one is opened.

use std::collections::VecDeque;

use throng_measure::Nanos;
use throng_proto::h1::Decoder;

use super::backoff::Backoff;
use super::in_flight::Ring;
use super::tls::Session;
use crate::io::Slot;
use crate::plan::{Endpoint, Model, Plan, Pool as PoolPlan};
use crate::workload::Share;

/// One place for a connection, used again and again.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) state: State,
    /// The requests on it, oldest first.
    pub(crate) ring: Ring,
    /// Bytes of whole requests on it that the kernel has not taken yet.
    pub(crate) unsent_bytes: usize,
    /// The kernel takes no more for now.
    pub(crate) blocked: bool,
    /// No further request belongs on it: the peer has closed its side.
    pub(crate) closing: bool,
    /// Answers that it has brought.
    pub(crate) answers: u64,
    pub(crate) decoder: Decoder,
    /// What is between the socket and the decoder; `None`: nothing is.
    pub(crate) tls: Option<Box<Session>>,
    /// When opening it began, and what had passed of that before the run's zero.
    began: Nanos,
    began_earlier_ns: u64,
    /// It stands in the pool's queue of connections with room.
    listed: bool,
}

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing: the place is free.
    Free,
    /// Being opened, its TLS handshake included.
    Connecting,
    /// Open.
    Open,
}

/// How many connections a worker holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizing {
    /// Always so many: one that is lost is replaced at once.
    Keep(u32),
    /// As many as requests need, up to so many; `first` before the run begins.
    Grow { first: u32, max: u32 },
}

/// A worker's connections.
#[derive(Debug)]
pub(crate) struct Pool {
    connections: Vec<Connection>,
    free: Vec<Slot>,
    /// Connections with room for a request, the one that waits longest first: requests spread over
    /// all connections, as a server with one thread per connection needs them to.
    available: VecDeque<Slot>,
    depth: u32,
    sizing: Sizing,
    endpoints: Vec<Endpoint>,
    next_endpoint: usize,
    request_is_head: bool,
    backoff: Backoff,
    open_count: u32,
    connecting_count: u32,
}

impl Sizing {
    /// The share of one worker in a plan's connections.
    pub(crate) fn of_plan(plan: &Plan, share: Share) -> Self {
        let max = share.of_u32(plan.connections_max());
        if !plan.keep_alive {
            // A connection per request: opening one is part of the request.
            return Self::Grow { first: 0, max };
        }
        match plan.model {
            Model::Closed { .. } | Model::Open { pool: PoolPlan::Fixed(_), .. } => Self::Keep(max),
            Model::Open { rate, pool: PoolPlan::UpTo(_), .. } => {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a count to begin with; a cast saturates"
                )]
                let first = (rate.per_s() * EXPECTED_RESPONSE_S).ceil() as u32;
                Self::Grow { first: share.of_u32(first.max(1)).min(max), max }
            }
        }
    }

    fn max(self) -> u32 {
        match self {
            Self::Keep(count) => count,
            Self::Grow { max, .. } => max,
        }
    }
}

impl Pool {
    pub(crate) fn new(plan: &Plan, share: Share) -> Self {
        let sizing = Sizing::of_plan(plan, share);
        let max = sizing.max() as usize;
        Self {
            connections: Vec::with_capacity(max),
            free: Vec::with_capacity(max),
            available: VecDeque::with_capacity(max),
            depth: plan.pipeline,
            sizing,
            endpoints: plan.endpoints.clone(),
            // Workers begin at different addresses, so that few connections spread too.
            next_endpoint: share.worker as usize % plan.endpoints.len().max(1),
            request_is_head: plan.request.method == "HEAD",
            backoff: Backoff::default(),
            open_count: 0,
            connecting_count: 0,
        }
    }

    pub(crate) fn connections_max(&self) -> u32 {
        self.sizing.max()
    }

    pub(crate) fn open_count(&self) -> u32 {
        self.open_count
    }

    pub(crate) fn connecting_count(&self) -> u32 {
        self.connecting_count
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: Slot) -> &mut Connection {
        &mut self.connections[slot as usize]
    }

    /// A connection with room for a request; the caller puts it back with [`Pool::list`] if room
    /// is left.
    #[inline]
    pub(crate) fn take_available(&mut self) -> Option<Slot> {
        while let Some(slot) = self.available.pop_front() {
            let connection = &mut self.connections[slot as usize];
            connection.listed = false;
            if connection.has_room(self.depth) {
                return Some(slot);
            }
        }
        None
    }

    /// Says that a connection may have room for a request.
    #[inline]
    pub(crate) fn list(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        if !connection.listed && connection.has_room(self.depth) {
            connection.listed = true;
            self.available.push_back(slot);
        }
    }

    /// How many connections to open now for `waiting` requests. During the run's end only what is
    /// waiting counts.
    #[inline]
    pub(crate) fn wanted(&self, waiting: usize, now: Nanos, ending: bool) -> u32 {
        let held = self.open_count + self.connecting_count;
        let missing = match self.sizing {
            Sizing::Keep(count) if !ending => count.saturating_sub(held),
            Sizing::Keep(max) | Sizing::Grow { max, .. } => {
                let needed = u32::try_from(waiting.div_ceil(self.depth as usize));
                let needed = needed.unwrap_or(u32::MAX).saturating_sub(self.connecting_count);
                needed.min(max.saturating_sub(held))
            }
        };
        if missing == 0 {
            return 0;
        }
        match self.backoff.holds_until() {
            Some(until) if now < until || self.connecting_count > 0 => 0,
            // One attempt probes for all.
            Some(_) => 1,
            None => missing.min(HANDSHAKES_MAX.saturating_sub(self.connecting_count)),
        }
    }

    /// How many connections to open before the run begins.
    pub(crate) fn wanted_first(&self) -> u32 {
        let target = match self.sizing {
            Sizing::Keep(count) => count,
            Sizing::Grow { first, .. } => first,
        };
        let missing = target.saturating_sub(self.open_count + self.connecting_count);
        let failing = self.backoff.holds_until().is_some();
        if failing { 0 } else { missing.min(HANDSHAKES_MAX.saturating_sub(self.connecting_count)) }
    }

    /// When the back-off ends, while it lasts.
    pub(crate) fn held_until(&self) -> Option<Nanos> {
        self.backoff.holds_until()
    }

    /// Takes a free place for a connection to be opened, and says where to; `true` when the place
    /// is new.
    pub(crate) fn start(&mut self, now: Nanos) -> (Slot, bool) {
        let (slot, is_new) = match self.free.pop() {
            Some(slot) => (slot, false),
            None => (self.add_place(), true),
        };
        self.connecting_count += 1;
        let connection = &mut self.connections[slot as usize];
        connection.renew(now);
        (slot, is_new)
    }

    /// The address for the next connection: all in turn.
    pub(crate) fn next_endpoint(&mut self) -> &Endpoint {
        let endpoint = &self.endpoints[self.next_endpoint];
        self.next_endpoint = (self.next_endpoint + 1) % self.endpoints.len();
        endpoint
    }

    /// How long a connection has been opening.
    pub(crate) fn opening_ns(&self, slot: Slot, now: Nanos) -> u64 {
        self.connections[slot as usize].opening_ns(now)
    }

    /// The connection is open.
    pub(crate) fn opened(&mut self, slot: Slot) {
        self.connecting_count -= 1;
        self.open_count += 1;
        self.connections[slot as usize].state = State::Open;
    }

    /// The connection is gone, or could not be opened: its place is free.
    pub(crate) fn freed(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot as usize];
        match connection.state {
            State::Free => return,
            State::Connecting => self.connecting_count -= 1,
            State::Open => self.open_count -= 1,
        }
        connection.state = State::Free;
        connection.tls = None;
        self.free.push(slot);
    }

    /// A new connection failed before it brought an answer.
    pub(crate) fn attempt_failed(&mut self, now: Nanos) {
        self.backoff.failed(now);
    }

    /// A connection has brought an answer.
    #[inline]
    pub(crate) fn attempt_succeeded(&mut self) {
        self.backoff.succeeded();
    }

    /// A connection that has been opening for longer than `limit_ns`.
    pub(crate) fn overdue(&self, now: Nanos, limit_ns: u64) -> Option<Slot> {
        let overdue = |connection: &Connection| {
            connection.state == State::Connecting && connection.opening_ns(now) >= limit_ns
        };
        let slot = self.connections.iter().position(overdue)?;
        Slot::try_from(slot).ok()
    }

    /// The run begins at `start`: instants so far are behind its zero.
    pub(crate) fn begin(&mut self, start: Nanos) {
        self.backoff = Backoff::default();
        for connection in &mut self.connections {
            connection.began_earlier_ns = start.since(connection.began);
            connection.began = Nanos::ZERO;
        }
    }

    /// All places, for the end of the run.
    pub(crate) fn slots(&self) -> std::ops::Range<Slot> {
        0..Slot::try_from(self.connections.len()).unwrap_or(Slot::MAX)
    }

    fn add_place(&mut self) -> Slot {
        let slot = Slot::try_from(self.connections.len()).unwrap_or(Slot::MAX);
        self.connections.push(Connection {
            state: State::Free,
            ring: Ring::default(),
            unsent_bytes: 0,
            blocked: false,
            closing: false,
            answers: 0,
            decoder: Decoder::new(self.request_is_head),
            tls: None,
            began: Nanos::ZERO,
            began_earlier_ns: 0,
            listed: false,
        });
        slot
    }
}

impl Connection {
    #[inline]
    fn has_room(&self, depth: u32) -> bool {
        self.state == State::Open && !self.closing && !self.blocked && self.ring.len < depth
    }

    fn opening_ns(&self, now: Nanos) -> u64 {
        now.since(self.began) + self.began_earlier_ns
    }

    fn renew(&mut self, now: Nanos) {
        debug_assert_eq!(self.ring.len, 0, "requests were settled before the place was freed");
        self.state = State::Connecting;
        self.unsent_bytes = 0;
        self.blocked = false;
        self.closing = false;
        self.answers = 0;
        self.decoder.reset();
        self.began = now;
        self.began_earlier_ns = 0;
    }
}

/// Connections that a worker opens at one time. More than a listener's backlog (often 511) would
/// be dropped by the peer's kernel and retried a second later.
const HANDSHAKES_MAX: u32 = 256;

/// A growing pool begins with what this response time would keep busy (Little's law).
const EXPECTED_RESPONSE_S: f64 = 0.01;
