#!/usr/bin/env bash
# Installs the system packages that building needs, or says which they are.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "Swift 6.2 or later is needed: https://www.swift.org/install" >&2
    exit 1
fi

# zlib's header is the one system header that the library needs.
if echo '#include <zlib.h>' | ${CC:-clang} -E - >/dev/null 2>&1 || [ -f /usr/include/zlib.h ]; then
    exit 0
fi

if [ "$(uname)" = Darwin ]; then
    echo "zlib.h is missing: install Xcode's command line tools (xcode-select --install)" >&2
    exit 1
fi

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get update -qq
    as_root apt-get install -y -qq zlib1g-dev
else
    echo "zlib's header is missing. Install it, on Debian and Ubuntu by:  sudo apt-get install zlib1g-dev" >&2
    exit 1
fi
