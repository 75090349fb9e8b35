#!/usr/bin/env python3
"""Measures the delay that load generators add to the times that they report, by number of users.

Question: can it have many users on one machine without adding its own delay?
Unit: milliseconds, mean. Input: answers after 50 ms over loopback, the closed model, one thread.
Machine rule: two cores that nothing else uses; server and capture on core 0, client on core 1.
Run: ./x bench users [options]
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
    names, note = clients.installed(options.only)
    result = Result(options.out.resolve(), options_text(options), clients.versions(names))
    rows, trouble = [], []
    with tools.throng_sink() as server:
        for users in options.users:
            for name in names:
                say(f"{name}, {users} users")
                try:
                    run = clients.run(name, server, PATH, users, options.seconds)
                except tools.Failed as failure:
                    trouble.append(f"{name}, {users} users: {failure}.\n")
                    continue
                result.samples.append(run)
                rows += [row(users, name, *told, run) for told in run.told.items()]
    result.add(TITLE, "\n".join([table(HEAD, rows) + NOTE + note, *trouble]))
    print(result.path.read_text())
    say(f"written to {os.path.relpath(result.path)}")
    sys.exit(1 if trouble else 0)


def row(users, name, quantity, told, run):
    """Means in milliseconds; the middle three columns add up."""
    wire_ns = run.captured.mean_ns()
    cells = [users, name, quantity, f"{run.captured.rate_per_s(users):,.0f}"]
    cells += [f"{n / 1e6:.3f}" for n in (told.mean_ns - DELAY_NS, wire_ns - DELAY_NS)]
    cells += [f"**{(told.mean_ns - wire_ns) / 1e6:.3f}**"]
    cells += [f"{(told.p99_ns - run.captured.quantile_ns(0.99)) / 1e6:.3f}"]
    return [*cells, f"{run.client_busy_ratio:.0%}", f"{run.server_busy_ratio:.0%}"]


def parse():
    parser = argparse.ArgumentParser(prog="./x bench users", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--seconds", type=int, default=10, metavar="S", help="length of one run [10]")
    add("--users", default="100,200,500,1000", metavar="N,...", help="[100,200,500,1000]")
    add("--only", default=",".join(NAMES), metavar="NAME,...", help=", ".join(NAMES))
    add("--out", type=Path, metavar="FILE", help="[bench/results/DATE-users.md]")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(NAMES):
        parser.error(f"no such tool: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    try:
        options.users = [int(number) for number in options.users.split(",")]
    except ValueError:
        parser.error("--users takes numbers")
    if min(options.seconds, *options.users) < 1:
        parser.error("--seconds and --users start at 1")
    options.out = options.out or unused_path("-users")
    return options


def options_text(options):
    users = ",".join(map(str, options.users))
    return f"users --seconds {options.seconds} --users {users} --only {','.join(options.only)}"


NAMES = ("throng", "wrk", "ab", "hey", "k6")
PATH, DELAY_NS = "/delay/50ms", 50_000_000
TITLE = "users: the delay that a tool adds to an answer of 50 ms"
HEAD = [
    "users", "tool", "what it reports", "requests/s", "mean told − 50 ms", "server's own",
    "**added by the tool**", "added, p99", "client core", "server core",
]
NOTE = """
All times in milliseconds. *Server's own* is the mean on the wire − 50 ms: how late the sink was.
Tools that send at once what came at once meet it with bursts, and it is later for them. *Added* is
the mean told − the mean on the wire; goal for throng: at most 0.2. *Added, p99* is the difference
of the two p99. Without any delay N users make 20 × N requests a second: a tool that makes fewer
and reports no delay has it between answer and next request, and leaves it out. throng's response
time has it: it begins when the last answer ended. The mean of ab is that of its *Time per request*,
connecting included; its table of times is in whole milliseconds.

"""

if __name__ == "__main__":
    main()
