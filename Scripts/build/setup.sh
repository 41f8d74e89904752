#!/usr/bin/env bash
# Installs the system packages that are missing, or says which they are.
# setup.sh [test]: what building needs; with `test` what the checks need as well.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "Swift 6.2 or later is needed: https://www.swift.org/install" >&2
    exit 1
fi

missing=()
want() { # command, package
    command -v "$1" >/dev/null 2>&1 || missing+=("$2")
}
want git git
# zlib's header is the one system header that the library needs, but for the trait Store.
if ! echo '#include <zlib.h>' | ${CC:-clang} -E - >/dev/null 2>&1 && [ ! -f /usr/include/zlib.h ]; then
    missing+=(zlib1g-dev)
fi
if [ "${1:-}" = test ]; then
    want python3 python3
    python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=(python3-venv)
    # The Python that the tool prints is run.
    PATH=/usr/bin:/bin python3 -c 'import requests' >/dev/null 2>&1 || missing+=(python3-requests)
    want strip binutils
    # Completions and the manual page are tried with the programs that read them.
    want zsh zsh
    want fish fish
    want groff groff
    # The trait Store is built for the tests: SQLite's header and library.
    if ! echo '#include <sqlite3.h>' | ${CC:-clang} -E - >/dev/null 2>&1 && [ ! -f /usr/include/sqlite3.h ]; then
        missing+=(libsqlite3-dev)
    fi
    if [ "$(uname)" != Darwin ]; then
        want valgrind valgrind
        # The inspector's page is tried in a real browser.
        want chromium chromium
        # Two proxies that are not ours; both packages hold a program only, and no service.
        want tinyproxy tinyproxy-bin
        want microsocks microsocks
        # The codings and XPath, whose libraries are found at run time; without them their tests are skipped.
        libraries=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p)
        for library in libbrotlienc.so.1/libbrotli1 libzstd.so.1/libzstd1 libxml2.so.2/libxml2; do
            case "$libraries" in *"${library%/*}"*) ;; *) missing+=("${library#*/}") ;; esac
        done
    fi
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(uname)" = Darwin ]; then
    echo "missing: ${missing[*]} (Debian's names). Most come with xcode-select --install." >&2
    exit 1
fi
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }
if command -v apt-get >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }; then
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get update -qq
    as_root apt-get install -y -qq --no-install-recommends "${missing[@]}"
else
    echo "Missing packages. Install them, on Debian and Ubuntu by:  sudo apt-get install ${missing[*]}" >&2
    exit 1
fi
