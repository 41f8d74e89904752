#!/usr/bin/env bash
# Instructions and allocations of one GET, by valgrind, against committed thresholds. Counts repeat where times do not.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v valgrind >/dev/null 2>&1; then
    echo "skipped: the counts need valgrind (apt-get install valgrind)"
    exit 0
fi
for program in tsubame-bench logged-bench; do
    swift build --package-path Benchmarks -c release --product "$program"
done
python3 Scripts/measure/counts.py Benchmarks/.build/release/tsubame-bench Scripts/measure/count-thresholds.txt
python3 Scripts/measure/counts.py Benchmarks/.build/release/logged-bench Scripts/measure/log-thresholds.txt
