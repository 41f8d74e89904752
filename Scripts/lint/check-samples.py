#!/usr/bin/env python3
"""Every Swift sample of README.md and of the articles stands, line by line, in a file that the tests compile and run.

README.md's are in ReadmeSamples.swift, those of Article.md in DocumentationSamples+Article.swift. The first pages of modules
have a folder of their own. The lines of a block
stand there in the same order; indentation and alignment do not count. In articles the blocks marked `text` are what is
printed, and are looked for, too. Imports, comments that stand alone, the manifest's lines and the one line that needs
the internet are not. Samples in doc comments are not checked.
"""
import pathlib, re, sys

root = pathlib.Path(__file__).resolve().parents[2]
tests = root / "Tests/EndToEnd/Samples"
articles = sorted(root.glob("Sources/*/*.docc/**/*.md"))
unchecked = ("import ", "//", ".package(", ".product(")
# The tests make their client from a server on loopback.
replaced = {'let api = Client("https://httpbin.org") { $0.timeouts.total = .seconds(20) }'}


def plain(line):
    return re.sub(r"\s+", " ", line).strip()


def spellings(line):
    """How a document may write a test's line: types are private there, and its server and connection have made-up names."""
    line = re.sub(r"^((?:@\w+ )*)private ", r"\1", plain(line))
    other = re.sub(r'\bserver\.url \+ "', '"https://api.example.com', line)
    other = other.replace("Client(server.url", 'Client("https://api.example.com"')
    other = other.replace(r"\(server.url)", "https://api.example.com").replace(r"\(address)", "192.0.2.7:443")
    return {line, other}


def missing(block, lines):
    """The first line of a block that does not stand behind those before it."""
    rest = iter(lines)
    return next((line for line in block if not any(line in found for found in rest)), None)


def blocks(text, kinds):
    for kind, block in re.findall(rf"^```({kinds})\n(.*?)^```", text, re.S | re.M):
        lines = [plain(line) for line in block.splitlines()]
        if kind == "swift":
            lines = [line for line in lines if not line.startswith(unchecked) and "https://httpbin.org/html" not in line]
        yield [line for line in lines if line and line not in replaced]


def check(document, samples, kinds):
    name = document.relative_to(root)
    wanted = list(blocks(document.read_text(), kinds))
    if not any(wanted):
        return []
    if not samples.exists():
        return [f"{name} has samples, and there is no {samples.relative_to(root)}"]
    lines = [spellings(line) for line in samples.read_text().splitlines()]
    faults = [missing(block, lines) for block in wanted]
    return [f"{name}: {samples.name} does not have this line, or not in its place: {line}" for line in faults if line]


problems = check(root / "README.md", tests / "ReadmeSamples.swift", "swift")
for article in articles:
    room = tests / ("Articles" if article.parent.name == "Articles" else "Modules")
    problems += check(article, room / f"DocumentationSamples+{article.stem}.swift", "swift|text")
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems else 0)
