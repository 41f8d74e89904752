#!/usr/bin/env bash
# The documentation as a site, by the toolchain's docc. Whatever docc warns of, such as a link that leads nowhere, is an
# error. DOCS_BASE_PATH is the path that a site will have on its server, such as `tsubame`.
set -euo pipefail
cd "$(dirname "$0")/../.."
export SWIFT=${SWIFT:-swift}
modules=(Tsubame TsubameFoundation TsubameURLSession TsubameXML TsubameTesting TsubameInspector)
out=.build-docs

find_docc() {
    local swift folder
    swift=$(command -v "$SWIFT") || return 1
    for folder in "$(dirname "$swift")" "$(dirname "$(readlink -f "$swift" 2>/dev/null || echo "$swift")")"; do
        if [ -x "$folder/docc" ]; then echo "$folder/docc" && return; fi
    done
    xcrun --find docc 2>/dev/null || command -v docc
}
if ! docc=$(find_docc); then
    echo "docc is missing: it comes with Swift's toolchain (https://www.swift.org/install) and with Xcode" >&2
    exit 1
fi

# Only what the documentation is of, and with the same flags as the tests, so that one build serves both: also in the same
# order, which SwiftPM takes from a set.
export SWIFT_DETERMINISTIC_HASHING=1
for module in "${modules[@]}"; do
    "$SWIFT" build --quiet --enable-all-traits --target "$module"
done
mkdir -p "$out"
python3 Scripts/build/symbol-graphs.py "$("$SWIFT" build --enable-all-traits --show-bin-path)" "$out/graphs" "${modules[@]}"

# One archive, so that articles link to symbols of every module: the modules' catalogues, put together.
rm -rf "$out/site" "$out/Tsubame.docc"
mkdir "$out/Tsubame.docc"
for module in "${modules[@]}"; do
    if [ -d "Sources/$module/$module.docc" ]; then cp -R "Sources/$module/$module.docc" "$out/Tsubame.docc/$module"; fi
done
"$docc" convert "$out/Tsubame.docc" --additional-symbol-graph-dir "$out/graphs" --output-path "$out/site" \
    --warnings-as-errors --fallback-display-name Tsubame --fallback-bundle-identifier tsubame \
    --fallback-default-module-kind Library --hosting-base-path "${DOCS_BASE_PATH:-/}" 2>&1 |
    sed -E 's,^( *--> )(Tsubame[A-Za-z]*)/,\1Sources/\2/\2.docc/,'
echo "The documentation is in $out/site."
if [ -z "${DOCS_BASE_PATH:-}" ]; then
    echo "To read it:  python3 -m http.server --directory $out/site 8000"
    echo "             http://localhost:8000/documentation/tsubame/"
fi
