#!/usr/bin/env python3
"""How long a GET of 1 KiB takes that a cache answers: from memory, from a folder, from SQLite.

measure-hits.py PROGRAM [COUNT]: PROGRAM is StoreWriter, built for release with all traits. Five rounds in turn, on one
core and on all of them: a keeper on disk is used on a thread of its own, and to wake that one on a core that sleeps
can cost more than all the rest. Prints medians.
"""
import http.server, os, re, shutil, statistics, subprocess, sys, tempfile, threading

ROUNDS = 5


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = bytes(1024)
        self.send_response(200)
        for field in (("Cache-Control", "max-age=86400"), ("Content-Type", "application/octet-stream"), ("Content-Length", len(body))):
            self.send_header(field[0], str(field[1]))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def microseconds(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    hits, count, seconds = re.match(r"(\d+) of (\d+) from \S+: (\S+) seconds each", done.stdout).groups()
    if hits != count:
        sys.exit(f"only {hits} of {count} were answered by the cache")
    return float(seconds) * 1e6


def main():
    program, count = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "10000"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    folder = tempfile.mkdtemp()
    places = {"memory": "memory", "folder": os.path.join(folder, "responses"), "SQLite": os.path.join(folder, "cache.sqlite")}
    try:
        for label, prefix in (("one core", ["taskset", "-c", "0"]), ("all cores", [])):
            if prefix and not shutil.which("taskset"):
                continue
            times = {name: [] for name in places}
            for _ in range(ROUNDS):
                for name, place in places.items():
                    times[name].append(microseconds(prefix + [program, "hits", place, url, count]))
            for name, found in times.items():
                print(f"{name}, {label}: {statistics.median(found):.1f} µs ({min(found):.1f} to {max(found):.1f})")
    finally:
        shutil.rmtree(folder)
        server.shutdown()


main()
