#!/usr/bin/env python3
"""Counts user instructions and heap allocations of one GET by valgrind and compares them with thresholds.

counts.py PROGRAM [THRESHOLDS]: serves 1 KiB on loopback, as nginx would, and runs PROGRAM MODE URL N C twice with
different N; the difference is free of what starting costs. Each line of THRESHOLDS: mode, concurrency, instructions,
allocations. With the prefix tls- a mode runs over TLS 1.3. A line `tls-idle N KIB` holds N connections open at once, and
compares the memory of each.
"""
import concurrent.futures, os, pathlib, re, shutil, socket, ssl, subprocess, sys, tempfile, threading

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "check"))
import testkit  # noqa: E402

ANSWER = (
    b"HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 04:25:28 GMT\r\n"
    b"Content-Type: application/octet-stream\r\nContent-Length: 1024\r\n"
    b"Last-Modified: Sat, 21 Nov 2026 04:00:00 GMT\r\nConnection: keep-alive\r\n"
    b'ETag: "67401234-400"\r\nAccept-Ranges: bytes\r\n\r\n' + bytes(1024)
)

# What a client's cache may keep.
KEPT = ANSWER.replace(
    b"Date: Sat, 21 Nov 2026 04:25:28 GMT\r\n", b"Cache-Control: max-age=31536000\r\n"
)

# After which the server closes, so each request needs a connection of its own.
LAST = ANSWER.replace(b"Connection: keep-alive", b"Connection: close")

# The same over HTTP/2: fields without Huffman codes, which a server may send.
def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


STATUS_200 = b"\x88"
HEADERS = STATUS_200 + b"".join(
    literal(line.split(b": ")[0].lower(), line.split(b": ", 1)[1])
    for line in ANSWER.split(b"\r\n\r\n")[0].split(b"\r\n")[1:] if not line.startswith(b"Connection")
)

# Redirects, HSTS, retry, decoding: what a client has without being told.
# 1700 to 2300, depending on how threads meet.
MOST_BY_DEFAULT = 3000


def serve_http2(connection, pending):
    while len(pending) < 24:
        pending += connection.recv(65536)
    pending = pending[24:]
    connection.sendall(frame(4, 0, 0, (3).to_bytes(2, "big") + (250).to_bytes(4, "big")))
    while True:
        answers = b""
        while len(pending) >= 9 and len(pending) >= 9 + int.from_bytes(pending[:3], "big"):
            length, kind, flags = int.from_bytes(pending[:3], "big"), pending[3], pending[4]
            stream = int.from_bytes(pending[5:9], "big")
            if kind == 4 and not flags & 1:
                answers += frame(4, 1, 0)
            if kind == 1:
                answers += frame(1, 4, stream, HEADERS) + frame(0, 1, stream, bytes(1024))
            pending = pending[9 + length:]
        if answers:
            connection.sendall(answers)
        received = connection.recv(65536)
        if not received:
            return
        pending += received


class Meeting:
    """Holds each answer to `GET /N` back until N have come."""

    def __init__(self):
        self.there, self.changed = 0, threading.Condition()

    def wait(self, head):
        match = re.match(rb"GET /(\d+) ", head)
        if not match:
            return
        with self.changed:
            self.there += 1
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.there >= int(match[1]), timeout=60)


def certificate():
    """The server's side of TLS 1.3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    with tempfile.NamedTemporaryFile("w") as chain:
        chain.write(testkit.chain())
        chain.flush()
        context.load_cert_chain(chain.name)
    return context


def serve(listener, context=None):
    meeting = Meeting()

    def one(connection):
        pending = b""
        try:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            pending = connection.recv(65536)
            if pending.startswith(b"PRI "):
                return serve_http2(connection, pending)
            while True:
                while b"\r\n\r\n" in pending:
                    head, pending = pending.split(b"\r\n\r\n", 1)
                    if head.startswith(b"GET /last "):
                        return connection.sendall(LAST)
                    meeting.wait(head)
                    connection.sendall(KEPT if head.startswith(b"GET /kept ") else ANSWER)
                received = connection.recv(65536)
                if not received:
                    return
                pending += received
        except OSError:
            pass
        finally:
            connection.close()

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=one, args=(connection,), daemon=True).start()


def run(arguments, core=0):
    # On one core, so that how threads meet does not change the counts.
    if shutil.which("taskset"):
        cores = sorted(os.sched_getaffinity(0))
        arguments = ["taskset", "-c", str(cores[core % len(cores)])] + arguments
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} failed:\n{done.stdout}")
    return done.stdout


def instructions(arguments, core=0):
    output = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + arguments, core)
    return int(re.search(r"Collected : (\d+)", output)[1])


def allocations(arguments, core=0):
    output = run(["valgrind", "--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"] + arguments, core)
    return int(re.search(r"total heap usage: ([\d,]+) allocs", output)[1].replace(",", ""))


def differences(few, many):
    """By how many instructions and allocations the command MANY exceeds FEW. Each of two cores counts one of them."""
    def difference(job):
        count, core = job
        return count(many, core) - count(few, core)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(difference, [(instructions, 0), (allocations, 1)]))


def memory(program, url, count, allowed):
    """The KiB of one of `count` connections that are open at once."""
    output = run([program, "idle", url, str(count), "1"])
    measured = float(output.split("\t")[5])
    verdict = "ok" if measured <= allowed else f"MORE than {allowed:.1f} KiB"
    print(f"tls-idle {count} connections: {measured:.1f} KiB each: {verdict}")
    return measured <= allowed


def main():
    program, thresholds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    origins = {}
    for scheme, context in (("http", None), ("https", certificate())):
        listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        threading.Thread(target=serve, args=(listener, context), daemon=True).start()
        origins[scheme] = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
    # Without debug information valgrind reads the program in a tenth of the time.
    stripped = os.path.join(tempfile.mkdtemp(), "program")
    subprocess.run(["strip", "-g", "-o", stripped, program], check=True)
    failed, instructions_of = False, {}
    lines = open(thresholds).read().splitlines() if thresholds else ["get 64 0 0", "loop 64 0 0", "get 1 0 0"]
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("tls-idle"):
            _, count, most = line.split()
            failed = not memory(stripped, origins["https"], int(count), float(most)) or failed
            continue
        mode, concurrency, most_instructions, most_allocations = line.split()
        name, origin = mode, origins["https" if mode.startswith("tls-") else "http"]
        mode = mode.removeprefix("tls-")
        # So many that all connections there will be are there before the smaller count ends: with 1000 requests they
        # are 68 to 95, depending on how threads meet, and each costs 150 allocations.
        few, many = (4000, 12000) if int(concurrency) > 1 else (200, 600)
        if mode == "close":
            few, many = (100, 300) if name.startswith("tls-") else (400, 1200)
        elif name.startswith("tls-"):
            few, many = 2000, 6000
        # The program warms up with a tenth of its requests.
        requests = (many - few) * 1.1
        url = origin + {"cached": "/kept", "close": "/last"}.get(mode, "/small")
        at = lambda count: [stripped, mode, url, str(count), concurrency]
        allowed = (float(most_instructions), float(most_allocations))
        # A late connection can fall into the difference: what is too much once is counted once more.
        for attempt in ("", "once more, "):
            measured = [difference / requests for difference in differences(at(few), at(many))]
            is_over = bool(thresholds) and (measured[0] > allowed[0] or measured[1] > allowed[1])
            verdict = f"MORE than {allowed[0]:.0f} instructions or {allowed[1]:.1f} allocations" if is_over else "ok"
            print(
                f"{name} c={concurrency}: {attempt}{measured[0]:.0f} instructions, "
                f"{measured[1]:.1f} allocations a request: {verdict}"
            )
            if not is_over:
                break
        failed = failed or is_over
        instructions_of[name, concurrency] = measured[0]
    if ("get", "64") in instructions_of and ("bare", "64") in instructions_of:
        cost = instructions_of["get", "64"] - instructions_of["bare", "64"]
        print(f"what is on by default costs a GET {cost:.0f} instructions, of {MOST_BY_DEFAULT} at most")
        failed = failed or cost > MOST_BY_DEFAULT
    # The threads of the servers still run, and an orderly exit would free what they use.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


main()
