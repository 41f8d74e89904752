#!/usr/bin/env python3
"""Writes the JIS X 0208 and JIS X 0212 tables of TsubameWire from Python's codecs.

    make-charset-tables.py           writes Sources/TsubameWire/Charset/JISTableData.swift
    make-charset-tables.py --check   exits with 1 if that file is not what this script would write

JIS X 0208 is taken from `cp932`, which has NEC's row 13, the IBM extensions that NEC chose (rows 89 to 92) and those
at IBM's own place (rows 115 to 119), as WHATWG's index does. JIS X 0212 is taken from `euc_jp`.
"""
import pathlib
import sys
import unicodedata

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "Sources/TsubameWire/Charset/JISTableData.swift"
CELLS = 94
WIDTH = 110
UNASSIGNED = "."

# Where WHATWG's index has another character than Python's codec: (row, cell) -> character.
JISX0212_DIFFERENCES = {(2, 23): "\uFF5E"}  # TILDE: full-width, as in JIS X 0208, where Python has ASCII's


def decoded(data, codec):
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return None
    return text if len(text) == 1 else None


def jisx0208(row, cell):
    """The character of a row and cell, counted from 1, in Shift_JIS's arrangement of two rows a lead byte."""
    lead, trail = divmod((row - 1) * CELLS + cell - 1, 2 * CELLS)
    lead += 0x81 if lead < 0x1F else 0xC1
    trail += 0x40 if trail < 0x3F else 0x41
    return decoded(bytes([lead, trail]), "cp932")


def jisx0212(row, cell):
    character = decoded(bytes([0x8F, 0xA0 + row, 0xA0 + cell]), "euc_jp")
    return JISX0212_DIFFERENCES.get((row, cell), character)


def literal(character):
    """The character itself, or an escape where an editor might not leave it as it is."""
    if character is None:
        return UNASSIGNED
    assert len(character) == 1 and ord(character) >= 0x80 and ord(character) <= 0xFFFF, ascii(character)
    fragile = unicodedata.normalize("NFC", character) != character or unicodedata.category(character)[0] in "CMZ"
    return "\\u{%04X}" % ord(character) if fragile else character


def row_lines(characters):
    """One line a row; unassigned cells at its end are left out; a row with many escapes goes on in the next line."""
    while characters and characters[-1] is None:
        characters.pop()
    lines = [""]
    for piece in map(literal, characters):
        if len(lines[-1]) + len(piece) > WIDTH:
            lines[-1] += "\\"
            lines.append("")
        lines[-1] += piece
    return lines


def table(name, comment, rows, character):
    lines = ["    /// %s" % comment, '    static let %s: StaticString = """' % name]
    for row in rows:
        for line in row_lines([character(row, cell) for cell in range(1, CELLS + 1)]):
            lines.append(("        " + line).rstrip(" "))
    return lines + ['        """']


def source():
    lines = [
        "// JIS X 0208 and JIS X 0212, a line a row, a character a cell; written by Scripts/make-charset-tables.py.",
        "// swift-format-ignore-file",
        "",
        "enum JISTableData {",
    ]
    lines += table("jisX0208", "Rows 1 to 94, with NEC's row 13 and NEC's choice of IBM's extensions in rows 89 to 92.",
                   range(1, 95), jisx0208)
    lines += [""]
    lines += table("ibmExtensions", "Rows 115 to 119: the IBM extensions where Shift_JIS has them (FA40 to FC4B).",
                   range(115, 120), jisx0208)
    lines += [""]
    lines += table("jisX0212", "Rows 1 to 94 of the supplementary set.", range(1, 95), jisx0212)
    return "\n".join(lines + ["}"]) + "\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if OUTPUT.read_text(encoding="utf-8") != source():
            sys.exit("%s is out of date: run Scripts/make-charset-tables.py" % OUTPUT.name)
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        OUTPUT.write_text(source(), encoding="utf-8")


if __name__ == "__main__":
    main()
