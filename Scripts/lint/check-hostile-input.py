#!/usr/bin/env python3
"""Checks Documentation/hostile-input.md: each number has suites with a test of it, and one of them uses a real socket."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Documentation" / "hostile-input.md"
LAST = 43
# A test that names one of these talks to a server, a proxy or a peer on the loopback interface.
SOCKETS = re.compile(
    r"\b(ScriptedServer|HTTPBin|withHTTPBin|withFramePeer|ServerBootstrap|ToolProcess|ScriptedProxy|CertificateServer"
    r"|LocalHTTPServer|withServer|withTool)\b")
ITEM = re.compile(r"^(\d+)\. (.*?)(?=^\d+\. |^## |\Z)", re.M | re.S)


def numbers(text):
    """The numbers that the tests in a file keep."""
    found = {int(number) for number in re.findall(r"\bCase\((\d+),", text)}
    for mark in re.findall(r"BAD-INPUT (\d+(?:(?:, | and )\d+)*)", text):
        found |= {int(number) for number in re.findall(r"\d+", mark)}
    return found


def main():
    files = {}
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        files[path.stem] = files.get(path.stem, "") + path.read_text()
    problems = []
    items = {int(number): text for number, text in ITEM.findall(PAGE.read_text())}
    for number in range(1, LAST + 1):
        if number not in items:
            problems.append(f"{number} is missing")
            continue
        promise, _, tests = items[number].partition("Tests:")
        suites = re.findall(r"`([^`]+)`", tests)
        if not promise.strip() or not suites:
            problems.append(f"{number} has no promise or no tests")
        for suite in suites:
            if number not in numbers(files.get(suite, "")):
                problems.append(f"{number}: {suite} has no test of it")
        if not any(SOCKETS.search(files.get(suite, "")) for suite in suites):
            problems.append(f"{number}: no suite of it uses a socket")
    for problem in problems:
        print(f"Documentation/hostile-input.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
