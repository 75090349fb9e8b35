#!/usr/bin/env python3
"""Compares the times that load generators report with those that a packet capture shows.

Question: are a tool's percentiles those of the requests that it sent?
Unit: microseconds. Input: GET over loopback to `throng sink`, the closed model, one thread.
Machine rule: two cores that nothing else uses; server and capture on core 0, client on core 1.
Run: ./x bench referee [options]
Reading: bench/results/ (machine, kernel, date). What it means: bench/BENCHMARKING.md.
"""

import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # A benchmark leaves nothing in the source folders but its result.

import clients
import tools
from prepare import prepare, say, unused_path
from result import Result, table


def main():
    options = parse()
    prepare((("tcpdump", "tcpdump"), ("wrk", "wrk")))
    names, note = clients.installed(NAMES)
    text = f"referee --seconds {options.seconds}"
    result = Result(options.out.resolve(), text, clients.versions(names))
    rows, trouble = [], []
    with tools.throng_sink() as server:
        for about, path, users in CASES:
            for name in names:
                say(f"{name}, {users} connections to {path}")
                try:
                    run = clients.run(name, server, path, users, options.seconds)
                except tools.Failed as failure:
                    trouble.append(f"{name}, {about}: {failure}.\n")
                    continue
                result.samples.append(run)
                # Service time is what the others report; response time is more than the wire shows.
                rows.append(row(about, name, next(iter(run.told.values())), run))
    result.add(TITLE, "\n".join([table(HEAD, rows) + NOTE + note, *trouble]))
    print(result.path.read_text())
    say(f"written to {os.path.relpath(result.path)}")
    sys.exit(1 if trouble else 0)


def row(about, name, told, run):
    cells = [about, name, f"{told.requests:,}", f"{len(run.captured.times_ns):,}"]
    for quantile, told_ns in ((0.50, told.p50_ns), (0.99, told.p99_ns)):
        wire_ns = run.captured.quantile_ns(quantile)
        difference_ns = told_ns - wire_ns
        cells += [f"{n / 1e3:,.1f}" for n in (wire_ns, told_ns)]
        cells += [f"{difference_ns / 1e3:+,.1f} ({difference_ns / wire_ns:+.1%})"]
    return [*cells, f"{run.server_busy_ratio:.0%}"]


def parse():
    parser = argparse.ArgumentParser(prog="./x bench referee", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--seconds", type=int, default=5, metavar="S", help="length of one run [5]")
    add("--out", type=Path, metavar="FILE", help="[bench/results/DATE-referee.md]")
    options = parser.parse_args()
    if options.seconds < 1:
        parser.error("--seconds starts at 1")
    options.out = options.out or unused_path("-referee")
    return options


NAMES = ("throng", "wrk", "hey", "k6")
# Name, path, connections. Sink and capture, on one core, answer about 120,000/s.
CASES = (
    ("light", "/delay/1ms", 8),
    ("half load", "/delay/1ms", 64),
    ("as fast as it goes", "/", 8),
)
TITLE = "referee: what a tool reports against what the wire shows"
HEAD = [
    "load", "tool", "requests, told", "on the wire",
    "p50 µs, wire", "told", "difference", "p99 µs, wire", "told", "difference",
    "server core",
]
NOTE = """
*Light* is 8 connections to `/delay/1ms`, *half load* is 64 of them, *as fast as it goes* is 8 to
`/`. The wire is the capture of that tool's own requests, from the request reaching the server's
side to the last packet of its answer. What a tool reports beyond is its own: the way down through
its kernel, its wake-up, its turn. Goal for throng (service time): at most 5 µs or 1 %. *Server
core* is that of the sink and of the capture.

"""

if __name__ == "__main__":
    main()
