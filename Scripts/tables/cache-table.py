#!/usr/bin/env python3
"""Writes Tests/RFC9111.md: what RFC 9111 and its companions say of a cache, and the test that shows it. --check: compares.

The statements stand in Tests/TsubameWireTests/Caching/CacheStatements+*.swift, each one row of a parameterised test of
CacheRuleTests; the tests over sockets are those in Tests/TsubameTests/Caching whose names begin with a section.
"""
import pathlib, re, sys

root = pathlib.Path(__file__).resolve().parents[2]
rules = root / "Tests/TsubameWireTests/Caching"
sockets = root / "Tests/TsubameTests/Caching"
tests = {
    "storing": "RFC 9111: what is stored", "freshness": "RFC 9111: what is fresh", "reuse": "RFC 9111: what is used",
    "validation": "RFC 9111: what is validated, cut and forgotten",
}


def order(section):
    document, _, number = section.rpartition(" ")
    return document, [int(part) for part in number.split(".")]


def rows():
    for path in sorted(rules.glob("CacheStatements+*.swift")):
        text = path.read_text()
        name = tests[re.search(r"static let (\w+): \[CacheStatement\]", text)[1]]
        for section, claim in re.findall(r'\.init\(\s*"([^"]+)",\s*"((?:[^"\\]|\\.)*)"', text):
            yield section, claim.replace('\\"', '"'), f"CacheRuleTests, “{name}”"
    for path in sorted(sockets.glob("*Tests.swift")):
        for document, section, claim in re.findall(r"func `RFC (\d+) ([\d.]+): ([^`]+)`", path.read_text()):
            yield section if document == "9111" else f"RFC {document} {section}", claim, path.stem


def table():
    lines = [
        "# RFC 9111, statement by statement", "",
        "Each row is a claim of the tests. Sections are of RFC 9111 unless another one is named. Written by",
        "`Scripts/tables/cache-table.py`; `make lint` compares.", "", "| section | statement | test |", "|---|---|---|",
    ]
    lines += [f"| {section} | {claim} | {test} |" for section, claim, test in sorted(rows(), key=lambda row: order(row[0]))]
    return "\n".join(lines) + "\n"


path = root / "Tests/RFC9111.md"
if "--check" in sys.argv:
    if not path.exists() or path.read_text() != table():
        sys.exit("Tests/RFC9111.md is not what the tests say: python3 Scripts/tables/cache-table.py")
else:
    path.write_text(table())
