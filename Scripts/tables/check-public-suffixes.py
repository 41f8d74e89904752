#!/usr/bin/env python3
"""What public suffixes of hosts are to be, by another implementation than ours.

    check-public-suffixes.py swift         writes the cases of Tests/TsubameWireTests/PublicSuffix/PublicSuffixCases.swift
    check-public-suffixes.py make FILE     writes a line a host: the host, a tab, its registrable domain or `-`, a tab, the
                                           same by the ICANN section alone; for every rule of the list and for names made
                                           up around it; and beside it FILE.list, the list itself. The tests read the
                                           files that TSUBAME_PUBLIC_SUFFIXES names.

    pip install publicsuffixlist==1.1.2.20261023

Both work on the list of that package, and so does the table. The cases are those of the list's own test, which the package
holds, too.
"""
import pathlib
import random
import re
import sys

import publicsuffixlist
from publicsuffixlist import PublicSuffixList

PACKAGE = pathlib.Path(publicsuffixlist.__file__).parent
LIST = PACKAGE / "public_suffix_list.dat"
VECTORS = PACKAGE / "test_psl.txt"
CASES = (pathlib.Path(__file__).resolve().parents[2]
         / "Tests/TsubameWireTests/PublicSuffix/PublicSuffixCases.swift")


def a_labels(name):
    return ".".join(label if label.isascii() else "xn--" + label.lower().encode("punycode").decode("ascii")
                    for label in name.split("."))


def swift():
    lines = ["// Hosts and their registrable domains, of the public suffix list's own test; written by",
             "// Scripts/tables/check-public-suffixes.py.", "// swift-format-ignore-file", "", "enum PublicSuffixCases {",
             "    static let all: [(host: String, domain: String?)] = ["]
    for row in VECTORS.read_text(encoding="utf-8").splitlines():
        found = re.match(r"checkPublicSuffix\('(.*)', (?:null|'(.*)')\);", row)
        if found:
            domain = '"%s"' % a_labels(found[2]) if found[2] else "nil"
            lines.append('        ("%s", %s),' % (found[1], domain))
    CASES.write_text("\n".join(lines + ["    ]", "}"]) + "\n", encoding="utf-8")
    print("%d cases" % (len(lines) - 6))


def hosts():
    source = random.Random(7)
    names, private = [], []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        rule = line.split()[0] if line.split() else ""
        if rule and not rule.startswith("//"):
            names.append(a_labels(rule.lstrip("!").removeprefix("*.")))
    for name in names:
        yield name
        yield "a." + name
        yield "b.a." + name
        yield "a" + name
        yield name[1:]
        yield name[:-1]
        yield "c.b.a." + ".".join(name.split(".")[1:])
        yield name + "." + source.choice(names)
        yield source.choice("abcxyz0-") + "." + name[:source.randrange(len(name))] + source.choice("abcdefgh") + name[1:]
    labels = sorted({label for name in names for label in name.split(".")})
    for _ in range(20000):
        yield ".".join(source.choice(labels) for _ in range(source.randint(1, 5)))


def make(path):
    every = PublicSuffixList(LIST.open("rb"), only_icann=False)
    icann = PublicSuffixList(LIST.open("rb"), only_icann=True)
    pathlib.Path(path + ".list").write_bytes(LIST.read_bytes())
    count = 0
    with open(path, "w", encoding="ascii") as output:
        for host in dict.fromkeys(hosts()):
            if not re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", host) or host.split(".")[-1].isdigit():
                continue
            print(host, every.privatesuffix(host) or "-", icann.privatesuffix(host) or "-", sep="\t", file=output)
            count += 1
    print("%d hosts" % count)


def main():
    arguments = sys.argv[1:]
    if arguments == ["swift"]:
        swift()
    elif arguments[:1] == ["make"] and len(arguments) == 2:
        make(arguments[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
