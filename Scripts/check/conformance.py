#!/usr/bin/env python3
"""Runs third-party suites against the tool. The scores of conformance-scores.txt may only rise.

The suites are not a part of this project. They are looked for in ../shared/conformance; without them, or without the
Python packages that they need, this says so and ends with status 0.

conformance.py TOOL [--suites FOLDER] [--only NAME] [--write]
"""
import argparse
import pathlib
import re
import subprocess
import sys

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
import environments  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCORES = pathlib.Path(__file__).with_name("conformance-scores.txt")
PACKAGES = ["hpack>=4", "multipart>=1", "werkzeug>=3"]
COOKIES = "--ignore-stdin --print= -F --resolve *:{{port}}:127.0.0.1 --cookie-jar {{jar}} {{url}}"
# Name, program, arguments, and what the score looks like in its output. {tool} is the tool's path.
SUITES = [
    ("cookies, RFC 6265's own collection", "cookie_suite.py", ["--refresh-dates", "--client", "{tool} " + COOKIES],
     r"normative +pass +(\d+)"),
    ("cookies, kept for a second process", "cookie_suite.py",
     ["--refresh-dates", "--two-step", "--client", "{tool} " + COOKIES], r"normative +pass +(\d+)"),
    ("multipart/form-data, read by three parsers", "multipart_suite.py",
     ["--client", "{tool} --ignore-stdin --print= --multipart POST {{url}} {{parts}}", "--field", "{{name}}={{value}}",
      "--file", "{{name}}@{{path}};type={{type}};filename={{fname}}"], r"(\d+)/\d+"),
    ("HTTP/2 behaviours", "h2_suite.py",
     ["--client",
      "{tool} --ignore-stdin --http-version 2-prior-knowledge --print=hb --pretty=none --timeout 5 {{extra}} {{url}}",
      "--post", "POST --raw @{{file}}"], r"(\d+)/\d+"),
]


def known():
    """The committed scores by the names of the suites."""
    lines = SCORES.read_text().splitlines() if SCORES.exists() else []
    return {name: int(score) for score, name in (line.split(" ", 1) for line in lines if line and line[0] != "#")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--suites", type=pathlib.Path, default=ROOT.parent / "shared" / "conformance")
    parser.add_argument("--only", default="", help="a part of the name of a suite")
    parser.add_argument("--write", action="store_true", help="commit higher scores")
    options = parser.parse_args()
    if not options.suites.is_dir():
        print(f"skipped: there are no third-party suites in {options.suites.name}")
        return 0
    program = environments.python("conformance", PACKAGES, ["hpack", "multipart", "werkzeug"])
    if program is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be had from PyPI")
        return 0
    scores, failed, ran = known(), 0, 0
    for name, script, arguments, pattern in SUITES:
        if options.only not in name:
            continue
        ran += 1
        words = [word.format(tool=options.tool.resolve()) for word in arguments]
        run = subprocess.run(
            [program, options.suites / script, *words], capture_output=True, text=True, errors="replace", timeout=600)
        found = re.findall(pattern, run.stdout)
        if not found:
            print(f"{name}: no score\n{run.stdout[-1000:]}{run.stderr[-1000:]}")
            failed += 1
            continue
        if name not in scores and not options.write:
            print(f"{name}: no score is committed")
            failed += 1
            continue
        score, least = int(found[-1]), scores.get(name, 0)
        print(f"{name}: {score}" + (f", and {least} is committed" if score != least else ""))
        if score < least:
            print("\n".join(line for line in run.stdout.splitlines() if "FAIL" in line or line.startswith("---")))
            failed += 1
        scores[name] = max(score, least)
    if options.write:
        head = [line for line in SCORES.read_text().splitlines(keepends=True) if line.startswith("#")]
        SCORES.write_text("".join(head) + "".join(f"{score} {name}\n" for name, score in sorted(scores.items())))
    if not ran:
        print(f"no suite is called “{options.only}”")
    return 1 if failed or not ran else 0


sys.exit(main())
