#!/usr/bin/env bash
# Searches with libFuzzer and the address sanitizer for inputs that break the promises of Tests/Fuzz, and prints what is
# kept in Tests/RESULTS.md. What is found lies in .build-fuzz/findings; inputs that reach new code in .build-fuzz/corpus.
# Usage: [SECONDS_EACH=60] [JOBS=NUMBER-OF-CORES] fuzz.sh [TARGET…]
set -uo pipefail
cd "$(dirname "$0")/../.."

seconds=${SECONDS_EACH:-60}
folder=.build-fuzz
mkdir -p "$folder/findings" "$folder/corpus" "$folder/logs"
# The second opinion about HPACK. Without it, its target says that it is skipped.
[ -x "$folder/venv/bin/python3" ] || python3 -m venv "$folder/venv" || exit 1
"$folder/venv/bin/python3" -c 'import hpack' 2>/dev/null || "$folder/venv/bin/pip" install --quiet hpack || true
export TSUBAME_FUZZ_PYTHON=$PWD/$folder/venv/bin/python3

export SWIFT_DETERMINISTIC_HASHING=1
# SwiftPM leaves out the main function when it knows of the fuzzer. Only one flag with both sanitizers lets the compiler
# count the reached places in all modules, and those counts look unused to the linker.
build=(-c release --product Fuzz --disable-dead-strip --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address
    -Xswiftc -DFUZZER --scratch-path "$folder/build")
swift build "${build[@]}" >"$folder/logs/build" 2>&1 || { tail -n 50 "$folder/logs/build" >&2; exit 1; }
fuzz=$folder/build/release/Fuzz

# search TARGET BYTES
search() {
    local target=$1 log=$folder/logs/$1 status
    mkdir -p "$folder/corpus/$target"
    # No leaks are looked for: LeakSanitizer does not know references whose high bits Swift uses.
    TIMEFORMAT='%U %S'
    { time ASAN_OPTIONS=detect_leaks=0 "$fuzz" "$target" -max_total_time="$seconds" -max_len="$2" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$folder/findings/$target-" -print_final_stats=1 "$folder/corpus/$target" "Tests/Fuzz/Seeds/$target" \
        >"$log" 2>&1; } 2>"$log.seconds"
    status=$?
    if [ "$status" = 75 ]; then
        echo "| $target | skipped: $(sed -n 's/^skipped: //p' "$log") | | | |"
        return 0
    fi
    echo "| $target | $(tail -n 1 "$log.seconds" | awk '{ print int($1 + $2) }') | $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") | $(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2)" \
        "| $([ "$status" = 0 ] && echo 0 || echo "found, see $log") |"
    return "$status"
}
export -f search
export seconds folder fuzz

echo "$(date +%F), $(uname -sm), $(nproc) cores, $seconds seconds for each target"
echo
echo "| Target | Processor seconds | Inputs | Places reached | Findings |"
echo "|---|---|---|---|---|"
"$fuzz" list | { [ $# -gt 0 ] && grep -E "^($(IFS='|' && echo "$*")) " || cat; } |
    xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'search "$0" "$1"'
