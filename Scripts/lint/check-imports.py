#!/usr/bin/env python3
"""Compares the imports of each target with its line in the table of check-house.sh, and with Package.swift.

Reads the table from standard input: `Target: Module …`. A target imports every module of its line and no other; the system's
own modules need no mention. Package.swift lists the same modules as the target's dependencies.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEM = {"Dispatch", "FoundationEssentials", "FoundationNetworking", "Observation", "Synchronization"}
LIBRARIES_OF_SYSTEMS = {"Android", "Compression", "Darwin", "Glibc", "Musl", "Security", "WASILibc"}
IMPORT = re.compile(r"^ *(?:@_exported )?(?:(?:public|package|internal|fileprivate|private) )?import (\w+)", re.M)


def imports(folder):
    """Module -> the first place that imports it. Foundation does not count where its essentials do not exist."""
    found = {}
    for path in sorted(folder.rglob("*.swift")):
        lines = path.read_text().split("\n")
        for number, line in enumerate(lines):
            match = IMPORT.match(line)
            if match and not (match[1] == "Foundation" and lines[number - 1] == "#else"):
                found.setdefault(match[1], f"{path.relative_to(ROOT)}:{number + 1}")
    return found


def declared(manifest):
    """Target -> the modules that Package.swift names as its dependencies."""
    targets = {}
    for block in re.split(r"\n        \.(?=target|executableTarget|testTarget|systemLibrary)", manifest)[1:]:
        name = re.search(r'name: "(\w+)"', block)
        if not name:
            continue
        block = re.sub(r',\s*condition: \.when\((?:\s*platforms: \w+, )?traits: \["\w+"\]\)', "", block)
        dependencies = re.search(r"dependencies: \[(.*?)\]\s*(?:,\s*(?:path|exclude|swiftSettings)|\))", block, re.S)
        text = dependencies[1] if dependencies else ""
        modules = set(re.findall(r'\.(?:product|target)\(\s*name: "(\w+)"', text))
        modules |= set(re.findall(r'"(\w+)"', re.sub(r"\.\w+\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)", "", text)))
        targets[name[1]] = modules
    return targets


def main():
    faults = []
    table = {}
    for line in sys.stdin:
        if ":" in line:
            name, _, modules = line.strip().partition(":")
            table[name] = set(modules.split())
    manifest = declared((ROOT / "Package.swift").read_text())
    for folder in sorted((ROOT / "Sources").iterdir()):
        name = folder.name
        if not list(folder.rglob("*.swift")):
            continue
        if name not in table:
            faults.append(f"{name} has no line in check-house.sh")
            continue
        found = imports(folder)
        for module, place in found.items():
            if module not in table[name] | SYSTEM:
                faults.append(f"{place}: {name} must not import {module}")
        for module in sorted(table[name] - set(found)):
            faults.append(f"check-house.sh lets {name} import {module}, and it does not")
        wanted = table[name] - LIBRARIES_OF_SYSTEMS - {"Foundation"}
        if wanted != manifest.get(name, set()):
            faults.append(f"Package.swift and check-house.sh differ about {name}: {sorted(wanted ^ manifest.get(name, set()))}")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
