#!/usr/bin/env python3
"""A load needs no more memory for many requests than for few.

bench-memory.py TOOL: runs `TOOL bench` against `TOOL serve` on loopback with few and with many requests, over HTTP/1.1 and
HTTP/2, and compares the most memory that each run had.
"""
import json, os, re, resource, subprocess, sys

FEW, MANY = 2_000, 32_000
# For 30,000 requests: less than 140 bytes each.
LIMIT = 4 << 10  # KiB


def most_memory(command, count):
    """The most KiB that a load had. A process of its own, because the system counts the largest child."""
    arguments = command + [str(count)]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=2)
        os.write(writer, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
        os.write(writer, b"\n" + done.stdout)
        os._exit(done.returncode and 1)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        memory, _, report = pipe.read().partition("\n")
    if os.waitpid(child, 0)[1] != 0 or json.loads(report)["statuses"] != {"200": count}:
        sys.exit(f"{' '.join(arguments)} failed, or had other answers than {count} with 200")
    return int(memory)


def main():
    tool = sys.argv[1]
    server = subprocess.Popen([tool, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stdout.readline())[0].rstrip("/") + "/bytes/1000"
        failed = False
        for name, version in (("HTTP/1.1", "1.1"), ("HTTP/2", "2-prior-knowledge")):
            command = [tool, "bench", "--ignore-stdin", "-c", "16", "--http-version", version,
                       "--report=json", url, "-n"]
            few, many = (most_memory(command, count) for count in (FEW, MANY))
            growth = many - few
            is_over = growth > LIMIT
            failed = failed or is_over
            verdict = f"MORE than {LIMIT} KiB" if is_over else "ok"
            print(f"bench over {name}: {few} KiB for {FEW} requests, {many} KiB for {MANY}: {verdict}")
    finally:
        server.terminate()
        server.wait()
    sys.exit(1 if failed else 0)


main()
