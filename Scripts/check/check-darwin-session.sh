#!/usr/bin/env bash
# Type-checks the code of TsubameURLSession for Apple's systems, after a debug build of all traits: FoundationNetworking stands
# in for the Foundation of these systems. It does not show that the code works.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in Sources/TsubameURLSession/*.swift; do
    sed 's/canImport(FoundationNetworking)/canImport(NoSuchModule)/g' "$file" >"$work/$(basename "$file")"
done
cat >"$work/StandIn.swift" <<'SWIFT'
@_exported import FoundationNetworking
import Foundation

let NSURLAuthenticationMethodServerTrust = ""
let NSURLAuthenticationMethodClientCertificate = ""

extension Stream {
    class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}
SWIFT
# SwiftPM names the package after its folder.
package=$(basename "$(pwd -P)" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_]/_/g; s/^[0-9]/_/')
flags=(-swift-version 6 -package-name "$package" -I .build/debug/Modules)
compiler=swiftc
case ${SWIFT:-swift} in */*) compiler=$(dirname "$SWIFT")/swiftc ;; esac
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
    flags+=(-enable-upcoming-feature "$feature")
done
while read -r map; do
    flags+=(-Xcc -fmodule-map-file="$map" -Xcc -I"$(dirname "$map")")
done < <(find -L .build/checkouts/*/Sources .build/debug/*.build Sources -name module.modulemap)
if ! "$compiler" -typecheck "${flags[@]}" -module-name TsubameURLSession "$work"/*.swift >"$work/log" 2>&1; then
    sed "s,$work/,," "$work/log" >&2
    echo "the code of TsubameURLSession for Apple's systems does not compile" >&2
    exit 1
fi
echo "the code of TsubameURLSession for Apple's systems type-checks"
