#!/usr/bin/env bash
# Type-checks the code for Apple's systems where there is no such system: against declarations of our own (Scripts/lint/darwin),
# and with this system's conditions switched off. It does not show that the code works.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-swift-version 6 -package-name tsubame -I Scripts/lint/darwin -I "$work")
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
    flags+=(-enable-upcoming-feature "$feature")
done

# check MODULE EMIT [FILE…]: the sources of a module, with further files.
check() {
    local module=$1 how=$2 file
    mkdir -p "$work/$module"
    while read -r file; do
        sed -E 's/os\((Linux|Android)\)/os(Windows)/g; s/canImport\((Glibc|Musl|Android)\)/canImport(NoSuchModule)/g; s/Darwin\.([a-z]+)\(/Glibc.\1(/g' \
            "$file" >"$work/$module/$(echo "${file#Sources/}" | tr / _)"
    done < <(find "Sources/$module" -name '*.swift')
    shift 2
    for file in "$@"; do cp "$file" "$work/$module"; done
    if ! swiftc "${flags[@]}" $how -module-name "$module" "$work/$module"/*.swift >"$work/log" 2>&1; then
        sed "s,$work/,," "$work/log" >&2
        echo "the code of $module for Apple's systems does not compile" >&2
        exit 1
    fi
}

# This system's library stands in for what both have.
echo '@_exported public import Glibc' >"$work/Both.swift"
check TsubamePlatform "-emit-module -o $work/TsubamePlatform.swiftmodule" "$work/Both.swift" Scripts/lint/darwin/Members.swift
check TsubameSockets -typecheck

# All sources are read with an Apple target, which checks the syntax of each branch.
for target in arm64-apple-macos15.0 arm64-apple-ios18.0 arm64-apple-watchos11.0; do
    for folder in Sources/*/ Examples/*/; do
        mapfile -t files < <(find "$folder" -name '*.swift')
        [ ${#files[@]} -gt 0 ] || continue
        swiftc -frontend -parse -swift-version 6 -enable-bare-slash-regex -target "$target" \
            -D ENGINE -D XML -D Store -D Server -D TestServer "${files[@]}"
    done
done
