#!/usr/bin/env bash
# Builds a package that uses only product Tsubame, as a user would, and compares what it resolves with the committed
# list: a new package there is a new burden for every user. The consumer is the benchmark program, whose counts per
# request are checked as well, so that one release build serves both.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build --package-path Benchmarks -c release --product tsubame-bench
swift build --package-path Benchmarks -c release --product testkit-consumer
Benchmarks/.build/release/testkit-consumer
# SwiftPM makes a folder for each target; only one that was built holds objects.
if servers=$(find -L Benchmarks/.build/release -path '*.build/*.o' | grep -E '/(Hummingbird|NIOHTTP2|X509|HTTPBin)\.build/'); then
    printf 'the test kit without its trait is built with the packages of its servers:\n%s\n' "$servers" | head >&2
    exit 1
fi
if ! find -L Benchmarks/.build/release -path '*/TsubameTesting.build/*.o' -print -quit | grep -q .; then
    echo "no objects of the test kit are left by the build: its packages cannot be checked" >&2
    exit 1
fi
resolved=$(python3 - Benchmarks/Package.resolved <<'PY'
import json, sys
print("\n".join(sorted(pin["identity"] for pin in json.load(open(sys.argv[1]))["pins"])))
PY
)
if ! diff <(grep -v '^#' Scripts/consumer/consumer-packages.txt) <(echo "$resolved"); then
    echo "What a user of product Tsubame resolves has changed (< committed, > now): Scripts/consumer/consumer-packages.txt" >&2
    exit 1
fi
# Nor is it built with what is not there on every machine: neither linked, nor any of its headers read.
for library in sqlite3 brotlidec zstd xml2; do
    if ldd Benchmarks/.build/release/tsubame-bench | grep -q "lib$library"; then
        echo "the consumer links lib$library" >&2
        exit 1
    fi
done
if ! find -L Benchmarks/.build/release -name '*.d' -print -quit | grep -q .; then
    echo "no dependency files are left by the build: its headers cannot be checked" >&2
    exit 1
fi
if headers=$(find -L Benchmarks/.build/release -name '*.d' -exec grep -hoE '[^ ]*/(sqlite3|brotli/[a-z]+|zstd|libxml2?/[a-z]+)\.h' {} + | sort -u | grep .); then
    printf 'the consumer is built with these headers:\n%s\n' "$headers" >&2
    exit 1
fi
echo "the consumer resolves the $(grep -vc '^#' Scripts/consumer/consumer-packages.txt) committed packages and is built without SQLite, brotli, zstd, libxml2"
Scripts/measure/check-counts.sh
python3 Scripts/measure/check-memory.py Benchmarks/.build/release/tsubame-bench
