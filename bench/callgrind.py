"""User instructions of a program, counted by callgrind thread by thread, without a simulated cache.

A count is the slope between a short and a long run, so start and end of the program are left out.
"""

import re

import tools

# Requests of the short and the long run of throng; seconds of those of wrk.
THRONG_REQUESTS = (50_000, 150_000)
WRK_SECONDS = (2, 6)


def throng_slope(server, connections):
    """Per request: the worker and the whole program; per second of the run: the conductor."""
    short, long = (throng_count(server, connections, n) for n in THRONG_REQUESTS)
    requests = THRONG_REQUESTS[1] - THRONG_REQUESTS[0]
    seconds = long["elapsed_s"] - short["elapsed_s"]
    worker, conductor = (long[name] - short[name] for name in ("worker", "conductor"))
    return {
        "worker_per_request": worker / requests,
        "program_per_request": (worker + conductor) / requests,
        "conductor_per_s": conductor / seconds,
        "rate_per_s": requests / seconds,
    }


def throng_count(server, connections, requests):
    """The conductor is the first thread, the one worker the busiest of the others."""
    load = ["-t", "1", "-c", str(connections), "-n", str(requests)]
    output, threads = count([tools.THRONG, *load, "--json", "-", server.url], server.port)
    elapsed_s = tools.throng_result(output)["elapsed_s"]
    return {"conductor": threads[0], "worker": max(threads[1:]), "elapsed_s": elapsed_s}


def wrk_slope(server, connections):
    """Per request, all threads of wrk."""
    counts = []
    for seconds in WRK_SECONDS:
        output, threads = count(tools.wrk_command(server, connections, seconds), server.port)
        counts.append((sum(threads), tools.wrk_counts(output)[0]))
    (short, short_requests), (long, long_requests) = counts
    requests = long_requests - short_requests
    seconds = WRK_SECONDS[1] - WRK_SECONDS[0]
    return {"program_per_request": (long - short) / requests, "rate_per_s": requests / seconds}


def count(args, port):
    """What the program printed, and the instructions of each of its threads, in their order."""
    folder = tools.ROOT / tools.BUILT
    for old in folder.glob("callgrind.out*"):
        old.unlink()
    options = ["--tool=callgrind", "--separate-threads=yes", "--quiet"]
    out_file = f"--callgrind-out-file={tools.BUILT}/callgrind.out"
    args = tools.on_core(tools.CLIENT_CORE, ["valgrind", *options, out_file, *args])
    output = tools.run(args, port).output
    # Its files of threads are callgrind.out-01, -02 and so on, each with a line `totals: N`.
    files = sorted(folder.glob("callgrind.out-*"))
    totals = [re.search(r"^totals: (\d+)$", file.read_text(), re.MULTILINE) for file in files]
    return output, [int(total[1]) for total in totals]
