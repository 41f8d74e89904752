#!/usr/bin/env python3
"""Compares the throughput of `tsubame bench` with that of wrk, with one core for the client and another for nginx.

Usage: Benchmarks/load.py TOOL [RUNS]
"""
import json
import os
import re
import statistics
import subprocess
import sys

from run import Servers

SECONDS = 2


def pinned():
    os.sched_setaffinity(0, {0})


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=pinned).stdout


def wrk(url, connections):
    text = run(["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}", "--latency", url])
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])


def tsubame(tool, url, connections):
    options = ["--verify=no"] if url.startswith("https") else []
    text = run([tool, "bench", "-z", f"{SECONDS}s", "-c", str(connections), "--report=json",
                "--http-version=1.1", *options, url])
    report = json.loads(text)
    if report["failed"] or set(report["statuses"]) != {"200"}:
        sys.exit(f"a request failed: {text}")
    return report["requests_per_second"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tool, runs = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print("| load | wrk, requests/s | tsubame bench, requests/s | × wrk | runs |\n|---|---|---|---|---|")
    with Servers() as servers:
        for name, url in (("HTTP", f"http://127.0.0.1:{servers.http}/small"),
                          ("TLS 1.3", f"https://127.0.0.1:{servers.tls}/small")):
            for connections in (1, 64, 256):
                # In turns, so that a change of the machine meets both.
                pairs = [(wrk(url, connections), tsubame(tool, url, connections)) for _ in range(runs)]
                theirs, ours = (statistics.median(side) for side in zip(*pairs))
                ratio = statistics.median(own / other for other, own in pairs)
                print(f"| {name}, {connections} connections | {theirs:.0f} | {ours:.0f} | {ratio:.2f} | {runs} |", flush=True)


if __name__ == "__main__":
    main()
