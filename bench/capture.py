"""What the kernel saw of each request: a packet capture of the loopback device, by tcpdump.

A packet is stamped there as it reaches the receiving side, in nanoseconds of the wall clock.
tcpdump leaves out the sending side's copy, so each packet appears once. A request's time runs from
its last packet to the last packet of its answer. It holds what the server's side took: the way up
through its kernel, the server, and the way back down to the client's kernel. It leaves out the
client: its way down, its wake-up, its own work.

Not here: what is compared with it (`referee.py`, `users.py`).
"""

import contextlib
import math
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass

import tools


@dataclass(frozen=True)
class Captured:
    """The exchanges of a run, in no particular order."""

    times_ns: list  # Of answered requests.
    sent_ns: list  # When they were sent, in the same order.
    unanswered_count: int
    lost_packets: int  # The kernel had no room for them: the account has holes.

    def mean_ns(self):
        return sum(self.times_ns) / len(self.times_ns)

    def quantile_ns(self, quantile):
        """The least time that `quantile` of all do not exceed."""
        rank = math.ceil(quantile * len(self.times_ns))
        return sorted(self.times_ns)[max(rank, 1) - 1]

    def rate_per_s(self, users):
        """From the first to the last request, without the one that each user begins with."""
        return (len(self.sent_ns) - users) * 1e9 / (max(self.sent_ns) - min(self.sent_ns))


class Capture:
    """A tcpdump under way; `ended` has what it caught once its block has ended."""

    def __init__(self, process):
        self.pid = process.pid
        self.ended = None

    def cpu_s(self):
        """CPU time that tcpdump has used so far, in steps of 10 ms."""
        return tools.process_cpu_s(self.pid)


@contextlib.contextmanager
def capture(port):
    """Captures what goes to and from `port`, until the block ends. Works on the server's core."""
    args = ["tcpdump", "-i", "lo", "-n", "-s", SNAP_BYTES, "-B", BUFFER_KIB, "-w", "-"]
    args += ["--time-stamp-precision=nano", "tcp", "port", str(port)]
    args = tools.on_core(tools.SERVER_CORE, args)
    tools.commands_run[" ".join(args).replace(str(port), "PORT") + " > FILE &"] = None
    with tempfile.TemporaryFile() as packets:
        # It gives up root before it opens a file, so it is handed an open one.
        process = subprocess.Popen(args, stdout=packets, stderr=subprocess.PIPE, text=True)
        try:
            await_listening(process)
            caught = Capture(process)
            yield caught
            # The kernel hands packets over in blocks, a block that is not full after a second
            # (tcpdump's setting). At the signal tcpdump leaves off and does not ask for it.
            time.sleep(1.3)
            process.send_signal(signal.SIGINT)
            said = process.stderr.read()
            packets.seek(0)
            caught.ended = read(packets.read(), port, lost_packets(said))
        finally:
            process.kill()
            process.wait()


def await_listening(process):
    said = ""
    for line in process.stderr:
        said += line
        if "listening on lo" in line:
            return
    raise tools.Failed(f"tcpdump cannot capture: {said.strip()}")


def lost_packets(said):
    """From the line `N packets dropped by kernel`."""
    return int(next(line for line in said.splitlines() if "dropped by kernel" in line).split()[0])


def read(data, port, lost):
    """Pairs requests with answers, connection by connection."""
    clients = {}
    times_ns, sent_ns = [], []
    for at_ns, source, target, *segment in packets_of(data):
        if target == port:
            client = clients.get(source) or clients.setdefault(source, Client())
            if client.sending.is_new(*segment):
                client.finish(times_ns, sent_ns)
                client.sent_ns = at_ns
        elif source == port and (client := clients.get(target)):
            if client.receiving.is_new(*segment):
                client.end_ns = at_ns
    unanswered = sum(not client.finish(times_ns, sent_ns) for client in clients.values())
    return Captured(times_ns, sent_ns, unanswered, lost)


class Client:
    """A client's port. Without pipelining a request is what is sent between two answers."""

    def __init__(self):
        self.sending, self.receiving = Stream(), Stream()
        self.sent_ns = self.end_ns = None

    def finish(self, times_ns, sent_ns):
        """Files the exchange that has ended; false if a request is left without an answer."""
        if self.end_ns is not None and self.sent_ns is not None:
            times_ns.append(self.end_ns - self.sent_ns)
            sent_ns.append(self.sent_ns)
            self.sent_ns = None
        self.end_ns = None
        return self.sent_ns is None


class Stream:
    """One direction of a connection."""

    def __init__(self):
        self.next = None

    def is_new(self, sequence, payload_bytes, opens):
        """Whether a packet has bytes that were not seen before: what is sent again has none."""
        if opens:
            self.next = None  # Another connection from the same port.
        if not payload_bytes:
            return False
        end = (sequence + payload_bytes) % SEQUENCES
        is_new = self.next is None or is_later(end, self.next)
        if is_new:
            self.next = end
        return is_new


def is_later(one, other):
    """Sequence numbers wrap: the later of two is less than half the circle ahead."""
    return 0 < (one - other) % SEQUENCES < SEQUENCES // 2


def packets_of(data):
    """The packets of a file in libpcap's format; of Ethernet's link type, as the loopback has."""
    if data[:4] != MAGIC_NS:
        raise tools.Failed("tcpdump gave no nanoseconds, or another byte order")
    record = struct.Struct("<III")
    tcp_head = struct.Struct(">HHI")
    place = FILE_HEAD_BYTES
    while place + RECORD_HEAD_BYTES <= len(data):
        seconds, nanoseconds, captured_bytes = record.unpack_from(data, place)
        ip = place + RECORD_HEAD_BYTES + ETHERNET_BYTES
        place += RECORD_HEAD_BYTES + captured_bytes
        tcp = ip + (data[ip] & 0x0F) * 4
        source, target, sequence = tcp_head.unpack_from(data, tcp)
        total_bytes = data[ip + 2] << 8 | data[ip + 3]
        payload_bytes = total_bytes - (tcp - ip) - (data[tcp + 12] >> 4) * 4
        at_ns = seconds * 1_000_000_000 + nanoseconds
        yield at_ns, source, target, sequence, payload_bytes, data[tcp + 13] & SYN


# Heads only: 14 bytes of Ethernet, at most 60 of IP and 60 of TCP.
SNAP_BYTES = "134"
BUFFER_KIB = "65536"
MAGIC_NS = bytes.fromhex("4d3cb2a1")
FILE_HEAD_BYTES, RECORD_HEAD_BYTES, ETHERNET_BYTES = 24, 16, 14
SYN = 2
SEQUENCES = 1 << 32
