#!/usr/bin/env python3
"""Writes the tables of UTS 46 and of Normalization Form C of TsubameCore.

    make-idna-tables.py           writes Sources/TsubameCore/URI/IDNA/IDNATableData.swift
    make-idna-tables.py --check   exits with 1 if that file is not what this script would write

The statuses and mappings of UTS 46 and the joining types are taken from PyPI's `idna`, everything else from PyPI's
`unicodedata2`; both must be of the same version of Unicode:

    pip install idna==3.20 unicodedata2==18.0.0

Every table is a text of numbers. A number is a row of characters from `0` to `o`, six bits each: five of the number,
the least significant ones first, and 32 if another character follows.
"""
import pathlib
import sys

import idna.idnadata
import idna.uts46data
import unicodedata2 as unicodedata

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/TsubameCore/URI/IDNA/IDNATableData.swift"
WIDTH = 116
CODE_POINTS = 0x110000
HANGUL = range(0xAC00, 0xD7A4)

BIDI_CLASSES = ["L", "R", "AL", "EN", "ES", "CS", "ET", "AN", "ON", "BN", "NSM", "other"]
JOINING_TYPES = ["U", "L", "R", "D", "T"]
DISALLOWED, IGNORED, SHIFTED, ALTERNATING, LISTED = range(1, 6)


def number(value):
    assert value >= 0
    text = ""
    while True:
        digit, value = value & 31, value >> 5
        text += chr(0x30 + digit + (32 if value else 0))
        if not value:
            return text


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def composed(text):
    return unicodedata.normalize("NFC", text)


def statuses():
    """The status of each code point, and what those that are mapped become."""
    data = idna.uts46data
    status, mapping = [None] * CODE_POINTS, {}
    ends = list(data.uts46_starts[1:]) + [CODE_POINTS]
    for start, end, letter, text in zip(data.uts46_starts, ends, data.uts46_statuses, data.uts46_replacements):
        for code in range(start, end):
            status[code] = {"V": "valid", "D": "valid", "M": "mapped", "I": "ignored", "X": "disallowed"}[chr(letter)]
            if status[code] == "mapped":
                # What NFC does anyway needs no entry; by itself such a character is in no form of a label.
                if composed(chr(code)) == composed(text):
                    status[code] = "valid"
                else:
                    mapping[code] = text
    return status, mapping


STATUS, MAPPING = statuses()


def shift(code):
    text = MAPPING.get(code)
    return ord(text) - code if text is not None and len(text) == 1 else None


def status_runs():
    """Gap, length, kind and what belongs to the kind, for each run of code points that are not simply valid."""
    result, code, end = [], 0, 0
    lists = []

    def put(start, count, kind, extra=""):
        nonlocal end
        result.append(number(start - end) + number(count * 5 + kind - 1) + extra)
        end = start + count

    def flush():
        if lists:
            extra, previous = "", lists[0][0]
            for code, text in lists:
                extra += number(len(text))
                for character in text:
                    extra += signed(ord(character) - previous)
                    previous = ord(character)
            put(lists[0][0], len(lists), LISTED, extra)
            lists.clear()

    while code < CODE_POINTS:
        status, stop = STATUS[code], code + 1
        if status == "mapped":
            alternating = code
            while shift(alternating) == 1 and STATUS[alternating + 1] == "valid":
                alternating += 2
            while shift(code) is not None and shift(stop) == shift(code):
                stop += 1
            if alternating - code > 2:
                flush()
                put(code, alternating - code, ALTERNATING)
                code = alternating
            elif stop - code > 2:
                flush()
                put(code, stop - code, SHIFTED, signed(shift(code)))
                code = stop
            else:
                if lists and lists[-1][0] != code - 1:
                    flush()
                lists.append((code, MAPPING[code]))
                code += 1
            continue
        flush()
        while stop < CODE_POINTS and STATUS[stop] == status:
            stop += 1
        if status != "valid":
            put(code, stop - code, DISALLOWED if status == "disallowed" else IGNORED)
        code = stop
    return "".join(result)


def runs(value, base):
    """Gap, length and value for each run of code points whose value is not 0.

    Where a code point can be in no label `value` is None, and whatever suits the run is taken.
    """
    result, end = [], 0
    start = last = current = None
    for code in range(CODE_POINTS):
        new = value(code)
        if new is None:
            continue
        if current and new == current:
            last = code
            continue
        if current:
            result.append(number(start - end) + number((last + 1 - start) * base + current))
            end = last + 1
        start = last = code
        current = new
    if current:
        result.append(number(start - end) + number((last + 1 - start) * base + current))
    return "".join(result)


def bidi(code):
    if STATUS[code] != "valid":
        return None
    name = unicodedata.bidirectional(chr(code))
    return BIDI_CLASSES.index(name if name in BIDI_CLASSES else "other")


def joining():
    types = {}
    for letter, ranges in idna.idnadata.joining_types.items():
        for packed in ranges if isinstance(ranges, (list, tuple)) else []:
            for code in range(packed >> 32, packed & 0xFFFFFFFF):
                types[code] = letter
    return types


def is_mark(code):
    return None if STATUS[code] != "valid" else int(unicodedata.category(chr(code))[0] == "M")


def decompositions():
    """Gap, first and second for each canonical decomposition; 0 as the second for one character alone."""
    result, end, previous = [], 0, 0
    for code in range(CODE_POINTS):
        text = unicodedata.decomposition(chr(code))
        if not text or text.startswith("<") or code in HANGUL:
            continue
        parts = [int(part, 16) for part in text.split()]
        assert len(parts) in (1, 2)
        is_composed = len(parts) == 2 and composed(chr(code)) == chr(code)
        # The kind: one character, two that are composed again, two that stay apart.
        kind = 0 if len(parts) == 1 else 1 if is_composed else 2
        result.append(number((code - end) * 3 + kind) + signed(parts[0] - previous))
        if kind:
            result.append(signed(parts[1] - 0x300))
        end, previous = code + 1, parts[0]
    return "".join(result)


def literal(name, comment, text):
    lines = ["    /// %s" % line for line in comment]
    lines.append('    static let %s: StaticString = #"""' % name)
    lines += ["        " + text[at:at + WIDTH] for at in range(0, len(text), WIDTH)]
    return lines + ['        """#', ""]


def source():
    version = idna.uts46data.__version__
    assert version == idna.idnadata.__version__ == unicodedata.unidata_version
    types = joining()
    lines = [
        "// UTS 46 and Normalization Form C of Unicode %s; written by Scripts/tables/make-idna-tables.py." % version,
        "// swift-format-ignore-file",
        "",
        "/// Texts of numbers: a number is a row of characters from `0` to `o`, six bits each, five of the number, the least",
        "/// significant ones first, and 32 if another character follows.",
        "enum IDNATableData {",
    ]
    lines += literal(
        "statuses",
        ["For each run of code points that are not valid as they are: the gap to the run before, length times 5 plus kind.",
         "Kinds: 0 disallowed, 1 ignored, 2 mapped to what is a signed distance away (the number that follows), 3 every",
         "other one mapped to the next, 4 mapped as listed: for each the number of scalars, and each one's signed distance",
         "from the scalar before (first: from the run's start)."],
        status_runs())
    lines += literal(
        "bidiClasses",
        ["For each run of a class other than L: gap, length times %d plus class." % len(BIDI_CLASSES),
         "Classes from 1: %s." % " ".join(BIDI_CLASSES[1:])],
        runs(bidi, len(BIDI_CLASSES)))
    lines += literal(
        "joiningTypes",
        ["For each run that joins: gap, length times %d plus type. Types from 1: %s."
         % (len(JOINING_TYPES), " ".join(JOINING_TYPES[1:]))],
        runs(lambda code: None if STATUS[code] != "valid" else
                 JOINING_TYPES.index(types.get(code, "U").replace("C", "U")), len(JOINING_TYPES)))
    lines += literal(
        "marks", ["For each run of general category Mark: gap, length times 2 plus 1."], runs(is_mark, 2))
    lines += literal(
        "combiningClasses", ["For each run of a canonical combining class: gap, length times 256 plus class."],
        runs(lambda code: unicodedata.combining(chr(code)), 256))
    lines += literal(
        "decompositions",
        ["For each canonical decomposition but those of Hangul: gap times 3 plus kind, the first scalar's signed distance",
         "from the first one before; unless the kind is 0, the second's from U+0300. Kinds: 0 one scalar, 1 two that are",
         "composed again, 2 two that stay apart."],
        decompositions())
    return "\n".join(lines[:-1] + ["}"]) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if OUTPUT.read_text(encoding="utf-8") != source():
            sys.exit("%s is out of date: run Scripts/tables/make-idna-tables.py" % OUTPUT.name)
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        OUTPUT.write_text(source(), encoding="utf-8")


if __name__ == "__main__":
    main()
