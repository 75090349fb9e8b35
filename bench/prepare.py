"""Before a benchmark: is this machine able to run it, and where does the result go?"""

import os
import resource
import shutil
import signal
import sys
from datetime import date

import tools


def prepare(programs):
    """Checks the machine, and copies throng: a build may replace it. `programs`: name, package."""
    # A plain SIGTERM would leave the servers behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if not {tools.SERVER_CORE, tools.CLIENT_CORE} <= os.sched_getaffinity(0):
        stop("the benchmark needs cores 0 and 1", "run it on a machine with two processors or more")
    for program, package in (("taskset", "util-linux"), *programs):
        if not shutil.which(program):
            stop(f"{program} is not installed", f"./x bench installs it; Debian: {package}")
    throng = tools.ROOT / "target/release/throng"
    if not throng.exists():
        stop("throng is not built", "./x bench builds it")
    (tools.ROOT / tools.BUILT).mkdir(parents=True, exist_ok=True)
    shutil.copy2(throng, tools.ROOT / tools.THRONG)


def unused_path(kind=""):
    """Of two results of one day, the second must not replace the first."""
    folder = tools.ROOT / "bench/results"
    first = f"{date.today()}{kind}"
    names = [f"{first}.md", *(f"{first}-{number}.md" for number in range(2, 100))]
    return next(folder / name for name in names if not (folder / name).exists())


def stop(fact, hint):
    sys.exit(f"error: {fact}\n hint: {hint}")


def say(text):
    print(text, file=sys.stderr, flush=True)
