#!/usr/bin/env bash
# Rules of the house that no formatter checks.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
fail() {
    echo "$1" >&2
    status=1
}

# Imports go downwards only.
below() { # module, modules that it must not import
    local module=$1 forbidden
    shift
    for forbidden in "$@"; do
        if grep -rnE "^(@_exported )?((public|package|internal) )?import $forbidden\$" "Sources/$module" >&2; then
            fail "$module must not import $forbidden"
        fi
    done
}
below TsubameCore TsubameWire TsubameEngine Tsubame NIOCore NIOPosix NIOSSL
below TsubameWire TsubameEngine Tsubame NIOCore NIOPosix NIOSSL
below TsubameEngine Tsubame
below Tsubame NIOCore NIOPosix NIOSSL HTTPBin TsubameTesting
below HTTPBin Tsubame TsubameCore

# What comes from outside may throw, it may never trap.
traps=$(grep -rnE 'fatalError\(|preconditionFailure\(|[^a-zA-Z.]precondition\(|try!|as! ' Sources --include='*.swift' | grep -vE ':\s*//' || true)
[ -z "$traps" ] || fail "these can trap:
$traps"

# Unchecked concurrency names its guard in a comment directly above.
while IFS=: read -r file line _; do
    previous=$(sed -n "$((line > 3 ? line - 3 : 1)),$((line - 1))p" "$file")
    case "$previous" in *//*) ;; *) fail "$file:$line: @unchecked Sendable without the comment that names its guard" ;; esac
done < <(grep -rnE '@unchecked Sendable|nonisolated\(unsafe\)' Sources --include='*.swift' | grep -vE '^[^:]+:[0-9]+:\s*//')

# Tests wait for events, never for time.
sleeps=$(grep -rnE 'Task\.sleep|usleep\(|Thread\.sleep|[^a-zA-Z.]sleep\(' Tests --include='*.swift' || true)
[ -z "$sleeps" ] || fail "tests that sleep:
$sleeps"

# Marks of unfinished work.
marks=$(grep -rnE 'TODO|FIXME|XXX' Sources Tests Examples Benchmarks/Sources --include='*.swift' || true)
[ -z "$marks" ] || fail "unfinished:
$marks"

# One noun a file.
while read -r count file; do
    fail "$file has $count lines: look for the second noun"
done < <(git ls-files 'Sources/*.swift' | grep -vE 'TableData\.swift$' | xargs -r wc -l | awk '$2 != "total" && $1 > 400 { print $1, $2 }')

exit $status
