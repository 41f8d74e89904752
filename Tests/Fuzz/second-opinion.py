#!/usr/bin/env python3
"""Answers the questions of the fuzz targets with Python's libraries.

second-opinion.py form|reference|gzip|hpack: reads inputs from standard input and writes one answer for each. A length
of four bytes, the highest first, stands before each input and each answer.
"""
import sys
import zlib
from urllib.parse import quote, unquote_to_bytes, urljoin

LIMIT = 1 << 18


def form(data):
    pairs = []
    for piece in data.split(b"&"):
        if piece:
            name, _, value = piece.partition(b"=")
            pairs.append([unquote_to_bytes(x.replace(b"+", b" ")).decode("utf-8", "replace") for x in (name, value)])
    lines = "".join(f"{n.encode().hex()}={v.encode().hex()}\n" for n, v in pairs)
    return (lines + "&".join(f"{quote(n, safe='')}={quote(v, safe='')}" for n, v in pairs)).encode()


def reference(data):
    base, _, text = data.decode().partition("\n")
    return urljoin(base, text).encode()


def gzip(data):
    """0 and the content; 1 for wrong input; 2 for more content than anyone compares."""
    content = b""
    rest = data
    has_member = False
    while rest:
        if has_member and rest[0] == 0:
            return b"\x01" if rest.strip(b"\0") else b"\0" + content
        member = zlib.decompressobj(31)
        has_member = True
        try:
            while not member.eof:
                content += member.decompress(rest, LIMIT - len(content))
                if len(content) >= LIMIT:
                    return b"\x02"
                rest = member.unconsumed_tail
                if not rest and not member.eof:
                    return b"\x01"
        except zlib.error:
            return b"\x01"
        rest = member.unused_data
    return b"\0" + content


def hpack_fields():
    from hpack import Decoder, HPACKError

    def answer(data):
        decoder = Decoder(max_header_list_size=1 << 30)
        text = ""
        count = 0
        while data and count < 16:
            block, data = data[1 : 1 + data[0]], data[1 + data[0] :]
            count += 1
            if not block:
                continue
            try:
                fields = decoder.decode(block, raw=True)
            except HPACKError:
                return (text + "error").encode()
            text += "".join(f"{n.hex()}={v.hex()}\n" for n, v in fields)
        return text.encode()

    return answer


def main():
    kind = sys.argv[1]
    answer = hpack_fields() if kind == "hpack" else {"form": form, "reference": reference, "gzip": gzip}[kind]
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while length := source.read(4):
        result = answer(source.read(int.from_bytes(length, "big")))
        sink.write(len(result).to_bytes(4, "big") + result)
        sink.flush()


main()
