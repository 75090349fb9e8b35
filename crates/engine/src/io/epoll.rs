//! The epoll backend.
//!
//! A socket is registered once, edge-triggered, for everything; nothing is re-armed per request.
//! Bytes are written directly and waited for only after a short write. One `recvmsg` per event
//! brings the bytes and the kernel's receive timestamp; a second follows only when the buffer was
//! full or the peer has closed. All connections of a worker share one receive buffer, which stays
//! in cache.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use throng_measure::{Cause, Nanos};

use super::clock::{Clock, WallClock};
use super::{Close, Completion, Health, Io, Slot, clock};
use crate::plan::Endpoint;

mod socket;
mod transmit;

/// A worker's epoll instance and sockets.
pub struct Epoll {
    poll: OwnedFd,
    clock: Clock,
    wall: WallClock,
    sockets: Vec<Socket>,
    events: Vec<libc::epoll_event>,
    /// Events of `events` that were filled by the last wait, and the one under delivery.
    ready_count: usize,
    ready_next: usize,
    /// What is left to do for the event under delivery.
    current: Option<Current>,
    receiver: socket::Receiver,
    /// Connections that wait for their peer to close.
    lingering: VecDeque<(u64, OwnedFd)>,
    /// The connection whose retransmissions are asked for next.
    next_asked: usize,
    /// Keeps the kernel stamping; never used otherwise.
    _stamp_keeper: Option<OwnedFd>,
    has_pwait2: bool,
}

#[derive(Default)]
struct Socket {
    file: Option<OwnedFd>,
    /// What its events carry: the slot, and a number that tells it apart from earlier connections
    /// of the slot.
    token: u64,
    connecting: bool,
    /// A send was short.
    blocked: bool,
    /// The stamp of a transmission that was asked for.
    transmit: transmit::Transmit,
    /// Segments sent again, as last seen.
    retransmitted: u32,
}

/// An event under delivery.
#[derive(Clone, Copy)]
struct Current {
    token: u64,
    slot: Slot,
    flags: u32,
}

impl Epoll {
    /// A backend on `clock`, with no connections.
    ///
    /// # Errors
    /// When the kernel gives no epoll instance.
    pub fn new(clock: Clock) -> io::Result<Self> {
        // SAFETY: no pointers are passed.
        let poll = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        Ok(Self {
            poll,
            clock,
            wall: WallClock::new(clock),
            sockets: Vec::new(),
            events: vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS_MAX],
            ready_count: 0,
            ready_next: 0,
            current: None,
            receiver: socket::Receiver::new(),
            lingering: VecDeque::with_capacity(LINGERING_MAX + 1),
            next_asked: 0,
            _stamp_keeper: socket::stamp_keeper(),
            has_pwait2: true,
        })
    }

    /// Asks the kernel to wake the calling thread without the usual 50 µs of slack. The setting is
    /// per thread, so the worker's thread calls this.
    pub fn sharpen_timers() {
        // SAFETY: no pointers are passed. A failure leaves wake-ups as they were, and the audit
        // measures them.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
    }

    fn open(&mut self, slot: Slot, file: OwnedFd) -> io::Result<()> {
        let index = slot as usize;
        if index >= self.sockets.len() {
            self.sockets.resize_with(index + 1, Socket::default);
        }
        let interest = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        // The generation is in the upper half, so that a token's lower half is its slot.
        let generation = (self.sockets[index].token >> 32).wrapping_add(1);
        let token = generation << 32 | u64::from(slot);
        self.sockets[index].token = token;
        let mut event = libc::epoll_event { events: interest.cast_unsigned(), u64: token };
        let (poll, socket) = (self.poll.as_raw_fd(), file.as_raw_fd());
        // SAFETY: both files are open and `event` is a valid event that the call only reads.
        check(unsafe { libc::epoll_ctl(poll, libc::EPOLL_CTL_ADD, socket, &raw mut event) })?;
        let entry = &mut self.sockets[index];
        entry.file = Some(file);
        entry.connecting = true;
        entry.blocked = false;
        entry.transmit = transmit::Transmit::default();
        entry.retransmitted = 0;
        Ok(())
    }

    /// Segments sent again since the last time, on the connections whose turn it is.
    fn newly_retransmitted(&mut self) -> u64 {
        let mut sum = 0;
        let asked_count = self.sockets.len().min(ASKED_MAX);
        for _ in 0..asked_count {
            self.next_asked = (self.next_asked + 1) % self.sockets.len();
            let socket = &mut self.sockets[self.next_asked];
            let Some(file) = &socket.file else { continue };
            let Some(total) = socket::retransmitted(file.as_raw_fd()) else { continue };
            sum += u64::from(total.wrapping_sub(socket.retransmitted));
            socket.retransmitted = total;
        }
        sum
    }

    /// Takes the next event that still concerns an open connection.
    #[inline(always)]
    fn take_event(&mut self) -> Option<Current> {
        while self.ready_next < self.ready_count {
            let event = self.events[self.ready_next];
            self.ready_next += 1;
            #[allow(clippy::cast_possible_truncation, reason = "a token's low half is its slot")]
            let slot = event.u64 as u32;
            let current = Current { token: event.u64, slot, flags: event.events };
            if self.is_current(&current) {
                return Some(current);
            }
            self.end_lingering(&current);
        }
        None
    }

    #[inline(always)]
    fn is_current(&self, event: &Current) -> bool {
        let socket = self.sockets.get(event.slot as usize);
        socket.is_some_and(|socket| socket.token == event.token && socket.file.is_some())
    }

    /// Closes a connection that waited for its peer to close.
    #[cold]
    fn end_lingering(&mut self, event: &Current) {
        if event.flags & CLOSING != 0 {
            self.lingering.retain(|(token, _)| *token != event.token);
        }
    }

    /// Delivers the next completion of an event, and clears the flags that it stood for.
    #[inline(always)]
    fn deliver(&mut self, event: &mut Current) -> Option<Completion> {
        let slot = event.slot;
        let socket = &mut self.sockets[slot as usize];
        let file = socket.file.as_ref()?.as_raw_fd();
        if socket.connecting && event.flags & (OUT | CLOSING) != 0 {
            socket.connecting = false;
            if let Some(cause) = socket::connect_error(file) {
                event.flags = 0;
                return Some(Completion::ConnectFailed { slot, cause });
            }
            return Some(Completion::Connected { slot });
        }
        if event.flags & ERROR != 0 && socket.transmit.is_awaited() {
            // The stamp of a transmission is told as an error is. A real one is told again by
            // the receive below.
            socket.transmit.collect(file, &self.wall);
            event.flags = event.flags & !ERROR | IN;
        }
        if socket.blocked && event.flags & OUT != 0 {
            socket.blocked = false;
            event.flags &= !OUT;
            return Some(Completion::Writable { slot });
        }
        if event.flags & (IN | CLOSING) == 0 {
            return None;
        }
        self.receive(file, event)
    }

    #[inline(always)]
    fn receive(&mut self, file: RawFd, event: &mut Current) -> Option<Completion> {
        let slot = event.slot;
        let closing = event.flags & CLOSING != 0;
        match self.receiver.receive(file) {
            Ok(0) => {
                event.flags = 0;
                Some(Completion::Closed { slot, cause: None })
            }
            Ok(length) => {
                let read = self.clock.now();
                let stamp = self.receiver.stamp().map(|(s, ns)| self.wall.instant(s, ns));
                // A short read has emptied the socket: more bytes raise a new edge.
                if !closing && length < socket::RECEIVE_BYTES {
                    event.flags = 0;
                }
                Some(Completion::Received { slot, stamp, read, closing })
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                event.flags = 0;
                None
            }
            Err(error) => {
                event.flags = 0;
                Some(Completion::Closed { slot, cause: Some(socket::cause_of(&error)) })
            }
        }
    }
}

impl Io for Epoll {
    #[inline]
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn begin(&mut self, start: Nanos) {
        self.clock = self.clock.from(start);
        self.wall = WallClock::new(self.clock);
    }

    fn connect(&mut self, slot: Slot, endpoint: &Endpoint) -> Result<(), Cause> {
        let connected = socket::connect(endpoint).and_then(|file| self.open(slot, file));
        connected.map_err(|error| socket::connect_cause_of(&error))
    }

    #[inline]
    fn send(&mut self, slot: Slot, bytes: &[u8]) -> Result<usize, Cause> {
        let socket = &mut self.sockets[slot as usize];
        let Some(file) = &socket.file else { return Err(Cause::IoFailed) };
        let taken = match socket::send(file.as_raw_fd(), bytes) {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(socket::cause_of(&error)),
        };
        socket.blocked = taken < bytes.len();
        socket.transmit.count(taken);
        Ok(taken)
    }

    fn send_stamped(&mut self, slot: Slot, bytes: &[u8]) -> Result<usize, Cause> {
        let socket = &mut self.sockets[slot as usize];
        let Some(file) = &socket.file else { return Err(Cause::IoFailed) };
        let taken = match socket.transmit.send(file.as_raw_fd(), bytes) {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(error) => return Err(socket::cause_of(&error)),
        };
        socket.blocked = taken < bytes.len();
        // On loopback, and often elsewhere, the stamp is there: taken now, it wakes nobody.
        socket.transmit.collect(file.as_raw_fd(), &self.wall);
        Ok(taken)
    }

    fn transmitted(&mut self, slot: Slot) -> Option<Nanos> {
        let socket = &mut self.sockets[slot as usize];
        if let Some(file) = &socket.file {
            socket.transmit.collect(file.as_raw_fd(), &self.wall);
        }
        socket.transmit.take()
    }

    fn close(&mut self, slot: Slot, how: Close) {
        let Some(socket) = self.sockets.get_mut(slot as usize) else { return };
        let Some(file) = socket.file.take() else { return };
        if how == Close::AfterPeer {
            self.lingering.push_back((socket.token, file));
            if self.lingering.len() > LINGERING_MAX {
                self.lingering.pop_front();
            }
        }
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        let now = self.clock.now();
        self.wall.refresh(self.clock, now);
        self.ready_next = 0;
        self.ready_count = 0;
        let wait_ns = until.since(now).min(WAIT_NS_MAX);
        let result = if self.has_pwait2 {
            socket::wait_ns(self.poll.as_raw_fd(), &mut self.events, wait_ns)
        } else {
            socket::wait_ms(self.poll.as_raw_fd(), &mut self.events, wait_ns)
        };
        match result {
            Ok(count) => {
                self.ready_count = count;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            // Linux before 5.11: whole milliseconds, and the audit shows what that costs.
            Err(error) if self.has_pwait2 && error.raw_os_error() == Some(libc::ENOSYS) => {
                self.has_pwait2 = false;
                self.wait(until)
            }
            Err(error) => Err(error),
        }
    }

    #[inline(always)]
    fn next(&mut self) -> Option<Completion> {
        loop {
            let mut event = match self.current.take() {
                Some(event) if self.is_current(&event) => event,
                // The worker has closed the connection since the last completion.
                Some(_) => continue,
                None => self.take_event()?,
            };
            let completion = self.deliver(&mut event);
            if completion.is_some() {
                if event.flags != 0 {
                    self.current = Some(event);
                }
                return completion;
            }
        }
    }

    #[inline]
    fn received(&self) -> &[u8] {
        self.receiver.bytes()
    }

    fn health(&mut self) -> Health {
        Health {
            cpu_ns: clock::thread_cpu_ns(),
            clock_steps: self.wall.steps,
            retransmitted: self.newly_retransmitted(),
        }
    }
}

/// Takes ownership of a file that the kernel has just given.
fn owned(file: RawFd) -> io::Result<OwnedFd> {
    check(file)?;
    // SAFETY: the kernel returned a new file that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(file) })
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

const IN: u32 = libc::EPOLLIN.cast_unsigned();
const OUT: u32 = libc::EPOLLOUT.cast_unsigned();
const ERROR: u32 = libc::EPOLLERR.cast_unsigned();
const CLOSING: u32 = (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR).cast_unsigned();

/// Events taken from the kernel by one wait.
const EVENTS_MAX: usize = 512;

/// Connections that are asked for their retransmissions at one time, in turn.
const ASKED_MAX: usize = 64;

/// Connections that wait for their peer to close; beyond, the oldest is closed by us.
pub const LINGERING_MAX: usize = 256;

/// A worker looks at its surroundings at least this often.
const WAIT_NS_MAX: u64 = 1_000_000_000;
