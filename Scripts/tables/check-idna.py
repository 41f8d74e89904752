#!/usr/bin/env python3
"""Checks the host names of TsubameCore against UTS 46 as PyPI's `idna` and `unicodedata2` and Python's codecs know it.

    check-idna.py digests             prints what Tests/TsubameCoreTests/URI/IDNATests.swift expects of the code points, of
                                      large blocks of letters without a rule of their own one in 64: how many are part of
                                      a host behind an `a`, and the 64-bit FNV-1a of these hosts
    check-idna.py swift               writes Tests/TsubameCoreTests/URI/IDNACases.swift
    check-idna.py make FILE [TEXT...] writes cases for the tests: every code point, names made up, and those taken from every string in TEXT (such as
                                      UTS 46's IdnaTestV2.txt, or the tests of `idna`); run them with
                                      TSUBAME_IDNA_CASES=FILE swift test --filter IDNA
    check-idna.py compare TEXT        compares what is expected here with what an IdnaTestV2.txt says, and names what
                                      differs, with its statuses

A case is a line: the name, a tab, and its ASCII form or `!` if it is refused; what is not printable ASCII, and the
backslash, is written as `\\u{...}`.

What is expected is put together here from `idna.uts46_remap`, `idna.check_bidi`, `idna.valid_contextj`, `unicodedata2`
and Python's codec `punycode`, as UTS 46 section 4 says, with WHATWG's parameters. `idna.encode` itself does less (it
looks at each label's direction alone) and more (IDNA 2008: no symbols, no hyphens in third and fourth place).

    pip install idna==3.20 unicodedata2==18.0.0
"""
import ast
import bisect
import pathlib
import random
import re
import sys

import idna
import idna.core
import idna.uts46data
import unicodedata2 as unicodedata

# So that normalization, directions and categories are of the same version as the mapping.
idna.core.unicodedata = unicodedata

CASES = pathlib.Path(__file__).resolve().parents[2] / "Tests/TsubameCoreTests/URI/IDNACases.swift"
ALLOWED = set("abcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=")
SURROGATES = range(0xD800, 0xE000)
# CJK ideographs, Hangul syllables, Tangut and Khitan, and the seals.
LARGE = [range(0x3400, 0xA000), range(0xAC00, 0xD800), range(0x17000, 0x18E00), range(0x20000, 0x40000)]


class Refused(Exception):
    pass


def is_valid(character):
    data = idna.uts46data
    status = data.uts46_statuses[bisect.bisect_right(data.uts46_starts, ord(character)) - 1]
    return chr(status) in "VD"


def label_of(label):
    """The label as it is read, checked by itself."""
    if label.startswith("xn--"):
        if not label.isascii():
            raise Refused("V")
        try:
            decoded = label[4:].encode("ascii").decode("punycode")
            again = decoded.encode("punycode").decode("ascii")
        except (UnicodeError, ValueError, OverflowError):
            raise Refused("P4")
        if decoded.isascii() or again != label[4:] or unicodedata.normalize("NFC", decoded) != decoded:
            raise Refused("V1")
        if any(ord(character) in SURROGATES for character in decoded):
            raise Refused("P4")
        label = decoded
        if label.startswith("xn--"):
            raise Refused("V4")
    if label and unicodedata.category(label[0])[0] == "M":
        raise Refused("V6")
    for place, character in enumerate(label):
        if character == "." or not is_valid(character):
            raise Refused("V7")
        if character in "\u200C\u200D":
            try:
                joins = idna.valid_contextj(label, place)
            except ValueError:
                joins = False
            if not joins:
                raise Refused("C")
    return label


def to_ascii(name):
    # As it is written, even where a combining mark behind it makes another character of it, which WHATWG allows.
    if not {character for character in name.lower() if character < "\x80"} <= ALLOWED:
        raise Refused("U1")
    try:
        mapped = idna.uts46_remap(name, std3_rules=False)
    except idna.IDNAError:
        raise Refused("V7")
    labels = [label_of(label) for label in mapped.split(".")]
    if any(unicodedata.bidirectional(character) in ("R", "AL", "AN") for label in labels for character in label):
        for label in filter(None, labels):
            try:
                idna.check_bidi(label, check_ltr=True)
            except idna.IDNAError:
                raise Refused("B")
    sent = [label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii") for label in labels]
    if any(len(label) > 63 for label in sent) or not all(sent[:-1]) or not sent[0]:
        raise Refused("A4")
    host = ".".join(sent)
    if len(host) > 253 + host.endswith(".") or not set(host) <= ALLOWED:
        raise Refused("U1")
    return host


def expected(name):
    try:
        return to_ascii(name)
    except Refused:
        return None


def is_number(host):
    """Whether WHATWG's parser of hosts goes on to read an IPv4 address, which has tests of its own."""
    labels = host.removesuffix(".").split(".")
    return re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", labels[-1]) is not None


def escaped(text):
    return "".join(character if " " < character <= "~" and character != "\\" else "\\u{%X}" % ord(character)
                   for character in text)


def line(name):
    result = expected(name)
    return "%s\t%s" % (escaped(name), "!" if result is None else escaped(result))


def usable(name):
    """Whether a URL can have it for a host, and does not read it as an address."""
    if not name or len(name.encode("utf-8", "surrogatepass")) > 1024 or set(name) & set("/?#@:[]\\% \t\n\r"):
        return False
    if any(ord(character) in SURROGATES or ord(character) <= 0x20 or ord(character) == 0x7F for character in name):
        return False
    result = expected(name)
    return not is_number(result) if result is not None else not is_number(name)


def digests():
    count, digest = 0, 0xCBF29CE484222325
    for code in range(0x80, 0x110000):
        if code in SURROGATES or code % 64 and any(code in block for block in LARGE):
            continue
        host = expected("a" + chr(code))
        if host is None:
            continue
        count += 1
        for byte in host.encode("ascii") + b"\n":
            digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    print("%d %016x" % (count, digest))


def made_up():
    """Names of pieces that meet every rule, in a fixed order."""
    source = random.Random(46)
    pieces = list("abz019-.") + ["xn--", "\u00DF", "\u03C2", "\u03C3", "\u200C", "\u200D", "\u3002", "\uFF0E", "\uFF61",
              "\u0308", "\u0301", "\u0323", "\u00AD", "\uFF21", "\u1E9E", "\u0130", "\u00E9", "\u1112\u1161\u11AB",
              "\uD55C", "\u0628", "\u0644", "\u0627", "\u05D0", "\u0661", "\u06F1", "\u0915", "\u094D", "\u0937",
              "\u00B7", "\u30FB", "\u4E2D", "\U0001F600", "\U0001F468", "\uFE0F", "\u2260", "\u226E", "\u212B", "\uF900",
              "\uFDFA", "\u2F868", "\U0002F868", "\U000E0100", "\uFFFD", "\u0378", "\u0640", "\u07CA", "\u08A0", "\u1E900",
              "\U0001E900", "\U00010D4F", "\u1160", "\uA8FB", "\u0345", "\u1F80", "\u2126", "\u0344", "\u0958", "\u1100",
              "\u11A8", "\uAC00", "=", "\u2100", "\u33C2", "\u3389", "\u2488", "\u2011"]
    for code in range(0x80, 0x110000):
        if code not in SURROGATES and (code < 0x40000 or code >> 12 == 0xE0 or code % 97 == 0):
            yield "a" + chr(code)
    for _ in range(20000):
        yield "".join(source.choice(pieces) for _ in range(source.randint(1, 7)))
    for _ in range(5000):
        label = "".join(source.choice(pieces) for _ in range(source.randint(1, 4)))
        try:
            yield "xn--" + label.encode("punycode").decode("ascii") + source.choice(["", ".com", "-", "a"])
        except UnicodeError:
            pass
    assigned = [chr(code) for code in range(0x80, 0x110000)
                if code not in SURROGATES and unicodedata.category(chr(code)) not in ("Cn", "Co")]
    for _ in range(20000):
        yield "".join(source.choice(assigned) for _ in range(source.randint(1, 3)))
    decomposed = [unicodedata.normalize("NFD", character) for character in assigned]
    marks = [character for character in assigned if unicodedata.combining(character)]
    for text in decomposed:
        if len(text) > 1:
            yield text
            yield text + source.choice(marks) + source.choice(marks)


def strings(path):
    text = path.read_text(encoding="utf-8")
    if path.name.startswith("IdnaTest"):
        for row in text.splitlines():
            fields = [field.strip() for field in row.split("#")[0].split(";")]
            if len(fields) > 1:
                yield re.sub(r"\\u([0-9A-F]{4})", lambda match: chr(int(match[1], 16)), fields[0])
                yield from filter(None, fields[1:])
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def make(path, texts):
    names = dict.fromkeys(made_up())
    for text in texts:
        names.update(dict.fromkeys(strings(text)))
    lines = [line(name) for name in names if usable(name)]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    print("%d cases, %d of them refused" % (len(lines), sum(text.endswith("\t!") for text in lines)))


def compare(path):
    """UTS 46's own tests have CheckHyphens, STD3's rules and VerifyDnsLength on: V2, V3, U1 and A4."""
    total = differences = 0
    for row in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in row.split("#")[0].split(";")]
        if len(fields) < 7:
            continue
        name = re.sub(r"\\u([0-9A-F]{4})", lambda match: chr(int(match[1], 16)), fields[0])
        if any(ord(character) in SURROGATES for character in name):
            continue
        statuses = set(re.findall(r"[A-Z]+[0-9_]*", fields[4] or fields[2]))
        wanted = fields[3] or fields[1] or name
        got = expected(name)
        if not statuses:
            agrees = got == wanted.lower() or got == re.sub(r"\\u([0-9A-F]{4})", lambda m: chr(int(m[1], 16)), wanted)
        else:
            agrees = got is None or statuses <= {"V2", "V3", "U1", "A3", "A4_1", "A4_2", "X4_2", "X3"}
        total += 1
        if not agrees:
            differences += 1
            print("%s: expected %s %s, got %s"
                  % (escaped(name), escaped(wanted), "".join(sorted(statuses)), escaped(got or "!")))
    print("%d of %d differ" % (differences, total))


CHOSEN = [
    # Mapping: upper case, full width, deviations, ignored characters, several for one.
    "B\u00DCCHER.example", "fa\u00DF.de", "FASS.\u00DF", "\u03B2\u03CC\u03BB\u03BF\u03C2.com", "\u0392\u038C\u039B\u039F\u03A3.com",
    "\uFF45\uFF58.\uFF23\uFF4F\uFF4D", "a\u00ADb", "\u00AD", "\u00AD.a", "\u2060a", "a\u200Bb", "\u1E9E", "\u0130.tr", "\uFB01n",
    "\u33C2", "\uFDFA", "\u2100", "\u2488com", "\u00BD", "\u2126", "\u212B", "\u017F", "\u01C4", "\uF900", "\U0002F868",
    # Dots.
    "a\u3002b", "a\uFF0Eb\uFF61c", "\u4F8B\u3002", "\u3002a", "a\u3002\u3002b\u00E9", "\u4F8B..jp", "a.\u4F8B.",
    # Normalization.
    "bu\u0308cher", "a\u0323\u0307", "a\u0307\u0323", "\u1112\u1161\u11AB\u1100\u116E\u11A8", "\uD55C\uAD6D.\uD55C\uAD6D", "\u0958", "\u0344a",
    "=\u0338", "\u2260", "<\u0338", "\u226E", "\u1100\u1161\u11A7", "a\u0345\u0301", "\u1F80", "\u0CC6\u0CC2\u0CD5",
    # Disallowed and unassigned.
    "a\uFFFD", "\uFFFD.com", "a\u0378", "\uE000", "a\U000E0001", "\u2028", "a\u00A0b", "\u3000", "a\uFDD0", "\u2FF0", "a\uFF0F", "a\uFF05b",
    "\uFF1Aa", "\uFF20a", "\uFF3B", "\uFF3E", "a\uFF5Cb", "\u061C", "a\u0000b\u00E9", "\u00E9{", "\u00E9\"", "\u00E9_!~*'()$&+,;=",
    # Combining marks in front.
    "\u0308a", "a.\u0308a", "\u0301.com", "xn--la-xbc", "\u093E", "\uFE0Fa", "\u20E3",
    # Hyphens.
    "-\u00E9-", "\u00E9--", "ab--\u00E9", "\u00E9-a", "a--b\u00E9.-c-",
    # A-labels.
    "xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--fa-hia.de", "xn--", "xn---", "xn--a", "xn--a-", "xn--zca-", "xn--0",
    "xn--zca.\u00DF", "xn--te\u0161la", "xn--ls8h=", "xn--xn--a-lqa", "xn--xn---epa", "xn--zn7c.com", "xn--a-yoc", "xn--1ug.example",
    "xn--ab-miab", "xn--a-0hc", "xn--u-ccb", "xn--bcher-kva8445foa", "xn--99999999", "xn--bb-eka.at", "xn--a-ecp.ru", "xn--0.pt",
    "xn--ssa73l", "xn--0ca24w", "xn--nxasmm1c.com", "xn--4gbwdl.xn--wgbh1c", "xn--mgba3gch31f060k", "xn--vermgensberatung-pwb",
    "xn--abc.\u00E9", "xn--ABC", "xn--fiqs8s", "XN--FIQS8S", "\uFF58\uFF4E\uFF0D\uFF0Dfiqs8s", "xn--\u00E9", "xn--w\u00E9", "xn--be-eka", "xn--bu-hbc",
    "xn--f-tna", "xn--ngba1723c", "xn--e-ufa", "xn--k3h", "xn--i-7iq", "a.xn--", "xn--.a", "xn--zcazca", "xn--a-\u0430",
    # Joiners.
    "\u200D", "a\u200D", "a\u200Cb", "\u0915\u094D\u200D\u0937", "\u0915\u094D\u200C\u0937", "\u0915\u200D\u0937", "\u0646\u0627\u0645\u0647\u200C\u0627\u06CC",
    "\u0628\u200C\u0628", "\u0628\u064E\u200C\u064E\u0628", "\u0627\u200C\u0628", "\u0628\u200C", "\u200C\u0628", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3", "\u200C.com",
    "\u0D15\u0D4D\u200D", "\U0001F468\u200D\U0001F469", "\uA872\u200C\u0628", "\u0628\u200C\u0631", "\u0631\u200C\u0628", "b\u200C\u0628",
    # Directions.
    "\u05D0\u05D1", "\u05D0b", "b\u05D0", "\u05D01", "1\u05D0", "\u05D0.1a", "a1.\u05D0", "1a.\u05D0", "-a.\u05D0", "a-.\u05D0", "a.\u05D0.b-c", "\u05D0-", "\u05D0-\u05D1",
    "\u0628\u0661", "\u0628\u0661\u0031", "\u06281\u0661", "\u0661\u0628", "\u0628\u06F1", "\u06F1\u0628", "\u06F1", "\u0661", "a\u0661", "\u0628\u0308", "\u05D0\u0308-",
    "\u00E0.\u05D0", "0\u00E0.\u05D0", "\u00E0.\u05D00\u0661\u05D0", "\u064Aa", "\u064A.", "\u05D0!", "\u05D0$1", "\u05D0\U0001F600", "a\U0001F600.\u05D0", "\U0001F600.\u05D0", "_a.\u05D0",
    "\u0645\u062B\u0627\u0644.\u0625\u062E\u062A\u0628\u0627\u0631", "www.\u0645\u062B\u0627\u0644.com", "\u07CA\u07CB", "\U0001E900\U0001E922", "\u0710a",
    # Scripts and emoji.
    "\u4F8B\u5B50.\u4E2D\u56FD", "\u6771\u4EAC.jp", "\u30C6\u30B9\u30C8.jp", "\u30FB", "\u00B7", "l\u00B7l", "\u0440\u0444.\u0440\u0444", "\u03B1.gr", "\u0E44\u0E17\u0E22",
    "\u0939\u093F\u0928\u094D\u0926\u0940", "\u10D0", "\u10A0", "\u13A0", "\uAB70", "\U0001F600.ws", "i\u2764.ws", "i\u2764\uFE0F.ws", "\U0001F1EF\U0001F1F5", "\U0001F468\uFE0F", "\u2615.example",
    "\U00010400", "\U0001D400\U0001D7D8", "\U000118A0", "\uA7C1\uA7C0", "\U00016EA0", "\uA7CE",
    # Lengths.
    "\u00E9" * 57, "\u00E9" * 58, "\u00E9" * 59, "a" * 58 + "\u00E9", "a" * 55 + "\u00E9", "a" * 63 + ".\u00E9", "a" * 64 + ".\u00E9",
    ".".join(["a" * 49] * 4) + "." + "b" * 45 + ".\u00E9", ".".join(["a" * 49] * 4) + "." + "b" * 46 + ".\u00E9",
    ".".join(["a" * 49] * 4) + "." + "b" * 45 + ".\u00E9.", "\u4E2D" * 63, "\U0001F600" * 15, "\U0001F600" * 60,
]


def swift():
    lines = [line(name) for name in dict.fromkeys(CHOSEN)]
    text = ["// Host names and what UTS 46 makes of them, Unicode %s; written by Scripts/tables/check-idna.py." % idna.uts46data.__version__,
            "// swift-format-ignore-file", "", "enum IDNACases {",
            "    /// A line a name: as it is written, a tab, and its ASCII form or `!`.",
            '    static let text = #"""'] + ["        " + text for text in lines] + ['        """#', "}"]
    CASES.write_text("\n".join(text) + "\n", encoding="ascii")
    print("%d cases, %d of them refused" % (len(lines), sum(text.endswith("\t!") for text in lines)))


def main():
    arguments = sys.argv[1:]
    if arguments == ["digests"]:
        digests()
    elif arguments == ["swift"]:
        swift()
    elif arguments[:1] == ["make"] and len(arguments) > 1:
        make(pathlib.Path(arguments[1]), [pathlib.Path(text) for text in arguments[2:]])
    elif arguments[:1] == ["compare"] and len(arguments) == 2:
        compare(pathlib.Path(arguments[1]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
