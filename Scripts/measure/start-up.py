#!/usr/bin/env python3
"""Measures how long the tool takes to start, beside curl and, where it is installed, HTTPie's `http`.

usage: start-up.py TOOL [--limit RATIO] [--runs N] [--sets N]

Each set runs every program in turn, so often, for its version and for a GET of a loopback server; the best set of each
counts. Printed are medians of wall time and of processor time, in milliseconds, and how they compare with curl's. Ends
with 1 only if the wall time of the tool is more than --limit times that of curl.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time


def run(command):
    """Wall and processor time of one run, in milliseconds."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def measure(commands, runs, sets):
    """The medians of each command: of the set in which it was fastest."""
    best = {}
    for _ in range(sets):
        taken = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                taken[name].append(run(command))
        for name, times in taken.items():
            medians = tuple(statistics.median(column) for column in zip(*times))
            best[name] = min(best.get(name, medians), medians)
    return best


def report(title, medians):
    """Prints a table; returns the tool's wall time by curl's."""
    print(f"{title:12}{'wall ms':>10}{'x curl':>8}{'cpu ms':>10}{'x curl':>8}")
    wall, processor = medians["curl"]
    for name, (own_wall, own_processor) in medians.items():
        print(f"  {name:10}{own_wall:10.2f}{own_wall / wall:8.2f}"
              f"{own_processor:10.2f}{own_processor / max(processor, 0.001):8.2f}")
    return medians["tsubame"][0] / wall


def main():
    options = argparse.ArgumentParser(description="Measures how long the tool takes to start, beside curl.")
    options.add_argument("tool")
    options.add_argument("--limit", type=float)
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--sets", type=int, default=3)
    given = options.parse_args()
    tool = os.path.abspath(given.tool)
    programs = {"curl": shutil.which("curl"), "tsubame": tool}
    if programs["curl"] is None:
        sys.exit("curl is not installed")
    if shutil.which("http"):
        programs["http"] = shutil.which("http")
    server = subprocess.Popen([tool, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip() + "/get"
        own = {"curl": ["-s", url], "tsubame": [url], "http": ["--ignore-stdin", url]}
        gets = {name: [path, *own[name]] for name, path in programs.items()}
        ratios = [
            report("--version", measure({name: [path, "--version"] for name, path in programs.items()}, given.runs, given.sets)),
            report("GET", measure(gets, given.runs, given.sets)),
        ]
    finally:
        server.terminate()
        server.wait()
    if given.limit is not None and max(ratios) > given.limit:
        sys.exit(f"the tool takes {max(ratios):.2f} times as long as curl; {given.limit} is the limit")


if __name__ == "__main__":
    main()
