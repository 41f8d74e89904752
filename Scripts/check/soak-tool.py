#!/usr/bin/env python3
"""A body that takes 70 s, a byte a second: the tool has no deadline for a whole call unless it is given one."""
import http.server, subprocess, sys, threading, time

SECONDS = 70


class Slow(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(SECONDS))
        self.end_headers()
        for _ in range(SECONDS):
            self.wfile.write(b"x")
            time.sleep(1)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
begin = time.monotonic()
run = subprocess.run(
    [sys.argv[1], "--print=b", f"http://127.0.0.1:{server.server_port}/"], capture_output=True, stdin=subprocess.DEVNULL,
    timeout=SECONDS * 4)
took = time.monotonic() - begin
print(f"{len(run.stdout)} bytes in {took:.0f} s, status {run.returncode}")
if run.returncode or run.stdout != b"x" * SECONDS or took <= 60:
    sys.exit(run.stderr.decode() or "not the body that was sent")
