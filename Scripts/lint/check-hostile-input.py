#!/usr/bin/env python3
"""Checks Documentation/hostile-input.md: each number has suites with a test of it, and one of these tests uses a socket."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "Documentation" / "hostile-input.md"
LAST = 43
# What talks to a server, a proxy or a peer on the loopback interface, or starts a program that does.
SOCKETS = re.compile(
    r"\b(ScriptedServer|HTTPBin|withHTTPBin|withFramePeer|ServerBootstrap|ToolProcess|ScriptedProxy|CertificateServer"
    r"|LocalHTTPServer|withServer|withTool|withPeer|FramePeer|RunningProduct|runProduct)\b")
ITEM = re.compile(r"^(\d+)\. (.*?)(?=^\d+\. |^## |\Z)", re.M | re.S)
MARK = re.compile(r"BAD-INPUT (\d+(?:(?:, | and )\d+)*)")
CASE = re.compile(r"\bCase\((\d+),|\bCase\(\s*(\d+),")
FUNCTION = re.compile(r"\bfunc (\w+|`[^`]+`)\s*[(<]")


def parts(text):
    """The tests and the helpers of a file: from each declaration to the next. A test begins with its attribute."""
    starts = sorted({match.start() for match in re.finditer(r"^\s*@Test\b|^[ \w@()]*\bfunc (?:\w+|`[^`]+`)\s*[(<]", text, re.M)})
    pieces, last = [], 0
    for start in starts:
        # The function of an attribute that stands on a line of its own belongs to the same test.
        before = text[last:start]
        if re.match(r"\s*@Test\b", before) and not FUNCTION.search(before):
            continue
        pieces.append(before)
        last = start
    return pieces + [text[last:]]


def helpers(texts, depth=9):
    """The names of functions that use a socket, themselves or by at most so many other functions."""
    bodies = {}
    for text in texts:
        for piece in parts(text):
            if (match := FUNCTION.search(piece)) and "@Test" not in piece:
                bodies[match[1]] = bodies.get(match[1], "") + piece[match.end():]
    found = {name for name, body in bodies.items() if SOCKETS.search(body)}
    for _ in range(depth):
        called = re.compile(r"(?<![\w.])(?:Self\.)?(" + "|".join(map(re.escape, sorted(found))) + r")\s*[({<]") if found else None
        more = {name for name, body in bodies.items() if called and name not in found and called.search(body)}
        found |= more
    return found


def numbers(text):
    """The numbers that a text is marked with."""
    found = {int(number) for mark in MARK.findall(text) for number in re.findall(r"\d+", mark)}
    return found | {int(one or other) for one, other in CASE.findall(text)}


def numbers_on_sockets(text, shared):
    """The numbers of the tests in a file that use a socket. The cases of a table count if any test with a socket follows."""
    own = helpers([text]) | shared
    called = re.compile(r"(?<![\w.])(?:Self\.|self\.)?(" + "|".join(map(re.escape, sorted(own))) + r")\s*[({<]") if own else None
    found, table, uses = set(), set(), False
    for piece in parts(text):
        on_socket = bool(SOCKETS.search(piece) or called and called.search(piece))
        marked = numbers(piece)
        if "@Test" not in piece:
            table |= marked
        elif on_socket:
            found |= marked
            uses = True
    return found | (table if uses else set())


def main():
    files = {}
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        files[path.stem] = files.get(path.stem, "") + path.read_text()
    # Helpers that all tests share.
    support = [path.read_text() for path in (ROOT / "Tests").rglob("*.swift") if "Support" in path.parts]
    shared = {name for name in helpers(support, depth=0) if len(name) > 5}
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
        if not any(number in numbers_on_sockets(files.get(suite, ""), shared) for suite in suites):
            problems.append(f"{number}: no test of it uses a socket")
    for problem in problems:
        print(f"Documentation/hostile-input.md: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
