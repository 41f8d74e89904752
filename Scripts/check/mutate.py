#!/usr/bin/env python3
"""Breaks one line at a time (a comparison, a constant, a guard) and asks whether the tests notice.

All chosen mutants are compiled into one build of a copy of the sources, in .build-mutate. TSUBAME_MUTANT chooses, when a
test process starts, which one of them is on. A mutant that does not compile is dropped, and the others are built again.
A mutant is noticed if a test fails, a process crashes, or the tests do not end. The tests of values judge all mutants
first; the tests with sockets then judge those that are left. What only the tests with sockets notice must fail twice, so
that no chance failure counts. A run ends with its first failure.

equal-mutants.txt lists mutants that change nothing that a test could see, with the reason. They are not judged.

The sample depends on each mutant alone, so a change of a line replaces only its own mutants. What an earlier run has found
is kept for files that are still the same; after a change of the tests, mutants that were not noticed are judged again.

mutate.py [--count 400] [--seed 1] [--jobs 2] [--values] [--only PATTERN-OF-PATH] [--list] [--numbers 3,17]
"""
import argparse, collections, concurrent.futures, hashlib, json, os, pathlib, re, shutil, signal, subprocess, sys, threading, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-mutate" / "source"
AREAS = [
    "TsubameWire/HTTP1", "TsubameWire/HPACK", "TsubameWire/HTTP2", "TsubameWire/Codings", "TsubameWire/Caching",
    "TsubameWire/Cookies", "Tsubame/Retry", "Tsubame/Redirects", "TsubameEngine/Pool",
    "TsubameEngine/Exchange/RequestSender.swift", "TsubameEngine/Exchange/BodySender.swift",
    "TsubameEngine/Exchange/Exchange+Sending.swift", "TsubameSockets/Loop", "TsubameSockets/Poller", "TsubameSockets/Socket",
]
# Which tests run, in order. Chance can make one of those with sockets fail.
VALUES = ["TsubameWireTests", "FuzzTests"]
# The areas of which these tests know something.
VALUED = "TsubameWire/"
SOCKETS = ["TsubameTests", "HostileRe|HostileHTTP2|Interruption"]
# The tests of values that are most likely to notice a mutant of an area. They are run before all others. Those of the sockets
# use some, and take a few seconds.
NEAREST = {
    "TsubameWire/Caching": "TsubameWireTests.*Cache", "TsubameWire/Cookies": "TsubameWireTests.*Cookie",
    "TsubameWire/HTTP2": "TsubameWireTests.*Session", "TsubameWire/HPACK": "TsubameWireTests.*(HPACK|Huffman)",
    "TsubameWire/HTTP1": "TsubameWireTests.*(ByteScan|Request|Response)",
    "TsubameWire/Codings": "TsubameWireTests.*(Coding|Decoder)",
    "TsubameEngine/Pool": "TsubameTests.*(ConnectionPool|SlotTable|WarmedOrigins)Tests", "TsubameSockets": "TsubameSocketsTests",
    "TsubameEngine/Exchange": "TsubameTests.*(RequestSender|Expect)Tests",
}
# The tests with sockets that judge the engine and its sockets. They ask for no time that other work of the machine could make
# them miss.
ENGINE = "TsubameTests.*(" + "|".join("""
    AddressFamily AddressRace BackPressure Blocking BodyMisuse CallerLoop CallerLoopLife Cancellation ConnectStep ConnectionPool
    Deadline Descriptor EventOrder Expect Guard HTTP2Exchange HTTP2Flow HTTP2Replay HTTP2Sharing HappyEyeballs HeldLoop
    Informational Interface Lending LoopExecutor PoolLimit Proxy Replay RequestSender RequestTrailer Reuse Settlement
    SocketChannel TargetForm UnixSocket Upload UploadProgress WarmUp
""".split()) + ")Tests"
# The tests with sockets that are most likely to notice a mutant of an area.
LIKELY = {
    "Tsubame/Retry": "Retr|Budget|Idempoten", "Tsubame/Redirects": "Redirect|CrossOrigin",
    "TsubameWire/Caching": "Cach|Validat", "TsubameWire/Cookies": "Cookie", "TsubameWire/HTTP2": "HTTP2|Session",
    "TsubameWire/HTTP1": "Hostile|Framing|Body", "TsubameWire/Codings": "Coding|Decod",
}
# They take long and ask nothing of the areas: charsets. Or they ask only for how long something takes.
SKIPPED = "Charset|aFloodOfLinesEnds"
# The longest times that the tests of values and those with sockets take, and more.
SECONDS = {False: 120, True: 300}
EQUAL = pathlib.Path(__file__).with_name("equal-mutants.txt")
INVERSE = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}
# Characters that may stand in an operator's name; each mutant has one of its own.
MARKS = [chr(c) for c in (*range(0x2500, 0x2776), *range(0x2190, 0x2400))]

# `code` is the text of the line. If it stands in the file more than once, a number tells which line is meant.
Mutant = collections.namedtuple("Mutant", "path line column length kind before after code")


def code_of(line):
    """The line with the text of strings and comments blanked, so that only code can be found in it."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'#?"(?:\\.|[^"\\])*"#?', blank, line)
    return re.sub(r"//.*", blank, line)


def sources_of(area):
    """The files of a folder, or a single file."""
    place = ROOT / "Sources" / area
    return [place] if place.is_file() else sorted(place.glob("*.swift"))


def places(path):
    found, inside_text, seen, elsewhere = [], False, collections.Counter(), 0
    for number, line in enumerate((ROOT / "Sources" / path).read_text().splitlines()):
        text = line.lstrip()
        seen[text] += 1
        text += f" [{seen[text]}]" if seen[text] > 1 else ""
        if line.count('"""') % 2:
            inside_text = not inside_text
            continue
        # Only another system compiles these lines.
        if elsewhere:
            elsewhere += text.startswith("#if") - text.startswith("#endif")
            if elsewhere == 1 and text.startswith("#else"):
                elsewhere = 0
            continue
        if text.startswith("#if canImport(Darwin)"):
            elsewhere = 1
            continue
        code = code_of(line)
        # No statement of ours: a declaration of types, a line of a table, an attribute, a pattern.
        # `while false` does not compile where the loop is the last statement of a function.
        if inside_text or re.match(r"\s*(import|public import|@|#|case |extension |protocol |struct )", code) or \
                "while true" in code or \
                " where " in code or len(re.findall(r"\b(?:0x)?\d", code)) > 3:
            continue
        for match in re.finditer(r"(?<= )(==|!=|<=|>=|<|>|&&|\|\|)(?= )", code):
            found.append(Mutant(path, number, match.start(), len(match[1]), "operator", match[1], INVERSE[match[1]], text))
        for match in re.finditer(r"(?<![\w.$@\"\\])(0x[0-9A-Fa-f_]+|\d[\d_]*|true|false)(?![\w.\"])", code):
            literal = match[1]
            after = {"true": "false", "false": "true"}.get(literal) or str(int(literal.replace("_", ""), 0) + 1)
            found.append(Mutant(path, number, match.start(), len(literal), "constant", literal, after, text))
        if match := re.match(r"(.*?\b)(if|guard) (?!#)(.*)$", code):
            start = len(match[1])
            if match[2] == "if":
                found.append(Mutant(path, number, start, 3, "check", "if", "if false,", text))
            elif one := re.match(r"guard ((?!let |var |case )[^{]*?) else \{", line[start:]):
                if "," not in re.sub(r"\([^()]*\)", "", one[1]):
                    found.append(Mutant(
                        path, number, start, len("guard " + one[1]), "check", "guard " + one[1], "guard true", text))
    return found


def equal_mutants():
    """Path, line of code, column in it and change of each listed mutant. `*` instead of the line stands for all of a file."""
    return {
        tuple(line.split("\t")[:4]) for line in EQUAL.read_text().splitlines() if line and not line.startswith("#")}


def identity(mutant):
    """The mutant as equal-mutants.txt names it."""
    line = (ROOT / "Sources" / mutant.path).read_text().splitlines()[mutant.line]
    column = mutant.column - len(line) + len(line.lstrip()) + 1
    return mutant.path, mutant.code, str(column), f"{mutant.before} → {mutant.after}"


def is_equal(mutant, equal):
    return identity(mutant) in equal or (mutant.path, "*", "*", "*") in equal


def digest(*texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def state_of_the_tests():
    return digest(*(source.read_text() for source in sorted((ROOT / "Tests").rglob("*.swift"))))


def kept_results(log):
    """What an earlier run has found, as far as it is still true. `None`: not noticed by any test."""
    old = json.loads(log.read_text()) if log.exists() else {}
    same = {path for path, state in old.get("files", {}).items()
            if (ROOT / "Sources" / path).exists() and digest((ROOT / "Sources" / path).read_text()) == state}
    return {key: where for key, where in old.get("results", {}).items()
            if key.split(":")[0] in same
            and (where not in (None, "by sockets") or old["tests"] == state_of_the_tests())}


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
        for source in sources_of(area):
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
    return {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
            "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "6", **more}


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


def run_tests(tests, number, seconds):
    """What the tests say of a mutant: the first test that fails, or what else happened; None if all pass."""
    process = subprocess.Popen(
        [COPY / ".build/debug/TsubamePackageTests.xctest", "--testing-library", "swift-testing", "--filter", tests,
         "--skip", SKIPPED],
        cwd=COPY, env=environment(TSUBAME_MUTANT=str(number)), text=True, errors="replace", stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    failed = None
    for line in process.stdout:
        line = re.sub("\x1b\\[[0-9;]*m", "", line)
        if failed is None and (match := re.match(r"\W*Test (.+?) recorded an issue", line)):
            failed = match[1]
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    timer.cancel()
    if late.is_set():
        return "does not end"
    if process.returncode == 69 and failed is None:
        print(f"no test matches {tests}", file=sys.stderr, flush=True)
        os._exit(2)
    return failed or ("crashes" if process.returncode != 0 else None)


def rounds_by_sockets(mutant):
    """The tests with sockets that judge a mutant, in order."""
    if mutant.path.startswith(("TsubameEngine/", "TsubameSockets/")):
        return [ENGINE]
    return [tests for area, tests in LIKELY.items() if mutant.path.startswith(area)] + SOCKETS


def judge(number, rounds, by_chance):
    """The tests that notice a mutant, and what they say; those that chance can make fail must fail twice."""
    for tests in rounds:
        run = lambda: run_tests(tests, number, SECONDS[by_chance])
        if (failed := run()) and (not by_chance or run()):
            return tests.split("|")[0], failed
    return None, None


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--count", type=int, default=400)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("--values", action="store_true")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--numbers", default="")
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()

    found = [
        mutant for area in AREAS for source in sources_of(area)
        for mutant in places(str(source.relative_to(ROOT / "Sources"))) if re.search(options.only, mutant.path)]
    found.sort(key=lambda mutant: digest(str(options.seed), *identity(mutant)))
    equal = equal_mutants()
    chosen = found[:min(options.count, len(MARKS))]
    mutants = sorted(
        ((number, mutant) for number, mutant in enumerate(chosen) if not is_equal(mutant, equal)),
        key=lambda pair: pair[1])
    print(f"{len(chosen) - len(mutants)} of {len(chosen)} mutants are equal", file=sys.stderr)
    if options.list:
        for number, mutant in mutants:
            print(number, f"{mutant.path}:{mutant.line + 1}:{mutant.column + 1}", mutant.before, "→", mutant.after)
        print(f"{len(found)} places")
        return 0

    COPY.parent.mkdir(exist_ok=True)
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for old in (COPY / folder for folder in ("Sources", "Tests")):
        for source in old.rglob("*.swift"):
            if str(source.relative_to(COPY)) not in files and source.name != "Mutants.swift":
                source.unlink()
    for name in filter(None, files):
        target = COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
            shutil.copy(ROOT / name, target)
    mutants = build(mutants)
    by_sockets = {tests for _, mutant in mutants for tests in rounds_by_sockets(mutant)}
    nearest = {True: [], False: []}
    for area, tests in NEAREST.items():
        nearest[not area.startswith(VALUED)].append(tests)
    for rounds, by_chance in (
        (VALUES + nearest[False], False), (nearest[True], True), ([] if options.values else by_sockets, True)
    ):
        if all(judge(-1, rounds, by_chance)):
            sys.exit(f"without a mutant {judge(-1, rounds, by_chance)} fails")

    log = COPY.parent / f"results-{options.seed}.json"
    results = kept_results(log)
    files = json.loads(log.read_text())["files"] if log.exists() else {}
    about = {"tests": state_of_the_tests(), "files": files | {
        mutant.path: digest((ROOT / "Sources" / mutant.path).read_text()) for mutant in found}}
    lock = threading.Lock()
    numbers = {int(number) for number in options.numbers.split(",") if number}

    def key_of(mutant):
        return f"{mutant.path}:{mutant.line + 1}:{mutant.column + 1} {mutant.before} → {mutant.after}"

    def judge_one(number, mutant, sockets):
        key = key_of(mutant)
        seen = results.get(key, "new")
        if not numbers and seen not in ("new", "by sockets") or numbers and number not in numbers:
            return
        if not numbers and not sockets and seen == "by sockets":
            return
        begin = time.monotonic()
        if sockets:
            where, failed = judge(number, rounds_by_sockets(mutant), True)
        else:
            # No test of values uses the module `Tsubame`.
            nearest = [tests for area, tests in NEAREST.items() if mutant.path.startswith(area)]
            rounds = nearest + (VALUES if mutant.path.startswith(VALUED) else [])
            where, failed = judge(number, rounds, not mutant.path.startswith(VALUED)) if nearest else (None, None)
        with lock:
            results[key] = where or (None if sockets else "by sockets")
            log.write_text(json.dumps({**about, "results": results}, indent=1, ensure_ascii=False))
            print(f"{number} {key}: {where or 'not noticed'} {failed or ''} {time.monotonic() - begin:.0f} s", flush=True)

    for sockets in (False,) if options.values else (False, True):
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda pair: judge_one(*pair, sockets), mutants))

    # An earlier state of the sources had other mutants.
    results = {key: results[key] for key in (key_of(mutant) for _, mutant in mutants) if key in results}
    waiting = [key for key, where in results.items() if where == "by sockets"]
    if waiting:
        print(*waiting, f"{len(waiting)} of {len(results)} mutants wait for the tests with sockets", sep="\n")
        return 0
    survivors = [key for key, where in results.items() if where is None]
    by_round = collections.Counter(where.split(".")[0] for where in results.values() if where)
    print(f"\n{len(results)} mutants, {len(results) - len(survivors)} noticed "
          f"({100 * (len(results) - len(survivors)) / len(results):.1f} %): {dict(by_round)}")
    print(*survivors, sep="\n")
    return 0 if len(survivors) * 20 <= len(results) else 1


sys.exit(main())
