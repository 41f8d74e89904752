#!/usr/bin/env bash
# Runs the load and the faults of Tests/Soak, in short, under sanitizers, and prints what is kept in Tests/SANITIZERS.md. The
# runs that need a namespace or a preloaded library are left to sanitize.sh, which does all tests and needs an hour more.
# sanitize-soak.sh thread|address …
set -uo pipefail
cd "$(dirname "$0")/../.."

[ $# -gt 0 ] || { echo "usage: sanitize-soak.sh thread|address …" >&2; exit 64; }
export SWIFT_DETERMINISTIC_HASHING=1
status=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -O1 -o "$folder/tsan-runtime.so" Tests/tsan-runtime.c || exit 1
runs=("faults 1500 1" "faults 1500 3" "at-once 300 5" "in-a-row 1000" "clients 150" "slow-readers 150 5" "deadlines 110" server resolver)

for sanitizer in "$@"; do
    scratch=.build-$([ "$sanitizer" = thread ] && echo tsan || echo asan)
    swift build --enable-all-traits --sanitize="$sanitizer" --scratch-path "$scratch" --product Soak >"$folder/build" 2>&1 ||
        { tail -50 "$folder/build" >&2; exit 1; }
    echo "## $sanitizer, Soak, $(date +%F), $(uname -sm), $(nproc) cores, $(swift --version 2>/dev/null | grep -oE 'Swift version [0-9.]+')"
    preload=
    [ "$sanitizer" = thread ] && preload=$folder/tsan-runtime.so
    mkdir "$folder/$sanitizer"
    for run in "${runs[@]}"; do
        # shellcheck disable=SC2086
        TSAN_OPTIONS="halt_on_error=0 log_path=$folder/$sanitizer/report" \
            ASAN_OPTIONS="detect_leaks=0 quarantine_size_mb=8 log_path=$folder/$sanitizer/report" \
            LD_PRELOAD=$preload timeout 600 "$scratch/debug/Soak" --quick $run >"$folder/out" 2>&1
        code=$?
        if [ "$code" = 0 ] && ! grep -q BROKEN "$folder/out"; then
            echo "- \`Soak $run\`: kept"
        else
            status=1
            echo "- \`Soak $run\`: BROKEN, exit status $code"
            tail -30 "$folder/out" >&2
        fi
    done
    count=$(cat "$folder/$sanitizer"/* 2>/dev/null | grep -cE '(WARNING|ERROR): (Thread|Address)Sanitizer')
    echo "- reports: $count"
    [ "$count" = 0 ] || { status=1; head -100 "$folder/$sanitizer"/* >&2; }
done
exit $status
