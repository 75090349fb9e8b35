//! Transmit timestamps: when the kernel handed the last byte of a request to the device.
//!
//! A sampled request is sent with `sendmsg` and a control message that asks for the stamp of these
//! bytes alone, so requests that are not sampled cost nothing. The stamp comes back on the socket's
//! error queue, with the place of the byte in the stream, counted from when stamps were first asked
//! for on this connection (`SOF_TIMESTAMPING_OPT_ID`): a stamp that comes late cannot be taken for
//! another request's.
//!
//! # Source
//! Linux, Documentation/networking/timestamping.rst, 1.3 and 2.1.

use std::io;
use std::mem::size_of;
use std::os::fd::RawFd;
use std::ptr;

use throng_measure::Nanos;

use super::socket;
use crate::io::clock::WallClock;

/// The transmit stamps of one connection.
#[derive(Debug, Default)]
pub(super) struct Transmit {
    /// Whether the socket reports transmit stamps.
    asked: Asked,
    /// Bytes sent since the socket reports them, as the kernel counts: in 32 bits, wrapping.
    bytes: u32,
    /// The place of the byte whose stamp is awaited.
    awaited: Option<u32>,
    stamp: Option<Nanos>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Asked {
    #[default]
    NotYet,
    Granted,
    /// The kernel or the kind of socket cannot.
    Refused,
}

impl Transmit {
    /// Counts bytes that were sent without asking for a stamp.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "the kernel counts in 32 bits too")]
    pub(super) fn count(&mut self, taken: usize) {
        self.bytes = self.bytes.wrapping_add(taken as u32);
    }

    /// Whether a stamp may still come.
    #[inline]
    pub(super) fn is_awaited(&self) -> bool {
        self.awaited.is_some()
    }

    /// Sends bytes and asks for the stamp of the last one that the kernel takes.
    pub(super) fn send(&mut self, file: RawFd, bytes: &[u8]) -> io::Result<usize> {
        if self.asked == Asked::NotYet {
            self.asked = ask(file);
            self.bytes = 0;
        }
        self.awaited = None;
        self.stamp = None;
        if self.asked == Asked::Refused {
            return socket::send(file, bytes);
        }
        let taken = send_asking(file, bytes)?;
        self.count(taken);
        self.awaited = (taken > 0).then(|| self.bytes.wrapping_sub(1));
        Ok(taken)
    }

    /// Takes stamps from the socket's error queue until the awaited one is found or none is left.
    pub(super) fn collect(&mut self, file: RawFd, wall: &WallClock) {
        for _ in 0..QUEUED_MAX {
            let Some(place) = self.awaited else { return };
            let Ok(report) = next_report(file) else { return };
            if let Some(Report { place: of, seconds, nanoseconds }) = report
                && of == place
            {
                self.awaited = None;
                self.stamp = Some(wall.instant(seconds, nanoseconds));
            }
        }
    }

    /// The stamp of the last send that asked for one.
    pub(super) fn take(&mut self) -> Option<Nanos> {
        self.stamp.take()
    }
}

/// Asks a connected socket to report transmit stamps, beside its receive stamps.
fn ask(file: RawFd) -> Asked {
    let flags = libc::SOF_TIMESTAMPING_RX_SOFTWARE
        | libc::SOF_TIMESTAMPING_SOFTWARE
        | libc::SOF_TIMESTAMPING_OPT_TSONLY
        | libc::SOF_TIMESTAMPING_OPT_ID;
    // Before Linux 6.2 bytes count from the first one that is not acknowledged. On a connection
    // that was answered last that is the same.
    for flags in [flags | libc::SOF_TIMESTAMPING_OPT_ID_TCP, flags] {
        let (level, name) = (libc::SOL_SOCKET, libc::SO_TIMESTAMPING);
        if is_tcp(file) && socket::set_option(file, level, name, flags.cast_signed()).is_ok() {
            return Asked::Granted;
        }
    }
    Asked::Refused
}

/// Other kinds of sockets take the option and never stamp.
fn is_tcp(file: RawFd) -> bool {
    socket::retransmitted(file).is_some()
}

/// Ancillary data with one 32-bit number.
#[repr(C)]
struct Question {
    header: libc::cmsghdr,
    flags: u32,
    /// Control messages are padded to the size of a pointer.
    padding: u32,
}

fn send_asking(file: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: all bit patterns are valid for a struct of integers.
    let mut header: libc::cmsghdr = unsafe { std::mem::zeroed() };
    header.cmsg_len = (size_of::<libc::cmsghdr>() + size_of::<u32>()) as _;
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SO_TIMESTAMPING;
    let flags = libc::SOF_TIMESTAMPING_TX_SOFTWARE;
    let mut question = Question { header, flags, padding: 0 };
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let message = libc::msghdr {
        msg_name: ptr::null_mut(),
        msg_namelen: 0,
        msg_iov: &raw mut part,
        msg_iovlen: 1,
        msg_control: (&raw mut question).cast(),
        msg_controllen: size_of::<Question>(),
        msg_flags: 0,
    };
    // SAFETY: the message points to one part (a live slice, which the call only reads) and to one
    // whole control message; both live longer than the call.
    let sent = unsafe { libc::sendmsg(file, &raw const message, libc::MSG_NOSIGNAL) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// What one entry of the error queue says.
struct Report {
    /// Which byte it is about.
    place: u32,
    seconds: i64,
    nanoseconds: i64,
}

/// Takes the next entry off the error queue; `None` inside when it is not about a transmission.
fn next_report(file: RawFd) -> io::Result<Option<Report>> {
    let mut control = Control([0; CONTROL_BYTES]);
    let mut message = libc::msghdr {
        msg_name: ptr::null_mut(),
        msg_namelen: 0,
        msg_iov: ptr::null_mut(),
        msg_iovlen: 0,
        msg_control: control.0.as_mut_ptr().cast(),
        msg_controllen: CONTROL_BYTES,
        msg_flags: 0,
    };
    // SAFETY: the message has no parts and points to the control buffer (with its length), which
    // lives longer than the call.
    let received = unsafe { libc::recvmsg(file, &raw mut message, libc::MSG_ERRQUEUE) };
    if received < 0 {
        return Err(io::Error::last_os_error());
    }
    let (mut place, mut time) = (None, None);
    // SAFETY: the kernel has filled the message's control buffer and set its length.
    let mut next = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    while !next.is_null() {
        // SAFETY: the macro returns headers that lie wholly within the control buffer.
        let header = unsafe { next.read_unaligned() };
        // SAFETY: as above; data follows the header.
        let data = unsafe { libc::CMSG_DATA(next) };
        match (header.cmsg_level, header.cmsg_type) {
            (libc::SOL_SOCKET, libc::SCM_TIMESTAMPING) => {
                // SAFETY: this kind of message carries three timespecs.
                time = Some(unsafe { data.cast::<libc::timespec>().read_unaligned() });
            }
            (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR) => {
                // SAFETY: these kinds carry a sock_extended_err.
                let error = unsafe { data.cast::<libc::sock_extended_err>().read_unaligned() };
                if error.ee_origin == libc::SO_EE_ORIGIN_TIMESTAMPING {
                    place = Some(error.ee_data);
                }
            }
            _ => {}
        }
        // SAFETY: `next` came from these macros and the same message.
        next = unsafe { libc::CMSG_NXTHDR(&raw const message, next) };
    }
    Ok(place.zip(time).map(|(place, time)| Report {
        place,
        seconds: time.tv_sec,
        nanoseconds: time.tv_nsec,
    }))
}

/// Ancillary data must be aligned as its header is.
#[repr(align(8))]
struct Control([u8; CONTROL_BYTES]);

/// A stamp (64 bytes with its header), an extended error with an address (up to 60), and room to
/// spare.
const CONTROL_BYTES: usize = 256;

/// Entries taken off an error queue at one time: each send leaves at most one, and what is not
/// taken now is taken with the next.
const QUEUED_MAX: usize = 4;
