//! The requests on connections.
//!
//! Connection `c` of a plan with pipeline depth `p` owns the places `c·p .. (c+1)·p` as a ring.
//! Nothing is kept in order as requests come and go: the oldest one, which is the next to time
//! out, is looked for only when it may have.

use throng_measure::Nanos;

use crate::io::Slot;

/// A request that the worker has picked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// When the plan says that it starts.
    pub(crate) due: Nanos,
    /// When the worker picked it up; [`Nanos::MAX`] in a place without a request.
    pub(crate) dispatched: Nanos,
    /// When its last byte went to the kernel.
    pub(crate) sent: Option<Nanos>,
    /// When the first bytes of its answer came.
    pub(crate) first_byte: Option<Nanos>,
    /// Times that it was sent on a connection that the peer had closed.
    pub(crate) tries: u32,
    /// Whether the kernel was asked to stamp its transmission.
    pub(crate) sampled: bool,
}

/// All requests on the connections of one worker.
#[derive(Debug)]
pub(crate) struct InFlight {
    requests: Vec<Request>,
    depth: u32,
    count: u32,
}

/// Where a connection's ring begins and how much of it is used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ring {
    head: u32,
    pub(crate) len: u32,
}

impl InFlight {
    /// Room for `depth` requests on each connection; grows with [`InFlight::make_room`].
    pub(crate) fn new(depth: u32, connections_max: u32) -> Self {
        let places = depth as usize * connections_max as usize;
        Self { requests: Vec::with_capacity(places), depth, count: 0 }
    }

    /// Makes room for the connection of one more slot.
    pub(crate) fn make_room(&mut self) {
        let places = self.requests.len() + self.depth as usize;
        let (due, dispatched) = (Nanos::ZERO, Nanos::MAX);
        let nothing =
            Request { due, dispatched, sent: None, first_byte: None, tries: 0, sampled: false };
        self.requests.resize(places, nothing);
    }

    /// Requests that one connection takes.
    #[inline]
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// How many requests there are.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The connection whose request was dispatched first, and when. Walks over all places.
    pub(crate) fn oldest(&self) -> Option<(Slot, Nanos)> {
        let places = (0_u32..).zip(self.requests.iter().map(|request| request.dispatched));
        let (place, dispatched) = places.min_by_key(|(_, dispatched)| *dispatched)?;
        (dispatched < Nanos::MAX).then_some((place / self.depth, dispatched))
    }

    /// Puts a request behind the others on a connection. The ring must not be full.
    #[inline]
    pub(crate) fn push(&mut self, slot: Slot, ring: &mut Ring, request: Request) {
        assert!(ring.len < self.depth, "a connection takes at most its depth in requests");
        let place = self.place(slot, ring.head + ring.len);
        ring.len += 1;
        self.count += 1;
        self.requests[place] = request;
    }

    /// The request on a connection that is answered next.
    #[inline]
    pub(crate) fn front_mut(&mut self, slot: Slot, ring: &Ring) -> Option<&mut Request> {
        self.nth_mut(slot, ring, 0)
    }

    /// The `n`-th request on a connection.
    #[inline]
    pub(crate) fn nth_mut(&mut self, slot: Slot, ring: &Ring, n: u32) -> Option<&mut Request> {
        if n >= ring.len {
            return None;
        }
        let place = self.place(slot, ring.head + n);
        Some(&mut self.requests[place])
    }

    /// Takes the request that is answered next off a connection.
    #[inline]
    pub(crate) fn pop_front(&mut self, slot: Slot, ring: &mut Ring) -> Option<Request> {
        if ring.len == 0 {
            return None;
        }
        let place = self.place(slot, ring.head);
        ring.head = if ring.head + 1 == self.depth { 0 } else { ring.head + 1 };
        ring.len -= 1;
        Some(self.take(place))
    }

    /// Takes the request that was sent last off a connection.
    pub(crate) fn pop_back(&mut self, slot: Slot, ring: &mut Ring) -> Option<Request> {
        if ring.len == 0 {
            return None;
        }
        ring.len -= 1;
        let place = self.place(slot, ring.head + ring.len);
        Some(self.take(place))
    }

    #[inline]
    fn take(&mut self, place: usize) -> Request {
        self.count -= 1;
        let request = self.requests[place];
        self.requests[place].dispatched = Nanos::MAX;
        request
    }

    #[inline]
    fn place(&self, slot: Slot, nth: u32) -> usize {
        let wrapped = if nth >= self.depth { nth - self.depth } else { nth };
        slot as usize * self.depth as usize + wrapped as usize
    }
}

#[cfg(test)]
mod tests;
