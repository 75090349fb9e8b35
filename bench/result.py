"""The Markdown file of one benchmark run: machine, commands, and one section per measurement."""

import hashlib
import os
import platform
import re
import statistics
import subprocess
from datetime import datetime, timezone
from pathlib import Path

import tools

# More than this of a core used by others, or taken by the host, and the machine was not quiet. The
# kernel counts both in ticks of 10 ms, so a quiet run of 3 s may well show 0.01.
QUIET_RATIO_MAX = 0.05


class Result:
    """Sections in the order they were measured; the file is whole after each of them."""

    def __init__(self, path, options, versions=None):
        self.path = path
        self.options = options
        # Name of a program to the command that tells its version.
        self.versions = versions or {"wrk": ["wrk", "-v"]}
        self.began = datetime.now(timezone.utc)
        self.load_at_start = os.getloadavg()[0]
        self.sections = []
        self.samples = []

    def add(self, title, text):
        self.sections.append(f"## {title}\n\n{text.strip()}\n")
        self.write()

    def write(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        title = f"# Benchmark of {self.began:%Y-%m-%d}\n"
        head = f"{title}\nHow to read this: [BENCHMARKING.md]({self.guide()}).\n"
        self.path.write_text("\n".join([head, self.conditions(), *self.sections, commands()]))

    def guide(self):
        return os.path.relpath(tools.ROOT / "bench/BENCHMARKING.md", self.path.parent)

    def conditions(self):
        perf_trouble = tools.perf_trouble()
        facts = [
            ("Began", f"{self.began:%Y-%m-%d %H:%M} UTC"),
            ("Command", f"`./x bench {self.options}`"),
            ("CPU", f"{cpu_model()}, {os.cpu_count()} processors"),
            ("Kernel", platform.release()),
            ("Hardware instruction counters", f"no: {perf_trouble}" if perf_trouble else "yes"),
            ("Quiet", self.quiet()),
            ("Source", commit()),
            ("throng", f"{version([tools.THRONG, '--version'])}, sha256 {digest()}"),
            *((name, version(args)) for name, args in self.versions.items()),
        ]
        return "## Conditions\n\n" + table(["", ""], facts)

    def quiet(self):
        """Whether other programs or the host took part of the two cores."""
        text = f"load average {self.load_at_start:.2f} at the start"
        if not self.samples:
            return text
        others = [sample.other_busy_ratio for sample in self.samples]
        steal = [sample.steal_ratio for sample in self.samples]
        is_quiet = max(statistics.median(others), statistics.median(steal)) <= QUIET_RATIO_MAX
        return (
            f"{'yes' if is_quiet else '**no**'}; {text}; share of a core per run, median and max: "
            f"used by other programs {spread(others)}, taken by the host {spread(steal)}"
        )


def spread(ratios):
    return f"{statistics.median(ratios):.1%} and {max(ratios):.1%}"


def table(head, rows):
    """A Markdown table; columns of numbers are aligned to the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    is_text = [any(cell[:1].isalpha() for cell in column) for column in zip(*rows)]
    lines = [head, ["---" if text else "---:" for text in is_text], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def ratio_cells(ratios):
    """Median, min and max, in this order everywhere."""
    return [f"{f(ratios):.3f}" for f in (statistics.median, min, max)]


def commands():
    """What ran, so that any line can be repeated by hand."""
    lines = "\n".join(tools.commands_run)
    note = "In the order of their first use; a line with `&` is a server."
    return f"## Commands\n\n{note}\n\n```text\n{lines}\n```\n"


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def commit():
    """The commit, and whether files outside bench/ differ from it."""
    head = read(["git", "rev-parse", "--short=12", "HEAD"])
    if not head:
        return "not a git checkout"
    is_changed = read(["git", "status", "--porcelain", "--", ".", ":!bench"])
    return f"commit {head}{', with uncommitted changes' if is_changed else ''}"


def digest():
    return hashlib.sha256((tools.ROOT / tools.THRONG).read_bytes()).hexdigest()[:12]


def version(args):
    """The first line; wrk prints it with status 1."""
    lines = read(args).splitlines()
    return re.sub(r"\s*Copyright.*", "", lines[0]) if lines else "unknown"


def read(args):
    try:
        ended = subprocess.run(args, cwd=tools.ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return ended.stdout.strip()
