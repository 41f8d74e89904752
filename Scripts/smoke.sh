#!/usr/bin/env bash
# A smoke run of the static tool: its server, a request to it, the demo, the charsets.
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
"$tool" demo > "$folder/demo.txt" || { cat "$folder/demo.txt" >&2; exit 1; }

checks="$(dirname "$0")/check-charsets.py"
python3 "$checks" make "$folder/charsets"
python3 "$checks" serve "$folder/charsets" --port-file "$folder/port" &
server=$!
until [ -s "$folder/port" ]; do
    kill -0 "$server" || exit 1
done
for file in "$folder"/charsets/*.bin; do
    name=$(basename "$file" .bin)
    "$tool" --text --ignore-stdin --print=b "http://127.0.0.1:$(cat "$folder/port")/$name" |
        python3 "$checks" compare "$folder/charsets" "$name"
done
echo "the static tool works"
