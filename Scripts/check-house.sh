#!/usr/bin/env bash
# Rules of the house that no formatter checks.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
fail() {
    echo "$1" >&2
    status=1
}

# Imports go downwards only: what each module may import, beside the system's own (and Foundation where its essentials
# do not exist).
may_import() { # module, modules that it may import
    local module=$1 line
    shift
    local allowed=" Darwin Dispatch FoundationEssentials Glibc Musl Synchronization $* "
    while IFS=: read -r file line text; do
        local name=${text##* }
        case "$allowed" in *" $name "*) continue ;; esac
        if [ "$name" = Foundation ] && [ "$(sed -n "$((line - 1))p" "$file")" = "#else" ]; then continue; fi
        fail "$file:$line: $module must not import $name"
    done < <(grep -rnE '^ *(@_exported )?((public|package|internal) )?import [A-Za-z]' "Sources/$module" --include='*.swift')
}
may_import TsubameCore HTTPTypes
may_import TsubameWire HTTPTypes CZlib TsubameCore
may_import TsubameEngine HTTPTypes DequeModule NIOConcurrencyHelpers NIOCore NIOPosix NIOSSL NIOTLS TsubameCore TsubameWire
may_import Tsubame HTTPTypes Logging TsubameCore TsubameEngine TsubameWire
may_import TsubameFoundation Foundation Tsubame TsubameCore
may_import TsubameXML Foundation XMLCoder Tsubame TsubameCore
may_import TsubameStore GRDB Tsubame TsubameCore TsubameWire
may_import TsubameTesting Foundation HTTPTypes NIOCore NIOPosix NIOSSL Tsubame TsubameCore
may_import HTTPBin CZlib Crypto Foundation HTTPTypes HummingbirdCore Logging NIOCore NIOHTTP1 NIOHTTP2 NIOHTTPTypes NIOHTTPTypesHTTP2 NIOPosix NIOSSL NIOTLS SwiftASN1 X509
may_import TsubameTerminal CZlib
may_import TsubameCLI Foundation HTTPBin Tsubame TsubameTerminal
for module in Sources/Tsubame* Sources/HTTPBin; do
    grep -q "^may_import $(basename "$module") " "$0" || fail "$module has no line in $0"
done

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

# A file gets its name by FileOutput.replace, which has its bytes on the disk first. The others flush by themselves, or keep
# what a loss of power may take: cached bodies have checksums, and damaged databases are only set aside.
renames=$(grep -rnE '[^a-zA-Z.]rename\(' Sources --include='*.swift' | grep -vE ':\s*//' \
    | grep -vE '/(FileOutput|DownloadPart|DownloadRecord|IncomingBody|DatabaseFile)\.swift:' || true)
[ -z "$renames" ] || fail "files that are renamed without FileOutput.replace:
$renames"

# Marks of unfinished work.
marks=$(grep -rnE 'TODO|FIXME|XXX' Sources Tests Examples Benchmarks/Sources --include='*.swift' || true)
[ -z "$marks" ] || fail "unfinished:
$marks"

# One noun a file.
while read -r count file; do
    fail "$file has $count lines: look for the second noun"
done < <(find Sources -name '*.swift' ! -name '*TableData.swift' -print0 | xargs -0 wc -l | awk '$2 != "total" && $1 > 400 { print $1, $2 }')

exit $status
