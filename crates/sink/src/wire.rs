//! The socket of one connection, shared between hyper and an answer that has to break it.
//!
//! hyper reads and writes through it. An answer may have it too, for what hyper does not offer:
//! breaking off inside the head, and noticing that a client left while nothing is being sent.
//!
//! What hyper writes in one turn of the connection's task goes out in one system call at the end
//! of that turn, so pipelined answers cost one write together. hyper's own `pipeline_flush` (seen
//! in 1.12) does this too, but it turns off the limit of hyper's buffer, so that a body of 10 GiB
//! is copied into memory whole, for seconds in which the worker answers nothing else; and it holds
//! an answer back while a delayed one stands between it and a third.
//!
//! It also knows when the last request arrived, and tells the log when answers have left.
//!
//! Invariant: the `RefCell` is borrowed inside one poll only, so hyper and the answer, which run
//! in the same task, never borrow it at once.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::TcpStream;

use crate::arrival::{self, Stamped};
use crate::clock;
use crate::log::ConnectionLog;

/// A handle to the socket of one connection; clones are the same socket.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    stream: RefCell<TcpStream>,
    /// Written by hyper in this turn and not sent yet, at most [`HELD_BYTES_MAX`].
    held: RefCell<Vec<u8>>,
    /// How many more bytes may be written before the connection breaks; `None` for all.
    write_bytes_left: Cell<Option<usize>>,
    is_stamped: Cell<bool>,
    /// When what was read last arrived; 0 if that was not asked for.
    arrival_ns: Cell<u64>,
    log: Option<Rc<ConnectionLog>>,
}

impl Wire {
    /// Takes over an accepted socket, which must be non-blocking; needs the runtime's context.
    pub(crate) fn new(
        stream: std::net::TcpStream,
        log: Option<Rc<ConnectionLog>>,
    ) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let is_logged = log.is_some();
        let shared = Shared {
            stream: RefCell::new(TcpStream::from_std(stream)?),
            held: RefCell::default(),
            write_bytes_left: Cell::new(None),
            is_stamped: Cell::new(false),
            arrival_ns: Cell::new(0),
            log,
        };
        let wire = Self { shared: Rc::new(shared) };
        if is_logged {
            wire.stamp_arrivals()?;
        }
        Ok(wire)
    }

    pub(crate) fn log(&self) -> Option<&Rc<ConnectionLog>> {
        self.shared.log.as_ref()
    }

    /// Asks for the instants at which requests arrive from now on.
    pub(crate) fn stamp_arrivals(&self) -> io::Result<()> {
        if !self.shared.is_stamped.replace(true) {
            arrival::stamp(&self.shared.stream.borrow())?;
        }
        Ok(())
    }

    /// When the last byte that was read arrived; now, if that was not asked for before.
    pub(crate) fn arrival_ns(&self) -> u64 {
        match self.shared.arrival_ns.get() {
            0 => clock::now_ns(),
            arrival_ns => arrival_ns,
        }
    }

    pub(crate) fn peer_address(&self) -> io::Result<SocketAddr> {
        self.shared.stream.borrow().peer_addr()
    }

    pub(crate) fn local_address(&self) -> io::Result<SocketAddr> {
        self.shared.stream.borrow().local_addr()
    }

    /// Lets `bytes` more bytes out, then fails every write.
    pub(crate) fn break_after(&self, bytes: usize) {
        self.shared.write_bytes_left.set(Some(bytes));
    }

    /// Ready once the client closed its side or the connection failed.
    ///
    /// Reads and throws away what arrives: only the bytes before it hide the end of a stream, and
    /// no request behind a stalled one will ever be answered. To be polled only while hyper does
    /// not read, that is in the middle of an answer with `half_close` on.
    pub(crate) fn poll_closed(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut stream = self.shared.stream.borrow_mut();
        let mut bytes = [0; DISCARD_BYTES];
        // tokio's budget for one task's turn ends this loop if the client never stops sending.
        loop {
            let mut buffer = ReadBuf::new(&mut bytes);
            let result = ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer));
            if result.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }

    /// Sends what is held. To be called at the end of every turn of the connection's task.
    pub(crate) fn poll_send(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut held = self.shared.held.borrow_mut();
        while !held.is_empty() {
            self.note_write();
            let sent = ready!(self.poll_with(|stream| stream.poll_write(context, &held)))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            held.drain(..sent);
        }
        if let Some(log) = self.log() {
            log.sent();
        }
        Poll::Ready(Ok(()))
    }

    /// Holds what fits, sends directly what does not.
    fn poll_take(
        &self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let total_bytes = slices.iter().map(|slice| slice.len()).sum();
        if let Some(left_bytes) = self.shared.write_bytes_left.get() {
            return Poll::Ready(self.take_limited(slices, left_bytes));
        }
        if self.shared.held.borrow().len() + total_bytes > HELD_BYTES_MAX {
            ready!(self.poll_send(context))?;
            self.note_write();
            return self.poll_with(|stream| stream.poll_write_vectored(context, slices));
        }
        let mut held = self.shared.held.borrow_mut();
        for slice in slices {
            held.extend_from_slice(slice);
        }
        Poll::Ready(Ok(total_bytes))
    }

    /// Holds the part of the first slice that may still go out, then breaks.
    fn take_limited(&self, slices: &[IoSlice<'_>], left_bytes: usize) -> io::Result<usize> {
        let first = slices.iter().find(|slice| !slice.is_empty()).map_or(&[][..], |slice| slice);
        let part = &first[..first.len().min(left_bytes)];
        if part.is_empty() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.shared.held.borrow_mut().extend_from_slice(part);
        self.shared.write_bytes_left.set(Some(left_bytes - part.len()));
        Ok(part.len())
    }

    fn note_write(&self) {
        if let Some(log) = self.log() {
            log.writing();
        }
    }

    fn poll_with<T>(
        &self,
        poll: impl FnOnce(Pin<&mut TokioIo<&mut TcpStream>>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        let mut stream = self.shared.stream.borrow_mut();
        poll(Pin::new(&mut TokioIo::new(&mut *stream)))
    }
}

impl Read for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.shared.is_stamped.get() {
            let (stream, arrival_ns) = (&self.shared.stream.borrow(), &self.shared.arrival_ns);
            return pin!(TokioIo::new(Stamped { stream, arrival_ns })).poll_read(context, buffer);
        }
        self.poll_with(|stream| stream.poll_read(context, buffer))
    }
}

impl Write for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_take(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_take(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Leaves what is held to the end of the turn. hyper asks when it holds nothing itself.
    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(log) = self.log() {
            log.flushed();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context))?;
        self.poll_with(|stream| stream.poll_shutdown(context))
    }
}

/// How much one turn may write before it is sent: sixteen pipelined answers of 1 KB.
const HELD_BYTES_MAX: usize = 16_384;
/// How much is read at once of what a client sends while it is being stalled.
const DISCARD_BYTES: usize = 1_024;
