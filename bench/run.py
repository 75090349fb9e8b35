#!/usr/bin/env python3
"""Measures throng against wrk and against the least a client can do; writes one Markdown result.

Question: what does a request cost the load generator, and how exactly is it sent?
Input: GET over loopback, an answer of 100 bytes, 20 and 1,000 connections, one thread.
Machine rule: two cores that nothing else uses; server on core 0, client on core 1.
Run: ./x bench [options]; python3 bench/run.py --help
Reading: bench/results/ (machine, kernel, date). What it means: bench/BENCHMARKING.md.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path

sys.dont_write_bytecode = True  # A benchmark leaves nothing in the source folders but its result.

import callgrind
import tools
from prepare import prepare, say, unused_path
from result import Result, ratio_cells, table

CONNECTIONS = (20, 1_000)


class Bench:
    """The measurements. Each is one method and adds one section to the result."""

    def __init__(self, options, result):
        self.rounds = options.rounds
        self.seconds = options.seconds
        self.soak = options.soak
        self.result = result

    # ---- Against the yardstick ----

    def rate(self):
        """Question: how many requests a second does each tool drive?
        Unit: requests/s; ratios within a round.
        Input: the yardstick server, closed model, as fast as it goes."""
        rates, ratios = [], []
        for connections in CONNECTIONS:
            rounds = self.yardstick_rounds(connections)
            rates += rate_rows(connections, rounds)
            for one, other, goal in RATE_RATIOS:
                cells = ratio_cells(ratios_of(rounds, one, other, lambda s: s.rate_per_s))
                ratios.append([connections, f"{one} / {other}", *cells, goal])
        text = table(RATE_HEAD, rates) + "\n" + table(RATIO_HEAD, ratios) + "\n" + BUSY_NOTE
        self.result.add("rate: requests per second", text)

    def cpu(self):
        """Question: how much CPU time does a request cost the client?
        Unit: microseconds per request, of the whole process, from its resource usage.
        Input: the runs of `rate`; with hardware counters, further rounds under perf."""
        costs, ratios = [], []
        for connections in CONNECTIONS:
            rounds = self.yardstick_rounds(connections)
            costs += cpu_rows(connections, rounds)
            ratios += cpu_ratio_rows(connections, rounds)
        text = table(CPU_HEAD, costs) + "\n" + table(RATIO_HEAD, ratios) + "\n" + self.perf()
        self.result.add("cpu: CPU time per request", text)

    def perf(self):
        """The same in instructions, where the machine counts them."""
        if trouble := tools.perf_trouble():
            return f"No hardware instructions: {trouble}. CPU time stands in for them.\n"
        costs, ratios = [], []
        for connections in CONNECTIONS:
            with tools.floor_sink() as server:
                rounds = self.measure(server, ALL_TOOLS, connections, with_perf=True)
            costs += perf_rows(connections, rounds)
            of_sum = ratios_of(rounds, "throng", "wrk", lambda s: s.instructions)
            ratios.append([connections, "throng / wrk", *ratio_cells(of_sum), "≤ 0.80"])
        text = "Instructions per request by hardware counters (`perf stat`), medians:\n\n"
        return text + table(PERF_HEAD, costs) + "\n" + table(RATIO_HEAD, ratios)

    def instructions(self):
        """Question: how many instructions of its own does a request cost the client?
        Unit: user instructions per request, by callgrind; nearly the same on every machine.
        Input: the yardstick server; the slope between a short and a long run."""
        if not shutil.which("valgrind"):
            raise tools.Failed("valgrind is not installed")
        rows, conductors = [], []
        with tools.floor_sink() as server:
            for connections in (1, *CONNECTIONS):
                say(f"callgrind, {connections} connections")
                ours = callgrind.throng_slope(server, connections)
                conductors.append(ours["conductor_per_s"])
                theirs = callgrind.wrk_slope(server, connections)["program_per_request"]
                worker, program = ours["worker_per_request"], ours["program_per_request"]
                cells = [f"{n:,.0f}" for n in (worker, program, theirs)]
                rows.append([connections, *cells, f"{worker / theirs:.3f}", "≤ 1,100"])
        per_s = statistics.median(conductors)
        note = INSTRUCTIONS_NOTE.format(millions=per_s / 1e6, per_request=per_s / 100_000)
        text = table(INSTRUCTIONS_HEAD, rows) + note
        self.result.add("instructions: user instructions per request", text)

    def memory(self):
        """Question: how much memory does a run take, and does it grow with time?
        Unit: MB (10^6 bytes), peak resident, of the whole process.
        Input: the yardstick server, 1,000 connections, 10 s; with --soak 600 s too."""
        rows = []
        with tools.floor_sink() as server:
            for seconds in (10, 600) if self.soak else (10,):
                say(f"memory, {seconds} s")
                args = tools.throng_command(server, 1_000, seconds)
                run = tools.throng_result(tools.run(tools.on_core(1, args), server.port).output)
                peak = run["generator"]["max_rss_bytes"] / 1e6
                rows.append([f"{seconds} s", f"{run['outcomes']['ok']:,}", f"{peak:.2f}", "≤ 30"])
        note = "" if self.soak else "\nWithout the run of 600 s (`--soak`).\n"
        self.result.add("memory: peak at 1,000 connections", table(MEMORY_HEAD, rows) + note)

    def pacing(self):
        """Question: does the open model send when it says?
        Unit: lateness in microseconds (due to sent); error of the offered rate.
        Input: the yardstick server, 20,000/s over 64 connections, 10 s, five times."""
        runs = []
        with tools.floor_sink() as server:
            load = ["-t", "1", "-R", "20k", "-c", "64", "-d", "10s"]
            args = tools.on_core(1, [tools.THRONG, *load, "--json", "-", server.url])
            for number in range(PACING_RUNS):
                say(f"pacing, run {number + 1} of {PACING_RUNS}")
                runs.append(pacing_cells(tools.throng_result(tools.run(args, server.port).output)))
        rows = [[f"run {number + 1}", *pacing_texts(run)] for number, run in enumerate(runs)]
        best = min(runs, key=lambda run: run[PACING_P99])
        rows.append(["best", *pacing_texts(best)])
        rows.append(["median", *pacing_texts([statistics.median(column) for column in zip(*runs)])])
        rows.append(["goal", "≤ 0.0100 %", "", "", "≤ 50.0", "", "", ""])
        text = table(PACING_HEAD, rows) + PACING_NOTE
        self.result.add("pacing: 20,000/s over 64 connections", text)

    # ---- Against a real server ----

    def answer(self):
        """Question: is it the same against a real server?
        Unit: requests/s and CPU microseconds per request; ratios within a round.
        Input: nginx, one worker process, a file of 100 bytes, no access log; closed model."""
        rates, costs, ratios = [], [], []
        for connections in CONNECTIONS:
            with tools.nginx() as server:
                rounds = self.measure(server, ("wrk", "throng"), connections)
            rates += rate_rows(connections, rounds)
            costs += cpu_rows(connections, rounds)
            of_rate = ratios_of(rounds, "throng", "wrk", lambda s: s.rate_per_s)
            of_cpu = ratios_of(rounds, "throng", "wrk", lambda s: s.cpu_us)
            ratios.append([connections, "throng / wrk, requests/s", *ratio_cells(of_rate), ""])
            ratios.append([connections, "throng / wrk, CPU", *ratio_cells(of_cpu), ""])
        tables = (table(RATE_HEAD, rates), table(CPU_HEAD, costs), table(RATIO_HEAD, ratios))
        self.result.add("answer: against nginx", "\n".join(tables) + "\n" + BUSY_NOTE)

    # ---- Rounds ----

    @cache
    def yardstick_rounds(self, connections):
        """Taken once: `rate` and `cpu` read the same runs."""
        with tools.floor_sink() as server:
            return self.measure(server, ALL_TOOLS, connections)

    def measure(self, server, names, connections, with_perf=False):
        """Every tool once in each round, the order rotated; a first run of each is thrown away."""
        for name in names:
            tools.sample(name, server, connections, 1)
        rounds = []
        for number in range(self.rounds):
            say(f"{connections} connections, round {number + 1} of {self.rounds}")
            first = number % len(names)
            order = names[first:] + names[:first]
            samples = {
                name: tools.sample(name, server, connections, self.seconds, with_perf)
                for name in order
            }
            rounds.append(samples)
            self.result.samples += samples.values()
        return rounds


# ---- Rows of the tables ----


def ratios_of(rounds, one, other, value):
    """Within a round, so that what slows the machine for a while slows both."""
    return [value(samples[one]) / value(samples[other]) for samples in rounds]


def median_of(rounds, tool, value):
    return statistics.median(value(samples[tool]) for samples in rounds)


def rate_rows(connections, rounds):
    rows = []
    for tool in rounds[0]:
        rates = [samples[tool].rate_per_s for samples in rounds]
        cells = [f"{f(rates):,.0f}" for f in (statistics.median, min, max)]
        client = median_of(rounds, tool, lambda s: s.client_busy_ratio)
        server = median_of(rounds, tool, lambda s: s.server_busy_ratio)
        rows.append([connections, tool, *cells, f"{client:.0%}", f"{server:.0%}"])
    return sorted(rows, key=lambda row: ALL_TOOLS.index(row[1]))


def cpu_rows(connections, rounds):
    rows = []
    for tool in sorted(rounds[0], key=ALL_TOOLS.index):
        user = median_of(rounds, tool, lambda s: s.user_s * 1e6 / s.requests)
        system = median_of(rounds, tool, lambda s: s.system_s * 1e6 / s.requests)
        total = median_of(rounds, tool, lambda s: s.cpu_us)
        rows.append([connections, tool, f"{user:.3f}", f"{system:.3f}", f"{total:.3f}"])
    return rows


def cpu_ratio_rows(connections, rounds):
    rows = []
    for one, other, goal in CPU_RATIOS:
        cells = ratio_cells(ratios_of(rounds, one, other, lambda s: s.cpu_us))
        rows.append([connections, f"{one} / {other}", *cells, goal])
    return rows


def perf_rows(connections, rounds):
    rows = []
    for tool in sorted(rounds[0], key=ALL_TOOLS.index):
        user = median_of(rounds, tool, lambda s: s.user_instructions / s.requests)
        kernel = median_of(rounds, tool, lambda s: s.kernel_instructions / s.requests)
        total = median_of(rounds, tool, lambda s: s.instructions)
        rows.append([connections, tool, *(f"{n:,.0f}" for n in (user, kernel, total))])
    return rows


def pacing_cells(run):
    """Error in percent, rates per second, lateness in microseconds."""
    rate, lateness_ns = run["rate_per_s"], run["lateness_ns"]
    error_percent = abs(rate["offered"] / PACING_RATE_PER_S - 1) * 100
    at = [lateness_ns[name] / 1e3 for name in ("p50", "p99", "p99_9", "max")]
    return [error_percent, rate["achieved"], *at, run["generator"]["cpu_cores"]]


def pacing_texts(cells):
    error_percent, achieved, *lateness_us, cores = cells
    lateness = [f"{n:,.1f}" for n in lateness_us]
    return [f"{error_percent:.4f} %", f"{achieved:,.1f}", *lateness, f"{cores:.2f}"]


# ---- The run ----


def main():
    options = parse()
    prepare((("wrk", "wrk"), ("cc", "gcc")))
    build_yardsticks()
    result = Result(options.out.resolve(), options_text(options))
    bench = Bench(options, result)
    failures = 0
    for name in options.only:
        say(f"== {name}")
        try:
            getattr(bench, name)()
        except tools.Failed as failure:
            failures += 1
            say(f"error: {name}: {failure}")
            result.add(name, f"Not measured: {failure}.")
    result.write()
    print(result.path.read_text())
    say(f"written to {os.path.relpath(result.path)}")
    sys.exit(1 if failures else 0)


def parse():
    parser = argparse.ArgumentParser(prog="./x bench", description=__doc__.splitlines()[0])
    names = ", ".join(MEASUREMENTS)
    add = parser.add_argument
    add("--rounds", type=int, default=7, metavar="N", help="rounds of each comparison [7]")
    add("--seconds", type=int, default=3, metavar="S", help="length of one run in them [3]")
    add("--only", default=names.replace(" ", ""), metavar="NAME,...", help=names)
    add("--soak", action="store_true", help="memory: a run of 10 minutes too")
    add("--out", type=Path, metavar="FILE", help="[bench/results/DATE.md]")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(MEASUREMENTS):
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}; there are {names}")
    if min(options.rounds, options.seconds) < 1:
        parser.error("--rounds and --seconds start at 1")
    if options.soak and "memory" not in options.only:
        parser.error("--soak belongs to memory")
    options.out = options.out or unused_path()
    return options


def options_text(options):
    """The options that decide what is measured; where it is written is nobody's business."""
    soak = " --soak" if options.soak else ""
    only = ",".join(options.only)
    return f"--rounds {options.rounds} --seconds {options.seconds} --only {only}{soak}"


def build_yardsticks():
    for name in ("floor_sink", "floor_client"):
        source, built = f"bench/yardstick/{name}.c", f"{tools.BUILT}/{name}"
        subprocess.run(["cc", "-O2", source, "-o", built], cwd=tools.ROOT, check=True)


MEASUREMENTS = ("rate", "cpu", "instructions", "memory", "pacing", "answer")
ALL_TOOLS = ("wrk", "throng", "floor")
PACING_RUNS = 5
PACING_RATE_PER_S = 20_000
# The column of pacing_cells() by which the best run is chosen.
PACING_P99 = 3

RATE_RATIOS = (("throng", "wrk", "≥ 1.40"), ("floor", "wrk", ""), ("throng", "floor", ""))
CPU_RATIOS = (("throng", "wrk", "≤ 0.80"), ("throng", "floor", ""))

RATE_HEAD = [
    "connections", "tool", "requests/s, median", "min", "max", "client core", "server core",
]
RATIO_HEAD = ["connections", "ratio in a round", "median", "min", "max", "goal"]
CPU_HEAD = ["connections", "tool", "user µs/request", "system µs/request", "sum"]
PERF_HEAD = ["connections", "tool", "user", "kernel", "sum"]
INSTRUCTIONS_HEAD = [
    "connections", "throng worker", "throng, all threads", "wrk, all threads", "worker / wrk",
    "goal, worker",
]
MEMORY_HEAD = ["run", "requests", "peak MB", "goal"]
PACING_HEAD = [
    "", "rate error", "achieved/s", "p50 µs", "p99 µs", "p99.9 µs", "max µs", "CPU cores",
]

BUSY_NOTE = (
    "The core columns say how busy client and server were. Where the server's is full, the server "
    "set the rate, not the client.\n"
)
INSTRUCTIONS_NOTE = """
The slope leaves start and end out. *All threads* of throng is too high: a run takes several times
longer under valgrind, and the other thread, which files and reports intervals, works by the second,
not by the request. It took {millions:.1f} million instructions per second of run (median), which at
100,000 requests/s is {per_request:.0f} per request. One connection is the worst case: each turn
of the loop serves a single request.
"""
PACING_NOTE = """
Lateness is from the instant a request was due to the instant it was sent; the µs columns are its
percentiles. *Best* is the run of the least p99; *median* is taken column by column. The rate error
is that of the requests given out; *achieved* is of the answers that came before the run was over.
"""

if __name__ == "__main__":
    main()
