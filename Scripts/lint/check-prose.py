#!/usr/bin/env python3
"""Counts what is hard to read in Markdown and in Swift comments, and fails if there is more of it than committed.

    check-prose.py            compares the counts with Scripts/lint/prose-counts.txt
    check-prose.py --list [P] prints each finding, or those of the files under P
    check-prose.py --write    lowers the committed counts; it never raises one

Three kinds are counted: sentences of more than 30 words (25 is the aim), pronouns (whoever, whatever, nobody, somebody), and
statements that begin with "What", "Whoever", "Whose" or "Whom". Code, tables,
quotations and questions are not read. A comment or paragraph that holds `lint:allow REASON` is exempt.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COUNTS = ROOT / "Scripts/lint/prose-counts.txt"
LONGEST = 30
PRONOUNS = re.compile(r"\b(whoever|whatever|nobody|somebody|whomever)\b", re.I)
# The beginnings of items, with the words of DocC and of parameters before their texts.
ITEM = {
    ".swift": re.compile(r"^(- (Parameters?|Returns|Throws|Note|Important)( \w+)?:?\s*|- \w+:\s+|- |\d+\. |(?=MARK:|#))"),
    ".md": re.compile(r"^([-*] |\d+\. )"),
}
KINDS = ("long", "pronoun", "what")


def paragraphs(contents, item):
    """Joins neighbouring lines. Yields each paragraph with the line on which it begins.

    contents: the text of each line, empty where a paragraph ends. item: what begins a paragraph, and is cut off it.
    """
    paragraph, first = [], 0
    for number, content in enumerate([*contents, ""], 1):
        if (not content or item.match(content)) and paragraph:
            yield first, " ".join(paragraph)
            paragraph = []
        if content:
            first = first if paragraph else number
            paragraph.append(item.sub("", content))


def swift_comments(text):
    """The text of each line's comment; nothing for code, string literals and samples."""
    fenced = in_string = False
    for line in text.split("\n"):
        if line.count('"""') % 2:
            in_string = not in_string
        found = None if in_string else re.match(r"\s*(///?)(?!/)\s?(.*)", line)
        content = found[2].strip() if found else ""
        fence = content.startswith("```")
        fenced = bool(found) and fenced != fence
        yield "" if fence or fenced else content


def markdown_text(text):
    """The text of each line; nothing for code, tables, quotations and headings."""
    fenced = False
    for line in text.split("\n"):
        content = line.strip()
        fence = content.startswith("```")
        fenced = fenced != fence
        yield "" if fence or fenced or content.startswith(("|", ">", "#", "<", "@")) else content


def sentences(paragraph):
    # A code span is one word, and what stands in quotation marks is another's.
    text = re.sub(r"`+[^`]*`+", "CODE", paragraph)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"“[^”]*”|\"[^\"]*\"", "QUOTE", text)
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|Nr|No|cf)\.", r"\1", text)
    return [part.strip() for part in re.split(r"(?<=[.!?])[)\"”*]*\s+(?=[A-Z“\"(`*])", text) if part.strip()]


def findings(path):
    text = path.read_text()
    contents = swift_comments(text) if path.suffix == ".swift" else markdown_text(text)
    for line, paragraph in paragraphs(contents, ITEM[path.suffix]):
        if "lint:allow" in paragraph or paragraph.startswith("swift-format"):
            continue
        for sentence in sentences(paragraph):
            words = re.findall(r"[\w’'-]+", sentence)
            if len(words) > LONGEST:
                yield "long", line, f"{len(words)} words: {sentence}"
            for word in PRONOUNS.findall(sentence):
                yield "pronoun", line, f"{word}: {sentence}"
            if re.match(r"(\w+: )?(What|Whoever|Whatever|Whose|Whom)\b", sentence) and not sentence.endswith("?"):
                yield "what", line, sentence


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.swift", "*.md"], cwd=ROOT, capture_output=True, text=True,
        check=True)
    for name in sorted(listed.stdout.split("\n")):
        path = ROOT / name
        if name and path.is_file() and not name.endswith("TableData.swift") and name != "Tests/RFC9111.md":
            yield name, path


def main():
    arguments = sys.argv[1:]
    under = arguments[1] if arguments[:1] == ["--list"] and len(arguments) > 1 else ""
    counts = dict.fromkeys(KINDS, 0)
    for name, path in files():
        if not name.startswith(under):
            continue
        for kind, line, what in findings(path):
            counts[kind] += 1
            if arguments[:1] == ["--list"]:
                print(f"{name}:{line}: {kind}: {what}")
    if arguments[:1] == ["--list"]:
        return print(counts, file=sys.stderr)
    committed = dict(
        (line.split()[0], int(line.split()[1])) for line in COUNTS.read_text().splitlines()
        if line and not line.startswith("#")) if COUNTS.exists() else counts
    higher = [kind for kind in KINDS if counts[kind] > committed[kind]]
    lower = [kind for kind in KINDS if counts[kind] < committed[kind]]
    for kind in higher:
        print(f"prose: {kind} {counts[kind]}, committed {committed[kind]}: see {sys.argv[0]} --list", file=sys.stderr)
    if arguments == ["--write"] and not higher:
        COUNTS.write_text(
            "# What Scripts/lint/check-prose.py counts. The numbers only go down.\n"
            + "".join(f"{kind} {counts[kind]}\n" for kind in KINDS))
    elif lower:
        print(f"prose: fewer {', '.join(lower)} than committed: run {sys.argv[0]} --write", file=sys.stderr)
    sys.exit(1 if higher or (lower and arguments != ["--write"]) else 0)


main()
