#!/usr/bin/env python3
"""Measures a Hummingbird server whose handler makes one call, for this checkout and for others beside it.

in-server.py [--rounds N] [CHECKOUT …]

nginx is the origin, wrk makes the load over 64 connections. The server is pinned to the first core, wrk and nginx to the
last one. The table has medians: requests/s, p50 and p99 in µs, CPU in µs of a request, and the most threads of the process.
The row `alone` is the server without a call. Ratios to the last checkout are medians of the ratios within each round.
"""
import argparse, importlib.util, os, re, signal, statistics, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
specification = importlib.util.spec_from_file_location("run", os.path.join(HERE, "run.py"))
bench = importlib.util.module_from_spec(specification)
specification.loader.exec_module(bench)
SECONDS = 3


def build(checkout):
    scratch = os.path.join(bench.WORK, "in-server-" + re.sub(r"\W+", "-", checkout))
    command = ["swift", "build", "-c", "release", "--package-path", os.path.join(HERE, "InServer"), "--scratch-path", scratch]
    subprocess.run(command, check=True, env=dict(os.environ, TSUBAME=checkout))
    return os.path.join(scratch, "release", "in-server")


def pinned(core):
    return lambda: os.sched_setaffinity(0, {core})


def cpu_of(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(program, origin, path):
    port = bench.free_port()
    server = subprocess.Popen([program, str(port), origin], preexec_fn=pinned(0), stdout=subprocess.DEVNULL)
    try:
        bench.wait_for(port, f"{program} did not start")
        load = ["wrk", "-t1", "-c64", "--latency", f"http://127.0.0.1:{port}{path}"]
        subprocess.run([*load, "-d1"], preexec_fn=pinned(os.cpu_count() - 1), stdout=subprocess.DEVNULL, check=True)
        before = cpu_of(server)
        done = subprocess.run(
            [*load, f"-d{SECONDS}"], preexec_fn=pinned(os.cpu_count() - 1), stdout=subprocess.PIPE, text=True, check=True)
        spent, threads = cpu_of(server) - before, len(os.listdir(f"/proc/{server.pid}/task"))
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        sys.exit(f"{program}: {done.stdout}")
    count = int(re.search(r"(\d+) requests in", done.stdout)[1])
    times = [bench.microseconds(re.search(rf"(?m)^\s+{p}%\s+(\S+)", done.stdout)[1]) for p in (50, 99)]
    return [count / SECONDS, *times, spent * 1e6 / count, threads]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    checkouts = [os.path.dirname(HERE), *map(os.path.abspath, arguments.checkouts)]
    os.makedirs(bench.WORK, exist_ok=True)
    programs = {checkout: build(checkout) for checkout in checkouts}
    rows = [(checkout, path) for path in ("/", "/alone") for checkout in checkouts]
    results = {row: [] for row in rows}
    with bench.Servers() as servers:
        for _ in range(arguments.rounds):
            for row in rows:
                results[row].append(measure(programs[row[0]], f"http://127.0.0.1:{servers.http}/small", row[1]))
    print("| checkout | does | requests/s | p50 µs | p99 µs | CPU µs | threads |\n|---|---|---|---|---|---|---|")
    for (checkout, path), runs in results.items():
        base = results[checkouts[-1], path]
        cells = []
        for column in range(5):
            value = statistics.median(run[column] for run in runs)
            ratio = statistics.median(run[column] / other[column] for run, other in zip(runs, base))
            cells.append(f"{value:.0f}" + (f" (× {ratio:.2f})" if base is not runs and column < 4 else ""))
        print(f"| {checkout} | {'one call' if path == '/' else 'alone'} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
