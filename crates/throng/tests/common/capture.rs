//! What tcpdump sees on the loopback device: an account of every request that owes us nothing.
//!
//! The kernel stamps a packet there as it reaches the receiving side, in nanoseconds of the wall
//! clock. tcpdump leaves out the sending side's copy, so each packet appears once.
//!
//! One capture, in this order:
//! 1. [`Capture::start`] returns once tcpdump listens;
//! 2. [`Capture::end`] waits for what the kernel still holds, ends tcpdump and reads its file;
//! 3. [`Captured::exchanges`] pairs requests with answers, connection by connection.
//!
//! Invariant: only sizes and times are read, never what HTTP says. Without pipelining a request is
//! what a client sends between two answers, whatever the bytes are.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use super::signal;

/// A running tcpdump; killed when dropped.
pub(crate) struct Capture {
    child: Child,
    stderr: BufReader<ChildStderr>,
    packets: tempfile::NamedTempFile,
}

/// What a capture has caught.
#[derive(Debug)]
pub(crate) struct Captured {
    bytes: Vec<u8>,
    /// Packets that the kernel had to drop for want of room: the account has holes.
    pub(crate) lost_count: u64,
}

/// A request and its answer, by the wall clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// When the last packet of the request passed.
    pub(crate) sent_ns: u64,
    /// When the last packet of the answer passed.
    pub(crate) end_ns: u64,
}

impl Capture {
    /// Captures what goes to and from `ports` of this machine.
    ///
    /// # Errors
    /// tcpdump's words when it may not capture.
    pub(crate) fn start(ports: &[u16]) -> Result<Self, String> {
        let ports: Vec<_> = ports.iter().map(|port| format!("tcp port {port}")).collect();
        let packets = tempfile::NamedTempFile::new().expect("a temporary file");
        let mut child = Command::new("tcpdump")
            .args(["-i", "lo", "-n", "-s", SNAP_BYTES, "-B", BUFFER_KIB, "-w", "-"])
            .args(["--time-stamp-precision=nano", &ports.join(" or ")])
            // tcpdump gives up root before it opens a file, so it is handed an open one.
            .stdout(packets.reopen().expect("our own file"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("tcpdump is installed (./x test installs it)");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut said = String::new();
        while stderr.read_line(&mut said).expect("text") > 0 {
            if said.contains("listening on lo") {
                return Ok(Self { child, stderr, packets });
            }
        }
        child.wait().expect("it has ended");
        Err(said)
    }

    /// Ends the capture.
    pub(crate) fn end(mut self) -> Captured {
        pause();
        signal(&self.child, "INT");
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).expect("text");
        self.child.wait().expect("tcpdump ends");
        let mut bytes = Vec::new();
        let mut file: &File = self.packets.as_file();
        file.read_to_end(&mut bytes).expect("our own file");
        Captured { bytes, lost_count: lost_count(&said) }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Captured {
    /// The answered requests to the server at `port`, by the time they were sent, and how many
    /// were not answered.
    pub(crate) fn exchanges(&self, port: u16) -> (Vec<Exchange>, usize) {
        let mut clients: HashMap<u16, Client> = HashMap::new();
        let mut exchanges = Vec::new();
        for packet in packets(&self.bytes) {
            if packet.to == port {
                let client = clients.entry(packet.from).or_default();
                if client.sending.is_new(&packet) {
                    exchanges.extend(client.asked(packet.at_ns));
                }
            } else if packet.from == port {
                let client = clients.entry(packet.to).or_default();
                if client.receiving.is_new(&packet) {
                    client.end_ns = Some(packet.at_ns);
                }
            }
        }
        let left: Vec<_> = clients.values_mut().map(Client::finish).collect();
        let unanswered_count = left.iter().filter(|(_, is_waiting)| *is_waiting).count();
        exchanges.extend(left.iter().filter_map(|(exchange, _)| *exchange));
        exchanges.sort_by_key(|exchange| exchange.sent_ns);
        (exchanges, unanswered_count)
    }
}

/// One connection, by the client's port.
#[derive(Default)]
struct Client {
    sending: Stream,
    receiving: Stream,
    sent_ns: Option<u64>,
    end_ns: Option<u64>,
}

impl Client {
    /// The client has sent bytes: those after an answer begin the next request.
    fn asked(&mut self, at_ns: u64) -> Option<Exchange> {
        let exchange = self.exchange();
        self.sent_ns = Some(at_ns);
        self.end_ns = None;
        exchange
    }

    /// The last exchange, and whether a request is left without one.
    fn finish(&mut self) -> (Option<Exchange>, bool) {
        let exchange = self.exchange();
        (exchange, self.sent_ns.is_some() && exchange.is_none())
    }

    fn exchange(&self) -> Option<Exchange> {
        Some(Exchange { sent_ns: self.sent_ns?, end_ns: self.end_ns? })
    }
}

/// One direction of a connection.
#[derive(Default)]
struct Stream {
    /// The sequence number that comes next.
    next: Option<u32>,
}

impl Stream {
    /// Whether a packet has bytes that were not seen before: what is sent again carries none.
    fn is_new(&mut self, packet: &Packet) -> bool {
        if packet.opens {
            // Another connection from the same port.
            self.next = None;
        }
        if packet.payload_bytes == 0 {
            return false;
        }
        let end = packet.sequence.wrapping_add(packet.payload_bytes);
        // Sequence numbers wrap: of two, the later is less than half the circle ahead.
        let is_new = self.next.is_none_or(|next| end.wrapping_sub(next).cast_signed() > 0);
        if is_new {
            self.next = Some(end);
        }
        is_new
    }
}

/// A TCP packet over IPv4.
struct Packet {
    at_ns: u64,
    from: u16,
    to: u16,
    /// It has the SYN flag.
    opens: bool,
    sequence: u32,
    payload_bytes: u32,
}

/// The packets of a file in libpcap's format, of Ethernet's link type as the loopback device has.
fn packets(bytes: &[u8]) -> impl Iterator<Item = Packet> {
    let mut rest =
        bytes.strip_prefix(&MAGIC_NS.to_le_bytes()).expect("nanoseconds, our byte order");
    rest = &rest[FILE_HEAD_BYTES - size_of_val(&MAGIC_NS)..];
    std::iter::from_fn(move || {
        let (head, after) = rest.split_at_checked(RECORD_HEAD_BYTES)?;
        let field = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        let at_ns = u64::from(field(0)) * 1_000_000_000 + u64::from(field(4));
        let (frame, after) = after.split_at(field(8) as usize);
        rest = after;
        Some(packet(at_ns, &frame[ETHERNET_BYTES..]))
    })
}

/// Reads the heads of IP (RFC 791) and TCP (RFC 9293): how long they are is in them.
fn packet(at_ns: u64, ip: &[u8]) -> Packet {
    let ip_head_bytes = usize::from(ip[0] & 0x0f) * 4;
    let tcp = &ip[ip_head_bytes..];
    let tcp_head_bytes = usize::from(tcp[12] >> 4) * 4;
    let two = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
    let payload_bytes = usize::from(two(&ip[2..])) - ip_head_bytes - tcp_head_bytes;
    Packet {
        at_ns,
        from: two(tcp),
        to: two(&tcp[2..]),
        opens: tcp[13] & SYN != 0,
        sequence: u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]),
        payload_bytes: u32::try_from(payload_bytes).expect("an IP packet has at most 64 KiB"),
    }
}

/// From the line `N packets dropped by kernel`.
fn lost_count(said: &str) -> u64 {
    let line = said.lines().find(|line| line.contains("dropped by kernel")).expect(said);
    line.split(' ').next().and_then(|count| count.parse().ok()).expect(line)
}

/// The kernel hands packets over in blocks, a block that is not full after a second (tcpdump's
/// setting). At the signal tcpdump leaves off and does not ask for it.
#[allow(clippy::disallowed_methods, reason = "no run is measured here")]
fn pause() {
    std::thread::sleep(Duration::from_millis(1_300));
}

/// Heads only: 14 bytes of Ethernet, at most 60 of IP and 60 of TCP.
const SNAP_BYTES: &str = "134";
/// Room for half a second of the packets of 100,000 requests a second.
const BUFFER_KIB: &str = "32768";
const MAGIC_NS: u32 = 0xa1b2_3c4d;
const FILE_HEAD_BYTES: usize = 24;
const RECORD_HEAD_BYTES: usize = 16;
const ETHERNET_BYTES: usize = 14;
const SYN: u8 = 2;
