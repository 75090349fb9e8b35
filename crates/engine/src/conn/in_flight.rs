//! The requests on connections.
//!
//! Connection `c` of a plan with pipeline depth `p` owns the places `c·p .. (c+1)·p` as a ring. All
//! occupied places are linked in the order of dispatch. The timeout is the same for all, so the
//! first of the list is the next to time out, and no timer is needed.

use throng_measure::Nanos;

use crate::io::Slot;

/// A request that the worker has picked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// When the plan says that it starts.
    pub(crate) due: Nanos,
    /// When the worker picked it up.
    pub(crate) dispatched: Nanos,
    /// When its last byte went to the kernel.
    pub(crate) sent: Option<Nanos>,
    /// When the first bytes of its answer came.
    pub(crate) first_byte: Option<Nanos>,
    /// Times that it was sent on a connection that the peer had closed.
    pub(crate) tries: u32,
}

/// All requests on the connections of one worker.
#[derive(Debug)]
pub(crate) struct InFlight {
    places: Vec<Place>,
    depth: u32,
    first: u32,
    last: u32,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    request: Request,
    before: u32,
    after: u32,
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
        let places = Vec::with_capacity(depth as usize * connections_max as usize);
        Self { places, depth, first: NONE, last: NONE, count: 0 }
    }

    /// Makes room for the connection of one more slot.
    pub(crate) fn make_room(&mut self) {
        let request = Request {
            due: Nanos::ZERO,
            dispatched: Nanos::ZERO,
            sent: None,
            first_byte: None,
            tries: 0,
        };
        let place = Place { request, before: NONE, after: NONE };
        self.places.resize(self.places.len() + self.depth as usize, place);
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

    /// The connection whose request was dispatched first, and when.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<(Slot, Nanos)> {
        let place = self.places.get(self.first as usize)?;
        Some((self.first / self.depth, place.request.dispatched))
    }

    /// Puts a request behind the others on a connection. The ring must not be full.
    #[inline]
    pub(crate) fn push(&mut self, slot: Slot, ring: &mut Ring, request: Request) {
        assert!(ring.len < self.depth, "a connection takes at most its depth in requests");
        let index = self.index(slot, ring.head + ring.len);
        ring.len += 1;
        self.places[index as usize].request = request;
        self.link(index, request.dispatched);
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
        let index = self.index(slot, ring.head + n);
        Some(&mut self.places[index as usize].request)
    }

    /// Takes the request that is answered next off a connection.
    #[inline]
    pub(crate) fn pop_front(&mut self, slot: Slot, ring: &mut Ring) -> Option<Request> {
        if ring.len == 0 {
            return None;
        }
        let index = self.index(slot, ring.head);
        ring.head = if ring.head + 1 == self.depth { 0 } else { ring.head + 1 };
        ring.len -= 1;
        Some(self.take(index))
    }

    /// Takes the request that was sent last off a connection.
    pub(crate) fn pop_back(&mut self, slot: Slot, ring: &mut Ring) -> Option<Request> {
        if ring.len == 0 {
            return None;
        }
        ring.len -= 1;
        let index = self.index(slot, ring.head + ring.len);
        Some(self.take(index))
    }

    #[inline]
    fn index(&self, slot: Slot, place: u32) -> u32 {
        let wrapped = if place >= self.depth { place - self.depth } else { place };
        slot * self.depth + wrapped
    }

    /// Links a place behind the last one that was dispatched no later. That is nearly always the
    /// last of all; only a request that is sent again is older than others.
    #[inline]
    fn link(&mut self, index: u32, dispatched: Nanos) {
        let mut before = self.last;
        while before != NONE && self.places[before as usize].request.dispatched > dispatched {
            before = self.places[before as usize].before;
        }
        let after =
            if before == NONE { self.first } else { self.places[before as usize].after };
        self.places[index as usize].before = before;
        self.places[index as usize].after = after;
        self.set_after(before, index);
        self.set_before(after, index);
        self.count += 1;
    }

    #[inline]
    fn take(&mut self, index: u32) -> Request {
        let Place { request, before, after } = self.places[index as usize];
        self.set_after(before, after);
        self.set_before(after, before);
        self.count -= 1;
        request
    }

    #[inline]
    fn set_after(&mut self, place: u32, after: u32) {
        match self.places.get_mut(place as usize) {
            Some(place) => place.after = after,
            None => self.first = after,
        }
    }

    #[inline]
    fn set_before(&mut self, place: u32, before: u32) {
        match self.places.get_mut(place as usize) {
            Some(place) => place.before = before,
            None => self.last = before,
        }
    }
}

/// No place. Beyond every index: 2^32 places of 100 bytes do not fit any machine.
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests;
