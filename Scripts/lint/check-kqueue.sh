#!/usr/bin/env bash
# Type-checks the pollers with kqueue(2) among them, against declarations of our own. It does not show that kqueue works.
set -euo pipefail
cd "$(dirname "$0")/../.."

modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
flags=(-swift-version 6 -package-name tsubame -I Scripts/lint/kqueue -I Sources/CEpoll -I "$modules")
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
    flags+=(-enable-upcoming-feature "$feature")
done

# Apple's library stands beside this system's, so the module of the platform exports both.
echo '@_exported public import Darwin' >"$modules/both.swift"
swiftc "${flags[@]}" -emit-module -module-name TsubamePlatform -o "$modules/TsubamePlatform.swiftmodule" \
    Sources/TsubamePlatform/System/SystemLibrary.swift "$modules/both.swift"
swiftc "${flags[@]}" -typecheck -module-name TsubameSockets \
    Sources/TsubameSockets/Poller/*.swift Sources/TsubameSockets/Socket/SocketError.swift
