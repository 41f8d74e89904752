#!/usr/bin/env python3
"""Writes the tables of TsubameWire's character sets from Python's codecs.

    make-charset-tables.py           writes Sources/TsubameWire/Charset/Tables/*TableData.swift
    make-charset-tables.py --check   exits with 1 if a file is not what this script would write

JIS X 0208 is taken from `cp932`, which has NEC's row 13, the IBM extensions that NEC chose (rows 89 to 92) and those
at IBM's own place (rows 115 to 119), as WHATWG's index does. JIS X 0212 is taken from `euc_jp`. The others are taken
from the codecs that `charset_codecs.py` names, with the differences that it names.
"""
import pathlib
import sys
import unicodedata

import charset_codecs

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Sources/TsubameWire/Charset/Tables"
WIDTH = 110
UNASSIGNED = "."
SAME_NUMBER = "="


def one_character(text):
    return text if isinstance(text, str) and len(text) == 1 else None


def jisx0208(row, cell):
    """The character of a row and cell, counted from 1, in Shift_JIS's arrangement of two rows a lead byte."""
    lead, trail = divmod((row - 1) * 94 + cell - 1, 188)
    lead += 0x81 if lead < 0x1F else 0xC1
    trail += 0x40 if trail < 0x3F else 0x41
    return one_character(charset_codecs.strictly(bytes([lead, trail]), "cp932"))


def jisx0212(row, cell):
    return one_character(charset_codecs.decoded("EUC-JP", bytes([0x8F, 0xA0 + row, 0xA0 + cell])))


def in_rows(name, trails):
    """The character of a row and cell, counted from 1: a row for each lead byte, a cell for each of `trails`."""
    def character(row, cell):
        unit = bytes([0x80 + row, trails[cell - 1]])
        return None if gb18030_user_defined(name, unit) else one_character(charset_codecs.decoded(name, unit))
    return character


def gb18030_user_defined(name, unit):
    """Whether the decoder works it out: GB18030's three areas of private use, but for the space at A3A0."""
    lead, trail = unit
    if name != "GB18030" or unit == b"\xA3\xA0":
        return False
    if trail >= 0xA1 and (0xAA <= lead <= 0xAF or lead >= 0xF8):
        start = 0xE000 if lead <= 0xAF else 0xE234
        private = start + (lead - (0xAA if lead <= 0xAF else 0xF8)) * 94 + trail - 0xA1
    elif 0xA1 <= lead <= 0xA7 and trail <= 0xA0:
        private = 0xE4C6 + (lead - 0xA1) * 96 + trail - (0x40 if trail < 0x7F else 0x41)
    else:
        return False
    # GB 18030-2022 has moved some characters out of these areas.
    text = charset_codecs.decoded(name, unit)
    assert text == chr(private), (unit.hex(), ascii(text), hex(private))
    return True


def gb18030_ranges():
    """Where the characters of four bytes begin a new run: the place, counted from 81308130, and the code point."""
    result = []
    expected = None
    for place in range(39420):
        rest, last = divmod(place, 10)
        rest, third = divmod(rest, 126)
        first, second = divmod(rest, 10)
        unit = bytes([0x81 + first, 0x30 + second, 0x81 + third, 0x30 + last])
        code_point = ord(charset_codecs.decoded("GB18030", unit))
        if code_point != expected:
            result.append((place, code_point))
        expected = code_point + 1
    return result


def literal(character):
    """The character itself, or an escape where an editor might not leave it as it is."""
    if character is None or character == SAME_NUMBER:
        return character or UNASSIGNED
    assert len(character) == 1 and ord(character) >= 0x80, ascii(character)
    fragile = (unicodedata.normalize("NFC", character) != character or unicodedata.category(character)[0] in "CMZ"
               or unicodedata.bidirectional(character) in ("R", "AL", "AN"))
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


def table(name, comment, rows, cells, character):
    lines = ["    /// %s" % comment, '    static let %s: StaticString = """' % name]
    for row in rows:
        for line in row_lines([character(row, cell) for cell in range(1, cells + 1)]):
            lines.append(("        " + line).rstrip(" "))
    return lines + ['        """']


def file(name, comment, *members):
    lines = ["// %s; written by Scripts/tables/make-charset-tables.py." % comment, "// swift-format-ignore-file", "",
             "enum %s {" % name]
    for index, member in enumerate(members):
        lines += [""] * (index > 0) + member
    return name, "\n".join(lines + ["}"]) + "\n"


def single_byte_file():
    def member(name):
        def character(row, cell):
            byte = 0x80 + (row - 1) * 16 + cell - 1
            text = charset_codecs.decoded(name, bytes([byte]))
            return SAME_NUMBER if byte < 0xA0 and text == chr(byte) else one_character(text)
        return table(SWIFT_NAMES[name], name, range(1, 9), 16, character)

    return file("SingleByteTableData", "The upper halves of the encodings of one byte, a line 16 characters",
                *[member(name) for name in charset_codecs.SINGLE_BYTE if name in SWIFT_NAMES])


# What the cases of `Charset` with a table of their own are called: ISO-8859-1 needs none, ISO-8859-8-I shares one.
SWIFT_NAMES = {
    "IBM866": "ibm866",
    "ISO-8859-2": "isoLatin2",
    "ISO-8859-3": "isoLatin3",
    "ISO-8859-4": "isoLatin4",
    "ISO-8859-5": "isoCyrillic",
    "ISO-8859-6": "isoArabic",
    "ISO-8859-7": "isoGreek",
    "ISO-8859-8": "isoHebrew",
    "ISO-8859-10": "isoLatin6",
    "ISO-8859-13": "isoLatin7",
    "ISO-8859-14": "isoLatin8",
    "ISO-8859-15": "isoLatin9",
    "ISO-8859-16": "isoLatin10",
    "KOI8-R": "koi8R",
    "KOI8-U": "koi8U",
    "macintosh": "macintosh",
    "x-mac-cyrillic": "macCyrillic",
} | {"windows-%d" % page: "windows%d" % page for page in [874, *range(1250, 1259)]}


def gb18030_file():
    trails = [*range(0x40, 0x7F), *range(0x80, 0xFF)]
    pairs = ["(%d, 0x%04X)" % pair for pair in gb18030_ranges()]
    ranges = ["    /// Where characters of four bytes begin a new run: the place, counted from 81308130, and the code point.",
              "    static let ranges: [(place: UInt16, codePoint: UInt16)] = ["]
    ranges += ["        " + ", ".join(pairs[start:start + 6]) + "," for start in range(0, len(pairs), 6)]
    return file("GB18030TableData", "GB18030, a line a lead byte, a character a trail byte",
                table("twoBytes", "Lead bytes 81 to FE, trail bytes 40 to 7E and 80 to FE, without the areas for private "
                      "use.", range(1, 127), len(trails), in_rows("GB18030", trails)), ranges + ["    ]"])


def files():
    yield file("JISTableData", "JIS X 0208 and JIS X 0212, a line a row, a character a cell",
               table("jisX0208", "Rows 1 to 94, with NEC's row 13 and NEC's choice of IBM's extensions in rows 89 to 92.",
                     range(1, 95), 94, jisx0208),
               table("ibmExtensions", "Rows 115 to 119: the IBM extensions where Shift_JIS has them (FA40 to FC4B).",
                     range(115, 120), 94, jisx0208),
               table("jisX0212", "Rows 1 to 94 of the supplementary set.", range(1, 95), 94, jisx0212))
    yield single_byte_file()
    yield gb18030_file()
    trails = [*range(0x40, 0x7F), *range(0xA1, 0xFF)]
    yield file("Big5TableData", "Big5 with the characters of Hong Kong, a line a lead byte, a character a trail byte",
               table("twoBytes", "Lead bytes 81 to FE, trail bytes 40 to 7E and A1 to FE.", range(1, 127), len(trails),
                     in_rows("Big5", trails)))
    trails = range(0x41, 0xFF)
    yield file("EUCKRTableData", "EUC-KR as Windows has it, a line a lead byte, a character a trail byte",
               table("twoBytes", "Lead bytes 81 to FE, trail bytes 41 to FE.", range(1, 127), len(trails),
                     in_rows("EUC-KR", trails)))


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for name, source in files():
        path = FOLDER / (name + ".swift")
        if not sys.argv[1:]:
            path.write_text(source, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != source:
            sys.exit("%s is out of date: run Scripts/tables/make-charset-tables.py" % path.name)


if __name__ == "__main__":
    main()
