#!/usr/bin/env python3
"""Compares ARCHITECTURE.md and the pages of Documentation/design with the repository.

- The table of modules names each folder below Sources/MODULE that holds Swift files, once, and no other folder.
- Documentation/design/rooms.md describes each of these folders in one line.
- ARCHITECTURE.md has at most 150 lines.
- Each path that the pages name in backticks or link to exists.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
DESIGN = ROOT / "Documentation/design"
ROOMS = DESIGN / "rooms.md"
LONGEST = 150
FOLDERS = ("Sources/", "Scripts/", "Documentation/", "Tests/", "Examples/", "Benchmarks/")

faults = []


def folders():
    """Module -> its rooms: the folders that hold Swift files, relative to the module's own folder."""
    modules = {}
    for module in sorted((ROOT / "Sources").iterdir()):
        files = list(module.rglob("*.swift"))
        if files:
            modules[module.name] = {str(file.parent.relative_to(module)) for file in files} - {"."}
    return modules


def compare(page, named, existing):
    """Reports rooms that are missing, unknown, or named twice; `named` may hold a room more than once."""
    for room in sorted(existing - set(named)):
        faults.append(f"{page} does not name the folder Sources/{room}")
    for room in sorted(set(named) - existing):
        faults.append(f"{page} names Sources/{room}, which is no folder with Swift files")
    for room in sorted({room for room in named if named.count(room) > 1}):
        faults.append(f"{page} names Sources/{room} more than once")


def module_rows(text):
    """Module -> the rooms in its row: the code spans of the row's last cell."""
    rows = {}
    header = next((line for line in text.splitlines() if re.match(r"\|.*\| *Rooms *\|$", line)), None)
    if header is None:
        faults.append("ARCHITECTURE.md has no table of modules whose last column is Rooms")
        return rows
    lines = text.splitlines()
    for line in lines[lines.index(header) + 2:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        name = re.match(r"`(\w+)`", cells[0])
        if name:
            rows[name[1]] = re.findall(r"`([^`]+)`", cells[-1])
    return rows


def check_paths(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    paths = {(ROOT, path) for path in re.findall(r"`([^`\s*{]+)`", text) if path.startswith(FOLDERS)}
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not re.match(r"\w+:", link):
            paths.add((page.parent, link))
    for folder, path in sorted(paths):
        if not (folder / path).exists():
            faults.append(f"{page.relative_to(ROOT)} names {path}, which does not exist")


def main():
    text = ARCHITECTURE.read_text()
    count = len(text.splitlines())
    if count > LONGEST:
        faults.append(f"ARCHITECTURE.md has {count} lines, and may have {LONGEST}: move details to Documentation/design")
    existing = folders()
    rows = module_rows(text)
    for module in sorted(set(existing) - set(rows)):
        faults.append(f"ARCHITECTURE.md has no row for the module {module}")
    for module in sorted(set(rows) - set(existing)):
        faults.append(f"ARCHITECTURE.md has a row for {module}, which is no module below Sources")
    for module in sorted(set(rows) & set(existing)):
        compare("ARCHITECTURE.md", [f"{module}/{room}" for room in rows[module]],
                {f"{module}/{room}" for room in existing[module]})
    described = re.findall(r"^\| *`(\w+/[\w/]+)` *\| *\S.*\|$", ROOMS.read_text(), re.M) if ROOMS.exists() else []
    compare(str(ROOMS.relative_to(ROOT)), described, {f"{m}/{room}" for m in existing for room in existing[m]})
    for page in [ARCHITECTURE, ROOT / "CONTRIBUTING.md", *sorted(DESIGN.glob("*.md"))]:
        check_paths(page)
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


main()
