#!/usr/bin/env bash
# Type-checks the code for Apple's systems, for Musl and for Android where there is no such system: against declarations of our
# own (Scripts/lint/darwin), and with this system's conditions switched off. It does not show that the code works.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-swift-version 6 -package-name tsubame)
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
    flags+=(-enable-upcoming-feature "$feature")
done

# check SYSTEM MODULE [emit FILE…]: the sources of a module in the form for a system, with further files. With emit, other modules
# may then import it.
check() {
    local system=$1 module=$2 how=${3:-} file change out=$work/$1
    case $system in
        Darwin) change='s/os\((Linux|Android)\)/os(Windows)/g; s/os\(iOS\)/os(Linux)/g; s/Darwin\.([a-z]+)\(/Glibc.\1(/g' ;;
        Android) change='s/os\(Linux\)/os(Windows)/g; s/os\(Android\)/os(Linux)/g' ;;
        Musl) change= ;;
    esac
    mkdir -p "$out/$module"
    while read -r file; do
        sed -E "s/canImport\(Glibc\)/canImport(NoSuchModule)/g; $change" "$file" >"$out/$module/$(echo "${file#Sources/}" | tr / _)"
    done < <(find "Sources/$module" -name '*.swift')
    shift $(($# < 3 ? $# : 3))
    for file in "$@"; do cp "$file" "$out/$module"; done
    local own=(-I Sources/CEpoll)
    [ "$system" = Darwin ] && own=(-I Scripts/lint/darwin)
    local call=(swiftc "${flags[@]}" "${own[@]}" -I "$out" -module-name "$module" "$out/$module"/*.swift)
    # All diagnostics come only with the compiler's intermediate language.
    if ! "${call[@]}" -emit-sil -wmo -o /dev/null >"$work/log" 2>&1; then
        sed "s,$out/,," "$work/log" >&2
        echo "the code of $module for $system does not compile" >&2
        exit 1
    fi
    [ "$how" != emit ] || "${call[@]}" -emit-module -o "$out/$module.swiftmodule"
}

# This system's library stands in for what both have.
echo '@_exported public import Glibc' >"$work/Both.swift"
check Darwin TsubamePlatform emit "$work/Both.swift" Scripts/lint/darwin/Members.swift
check Darwin TsubameSockets

# So does it for the libraries of Musl and Android, whose names and types differ from it in few places.
for system in Musl Android; do
    mkdir -p "$work/$system"
    # There, these are numbers.
    printf 'public let %s: Int32 = 0\n' SOCK_STREAM SOCK_CLOEXEC SOCK_NONBLOCK | cat "$work/Both.swift" - >"$work/$system.swift"
    swiftc -emit-module -o "$work/$system/$system.swiftmodule" -parse-as-library -module-name "$system" "$work/$system.swift"
    check "$system" TsubamePlatform emit Scripts/lint/darwin/Members.swift
    check "$system" TsubameSockets
done

# All sources are read with an Apple target, which checks the syntax of each branch.
for target in arm64-apple-macos15.0 arm64-apple-ios18.0 arm64-apple-watchos11.0; do
    for folder in Sources/*/ Examples/*/; do
        mapfile -t files < <(find "$folder" -name '*.swift')
        [ ${#files[@]} -gt 0 ] || continue
        swiftc -frontend -parse -swift-version 6 -enable-bare-slash-regex -target "$target" \
            -D ENGINE -D XML -D Store -D Server -D TestServer "${files[@]}"
    done
done
