#!/usr/bin/env bash
# Rules of the house that no formatter checks.
set -euo pipefail
cd "$(dirname "$0")/../.."

status=0
fail() {
    echo "$1" >&2
    status=1
}

# Imports go downwards only: the modules that each target imports, beside the system's own.
python3 Scripts/lint/check-imports.py <<'TABLE' || status=1
TsubamePlatform: Android Darwin Foundation Glibc Musl WASILibc
TsubameSockets: TsubamePlatform CEpoll
TsubameCore: TsubamePlatform HTTPTypes
TsubameWire: TsubamePlatform TsubameCore CZlib Compression HTTPTypes
TsubameEngine: TsubamePlatform TsubameCore TsubameWire TsubameSockets DequeModule HTTPTypes NIOConcurrencyHelpers NIOCore NIOPosix NIOSSL NIOTLS
Tsubame: TsubamePlatform TsubameCore TsubameWire TsubameSockets TsubameEngine HTTPTypes Logging
TsubameFoundation: Tsubame TsubameCore Foundation
TsubameURLSession: Tsubame TsubamePlatform TsubameCore TsubameWire HTTPTypes Foundation Security
TsubameXML: Tsubame TsubameCore XMLCoder
TsubameStore: Tsubame TsubamePlatform TsubameCore TsubameWire GRDB
TsubameTesting: Tsubame TsubamePlatform TsubameCore HTTPBin HTTPTypes NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL
TsubameInspector: Tsubame TsubamePlatform TsubameCore HTTPTypes HummingbirdCore Logging NIOCore NIOHTTP1 NIOPosix
HTTPBin: CZlib Crypto Darwin Glibc HTTPTypes HummingbirdCore Logging Musl NIOCore NIOHTTP1 NIOHTTP2 NIOHTTPTypes NIOHTTPTypesHTTP2 NIOPosix NIOSSL NIOTLS SwiftASN1 X509
TsubameTerminal: CZlib
TsubameRequestFiles: TsubamePlatform TsubameCore TsubameWire HTTPTypes
TsubameCLI: Tsubame TsubamePlatform TsubameTerminal TsubameRequestFiles TsubameInspector HTTPBin
TsubameDemo: Tsubame TsubameFoundation TsubameXML TsubameInspector HTTPBin KeyValueAPI Foundation
TABLE

# A folder is a room: it reads like one chapter, and holds about fifteen files.
while read -r count folder; do
    fail "$folder has $count files: divide it into rooms"
done < <(find Sources Tests -name '*.swift' -printf '%h\n' | sort | uniq -c | awk '$1 > 17 { print $1, $2 }')

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
sleeps=$(grep -rnE 'Task\.sleep|usleep\(|Thread\.sleep|[^a-zA-Z.]sleep\(' Tests --include='*.swift' |
    # These runs of make soak have slow readers, servers that stay away for a while, and load that lasts.
    grep -vE '^Tests/Soak/(Faults/(Outages|FaultCalls)|Load/(LoadRuns|QuietDeadlines))\.swift:' || true)
[ -z "$sleeps" ] || fail "tests that sleep:
$sleeps"

# A file gets its name by FileOutput.replace, which has its bytes on the disk first. The others flush by themselves, or keep
# what a loss of power may take: cached bodies have checksums, and damaged databases are only set aside.
renames=$(grep -rnE '[^a-zA-Z.]rename\(' Sources --include='*.swift' | grep -vE ':\s*//' \
    | grep -vE '/(FileOutput|DownloadPart|RecordFile|IncomingBody|DatabaseFile)\.swift:' || true)
[ -z "$renames" ] || fail "files that are renamed without FileOutput.replace:
$renames"

# Nobody but an exchange, or a waiter, assigns its properties.
foreign=$(grep -rnE '\b(exchange|waiter)\.[a-zA-Z.]+ ([-+*]|&[-+])?= ' Sources/TsubameEngine --include='*.swift' || true)
[ -z "$foreign" ] || fail "properties of an exchange that others assign:
$foreign"

# Marks of unfinished work.
marks=$(grep -rnE 'TODO|FIXME|XXX' Sources Tests Examples Benchmarks/Sources --include='*.swift' || true)
[ -z "$marks" ] || fail "unfinished:
$marks"

# One noun a file.
while read -r count file; do
    fail "$file has $count lines: look for the second noun"
done < <(find Sources -name '*.swift' ! -name '*TableData.swift' -print0 | xargs -0 wc -l | awk '$2 != "total" && $1 > 400 { print $1, $2 }')

exit $status
