#!/bin/sh
# Do the HdrHistogram tools of others read what throng writes, and agree with it?
#
# Usage: check_hdr.sh CACHE_DIR FILE.hlog FILE.hgrm
#
# Both files are reports of the same run. HdrHistogram's Java log processor must load the .hlog and
# print from it the distribution that is in the .hgrm, byte for byte; the Python reader must load
# it and find the same count and maximum. Fetches both tools into CACHE_DIR when they are not
# there (needs java, mvn, python3 with venv). Exits 1 with a diff when they disagree.
set -eu

VERSION=2.2.2
[ $# -eq 3 ] || { sed -n '4p' "$0" >&2; exit 2; }
mkdir -p "$1"
cache=$(cd "$1" && pwd)
hlog=$2
hgrm=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

jar=$cache/HdrHistogram-$VERSION.jar
if [ ! -f "$jar" ]; then
    echo "fetching org.hdrhistogram:HdrHistogram:$VERSION" >&2
    mvn -q dependency:copy -Dartifact="org.hdrhistogram:HdrHistogram:$VERSION" \
        -DoutputDirectory="$cache" >&2
fi
python=$cache/venv/bin/python
if ! "$python" -c 'import hdrh' 2>/dev/null; then
    echo "fetching the Python package hdrhistogram" >&2
    python3 -m venv "$cache/venv" >&2
    "$python" -m pip install -q --disable-pip-version-check hdrhistogram >&2
fi

# Java: the whole distribution. Comments name the log's times, and what throng adds.
java -cp "$jar" org.HdrHistogram.HistogramLogProcessor \
    -i "$hlog" -o "$work/java" -outputValueUnitRatio 1000000
grep -v -e '^#\[Overall' -e '^#\[StartTime' "$work/java.hgrm" > "$work/theirs"
grep -v 'requests without an answer' "$hgrm" > "$work/ours"
diff -u "$work/ours" "$work/theirs" || {
    echo "FAIL: Java reads another distribution from $hlog than $hgrm has" >&2
    exit 1
}

# Python: count and maximum of the untagged lines.
"$python" - "$hlog" > "$work/python" <<'PYTHON'
import sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

total = HdrHistogram(1, 3_600_000_000_000, 3)
reader = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3_600_000_000_000, 3))
while True:
    interval = reader.get_next_interval_histogram()
    if interval is None:
        break
    if not interval.get_tag():
        total.add(interval)
maximum = total.get_max_value() / 1e6 if total.get_total_count() else 0
print(f"#[Max     = {maximum:12.3f}, Total count    = {total.get_total_count():12d}]")
PYTHON
grep '^#\[Max ' "$hgrm" > "$work/max"
diff -u "$work/max" "$work/python" || {
    echo "FAIL: Python reads another distribution from $hlog than $hgrm has" >&2
    exit 1
}
echo "ok: Java and Python agree with $hgrm"
