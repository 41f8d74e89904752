#!/usr/bin/env python3
"""Runs HTTPie's own tests against a program, and says how many of them it passes.

usage: suite.py PROGRAM [PYTEST-ARGUMENT …]

The tests come with HTTPie's source package from PyPI. `adapter.py` has them run PROGRAM. Tests that never run a program
are about the inside of HTTPie and do not count, nor do those of `differences.txt`.
"""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

VERSION = "3.2.4"
PACKAGES = [f"httpie=={VERSION}", "pytest", "pytest-httpbin", "pytest-mock", "responses", "werkzeug<2.1", "flask<2.3"]
# How many tests ran and passed in the last recorded run, less a few that depend on the machine's speed. It may only rise.
LEAST_RUN, LEAST_PASSED = 810, 470
HERE = pathlib.Path(__file__).resolve().parent


def differences():
    """The parts of names, and the reason for each."""
    for line in (HERE / "differences.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def install(folder):
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    subprocess.run(
        [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", folder, PACKAGES[0]],
        check=True)
    with tarfile.open(folder / f"httpie-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return python, folder / f"httpie-{VERSION}"


def main():
    program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        python, source = install(folder)
        results = folder / "results.json"
        environment = os.environ | {
            "TSUBAME": str(pathlib.Path(program).resolve()), "TSUBAME_RESULTS": str(results), "PYTHONPATH": str(HERE)}
        subprocess.run(
            [python, "-m", "pytest", "-p", "adapter", "-p", "no:cacheprovider", "-q", "--no-header", "--tb=no", "-o",
             "addopts=", *(arguments or ["tests"])],
            cwd=source, env=environment, stdout=subprocess.DEVNULL)
        found = [one for one in json.loads(results.read_text()) if one["outcome"] != "skipped"]
    known = list(differences())
    failed = [one for one in found if one["outcome"] == "failed"]
    excluded = {one["test"] for one in failed if any(part in one["test"] for part, _ in known)}
    for one in failed:
        if one["test"] not in excluded:
            print(f"{one['test']}: {' '.join(one['runs'][-1])}")
    counted = len(found) - len(excluded)
    print(f"{len(found)} tests run the program; {len(excluded)} fail and say nothing about it (differences.txt)")
    passed = counted - len(failed) + len(excluded)
    print(f"{passed} of {counted} pass")
    if not arguments and (len(found) < LEAST_RUN or passed < LEAST_PASSED):
        sys.exit(f"at least {LEAST_RUN} tests must run the program, and {LEAST_PASSED} of those that count must pass")
    unused = [part for part, _ in known if not any(part in test for test in excluded)]
    if unused and not arguments:
        sys.exit(f"differences.txt names tests that do not fail: {', '.join(unused)}")


main()
