"""Load generators in the closed model: how each is told what to do, and what it tells.

Each keeps `users` requests under way against one URL. Numbers are taken as exactly as a tool gives
them, through its templates and scripts where its report rounds.

Not here: what the kernel saw of the same requests (`capture.py`); the comparison (`referee.py`,
`users.py`); runs against the yardstick (`run.py`).
"""

import json
import re
import shutil
import time
from dataclasses import dataclass

import tools
from capture import Captured, capture


@dataclass(frozen=True)
class Told:
    """What a tool reports, in nanoseconds."""

    requests: int
    mean_ns: float
    p50_ns: float
    p99_ns: float


@dataclass(frozen=True)
class Run:
    """One run of one tool under capture."""

    told: dict  # name of the quantity -> Told: some tools report more than one
    captured: Captured
    client_busy_ratio: float
    server_busy_ratio: float  # With the capture, which works on the same core.
    other_busy_ratio: float
    steal_ratio: float


def run(tool, server, path, users, seconds):
    """Runs a tool once; raises `tools.Failed` if it had errors or the capture has holes."""
    command, told = CLIENTS[tool]
    args = command(server.url.rstrip("/") + path, users, seconds)
    args = tools.on_core(tools.CLIENT_CORE, args)
    time.sleep(0.5)  # The server closes what the run before has left.
    with capture(server.port) as caught:
        busy_before, server_before = tools.cores_busy_s(), server.cpu_s() + caught.cpu_s()
        ended = tools.run(args, server.port)
        server_s = server.cpu_s() + caught.cpu_s() - server_before
        task_s, steal_s = (b - a for a, b in zip(busy_before, tools.cores_busy_s()))
    if caught.ended.lost_packets:
        raise tools.Failed(f"the capture lost {caught.ended.lost_packets:,} packets")
    client_s = ended.user_s + ended.system_s
    return Run(
        told=told(ended.output),
        captured=caught.ended,
        client_busy_ratio=client_s / ended.wall_s,
        server_busy_ratio=server_s / ended.wall_s,
        other_busy_ratio=max(0.0, task_s - client_s - server_s) / ended.wall_s,
        steal_ratio=steal_s / ended.wall_s,
    )


# ---- throng ----


def throng_command(url, users, seconds):
    load = ["-t", "1", "-c", str(users), "-d", f"{seconds}s"]
    return [tools.THRONG, *load, "--json", "-", url]


def throng_told(output):
    result = tools.throng_result(output)
    return {name: throng_times(result[key]) for name, key in THRONG_TIMES.items()}


def throng_times(times):
    return Told(times["count"], times["mean"], times["p50"], times["p99"])


# ---- wrk ----


def wrk_command(url, users, seconds):
    return ["wrk", "-t1", f"-c{users}", f"-d{seconds}s", "--latency", "-s", "bench/exact.lua", url]


def wrk_told(output):
    numbers = re.search(r"^exact (\d+) (\d+) ([\d.]+) (\d+) (\d+)$", output, re.MULTILINE).groups()
    requests, errors, *times_us = map(float, numbers)
    fail_if(errors, "wrk")
    return {"latency": Told(int(requests), *(n * 1e3 for n in times_us))}


# ---- hey ----


def hey_command(url, users, seconds):
    return ["hey", "-c", str(users), "-z", f"{seconds}s", "-o", HEY_TEMPLATE, url]


def hey_told(output):
    result = json.loads(output)
    fail_if(sum((result["errors"] or {}).values()), "hey")
    at = {entry["Percentage"]: entry["Latency"] for entry in result["at"]}
    seconds = (result["mean"], at[50], at[99])
    return {"response time": Told(result["count"], *(n * 1e9 for n in seconds))}


# ---- ab ----


def ab_command(url, users, seconds):
    """A number of requests that takes `seconds` without any delay but the server's."""
    requests = users * seconds * 1_000_000_000 // delay_ns(url)
    (tools.ROOT / AB_TIMES).unlink(missing_ok=True)
    return ["ab", "-q", "-k", "-n", str(requests), "-c", str(users), "-e", AB_TIMES, url]


def ab_told(output):
    """The mean follows from its rate: the table of its times has whole milliseconds."""
    # The first line of a name counts: `Time per request` has a second one, of another meaning.
    told = dict(reversed(re.findall(r"^([A-Z][\w ]+):\s+([\d.]+)", output, re.MULTILINE)))
    fail_if(int(told["Failed requests"]), "ab")
    at_ms = dict(line.split(",") for line in (tools.ROOT / AB_TIMES).read_text().splitlines())
    times_ms = (float(n) for n in (told["Time per request"], at_ms["50"], at_ms["99"]))
    return {"time per request": Told(int(told["Complete requests"]), *(n * 1e6 for n in times_ms))}


def delay_ns(url):
    return int(re.search(r"/delay/(\d+)ms$", url)[1]) * 1_000_000


# ---- k6 ----


def k6_command(url, users, seconds):
    args = [k6(), "run", "--quiet", "--no-usage-report", "--vus", str(users)]
    return [*args, "--duration", f"{seconds}s", "-e", f"URL={url}", "bench/loop.js"]


def k6_told(output):
    values = json.loads(output)
    fail_if(values["errors"], "k6")
    times_ms = (values["avg"], values["med"], values["p(99)"])
    return {"http_req_duration": Told(values["count"], *(n * 1e6 for n in times_ms))}


def k6():
    """Where `./x bench` has built it, or where it is installed; None if it is nowhere."""
    built = tools.ROOT / tools.BUILT / "k6"
    return str(built.relative_to(tools.ROOT)) if built.exists() else shutil.which("k6")


def fail_if(errors, tool):
    if errors:
        raise tools.Failed(f"{tool} had {int(errors):,} requests that did not end well")


# ---- All of them ----


def installed(names):
    """Those that this machine has, and a sentence on those that it lacks."""
    found = {name: shutil.which(name) for name in names} | {"throng": tools.THRONG, "k6": k6()}
    lacking = [name for name in names if not found[name]]
    note = f"Not on this machine: {', '.join(lacking)}.\n" if lacking else ""
    return [name for name in names if name not in lacking], note


def versions(names):
    """For the conditions of a result; hey does not tell its version, Debian does."""
    asked = {
        "wrk": ["wrk", "-v"],
        "hey": ["dpkg-query", "-W", "hey"],
        "ab": ["ab", "-V"],
        "k6": [k6() or "k6", "version"],
        "tcpdump": ["tcpdump", "--version"],
    }
    return {name: asked[name] for name in (*names, "tcpdump") if name in asked}


CLIENTS = {
    "throng": (throng_command, throng_told),
    "wrk": (wrk_command, wrk_told),
    "ab": (ab_command, ab_told),
    "hey": (hey_command, hey_told),
    "k6": (k6_command, k6_told),
}
THRONG_TIMES = {"service time": "service_time_ns", "response time": "response_time_ns"}
AB_TIMES = f"{tools.BUILT}/ab.csv"
HEY_TEMPLATE = (
    '{"mean": {{.Average}}, "count": {{.NumRes}}, "at": {{jsonify .LatencyDistribution}}, '
    '"errors": {{jsonify .ErrorDist}}}'
)
