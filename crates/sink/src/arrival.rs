//! When the kernel received what is read.
//!
//! The sink reads a request some time after it arrived: by then its thread may have been busy or
//! without a processor. For the queue's sake and the log's, the kernel is asked for its own stamp
//! (`SO_TIMESTAMPNS`), which comes beside the bytes of each read. It costs an ancillary message per
//! read, so sockets are stamped only when somebody uses the stamps.
//!
//! Invariant: an arrival is never later than the read that brought it.

use std::cell::Cell;
use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, cmsg_space, recvmsg, setsockopt, sockopt::ReceiveTimestampns,
};
use nix::sys::time::TimeSpec;
use tokio::io::{AsyncRead, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::clock;

/// Asks the kernel to stamp what arrives on `stream` from now on.
pub(crate) fn stamp(stream: &TcpStream) -> io::Result<()> {
    Ok(setsockopt(stream, ReceiveTimestampns, &true)?)
}

/// A socket that is stamped; reading it tells when the last byte read arrived.
#[derive(Debug)]
pub(crate) struct Stamped<'a> {
    pub(crate) stream: &'a TcpStream,
    /// Set by every read: the kernel's instant, or that of the read where the kernel gave none.
    pub(crate) arrival_ns: &'a Cell<u64>,
}

impl AsyncRead for Stamped<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            // The rest stays uninitialised: zeroing it would cost more than most requests are long.
            let room = buffer.initialize_unfilled_to(buffer.remaining().min(READ_BYTES_MAX));
            match self.stream.try_io(Interest::READABLE, || receive(self.stream, room)) {
                Ok((bytes, stamp)) => {
                    self.arrival_ns.set(stamp.map_or_else(clock::now_ns, clock::from_unix_ns));
                    buffer.advance(bytes);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

/// Reads once; returns how much, and the wall-clock instant at which the last byte arrived.
fn receive(stream: &TcpStream, room: &mut [u8]) -> io::Result<(usize, Option<u64>)> {
    let mut control = Control([0; _]);
    let mut slices = [IoSliceMut::new(room)];
    let flags = MsgFlags::empty();
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut slices, Some(&mut control.0), flags)?;
    let stamp = message.cmsgs()?.find_map(|part| match part {
        ControlMessageOwned::ScmTimestampns(stamp) => unix_ns(stamp),
        _ => None,
    });
    Ok((message.bytes, stamp))
}

fn unix_ns(stamp: TimeSpec) -> Option<u64> {
    let whole_ns = u64::try_from(stamp.tv_sec()).ok()?.checked_mul(1_000_000_000)?;
    whole_ns.checked_add(u64::try_from(stamp.tv_nsec()).ok()?)
}

/// Room for one stamp, aligned as the kernel lays it out.
#[repr(align(8))]
struct Control([u8; cmsg_space::<TimeSpec>()]);

/// The most that one stamped read takes.
const READ_BYTES_MAX: usize = 8_192;
