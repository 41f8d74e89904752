#!/usr/bin/env python3
"""Every Swift sample of README.md stands, line by line, in the file that the tests compile and run.

Lines are compared without indentation and alignment. Imports, comments that stand alone, the manifest's lines and the one line that
needs the internet are not looked for.
"""
import pathlib, re, sys

root = pathlib.Path(__file__).resolve().parent.parent
one_space = lambda line: re.sub(r"\s+", " ", line).strip()
samples = {one_space(line) for line in (root / "Tests/EndToEnd/ReadmeSamples.swift").read_text().splitlines()}
# The tests make their client from a server on loopback, and nest types, which are private there.
samples |= {re.sub(r"^private ", "", line) for line in samples}
replaced = {'let api = Client("https://httpbin.org") { $0.timeouts.total = .seconds(20) }'}
missing = []
for block in re.findall(r"```swift\n(.*?)```", (root / "README.md").read_text(), re.S):
    for line in block.splitlines():
        line = one_space(line)
        if not line or line.startswith(("import ", "//", ".package(", ".product(")) or "https://httpbin.org/html" in line:
            continue
        if line not in samples and line not in replaced:
            missing.append(line)
for line in missing:
    print(f"README.md has a line that no test compiles: {line}", file=sys.stderr)
sys.exit(1 if missing else 0)
