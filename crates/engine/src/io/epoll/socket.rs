//! Socket syscalls, each in one small function.

use std::io;
use std::mem::{size_of, size_of_val};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use throng_measure::Cause;

use super::{check, owned};
use crate::plan::Endpoint;

/// Starts a non-blocking connect.
pub(super) fn connect(endpoint: &Endpoint) -> io::Result<OwnedFd> {
    match endpoint {
        Endpoint::Tcp(address) => connect_tcp(*address),
        Endpoint::Unix(path) => connect_unix(path),
    }
}

fn connect_tcp(address: SocketAddr) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    let file = new_socket(family)?;
    // A request is one write: waiting to fill a segment could only delay it.
    set_option(file.as_raw_fd(), libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)?;
    ask_for_stamps(&file);
    match address {
        SocketAddr::V4(v4) => start_connect(
            file,
            &libc::sockaddr_in {
                sin_family: family_of(family),
                sin_port: v4.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(v4.ip().octets()) },
                sin_zero: [0; 8],
            },
            size_of::<libc::sockaddr_in>(),
        ),
        SocketAddr::V6(v6) => start_connect(
            file,
            &libc::sockaddr_in6 {
                sin6_family: family_of(family),
                sin6_port: v6.port().to_be(),
                sin6_flowinfo: v6.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: v6.ip().octets() },
                sin6_scope_id: v6.scope_id(),
            },
            size_of::<libc::sockaddr_in6>(),
        ),
    }
}

/// A socket that asks for receive timestamps and does nothing else. The kernel stamps packets only
/// while some socket asks for it, and takes a while to begin: without this one, the first answers
/// after every moment without connections would have no stamp.
pub(super) fn stamp_keeper() -> Option<OwnedFd> {
    let file = new_socket(libc::AF_INET).ok()?;
    ask_for_stamps(&file);
    Some(file)
}

/// Where the kernel cannot stamp, answers are timed when they are read, and counted as such.
fn ask_for_stamps(file: &OwnedFd) {
    let stamps = libc::SOF_TIMESTAMPING_RX_SOFTWARE | libc::SOF_TIMESTAMPING_SOFTWARE;
    let _ =
        set_option(file.as_raw_fd(), libc::SOL_SOCKET, libc::SO_TIMESTAMPING, stamps.cast_signed());
}

fn connect_unix(path: &Path) -> io::Result<OwnedFd> {
    let bytes = path.as_os_str().as_bytes();
    let mut address =
        libc::sockaddr_un { sun_family: family_of(libc::AF_UNIX), sun_path: [0; 108] };
    // One byte stays zero: the path ends there.
    if bytes.len() >= address.sun_path.len() {
        return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
    }
    for (to, from) in address.sun_path.iter_mut().zip(bytes) {
        *to = from.cast_signed();
    }
    start_connect(new_socket(libc::AF_UNIX)?, &address, size_of::<libc::sockaddr_un>())
}

fn new_socket(family: libc::c_int) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: no pointers are passed.
    owned(unsafe { libc::socket(family, kind, 0) })
}

/// `A` is one of the sockaddr structs, `length_bytes` its size.
fn start_connect<A>(file: OwnedFd, address: &A, length_bytes: usize) -> io::Result<OwnedFd> {
    debug_assert_eq!(size_of_val(address), length_bytes);
    let address = ptr::from_ref(address).cast::<libc::sockaddr>();
    let length = libc::socklen_t::try_from(length_bytes).unwrap_or(0);
    // SAFETY: `address` points to a sockaddr of `length` bytes that outlives the call.
    match check(unsafe { libc::connect(file.as_raw_fd(), address, length) }) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(file),
    }
}

/// Segments that the kernel sent again on a TCP connection since it was opened.
pub(super) fn retransmitted(file: RawFd) -> Option<u32> {
    // SAFETY: all bit patterns are valid for a struct of integers.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = libc::socklen_t::try_from(size_of_val(&info)).unwrap_or(0);
    let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
    let out = (&raw mut info).cast();
    // SAFETY: `info` and `length` are valid for the call to fill, and `length` says their size.
    let result = check(unsafe { libc::getsockopt(file, level, name, out, &raw mut length) });
    result.ok().map(|()| info.tcpi_total_retrans)
}

/// Why a connect that has ended failed; `None` when it succeeded.
pub(super) fn connect_error(file: RawFd) -> Option<Cause> {
    let mut error: libc::c_int = 0;
    let mut length = libc::socklen_t::try_from(size_of_val(&error)).unwrap_or(0);
    let (level, name) = (libc::SOL_SOCKET, libc::SO_ERROR);
    let out = (&raw mut error).cast();
    // SAFETY: `error` and `length` are valid for the call to fill, and `length` says their size.
    let result = check(unsafe { libc::getsockopt(file, level, name, out, &raw mut length) });
    match (result, error) {
        (Ok(()), 0) => None,
        (Ok(()), error) => Some(connect_cause_of(&io::Error::from_raw_os_error(error))),
        (Err(error), _) => Some(connect_cause_of(&error)),
    }
}

pub(super) fn send(file: RawFd, bytes: &[u8]) -> io::Result<usize> {
    let (start, length, flags) = (bytes.as_ptr(), bytes.len(), libc::MSG_NOSIGNAL);
    let no_address = ptr::null::<libc::sockaddr>();
    // The C library's `send` is a cancellation point and costs 90 instructions more.
    // SAFETY: the pointer and length are those of a live slice that the call only reads; no
    // address is passed.
    let sent =
        unsafe { libc::syscall(libc::SYS_sendto, file, start, length, flags, no_address, 0) };
    usize::try_from(sent).map_err(|_| io::Error::last_os_error())
}

/// The receive buffer that all connections of a worker share, and the stamp of what it holds.
pub(super) struct Receiver {
    buffer: Box<[u8]>,
    length: usize,
    control: Control,
    control_bytes: usize,
}

/// Ancillary data must be aligned as its header is.
#[repr(align(8))]
struct Control([u8; CONTROL_BYTES]);

impl Receiver {
    pub(super) fn new() -> Self {
        let buffer = vec![0; RECEIVE_BYTES].into_boxed_slice();
        Self { buffer, length: 0, control: Control([0; CONTROL_BYTES]), control_bytes: 0 }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Receives what has come, at most [`RECEIVE_BYTES`]; 0 when the peer has closed.
    #[inline]
    pub(super) fn receive(&mut self, file: RawFd) -> io::Result<usize> {
        let mut part =
            libc::iovec { iov_base: self.buffer.as_mut_ptr().cast(), iov_len: self.buffer.len() };
        let mut message = libc::msghdr {
            msg_name: ptr::null_mut(),
            msg_namelen: 0,
            msg_iov: &raw mut part,
            msg_iovlen: 1,
            msg_control: self.control.0.as_mut_ptr().cast(),
            msg_controllen: CONTROL_BYTES,
            msg_flags: 0,
        };
        // SAFETY: the message points to one part (the buffer, with its length) and to the control
        // buffer (with its length); all live longer than the call.
        let received = unsafe { libc::syscall(libc::SYS_recvmsg, file, &raw mut message, 0) };
        self.length = 0;
        self.control_bytes = message.msg_controllen;
        let received = usize::try_from(received).map_err(|_| io::Error::last_os_error())?;
        self.length = received;
        Ok(received)
    }

    /// Wall-clock seconds and nanoseconds when the kernel received the last byte, if it says so.
    #[inline]
    pub(super) fn stamp(&self) -> Option<(i64, i64)> {
        let header_bytes = size_of::<libc::cmsghdr>();
        let needed = header_bytes + size_of::<libc::timespec>();
        if self.control_bytes < needed {
            return None;
        }
        let control = self.control.0.as_ptr();
        // SAFETY: the buffer is aligned for cmsghdr and the kernel has filled at least `needed`
        // bytes of it, so the header and the first timespec behind it are initialised. A header's
        // size is a multiple of its alignment, so no padding stands between them.
        let (header, time) = unsafe {
            let header = control.cast::<libc::cmsghdr>().read();
            (header, control.add(header_bytes).cast::<libc::timespec>().read())
        };
        let is_stamp = header.cmsg_level == libc::SOL_SOCKET
            && header.cmsg_type == libc::SCM_TIMESTAMPING
            && header.cmsg_len >= needed;
        (is_stamp && time.tv_sec != 0).then_some((time.tv_sec, time.tv_nsec))
    }
}

/// Waits with nanosecond resolution; returns how many events were filled.
pub(super) fn wait_ns(
    poll: RawFd,
    events: &mut [libc::epoll_event],
    wait_ns: u64,
) -> io::Result<usize> {
    let timeout = libc::timespec {
        tv_sec: (wait_ns / 1_000_000_000).cast_signed(),
        tv_nsec: (wait_ns % 1_000_000_000).cast_signed(),
    };
    let capacity = libc::c_int::try_from(events.len()).unwrap_or(libc::c_int::MAX);
    let (first, mask) = (events.as_mut_ptr(), ptr::null::<libc::sigset_t>());
    // SAFETY: `first` and `capacity` are those of a live slice; `timeout` is only read; a null
    // mask leaves signals alone.
    let count = unsafe {
        libc::syscall(libc::SYS_epoll_pwait2, poll, first, capacity, &raw const timeout, mask, 0)
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Waits with millisecond resolution, rounded up.
pub(super) fn wait_ms(
    poll: RawFd,
    events: &mut [libc::epoll_event],
    wait_ns: u64,
) -> io::Result<usize> {
    let timeout = libc::c_int::try_from(wait_ns.div_ceil(1_000_000)).unwrap_or(libc::c_int::MAX);
    let capacity = libc::c_int::try_from(events.len()).unwrap_or(libc::c_int::MAX);
    // SAFETY: the pointer and capacity are those of a live slice.
    let count = unsafe { libc::epoll_wait(poll, events.as_mut_ptr(), capacity, timeout) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Why a connection broke.
pub(super) fn cause_of(error: &io::Error) -> Cause {
    match error.raw_os_error() {
        Some(libc::ECONNRESET | libc::EPIPE) => Cause::ResetByPeer,
        Some(libc::EHOSTUNREACH | libc::ENETUNREACH) => Cause::Unreachable,
        _ => Cause::IoFailed,
    }
}

/// Why a connection could not be opened.
pub(super) fn connect_cause_of(error: &io::Error) -> Cause {
    match error.raw_os_error() {
        // A Unix socket whose backlog is full answers EAGAIN, one without a file ENOENT.
        Some(libc::ECONNREFUSED | libc::EAGAIN | libc::ENOENT) => Cause::ConnectRefused,
        Some(libc::ECONNRESET) => Cause::ConnectReset,
        Some(libc::ETIMEDOUT) => Cause::ConnectTimeout,
        Some(libc::EHOSTUNREACH | libc::ENETUNREACH) => Cause::Unreachable,
        Some(libc::EADDRNOTAVAIL | libc::EADDRINUSE) => Cause::PortsExhausted,
        Some(libc::EMFILE | libc::ENFILE) => Cause::FileLimit,
        _ => Cause::ConnectFailed,
    }
}

pub(super) fn set_option(
    file: RawFd,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    let length = libc::socklen_t::try_from(size_of_val(&value)).unwrap_or(0);
    let value = (&raw const value).cast();
    // SAFETY: `value` points to an int of `length` bytes that outlives the call.
    check(unsafe { libc::setsockopt(file, level, name, value, length) })
}

fn family_of(family: libc::c_int) -> libc::sa_family_t {
    libc::sa_family_t::try_from(family).unwrap_or(0)
}

/// One receive takes at most this much.
pub(super) const RECEIVE_BYTES: usize = 64 * 1024;

/// A cmsghdr (16 bytes) and three timespecs (48), and room to spare.
const CONTROL_BYTES: usize = 128;
