#!/usr/bin/env bash
# Runs tests, WIDTH of them at once (all at once, each would wait for all others, and two cores would have a thousand
# connections); what has failed is said again at the end.
# Usage: WIDTH=6 Scripts/check/unit.sh ARGUMENTS-OF-SWIFT-TEST
set -uo pipefail
cd "$(dirname "$0")/../.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${WIDTH:-6} SWIFT_DETERMINISTIC_HASHING=1 timeout 900 \
    "${SWIFT:-swift}" test --enable-all-traits --skip-build --disable-xctest --parallel "$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if [ "$status" -ne 0 ]; then
    echo "--- failed with $status:"
    # An issue, and what it says below; the end of what has printed, if it did not end by itself.
    grep -aE -A 3 'recorded an issue' "$log" | grep -avE '^.{0,3}(✔|◇) ' | cut -c 1-400 | tail -n 60
    [ "$status" -eq 1 ] || tail -n 5 "$log"
fi
exit "$status"
