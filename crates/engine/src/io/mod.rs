//! The clock and the syscalls: everything of a measured run that is not arithmetic.
//!
//! A backend owes the worker this contract. It is completion-shaped, so that io_uring can join
//! epoll without a change to the worker:
//!
//! 1. [`Io::now`] is one monotonic clock for all workers of a run.
//! 2. [`Io::connect`], [`Io::send`] and [`Io::close`] never block. Their results come back as
//!    [`Completion`]s, except what is known at once.
//! 3. [`Io::wait`] is the only place that sleeps; it returns at `until` or when a completion is
//!    there, whichever is first, and delivers none itself.
//! 4. [`Io::next`] delivers completions one by one. Bytes of a `Received` stay readable through
//!    [`Io::received`] until the next call of `next`; `connect`, `send` and `close` leave them alone.
//! 5. After `close(slot)` no completion of the old connection is delivered, and `connect(slot)` may
//!    follow at once.
//! 6. All bytes of a connection are delivered in order before its `Closed`, and after `Closed` or
//!    `ConnectFailed` nothing is delivered for the slot until it is connected again. The worker
//!    still calls `close`.
//!
//! Invariant: nothing outside this folder reads a clock, sleeps or opens a socket while a run is
//! measured (clippy's `disallowed-methods` holds it), and nothing outside it is unsafe.

use std::io;

use throng_measure::{Cause, Nanos};

use crate::plan::Endpoint;

pub mod clock;
pub mod epoll;
pub mod limits;
pub mod sim;

/// A connection's place at the worker and its backend: small, dense, reused.
pub type Slot = u32;

/// The clock and the network, as one worker sees them. See the module's contract.
pub trait Io {
    /// Nanoseconds since the run began; before it begins, since the backend was made.
    fn now(&self) -> Nanos;

    /// Makes `start`, an instant of the clock so far, the new zero: the run begins there.
    fn begin(&mut self, start: Nanos);

    /// Starts to open a connection. `Connected` or `ConnectFailed` follows.
    ///
    /// # Errors
    /// When the attempt fails at once; nothing follows then, and the slot is free.
    fn connect(&mut self, slot: Slot, endpoint: &Endpoint) -> Result<(), Cause>;

    /// Hands bytes to the kernel and returns how many it took. When that is fewer than given,
    /// `Writable` follows once it would take more.
    ///
    /// # Errors
    /// When the connection is broken; the worker closes it.
    fn send(&mut self, slot: Slot, bytes: &[u8]) -> Result<usize, Cause>;

    /// Like [`Io::send`], and asks the kernel to say when it has handed the last of the bytes to
    /// the device. Where it cannot, this is `send`.
    ///
    /// # Errors
    /// As [`Io::send`].
    fn send_stamped(&mut self, slot: Slot, bytes: &[u8]) -> Result<usize, Cause> {
        self.send(slot, bytes)
    }

    /// When the kernel had handed the last byte of the connection's last `send_stamped` to the
    /// device; `None` when it has not said so. Asked once the answer is there.
    fn transmitted(&mut self, _slot: Slot) -> Option<Nanos> {
        None
    }

    /// Ends a connection, whatever its state.
    fn close(&mut self, slot: Slot, how: Close);

    /// Sleeps until `until` or until there is something for [`Io::next`] to deliver.
    ///
    /// # Errors
    /// When the backend itself fails; the run cannot go on.
    fn wait(&mut self, until: Nanos) -> io::Result<()>;

    /// The next completion, or `None` when all have been delivered.
    fn next(&mut self) -> Option<Completion>;

    /// The bytes of the `Received` that [`Io::next`] returned last.
    fn received(&self) -> &[u8];

    /// What the audit wants to know; asked once a second.
    fn health(&mut self) -> Health;
}

/// The state of what generates the load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Processor time of the calling thread since it began.
    pub cpu_ns: u64,
    /// Times that the system's wall clock was seen to jump against the monotonic one.
    pub clock_steps: u64,
    /// TCP segments that were sent again since the last time, on some of the connections.
    pub retransmitted: u64,
}

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The connection is open.
    Connected {
        /// Whose.
        slot: Slot,
    },
    /// The connection could not be opened.
    ConnectFailed {
        /// Whose.
        slot: Slot,
        /// Why.
        cause: Cause,
    },
    /// The kernel takes more bytes after a short send.
    Writable {
        /// Whose.
        slot: Slot,
    },
    /// Bytes have come: [`Io::received`]. Never empty.
    Received {
        /// Whose.
        slot: Slot,
        /// When the kernel received the last of them, where it says so.
        stamp: Option<Nanos>,
        /// When user space got them.
        read: Nanos,
        /// The peer has closed its side behind these bytes: no further request belongs on this
        /// connection. `Closed` follows.
        closing: bool,
    },
    /// The peer closed (`None`) or broke the connection.
    Closed {
        /// Whose.
        slot: Slot,
        /// Why, when it was not closed in order.
        cause: Option<Cause>,
    },
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// At once.
    Now,
    /// When the peer has closed its side, as it announced: whoever closes first keeps the local
    /// port busy for a minute (TIME-WAIT, RFC 9293, 3.4.1), and that should not be the generator,
    /// which runs out of ports. The slot is free at once.
    AfterPeer,
}

#[cfg(test)]
mod tests;
