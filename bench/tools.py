"""Programs that the benchmark starts: servers on core 0, clients on core 1.

A server is a context manager and ends with its block; a client is run to its end. Nothing that was
not started here is ever signalled.

Not here: what is compared with what (`run.py`), and how it is printed (`result.py`).
"""

import contextlib
import functools
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = "target/bench"
THRONG = f"{BUILT}/throng"
SERVER_CORE, CLIENT_CORE = 0, 1

# Every different command of this run as it is printed in the result, in order.
commands_run = {}


class Failed(Exception):
    """A measurement could not be taken; the text says why."""


@dataclass(frozen=True)
class Ended:
    """A client that has ended: what it printed and what it cost."""

    output: str
    wall_s: float
    user_s: float
    system_s: float


@dataclass(frozen=True)
class Sample:
    """One closed-model run of one tool."""

    requests: int
    rate_per_s: float
    user_s: float
    system_s: float
    client_busy_ratio: float
    server_busy_ratio: float
    other_busy_ratio: float
    steal_ratio: float
    # Of the whole process, by hardware counters: only when asked for.
    user_instructions: int = 0
    kernel_instructions: int = 0

    @property
    def cpu_us(self):
        """CPU time of the client per request, in microseconds."""
        return (self.user_s + self.system_s) * 1e6 / self.requests

    @property
    def instructions(self):
        """User and kernel instructions of the client per request."""
        return (self.user_instructions + self.kernel_instructions) / self.requests


@dataclass(frozen=True)
class Server:
    """A server that is ready for connections."""

    pid: int
    port: int

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def cpu_s(self):
        """CPU time used so far, its child processes included, in steps of 10 ms."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return sum(process_cpu_s(pid) for pid in [self.pid, *children])


# ---- Clients ----


def wrk_command(server, connections, seconds):
    return ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", server.url]


def throng_command(server, connections, seconds):
    load = ["-t", "1", "-c", str(connections), "-d", f"{seconds}s"]
    return [THRONG, *load, "--json", "-", server.url]


def floor_command(server, connections, seconds):
    client = f"{BUILT}/floor_client"
    return [client, str(server.port), "/", str(connections), str(seconds), "stamp"]


def wrk_counts(output):
    if trouble := re.search(r"Socket errors:.*|Non-2xx.*", output):
        raise Failed(f"wrk had trouble: {trouble[0].strip()}")
    requests = re.search(r"(\d+) requests in", output)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    return int(requests[1]), float(rate[1])


def throng_counts(output):
    result = throng_result(output)
    return result["outcomes"]["ok"], result["rate_per_s"]["achieved"]


def floor_counts(output):
    requests, seconds = re.search(r"requests (\d+) seconds ([\d.]+)", output).groups()
    return int(requests), int(requests) / float(seconds)


# Name to: its command for (server, connections, seconds), and (requests, per second) of its output.
TOOLS = {
    "wrk": (wrk_command, wrk_counts),
    "throng": (throng_command, throng_counts),
    "floor": (floor_command, floor_counts),
}


def throng_result(output):
    """The JSON of a run in which every request was answered well; anything else is no reading."""
    result = json.loads(output)
    others = {k: n for k, n in result["outcomes"].items() if n and k != "ok"}
    if others:
        raise Failed(f"throng had requests that did not end well: {others}")
    return result


def sample(tool, server, connections, seconds, with_perf=False):
    """Runs one tool once in the closed model."""
    command, counts = TOOLS[tool]
    args = on_core(CLIENT_CORE, command(server, connections, seconds))
    counters = ROOT / BUILT / "perf.csv"
    if with_perf:
        args = [*perf_command(counters.relative_to(ROOT)), *args]
    time.sleep(0.3)  # The server closes what the run before has left.
    busy_before, server_before = cores_busy_s(), server.cpu_s()
    ended = run(args, server.port)
    server_s = server.cpu_s() - server_before
    task_s, steal_s = (after - before for after, before in zip(cores_busy_s(), busy_before))
    client_s = ended.user_s + ended.system_s
    requests, rate_per_s = counts(ended.output)
    user, kernel = perf_counts(counters) if with_perf else (0, 0)
    return Sample(
        requests=requests,
        rate_per_s=rate_per_s,
        user_s=ended.user_s,
        system_s=ended.system_s,
        client_busy_ratio=client_s / ended.wall_s,
        server_busy_ratio=server_s / ended.wall_s,
        other_busy_ratio=max(0.0, task_s - client_s - server_s) / ended.wall_s,
        steal_ratio=steal_s / ended.wall_s,
        user_instructions=user,
        kernel_instructions=kernel,
    )


def run(args, port=None):
    """Runs a client to its end. `port` is only for the printed command, where it is PORT."""
    text = shlex.join(args)
    commands_run[text.replace(str(port), "PORT") if port else text] = None
    began = time.monotonic()
    # Files, not pipes: a long result must not block the client that writes it.
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(args, cwd=ROOT, stdout=output, stderr=errors)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.monotonic() - began
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            why = errors.read()[-500:].strip()
            raise Failed(f"`{text}` ended with {process.returncode}: {why}")
        return Ended(output.read(), wall_s, usage.ru_utime, usage.ru_stime)


def on_core(core, args):
    return ["taskset", "-c", str(core), *args]


# ---- Hardware counters ----


def perf_command(counters):
    return ["perf", "stat", "-x,", "-o", str(counters), "-e", "instructions:u,instructions:k", "--"]


def perf_counts(counters):
    """User and kernel instructions from the lines `count,unit,event,...` that perf has written."""
    lines = [line.split(",") for line in counters.read_text().splitlines()]
    by_event = {fields[2]: fields[0] for fields in lines if len(fields) > 2}
    return int(by_event["instructions:u"]), int(by_event["instructions:k"])


@functools.cache
def perf_trouble():
    """Why instructions cannot be counted by hardware on this machine, or None."""
    if not shutil.which("perf"):
        return "perf is not installed"
    counters = ROOT / BUILT / "perf.csv"
    counters.unlink(missing_ok=True)
    subprocess.run([*perf_command(counters), "true"], cwd=ROOT, capture_output=True, check=False)
    try:
        perf_counts(counters)
    except (OSError, ValueError, KeyError):
        return "this machine gives none (a virtual machine, or kernel.perf_event_paranoid above 1)"
    return None


# ---- Servers ----


@contextlib.contextmanager
def floor_sink():
    """The yardstick server: looks at nothing, answers 100 bytes."""
    port = free_port()
    args = on_core(SERVER_CORE, [f"{BUILT}/floor_sink", str(port)])
    with serving(args, port) as server:
        yield server


@contextlib.contextmanager
def throng_sink():
    """throng's own target: on hyper, with routes that delay their answers."""
    port = free_port()
    args = [THRONG, "sink", "--address", f"127.0.0.1:{port}", "--workers", "1"]
    with serving(on_core(SERVER_CORE, args), port) as server:
        yield server


@contextlib.contextmanager
def nginx():
    """nginx with one worker process and a file of 100 bytes."""
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not program:
        raise Failed("nginx is not installed (Debian: nginx-light)")
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # Started by root, its worker is another user.
        Path(folder, "index.html").write_text("a" * 100)
        Path(folder, "nginx.conf").write_text(NGINX_CONF.format(folder=folder, port=port))
        args = on_core(SERVER_CORE, [program, "-p", folder, "-c", "nginx.conf"])
        with serving(args, port, shown=f"nginx -p FOLDER -c nginx.conf  # {NGINX_NOTE}") as server:
            yield server


@contextlib.contextmanager
def serving(args, port, shown=None):
    shown = shown and f"taskset -c {SERVER_CORE} {shown}"
    commands_run[shown or shlex.join(args).replace(str(port), "PORT") + " &"] = None
    errors = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(args, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
    try:
        await_port(process, port, errors)
        yield Server(process.pid, port)
    finally:
        process.terminate()
        process.wait()
        errors.close()


def await_port(process, port, errors):
    """Returns once the server takes connections."""
    for _ in range(SERVER_TRIES):
        if process.poll() is not None:
            errors.seek(0)
            raise Failed(f"the server ended at once: {errors.read()[-500:].strip()}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.05)
    raise Failed("the server takes no connections")


def free_port():
    """A port that nobody listens on; below the ephemeral ones, which clients use up."""
    for port in range(*SERVER_PORTS):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise Failed(f"every port of {SERVER_PORTS} is in use")


# ---- CPU time of others ----


def process_cpu_s(pid):
    """User and system time from /proc/PID/stat; the name may hold spaces, so it is cut off first."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def cores_busy_s():
    """Seconds that both cores have spent on programs, and that the host has taken from them."""
    wanted = {f"cpu{SERVER_CORE}", f"cpu{CLIENT_CORE}"}
    rows = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    rows = [[int(n) for n in row[1:]] for row in rows if row and row[0] in wanted]
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    task_s = sum(user + nice + system for user, nice, system, *_ in rows) / ticks_per_s
    return task_s, sum(row[7] for row in rows) / ticks_per_s


SERVER_TRIES = 100
SERVER_PORTS = (18080, 18280)
NGINX_NOTE = "one worker process, index.html of 100 bytes, access_log off"
NGINX_CONF = """\
daemon off;
worker_processes 1;
error_log stderr crit;
pid {folder}/pid;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    keepalive_timeout 75s;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        root {folder};
    }}
}}
"""
