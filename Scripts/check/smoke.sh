#!/usr/bin/env bash
# A smoke run of the static tool: the charsets, its errors, an installation.
set -euo pipefail
tool=$(realpath "$1")
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT

"$tool" --version
if ldd "$tool" | grep -qE 'libswift|libFoundation|libxml2|libsqlite3'; then
    echo "the tool is not static:" >&2
    ldd "$tool" >&2
    exit 1
fi
# The demo is not installed with the tool, which says where it is.
if said=$("$tool" demo 2>&1); then echo "the static tool has a demo beside it" >&2; exit 1; fi
case "$said" in *"make demo"*"traits Server and XML"*) ;; *) printf 'no word of make demo in:\n%s\n' "$said" >&2; exit 1 ;; esac

checks="$(dirname "$0")/../tables/check-charsets.py"
python3 "$checks" make "$folder/charsets"
python3 "$checks" serve "$folder/charsets" --port-file "$folder/port" &
server=$!
until [ -s "$folder/port" ]; do
    kill -0 "$server" || exit 1
    sleep 0.1
done
for file in "$folder"/charsets/*.bin; do
    name=$(basename "$file" .bin)
    "$tool" --text --ignore-stdin --print=b "http://127.0.0.1:$(cat "$folder/port")/$name" |
        python3 "$checks" compare "$folder/charsets" "$name"
done

# On a machine without root certificates the error says what to install.
kill "$server"
python3 "$(dirname "$0")/serve-tls.py" --port-file "$folder/tls-port" &
server=$!
until [ -s "$folder/tls-port" ]; do
    kill -0 "$server" || exit 1
    sleep 0.1
done
mkdir "$folder/empty"
# Run in a mount namespace of its own: where the certificates are, nothing is.
hide='for place in /etc/ssl /etc/pki; do [ ! -d "$place" ] || mount --bind "$0" "$place" || exit 77; done; exec "$@"'
if unshare -m sh -c "$hide" "$folder/empty" true 2>/dev/null; then
    said=$(unshare -m sh -c "$hide" "$folder/empty" \
        "$tool" --ignore-stdin "https://127.0.0.1:$(cat "$folder/tls-port")/" 2>&1) && {
        echo "a server was trusted without root certificates" >&2
        exit 1
    }
    case "$said" in *ca-certificates*) ;; *) printf 'no word of ca-certificates in:\n%s\n' "$said" >&2; exit 1 ;; esac
else
    echo "skipped: the error of a machine without root certificates needs a mount namespace"
fi

# A load does not grow.
python3 "$(dirname "$0")/../measure/bench-memory.py" "$tool"

# Installed, it still runs.
make -s install PREFIX=/usr DESTDIR="$folder/installed" -o tool
"$folder/installed/usr/bin/tsubame" --version
echo "the static tool works"
