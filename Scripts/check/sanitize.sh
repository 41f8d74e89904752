#!/usr/bin/env bash
# Runs all tests under sanitizers and prints what is kept in Tests/SANITIZERS.md.
# sanitize.sh thread|address …
# FILTER='A|B' runs only those tests that it matches.
set -uo pipefail
cd "$(dirname "$0")/../.."

[ $# -gt 0 ] || { echo "usage: sanitize.sh thread|address …" >&2; exit 64; }
# SwiftPM passes the names of traits in the order of a set; without this, each process would build all modules anew.
export SWIFT_DETERMINISTIC_HASHING=1
status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -O1 -o "$folder/tsan-runtime.so" Tests/tsan-runtime.c || exit 1

for sanitizer in "$@"; do
    scratch=.build-$([ "$sanitizer" = thread ] && echo tsan || echo asan)
    log=$(mktemp)
    build=(--enable-all-traits --sanitize="$sanitizer" --scratch-path "$scratch")
    swift build "${build[@]}" --build-tests >"$log" 2>&1 || { tail -50 "$log" >&2; exit 1; }
    echo "## $sanitizer, $(date +%F), $(uname -sm), $(nproc) cores, $(swift --version 2>/dev/null | grep -oE 'Swift version [0-9.]+')"
    : >"$log"
    # One file a process that has something to report, the tools and examples that the tests start among them.
    reports=$(mktemp -d)
    preload=
    [ "$sanitizer" = thread ] && preload=$folder/tsan-runtime.so
    # No leaks are looked for: Swift keeps marks in the high bits of references, by which LeakSanitizer does not know them.
    # The tests count descriptors, connections and calls by themselves.
    # Two tests run the tool under `ulimit -f`, where the sanitizers' runtime itself ends with SIGBUS.
    skipped="--skip aCacheThatMayNotWriteAnyMore --skip what.has.no.room"
    echo "- not run under a sanitizer: aCacheThatMayNotWriteAnyMoreCostsNoCallItsAnswer, \"what has no room …\""
    mapfile -t alone < <(grep -v '^#' Scripts/check/alone.txt)
    parts=("1 --filter $(IFS='|' && echo "${alone[*]}")" "4 ${alone[*]/#/--skip=}")
    [ -n "${FILTER:-}" ] && parts=("2 --filter $FILTER") && echo "- only $FILTER"
    for part in "${parts[@]}"; do
        read -r width arguments <<<"$part"
        # shellcheck disable=SC2086
        SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width TSAN_OPTIONS="halt_on_error=0 log_path=$reports/report" \
            ASAN_OPTIONS="detect_leaks=0 quarantine_size_mb=8 log_path=$reports/report" \
            LD_PRELOAD=$preload timeout 2400 swift test "${build[@]}" --skip-build --disable-xctest --parallel $arguments $skipped >>"$log" 2>&1 || status=1
        # When the time is over, `swift test` ends without its tests.
        pkill -KILL -f "$PWD/$scratch/.*xctest" || true
    done
    [ "$(grep -acE 'Test run with [1-9]' "$log")" = ${#parts[@]} ] || { echo "- a part has run no test, or has not ended"; status=1; }
    grep -aE 'Test run with' "$log" | sed 's/^[^ ]* /- /'
    count=$(cat "$reports"/* 2>/dev/null | grep -cE '(WARNING|ERROR): (Thread|Address)Sanitizer')
    echo "- reports: $count"
    [ "$count" = 0 ] || status=1
    echo "- whole log: $log, reports in $reports" >&2
done
exit $status
