#!/usr/bin/env python3
"""A slow reader of a gibibyte of lines, JSON lines or events needs less than 32 MiB.

check-memory.py PROGRAM: serves each of them on loopback, as fast as it is taken, and runs PROGRAM MODE URL N 1.
"""
import re, socket, subprocess, sys, threading

LENGTH = 4096
COUNT = (1 << 30) // LENGTH
LIMIT = 32 << 10  # KiB
KINDS = {
    "lines": ("text/plain", b"x" * (LENGTH - 1) + b"\n"),
    "jsonLines": ("application/jsonl", b'{"id":1' + b" " * (LENGTH - 9) + b"}\n"),
    "events": ("text/event-stream", b"data: " + b"x" * (LENGTH - 8) + b"\n\n"),
}


def serve(listener):
    def one(connection):
        request = b""
        try:
            while b"\r\n\r\n" not in request:
                request += connection.recv(65536)
            media_type, element = KINDS[request.split()[1].decode()[1:]]
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {COUNT * LENGTH}\r\n\r\n"
            connection.sendall(head.encode())
            piece = element * 256
            for _ in range(COUNT // 256):
                connection.sendall(piece)
        except OSError:
            pass
        finally:
            connection.close()

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=one, args=(connection,), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()
failed = False
for kind in KINDS:
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/{kind}"
    done = subprocess.run([sys.argv[1], kind, url, str(COUNT), "1"], capture_output=True, timeout=300, text=True)
    growth = re.search(r"grew by (-?\d+) KiB", done.stdout)
    if done.returncode or not growth:
        sys.exit(f"{kind} failed:\n{done.stdout}{done.stderr}")
    is_over = int(growth[1]) >= LIMIT
    failed = failed or is_over
    print(done.stdout.strip() + (f": MORE than {LIMIT} KiB" if is_over else ": ok"))
sys.exit(1 if failed else 0)
