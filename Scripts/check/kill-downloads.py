#!/usr/bin/env python3
"""Kills the tool in the middle of downloads, again and again, and looks at what is left each time.

After every kill -9 the bytes that the file beside the target, or its record, says are there must be those of the server's
file; the next run must not ask for any of them again; and in the end the file must be the server's. Half of the downloads
come over four connections.

    Scripts/check/kill-downloads.py .build/debug/tsubame [KILLS [SEED]]
"""
import hashlib, http.server, json, os, pathlib, random, re, subprocess, sys, tempfile, threading, time

tool, kills = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
dice = random.Random(seed)
SIZE, PIECE = (24 << 20) + 123, 16 << 10
content = dice.randbytes(SIZE)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    lock, sent, limit, reached = threading.Lock(), 0, 1 << 62, threading.Event()
    asked = []

    def count(self, count):
        with self.lock:
            self.sent += count
            if self.sent >= self.limit:
                self.reached.set()

    def handle_error(self, request, address):
        pass  # The tool has been killed.


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        start, end = 0, SIZE
        if span and condition == '"v1"':
            start, end = int(span[1]), min(int(span[2]) + 1 if span[2] else SIZE, SIZE)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{SIZE}")
        else:
            self.send_response(200)
        self.server.asked.append((start, end))
        for name, value in (("Content-Length", end - start), ("ETag", '"v1"'), ("Accept-Ranges", "bytes")):
            self.send_header(name, str(value))
        self.end_headers()
        for place in range(start, end, PIECE):
            piece = content[place : min(place + PIECE, end)]
            self.wfile.write(piece)
            self.server.count(len(piece))
            time.sleep(0.0002)

    def log_message(self, *_):
        pass


def spans(part, info):
    """What is there, by the record where that says it, and by the file's length otherwise."""
    if not info.exists() or not part.exists():
        return []
    done = json.loads(info.read_text()).get("done")
    return list(zip(done[::2], done[1::2])) if done is not None else [(0, part.stat().st_size)]


def check(part, held):
    data = part.read_bytes() if held else b""
    for start, end in held:
        if data[start:end] != content[start:end]:
            sys.exit(f"seed {seed}: the bytes {start}-{end} are not the server's")


server = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/big.bin"
killed = downloads = lost = 0
begun, kept = time.monotonic(), 0
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    target, part, info = (folder / n for n in ("big.bin", ".big.bin.tsubame-part", ".big.bin.tsubame-info"))
    held, spread = [], 1
    while killed < kills or held:
        server.sent, server.limit = 0, dice.randrange(1, SIZE // 3) if killed < kills else 1 << 62
        server.asked.clear()
        server.reached.clear()
        command = [tool, "-d", "-c", "--ignore-stdin", url, "--connections", str(spread)]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not server.reached.wait(0.005):
            pass
        # Not only where the server has just written.
        if process.poll() is None:
            time.sleep(dice.random() * 0.003)
            process.kill()
        error = process.communicate()[1].decode()
        # Only the last byte may be asked for again, where all are there.
        for start, end in server.asked if held else []:
            for first, last in held:
                again = min(end, last) - max(start, first)
                if again > 0 and spread == 1 and not (start == SIZE - 1):
                    lost += again
        if process.returncode == -9:
            killed += 1
            held = spans(part, info)
            check(part, held)
            kept += sum(end - start for start, end in held)
        elif process.returncode != 0:
            sys.exit(f"seed {seed}: {error}")
        if target.exists():
            if target.read_bytes() != content:
                sys.exit(f"seed {seed}: the file is not the server's")
            downloads += 1
            for path in folder.iterdir():
                path.unlink()
            held, spread = [], 5 - spread
if not downloads or not kept:
    sys.exit(f"seed {seed}: {downloads} downloads became whole, and {kept} bytes were kept: the kills show nothing")
if lost:
    sys.exit(f"seed {seed}: {lost} bytes were asked for again")
print(
    f"{killed} kills in {time.monotonic() - begun:.0f} s (seed {seed}): {downloads} downloads of {SIZE} bytes became whole, "
    f"all of them the server's; after a kill {kept // max(killed, 1)} bytes were there on average, every one right, and none of "
    "those was asked for again over one connection"
)
