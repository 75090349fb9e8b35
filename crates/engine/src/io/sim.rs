//! The simulated backend: a network and a server in virtual time.
//!
//! Nothing here waits: [`Io::wait`] moves the clock to the next event. What happens is decided by a
//! [`Scene`] and its seed alone, so a run repeats to the byte. The worker is the one that measures
//! real servers.
//!
//! The worker's own work takes no virtual time, so lateness is zero, unless a scene says how long
//! sending takes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;

use throng_measure::{Cause, Nanos};

use super::{Close, Completion, Health, Io, Slot};
use crate::plan::Endpoint;

mod scene;
mod server;

pub use scene::{ClockStep, Scene, Service, Trouble};

use scene::Random;
use server::{Act, Server};

/// A worker's simulated connections, and the server behind them.
pub struct Sim {
    /// Virtual nanoseconds since the backend was made, and where the run's zero lies among them.
    now_ns: u64,
    origin_ns: u64,
    scene: Scene,
    random: Random,
    server: Server,
    lines: Vec<Line>,
    events: BinaryHeap<Reverse<Event>>,
    event_count: u64,
    /// Connections with something to deliver, in order.
    ready: VecDeque<Slot>,
    received: Vec<u8>,
    /// Virtual time that the worker's own work took.
    cpu_ns: u64,
    retransmitted: u64,
}

/// One connection, seen from between both ends.
#[derive(Debug, Default)]
struct Line {
    generation: u32,
    open: bool,
    /// When the last bytes left.
    transmitted: Option<Nanos>,
    /// What is to be delivered to the worker next, in this order.
    connected: Option<Result<(), Cause>>,
    writable: bool,
    arrived: Vec<u8>,
    arrived_at: Nanos,
    closed: Option<Option<Cause>>,
    queued: bool,
    /// Bytes that the server has and has not understood yet.
    inbox: Vec<u8>,
    /// The server answers a connection's requests in order: no later answer before this.
    answered_until_ns: u64,
}

/// Something that happens at an instant. Ordered by time, then by the order of scheduling.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at_ns: u64,
    number: u64,
    slot: Slot,
    generation: u32,
    what: What,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Opened(bool),
    Writable,
    /// Bytes reach the server.
    ToServer(Vec<u8>),
    /// Bytes reach the client.
    ToClient(Vec<u8>),
    /// The server's end of the connection goes: in order, or with a reset.
    End(bool),
}

impl Sim {
    /// A quiet network with the scene's server at its end. `stream` tells apart the random numbers
    /// of several workers in one scene.
    #[must_use]
    pub fn new(scene: Scene, stream: u64) -> Self {
        Self {
            now_ns: 0,
            origin_ns: 0,
            random: Random::new(scene.seed, stream),
            server: Server::default(),
            scene,
            lines: Vec::new(),
            events: BinaryHeap::new(),
            event_count: 0,
            ready: VecDeque::new(),
            received: Vec::new(),
            cpu_ns: 0,
            retransmitted: 0,
        }
    }

    fn schedule(&mut self, at_ns: u64, slot: Slot, what: What) {
        let generation = self.lines[slot as usize].generation;
        self.event_count += 1;
        let number = self.event_count;
        self.events.push(Reverse(Event { at_ns, number, slot, generation, what }));
    }

    /// Lets an event happen, unless its connection is gone.
    fn happen(&mut self, event: Event) {
        let slot = event.slot;
        let line = &mut self.lines[slot as usize];
        if line.generation != event.generation || !line.open {
            return;
        }
        match event.what {
            What::Opened(accepted) => {
                line.connected = Some(if accepted { Ok(()) } else { Err(Cause::ConnectRefused) });
            }
            What::Writable => line.writable = true,
            What::ToClient(bytes) => {
                line.arrived.extend_from_slice(&bytes);
                line.arrived_at = Nanos(event.at_ns - self.origin_ns.min(event.at_ns));
            }
            What::End(in_order) => {
                line.closed = Some(if in_order { None } else { Some(Cause::ResetByPeer) });
                if !in_order {
                    // A reset discards what was not read.
                    line.arrived.clear();
                }
            }
            What::ToServer(bytes) => {
                line.inbox.extend_from_slice(&bytes);
                return self.serve(slot, event.at_ns);
            }
        }
        self.make_ready(slot);
    }

    fn make_ready(&mut self, slot: Slot) {
        let line = &mut self.lines[slot as usize];
        if !line.queued {
            line.queued = true;
            self.ready.push_back(slot);
        }
    }

    /// The server answers every whole request that it has at `at_ns`. The worker may be busy and
    /// its clock further on.
    fn serve(&mut self, slot: Slot, at_ns: u64) {
        loop {
            let line = &mut self.lines[slot as usize];
            let Some(length) = server::request_length(&line.inbox) else { return };
            line.inbox.drain(..length);
            let came = Nanos(at_ns.saturating_sub(self.origin_ns));
            let acts = self.server.answer(&self.scene, came, &mut self.random);
            for Act { after_ns, what } in acts {
                let line = &mut self.lines[slot as usize];
                let arrives_ns = at_ns + after_ns + self.scene.latency_ns;
                line.answered_until_ns = line.answered_until_ns.max(arrives_ns);
                let arrives_ns = line.answered_until_ns;
                self.schedule(arrives_ns, slot, what);
            }
        }
    }
}

impl Io for Sim {
    fn now(&self) -> Nanos {
        Nanos(self.now_ns - self.origin_ns)
    }

    fn begin(&mut self, start: Nanos) {
        self.origin_ns += start.0;
        self.now_ns = self.now_ns.max(self.origin_ns);
    }

    fn connect(&mut self, slot: Slot, _endpoint: &Endpoint) -> Result<(), Cause> {
        let index = slot as usize;
        if index >= self.lines.len() {
            self.lines.resize_with(index + 1, Line::default);
        }
        let generation = self.lines[index].generation;
        self.lines[index] = Line { generation, open: true, ..Line::default() };
        if self.random.happens(self.scene.trouble.starve_ratio) {
            return Err(Cause::FileLimit);
        }
        let accepted = !self.random.happens(self.scene.trouble.refuse_ratio);
        let opened_ns = self.now_ns + 2 * self.scene.latency_ns;
        self.schedule(opened_ns, slot, What::Opened(accepted));
        Ok(())
    }

    fn send(&mut self, slot: Slot, bytes: &[u8]) -> Result<usize, Cause> {
        let line = &self.lines[slot as usize];
        if !line.open || line.closed.is_some() {
            return Err(Cause::ResetByPeer);
        }
        let mut arrives_ns = self.now_ns + self.scene.latency_ns;
        if self.random.happens(self.scene.trouble.loss_ratio) {
            // The first segment was lost; TCP sends it again (RFC 6298: 200 ms in Linux).
            arrives_ns += RETRANSMIT_NS;
            self.retransmitted += 1;
        }
        let taken = if self.scene.short_writes && self.random.happens(0.5) {
            self.schedule(arrives_ns, slot, What::Writable);
            self.random.below(bytes.len() as u64)
        } else {
            bytes.len() as u64
        };
        let left = self.now();
        self.lines[slot as usize].transmitted = Some(left);
        self.cpu_ns += self.scene.send_ns;
        self.advance(self.now_ns + self.scene.send_ns);
        // Below a length in memory, so it fits.
        let taken = usize::try_from(taken).unwrap_or(bytes.len());
        if taken > 0 {
            self.schedule(arrives_ns, slot, What::ToServer(bytes[..taken].to_vec()));
        }
        Ok(taken)
    }

    fn close(&mut self, slot: Slot, _how: Close) {
        let line = &mut self.lines[slot as usize];
        line.open = false;
        line.generation = line.generation.wrapping_add(1);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        let until_ns = until.0.saturating_add(self.origin_ns);
        while self.ready.is_empty() {
            match self.events.peek() {
                Some(Reverse(event)) if event.at_ns <= until_ns => {
                    self.advance(event.at_ns);
                }
                _ => {
                    self.advance(until_ns);
                    return Ok(());
                }
            }
            // All that happens at one instant is seen together, as it is by one wait.
            while let Some(Reverse(event)) = self.events.peek()
                && event.at_ns <= self.now_ns
            {
                if let Some(Reverse(event)) = self.events.pop() {
                    self.happen(event);
                }
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Option<Completion> {
        loop {
            let slot = *self.ready.front()?;
            let read = self.now();
            let line = &mut self.lines[slot as usize];
            if line.open {
                if let Some(result) = line.connected.take() {
                    return Some(match result {
                        Ok(()) => Completion::Connected { slot },
                        Err(cause) => Completion::ConnectFailed { slot, cause },
                    });
                }
                if std::mem::take(&mut line.writable) {
                    return Some(Completion::Writable { slot });
                }
                if !line.arrived.is_empty() {
                    self.received.clear();
                    std::mem::swap(&mut self.received, &mut line.arrived);
                    let closing = line.closed.is_some();
                    let stamp = Some(self.scene.stamp_of(line.arrived_at));
                    return Some(Completion::Received { slot, stamp, read, closing });
                }
                if let Some(cause) = line.closed {
                    // Kept until the worker closes, so that sending still fails.
                    self.leave_ready();
                    return Some(Completion::Closed { slot, cause });
                }
            }
            self.leave_ready();
        }
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn transmitted(&mut self, slot: Slot) -> Option<Nanos> {
        let left = self.lines[slot as usize].transmitted.take()?;
        Some(self.scene.stamp_of(left))
    }

    fn health(&mut self) -> Health {
        let now_ns = self.now().0;
        let seen = self.scene.clock_steps.iter().filter(|step| step.seen_at_ns() <= now_ns);
        Health {
            cpu_ns: self.cpu_ns,
            clock_steps: seen.count() as u64,
            retransmitted: std::mem::take(&mut self.retransmitted),
        }
    }
}

impl Sim {
    /// Moves the clock forward, past pauses of the generator.
    fn advance(&mut self, at_ns: u64) {
        self.now_ns = self.now_ns.max(at_ns);
        for pause in &self.scene.pauses {
            let (from_ns, until_ns) = (pause.start + self.origin_ns, pause.end + self.origin_ns);
            if (from_ns..until_ns).contains(&self.now_ns) {
                self.now_ns = until_ns;
            }
        }
    }

    fn leave_ready(&mut self) {
        if let Some(slot) = self.ready.pop_front() {
            self.lines[slot as usize].queued = false;
        }
    }
}

/// How long TCP waits before it sends a segment again at the earliest.
const RETRANSMIT_NS: u64 = 200_000_000;

#[cfg(test)]
mod tests;
