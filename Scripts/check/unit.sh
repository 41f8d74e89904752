#!/usr/bin/env bash
# Runs the tests: first those of alone.txt, one at a time, then the others, WIDTH of them at once. (If all others ran at
# once, each would wait for all, and two cores would have a thousand connections.) Repeats at the end what failed.
# Usage: [WIDTH=6] Scripts/check/unit.sh [ARGUMENTS-OF-SWIFT-TEST]; with arguments only what they choose runs, in one part.
set -uo pipefail
cd "$(dirname "$0")/../.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run WIDTH ARGUMENTS…
run() {
    local width=$1 status
    shift
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width SWIFT_DETERMINISTIC_HASHING=1 timeout 900 \
        "${SWIFT:-swift}" test --enable-all-traits --skip-build --disable-xctest --parallel "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    if [ "$status" -eq 0 ] && ! grep -aqE 'Test run with [1-9]' "$log"; then
        echo "no test has run"
        status=1
    fi
    if [ "$status" -ne 0 ]; then
        echo "--- failed with $status:"
        # An issue, and what it says below; the end of what has printed, if it did not end by itself.
        grep -aE -A 3 'recorded an issue' "$log" | grep -avE '^.{0,3}(✔|◇) ' | cut -c 1-400 | tail -n 60
        [ "$status" -eq 1 ] || tail -n 5 "$log" | cut -c 1-400
    fi
    return "$status"
}

# The environment that conformance.py makes has a second opinion about HPACK. Without it, a test says that it skips.
python=${XDG_CACHE_HOME:-$HOME/.cache}/tsubame/conformance-venv/bin/python
[ -x "$python" ] && export TSUBAME_FUZZ_PYTHON=$python

if [ $# -gt 0 ]; then
    run "${WIDTH:-6}" "$@"
    exit
fi
mapfile -t alone < <(grep -v '^#' Scripts/check/alone.txt)
run 1 --filter "$(IFS='|' && echo "${alone[*]}")" || exit
run "${WIDTH:-6}" "${alone[@]/#/--skip=}"
