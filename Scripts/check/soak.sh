#!/usr/bin/env bash
# Does each run of Tests/Soak in full, and prints what is kept in Tests/RESULTS.md. Ends with the first broken promise.
# The program must have been built for release in .build-soak.
set -euo pipefail
cd "$(dirname "$0")/../.."

soak=$PWD/.build-soak/release/Soak
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say() { printf '\n## Soak %s\n' "$*"; }

for run in faults at-once in-a-row clients slow-readers deadlines server resolver; do
    say "$run"
    "$soak" "$run"
done

say clock
"$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -O1 -o "$folder/clock-jump.so" Tests/clock-jump.c
LD_PRELOAD=$folder/clock-jump.so "$soak" clock

if ! unshare -rm mount -t tmpfs none /mnt; then
    echo "skipped: disk and names, since this system lets no program mount a file system in a namespace of its own"
    exit 0
fi
say disk
mkdir "$folder/disk" "$folder/names"
unshare -rm sh -c "mount -t tmpfs -o size=2m none '$folder/disk' && exec '$soak' disk '$folder/disk'"
say names
: >"$folder/names/hosts"
printf 'nameserver 127.0.0.9\noptions timeout:1 attempts:1\n' >"$folder/names/resolv.conf"
unshare -rm sh -c "mount --bind '$folder/names/hosts' /etc/hosts && mount --bind '$folder/names/resolv.conf' /etc/resolv.conf &&
    exec '$soak' names '$folder/names'"
