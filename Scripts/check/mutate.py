#!/usr/bin/env python3
"""Breaks one line at a time (a comparison, a constant, a guard) and asks whether the tests notice.

All chosen mutants are compiled into one build of a copy of the sources, in .build-mutate. TSUBAME_MUTANT chooses, when a
test process starts, which one of them is on. A mutant that does not compile is dropped, and the others are built again.
A mutant is noticed if a test fails, a process crashes, or the tests do not end. The tests of values run first. What only
the tests with sockets notice must be noticed twice by the same test, so that no chance failure counts.

mutate.py [--count 320] [--seed 1] [--only PART-OF-PATH] [--list] [--numbers 3,17]
"""
import argparse, collections, json, os, pathlib, random, re, shutil, signal, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-mutate" / "source"
AREAS = [
    "TsubameWire/HTTP1", "TsubameWire/HPACK", "TsubameWire/HTTP2", "TsubameWire/Codings", "TsubameWire/Caching",
    "TsubameWire/Cookies", "Tsubame/Retry", "Tsubame/Redirects",
]
# Which tests run, in order, and whether chance can make one of them fail.
ROUNDS = [("TsubameWireTests", False), ("FuzzTests", False), ("TsubameTests", True), ("HostileRe|HostileHTTP2|Interruption", True)]
# Of the areas without tests of values: the tests that are most likely to notice.
FIRST = {"Tsubame/Retry": "Retr|BackOff|Budget|Idempoten", "Tsubame/Redirects": "Redirect|CrossOrigin"}
SECONDS = 300
INVERSE = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}
# Characters that may stand in an operator's name; each mutant has one of its own.
MARKS = [chr(c) for c in (*range(0x2500, 0x2776), *range(0x2190, 0x2400))]

Mutant = collections.namedtuple("Mutant", "path line column length kind before after")


def code_of(line):
    """The line with the text of strings and comments blanked, so that only code can be found in it."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'#?"(?:\\.|[^"\\])*"#?', blank, line)
    return re.sub(r"//.*", blank, line)


def places(path):
    found, inside_text = [], False
    for number, line in enumerate((ROOT / "Sources" / path).read_text().splitlines()):
        if line.count('"""') % 2:
            inside_text = not inside_text
            continue
        code = code_of(line)
        # No statement of ours: a declaration of types, a line of a table, an attribute, a pattern.
        # A loop that may end needs a return behind it.
        if inside_text or re.match(r"\s*(import|public import|@|#|case |extension |protocol |struct )", code) or \
                "while true" in code or \
                " where " in code or len(re.findall(r"\b(?:0x)?\d", code)) > 3:
            continue
        for match in re.finditer(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\|)(?= )", code):
            found.append(Mutant(path, number, match.start(), len(match[1]), "operator", match[1], INVERSE[match[1]]))
        for match in re.finditer(r"(?<![\w.$@\"\\])(0x[0-9A-Fa-f_]+|\d[\d_]*|true|false)(?![\w.\"])", code):
            literal = match[1]
            after = {"true": "false", "false": "true"}.get(literal) or str(int(literal.replace("_", ""), 0) + 1)
            found.append(Mutant(path, number, match.start(), len(literal), "constant", literal, after))
        if match := re.match(r"(.*?\b)(if|guard) (?!#)(.*)$", code):
            start = len(match[1])
            if match[2] == "if":
                found.append(Mutant(path, number, start, 3, "check", "if", "if false,"))
            elif one := re.match(r"guard ((?!let |var |case )[^{]*?) else \{", line[start:]):
                if "," not in re.sub(r"\([^()]*\)", "", one[1]):
                    found.append(Mutant(path, number, start, len("guard " + one[1]), "check", "guard " + one[1], "guard true"))
    return found


def changed(mutants):
    """The mutants' code for one file's lines, by line: written from the right, so that columns stay true."""
    for number, mutant in sorted(mutants, key=lambda pair: (pair[1].line, pair[1].column), reverse=True):
        text = mutant.before
        if mutant.kind == "operator":
            text = mutant.before + MARKS[number]
        elif mutant.kind == "constant":
            text = f"mutated({number}, {mutant.before}, {mutant.after})"
        elif mutant.before == "if":
            text = f"if !isMutant({number}), "
        else:
            text = f"guard isMutant({number}) || ({mutant.before.removeprefix('guard ')})"
        yield mutant, text


def support(mutants):
    """What the changed sources call: the switch, and an operator for each changed comparison."""
    lines = [
        "#if canImport(Glibc)", "import Glibc", "#endif",
        'private let chosen = getenv("TSUBAME_MUTANT").flatMap { Int32(String(cString: $0)) } ?? -1',
        "package func isMutant(_ number: Int32) -> Bool { chosen == number }",
        "package func mutated<Value>(_ number: Int32, _ before: Value, _ after: Value) -> Value {",
        "    chosen == number ? after : before", "}",
    ]
    for number, mutant in mutants:
        if mutant.kind != "operator":
            continue
        name, a, b = mutant.before + MARKS[number], mutant.before, mutant.after
        chosen = f"chosen == {number} ?"
        if a in ("&&", "||"):
            precedence = "LogicalConjunctionPrecedence" if a == "&&" else "LogicalDisjunctionPrecedence"
            lines += [
                f"infix operator {name}: {precedence}",
                f"package func {name} (left: Bool, right: @autoclosure () throws -> Bool) rethrows -> Bool {{",
                f"    try {chosen} (left {b} right()) : (left {a} right())", "}",
            ]
            continue
        trait = "Equatable" if a in ("==", "!=") else "Comparable"
        lines += [
            f"infix operator {name}: ComparisonPrecedence",
            f"package func {name} <Value: {trait}>(left: Value, right: Value) -> Bool {{",
            f"    {chosen} left {b} right : left {a} right", "}",
        ]
        if trait == "Equatable":
            lines += [
                f"package func {name} <Value>(left: Value?, right: _OptionalNilComparisonType) -> Bool {{",
                f"    {chosen} left {b} nil : left {a} nil", "}",
                f"package func {name} (left: String, right: Substring) -> Bool {{ {chosen} left {b} right : left {a} right }}",
                f"package func {name} (left: Substring, right: String) -> Bool {{ {chosen} left {b} right : left {a} right }}",
            ]
    return "\n".join(lines) + "\n"


def write_sources(mutants):
    by_path = collections.defaultdict(list)
    for number, mutant in mutants:
        by_path[mutant.path].append((number, mutant))
    for area in AREAS:
        for source in (ROOT / "Sources" / area).glob("*.swift"):
            path = str(source.relative_to(ROOT / "Sources"))
            lines = source.read_text().splitlines()
            for mutant, text in changed(by_path.get(path, [])):
                line = lines[mutant.line]
                lines[mutant.line] = line[:mutant.column] + text + line[mutant.column + mutant.length:]
            if path in by_path:
                # On the first line, so that line numbers stay true.
                lines[0] = "import TsubamePlatform; " + ("" if lines[0].startswith("//") else lines[0])
            write(COPY / "Sources" / path, "\n".join(lines) + "\n")
    write(COPY / "Sources/TsubamePlatform/System/Mutants.swift", support(mutants))


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def environment(**more):
    return {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "6", **more}


def build(mutants):
    """Builds until everything compiles; answers with the mutants that are left."""
    while True:
        write_sources(mutants)
        run = subprocess.run(
            ["swift", "build", "--enable-all-traits", "--build-tests"], cwd=COPY, env=environment(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode == 0:
            return mutants
        wrong = {
            (path, int(line) - 1)
            for path, line in re.findall(r"Sources/(\S+?\.swift):(\d+):\d+: error:", run.stdout)}
        left = [pair for pair in mutants if (pair[1].path, pair[1].line) not in wrong]
        if len(left) == len(mutants):
            sys.exit(run.stdout[-4000:])
        print(f"{len(mutants) - len(left)} mutants do not compile", file=sys.stderr, flush=True)
        mutants = left


def run_tests(tests, number):
    """The names of the failed tests, or what else happened; empty if all passed."""
    process = subprocess.Popen(
        ["swift", "test", "--enable-all-traits", "--skip-build", "--disable-xctest", "--parallel", "--filter", tests],
        cwd=COPY, env=environment(TSUBAME_MUTANT=str(number)), text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return {"does not end"}
    failed = set(re.findall(r"^. Test (?!run )(.+?) (?:with \d+ test cases? )?failed after", output, re.M))
    if process.returncode == 0:
        return failed
    return failed or {"crashes"}


def failures(tests, by_chance, number):
    """The names of the tests that fail with this mutant; those that chance can make fail must fail twice."""
    failed = run_tests(tests, number)
    return failed & run_tests(tests, number) if failed and by_chance else failed


def judge(number, mutant):
    first = [(tests, True) for area, tests in FIRST.items() if mutant.path.startswith(area)]
    for tests, by_chance in first + ROUNDS:
        if failed := failures(tests, by_chance, number):
            return tests.split("|")[0], sorted(failed)
    return None, []


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--count", type=int, default=320)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--numbers", default="")
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()

    found = [
        mutant for area in AREAS for source in sorted((ROOT / "Sources" / area).glob("*.swift"))
        for mutant in places(str(source.relative_to(ROOT / "Sources"))) if options.only in mutant.path]
    random.Random(options.seed).shuffle(found)
    mutants = sorted(enumerate(found[:min(options.count, len(MARKS))]), key=lambda pair: pair[1])
    if options.list:
        for number, mutant in mutants:
            print(number, f"{mutant.path}:{mutant.line + 1}:{mutant.column + 1}", mutant.before, "→", mutant.after)
        print(f"{len(found)} places")
        return 0

    COPY.parent.mkdir(exist_ok=True)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in files:
        if not name:
            continue
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, target)
    mutants = build(mutants)
    for tests, by_chance in ROUNDS:
        if failed := failures(tests, by_chance, -1):
            sys.exit(f"without a mutant {tests} fails: {failed}")

    # What a run has found is kept, so that a run can be continued.
    log = COPY.parent / f"results-{options.seed}-{options.count}.json"
    results = json.loads(log.read_text()) if log.exists() else {}
    numbers = {int(number) for number in options.numbers.split(",") if number}
    for number, mutant in mutants:
        key = f"{mutant.path}:{mutant.line + 1}:{mutant.column + 1} {mutant.before} → {mutant.after}"
        if (numbers and number not in numbers) or (key in results and not numbers):
            continue
        begin = time.monotonic()
        where, failed = judge(number, mutant)
        results[key] = where
        log.write_text(json.dumps(results, indent=1, ensure_ascii=False))
        print(f"{number} {key}: {where or 'NOT NOTICED'} {failed[:2]} {time.monotonic() - begin:.0f} s", flush=True)

    survivors = [key for key, where in results.items() if where is None]
    by_round = collections.Counter(where for where in results.values() if where)
    print(f"\n{len(results)} mutants, {len(results) - len(survivors)} noticed "
          f"({100 * (len(results) - len(survivors)) / len(results):.1f} %): {dict(by_round)}")
    print(*survivors, sep="\n")
    return 0 if len(survivors) * 20 <= len(results) else 1


sys.exit(main())
