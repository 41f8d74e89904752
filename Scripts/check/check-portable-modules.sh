#!/usr/bin/env bash
# Compiles the code of modules for systems that are not here, after a debug build of all traits. It does not show that the code
# works. For Apple's systems FoundationNetworking stands in for Foundation, and Scripts/lint/darwin for other modules. For
# WebAssembly Scripts/lint/wasi stands in for the C library.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/TsubameURLSession"
for file in Sources/TsubameURLSession/*.swift; do
    sed 's/canImport(FoundationNetworking)/canImport(NoSuchModule)/g; s/canImport(Darwin)/!canImport(NoSuchModule)/; s/^import Security$//; s/\.serverTrust\b/.standInTrust/' \
        "$file" >"$work/TsubameURLSession/$(basename "$file")"
done
cat >"$work/TsubameURLSession/StandIn.swift" <<'SWIFT'
@_exported import FoundationNetworking
import Foundation

let NSURLAuthenticationMethodServerTrust = ""
let NSURLAuthenticationMethodClientCertificate = ""

extension URLSessionConfiguration {
    class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
    var sessionSendsLaunchEvents: Bool {
        get { false }
        set {}
    }
}

extension URLSession {
    var allTasks: [URLSessionTask] { get async { [] } }
}

final class SecTrust {}
final class SecCertificate {}
let errSecSuccess: Int32 = 0
func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping (SecTrust, Bool, CFError?) -> Void
) -> Int32 { 0 }
func SecTrustCopyCertificateChain(_ trust: SecTrust) -> NSArray? { nil }
func SecCertificateCopyData(_ certificate: SecCertificate) -> NSData { NSData() }
final class CFError: Error {}

extension URLProtectionSpace {
    var standInTrust: SecTrust? { nil }
}

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

# check MODULE: what lies in its folder of $work.
check() {
    if [ -z "$(find "Sources/$1" -name '*.swift' 2>/dev/null)" ]; then
        echo "there are no sources of $1" >&2
        exit 1
    fi
    if ! "$compiler" -emit-sil -o /dev/null -wmo "${flags[@]}" -module-name "$1" "$work/$1"/*.swift >"$work/log" 2>&1; then
        sed "s,$work/,," "$work/log" >&2
        echo "the code of $1 for Apple's systems does not compile" >&2
        exit 1
    fi
    echo "the code of $1 for Apple's systems type-checks"
}
check TsubameURLSession

basic=("${flags[@]}")
flags+=(-I Scripts/lint/darwin -D ENGINE -D Server -D Store -D XML)
for module in TsubameWire TsubameEngine TsubameCLI HTTPBin; do
    mkdir "$work/$module"
    while read -r file; do
        sed -E 's/os\(Linux\)/os(Windows)/g; s/canImport\(Glibc\)/canImport(NoSuchModule)/g' "$file" >"$work/$module/$(echo "${file#Sources/}" | tr / _)"
    done < <(find "Sources/$module" -name '*.swift')
    # There, this is a number.
    echo 'let SOCK_STREAM: Int32 = 1' >"$work/$module/StandIn.swift"
    # It imports the system's library itself.
    [ "$module" != HTTPBin ] || echo '@_exported import Glibc' >"$work/$module/Library.swift"
    check "$module"
done

# WebAssembly has no sockets, threads or dispatch. Core and Wire must do without them, so that a transport of the browser can stand
# beneath the client. They also do without locks: OneThread.swift has the names of Synchronization, without any lock.
mkdir "$work/wasi"
"$compiler" -c -wmo -swift-version 6 -parse-as-library -emit-module -emit-module-path "$work/wasi/OneThread.swiftmodule" \
    -o "$work/wasi/OneThread.o" -module-name OneThread Scripts/lint/wasi/OneThread.swift
for module in TsubamePlatform TsubameCore TsubameWire; do
    mkdir "$work/wasi/$module"
    while read -r file; do
        sed -E 's/canImport\((Glibc|Dispatch)\)/canImport(NoSuchModule)/g; s/os\(Linux\)/os(Windows)/g; s/os\(WASI\)/os(Linux)/g; s/^((public |package |internal )?import) Synchronization$/\1 OneThread/' \
            "$file" >"$work/wasi/$module/$(echo "${file#Sources/}" | tr / _)"
    done < <(find "Sources/$module" -name '*.swift')
done
cp Scripts/lint/wasi/Overlay.swift "$work/wasi/TsubamePlatform"
for module in TsubamePlatform TsubameCore TsubameWire; do
    if ! "$compiler" -c -wmo -emit-module -emit-module-path "$work/wasi/$module.swiftmodule" -o "$work/wasi/$module.o" \
        -enable-experimental-feature Lifetimes -I "$work/wasi" -I Scripts/lint/wasi "${basic[@]}" \
        -module-name "$module" "$work/wasi/$module"/*.swift >"$work/log" 2>&1; then
        sed "s,$work/,," "$work/log" >&2
        echo "the code of $module for WebAssembly does not compile" >&2
        exit 1
    fi
    # Only Swift's own libraries, Foundation, zlib, http-types and what the header declares may be called.
    if nm -u "$work/wasi/$module.o" | grep -E 'dispatch|Dispatch|pthread|futex|15Synchronization|dlopen|dlsym|socket|NIO|SSL'; then
        echo "the code of $module for WebAssembly calls what is not there" >&2
        exit 1
    fi
    echo "the code of $module for WebAssembly compiles"
done
