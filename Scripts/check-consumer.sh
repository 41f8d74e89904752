#!/usr/bin/env bash
# Builds a package that uses only product Tsubame, as a user would, and compares what it resolves with the committed
# list: a new package there is a new burden for every user. The consumer is the benchmark program, whose counts per
# request are checked as well, so that one release build serves both.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --package-path Benchmarks -c release --product tsubame-bench
resolved=$(python3 - Benchmarks/Package.resolved <<'PY'
import json, sys
print("\n".join(sorted(pin["identity"] for pin in json.load(open(sys.argv[1]))["pins"])))
PY
)
if ! diff <(grep -v '^#' Scripts/consumer-packages.txt) <(echo "$resolved"); then
    echo "What a user of product Tsubame resolves has changed (< committed, > now): Scripts/consumer-packages.txt" >&2
    exit 1
fi
for library in sqlite3 brotlidec zstd xml2; do
    if ldd Benchmarks/.build/release/tsubame-bench | grep -q "lib$library"; then
        echo "the consumer links lib$library" >&2
        exit 1
    fi
done
echo "the consumer resolves the $(grep -vc '^#' Scripts/consumer-packages.txt) committed packages and links none of SQLite, brotli, zstd, libxml2"
Scripts/check-counts.sh
