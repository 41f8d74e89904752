#!/usr/bin/env python3
"""Writes the public suffix list of TsubameWire.

    make-public-suffixes.py [FILE]    writes Sources/TsubameWire/PublicSuffix/PublicSuffixTableData.swift
    make-public-suffixes.py --check   exits with 1 if that file is not what this script would write

FILE is a list in the format of https://publicsuffix.org/list/, by default that of the Python package of the version below.
Its date is taken from its line `// VERSION:`.

    pip install publicsuffixlist==1.1.2.20261023

The list becomes a deterministic acyclic automaton over the names of its rules, as A-labels and from their last character
to their first, written as a text that is walked as it lies there. Bytes from 0x21 to 0x7E:

    node   = [value] edge* END
    edge   = character* last (value | distance)
    value  = VALUE + index of its flags in `values`: a rule ends here; behind `last`, nothing else follows
    character, last: FIRST or LAST + index in CHARACTERS
    distance to the next node, in bytes from behind itself; its first byte less FIRST is
             0..<32: the distance; 32..<64: (that - 32) * 94 + the next digit; 64..<75: (that - 64) * 94 * 94 + two digits
"""
import pathlib
import re
import sys
import unicodedata

OUTPUT = (pathlib.Path(__file__).resolve().parents[2]
          / "Sources/TsubameWire/PublicSuffix/PublicSuffixTableData.swift")
WIDTH = 112

CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-."
FIRST = 0x21
LAST = FIRST + len(CHARACTERS)
VALUE = LAST + len(CHARACTERS)
END = 0x7E
NORMAL, WILDCARD, EXCEPTION, PRIVATE = 1, 2, 4, 3  # a private rule's bit is shifted by PRIVATE


def a_label(label):
    if label.isascii():
        return label.lower()
    assert label == unicodedata.normalize("NFC", label.lower()), label
    return "xn--" + label.encode("punycode").decode("ascii")


def rules(text):
    """The flags of each name: whether it is a suffix, every name right below it is one, or it is an exception."""
    flags, shift = {}, 0
    for line in text.splitlines():
        if "===BEGIN PRIVATE DOMAINS===" in line:
            shift = PRIVATE
        if "===BEGIN ICANN DOMAINS===" in line:
            shift = 0
        rule = line.split()[0] if line.split() else ""
        if not rule or rule.startswith("//"):
            continue
        flag = NORMAL
        if rule.startswith("!"):
            flag, rule = EXCEPTION, rule[1:]
        elif rule.startswith("*."):
            flag, rule = WILDCARD, rule[2:]
        name = ".".join(a_label(label) for label in rule.split("."))
        assert set(name) <= set(CHARACTERS) and "*" not in name, rule
        flags[name] = flags.get(name, 0) | flag << shift
    return flags


def date(text, path):
    found = re.search(r"^// VERSION: (\d{4}-\d{2}-\d{2})", text, re.M)
    if found:
        return found[1]
    sys.exit("%s does not say its date (// VERSION: yyyy-mm-dd…)" % path)


def packaged():
    try:
        import publicsuffixlist
    except ImportError:
        sys.exit("There is no list: pip install publicsuffixlist, or name a file.")
    return pathlib.Path(publicsuffixlist.__file__).parent / "public_suffix_list.dat"


class Automaton:
    """Nodes are numbered; equal ones are one: (value, ((character, node), …))."""

    def __init__(self, flags):
        self.nodes, self.known = [], {}
        self.values = sorted(set(flags.values()))
        self.root = self.build(sorted((name[::-1], value) for name, value in flags.items()), 0)
        self.parents = [0] * len(self.nodes)
        for _, edges in self.nodes:
            for _, child in edges:
                self.parents[child] += 1

    def build(self, words, depth):
        value, groups = 0, {}
        for word, flags in words:
            if len(word) == depth:
                value = flags
            else:
                groups.setdefault(word[depth], []).append((word, flags))
        edges = tuple((character, self.build(group, depth + 1)) for character, group in sorted(groups.items()))
        node = (value, edges)
        if node not in self.known:
            self.known[node] = len(self.nodes)
            self.nodes.append(node)
        return self.known[node]

    def is_short(self, node):
        """Whether what follows, up to an end, is no longer than the distance to it would be."""
        for _ in range(3):
            value, edges = self.nodes[node]
            if value or len(edges) != 1:
                return not edges
            node = edges[0][1]
        return False

    def joined(self, character, child):
        """The edge from there on, as far as there is but one way."""
        label = character
        while (not self.nodes[child][0] and len(self.nodes[child][1]) == 1
               and (self.parents[child] == 1 or self.is_short(child))):
            (character, child), = self.nodes[child][1]
            label += character
        return label, child

    def order(self):
        """Each node before those that its edges lead to."""
        seen, done = set(), []

        def visit(node):
            seen.add(node)
            for character, child in self.nodes[node][1]:
                child = self.joined(character, child)[1]
                if child not in seen and self.nodes[child][1]:
                    visit(child)
            done.append(node)

        visit(self.root)
        return done[::-1]

    def text(self):
        # From the end to the start, so that the distance to every node behind is known.
        output, ends = bytearray(), {}
        value = lambda flags: VALUE + self.values.index(flags)

        for node in reversed(self.order()):
            flags, edges = self.nodes[node]
            output.append(END)
            for character, child in reversed(edges):
                label, child = self.joined(character, child)
                if self.nodes[child][1]:
                    output += distance(len(output) - ends[child])[::-1]
                else:
                    output.append(value(self.nodes[child][0]))
                codes = [CHARACTERS.index(character) for character in label]
                output.append(LAST + codes[-1])
                output += bytes(FIRST + code for code in reversed(codes[:-1]))
            if flags:
                output.append(value(flags))
            ends[node] = len(output)
        return output[::-1].decode("ascii")


def distance(number):
    if number < 32:
        return bytes([FIRST + number])
    if number < 32 * 94:
        return bytes([FIRST + 32 + number // 94, FIRST + number % 94])
    assert number < 11 * 94 * 94
    return bytes([FIRST + 64 + number // 8836, FIRST + number // 94 % 94, FIRST + number % 94])


def source(path):
    text = path.read_text(encoding="utf-8")
    flags = rules(text)
    automaton = Automaton(flags)
    assert VALUE + len(automaton.values) <= END
    table = automaton.text()
    assert '"""##' not in table and "\\##" not in table
    lines = [
        "// The public suffix list of %s; written by Scripts/tables/make-public-suffixes.py." % date(text, path),
        "// swift-format-ignore-file",
        "",
        "/// Where the list comes from and how it is written: Scripts/tables/make-public-suffixes.py. The list is subject to the",
        "/// Mozilla Public License 2.0 (https://publicsuffix.org/list/).",
        "enum PublicSuffixTableData {",
        '    static let date: StaticString = "%s"' % date(text, path),
        "    /// How many names have rules.",
        "    static let count = %d" % len(flags),
        "    /// 1 a suffix, 2 every name right below is one, 4 an exception to that; 8, 16, 32 the same of the private section.",
        "    static let values: [UInt8] = [%s]" % ", ".join(map(str, automaton.values)),
        '    static let automaton: StaticString = ##"""',
    ]
    pieces = [table[at:at + WIDTH] for at in range(0, len(table), WIDTH)]
    lines += ["        %s\\##" % piece for piece in pieces[:-1]] + ["        " + pieces[-1]]
    return "\n".join(lines + ['        """##', "}"]) + "\n", len(flags), len(table)


def main():
    arguments = sys.argv[1:]
    path = pathlib.Path(arguments[0]) if arguments and arguments[0] != "--check" else packaged()
    if not path.is_file():
        sys.exit("There is no %s." % path)
    text, count, size = source(path)
    if arguments == ["--check"]:
        if OUTPUT.read_text(encoding="ascii") != text:
            sys.exit("%s is not what this script writes" % OUTPUT)
        return
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(text, encoding="ascii")
    print("%d names, %d bytes" % (count, size))


if __name__ == "__main__":
    main()
