#!/usr/bin/env bash
# Builds a package that uses Tsubame without the trait Engine, compares what it resolves with the committed list, and lets it
# fetch a file by URLSession.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=Tests/Consumers/NoEngine
swift build --package-path "$package" --scratch-path .build-no-engine
resolved=$(python3 - "$package/Package.resolved" <<'PY'
import json, sys
print("\n".join(sorted(pin["identity"] for pin in json.load(open(sys.argv[1]))["pins"])))
PY
)
if ! diff <(grep -v '^#' Scripts/consumer/no-engine-packages.txt) <(echo "$resolved"); then
    echo "What a user without the trait Engine resolves has changed (< committed, > now): Scripts/consumer/no-engine-packages.txt" >&2
    exit 1
fi
python3 - .build-no-engine/debug/no-engine <<'PY'
import http.server, subprocess, sys, threading


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"hello\n")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
done = subprocess.run(
    [sys.argv[1], f"http://127.0.0.1:{server.server_port}/"], capture_output=True, text=True, timeout=60)
lines = done.stdout.splitlines()
wanted = ["hello", "unsupported", "this program is built without the engine, and there is no other transport"]
if done.returncode or lines[:2] != wanted[:2] or not any(wanted[2] in line for line in lines):
    sys.exit(f"the package without the engine said:\n{done.stdout}{done.stderr}")
PY
echo "a package without the trait Engine resolves $(grep -vc '^#' Scripts/consumer/no-engine-packages.txt) packages and fetches by URLSession"
