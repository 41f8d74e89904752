#!/usr/bin/env python3
"""Checks decoders of text against Python's codecs, over every sequence of one and two bytes.

    check-charsets.py make DIR [CHARSET ...]   writes the files below for each charset (default: all)
    check-charsets.py serve DIR --port-file F  serves DIR's NAME.bin as /NAME with its Content-Type on 127.0.0.1, on a
                                               port that is written to F, until it is interrupted or terminated
    check-charsets.py compare DIR NAME [FILE]  compares FILE (default: standard input) with NAME.txt and names the first
                                               sequences that differ; exits with 1 if any does
    check-charsets.py digests                  prints for each charset its name, the number of lines that NAME.txt is
                                               made of and the 64-bit FNV-1a of its bytes

NAME.bin     each sequence followed by a line feed, in that charset
NAME.txt     how NAME.bin decodes, in UTF-8, with U+FFFD for each wrong sequence
NAME.python  a line for each sequence alone, as Python's codec decodes it strictly: the UTF-8 in hexadecimal, or `!`
             and the offset of the error

The sequences: all of one byte and all of two, in this order. Then:

EUC-JP        all of 8F and two bytes
GBK, GB18030  all of three and four bytes of a choice at the borders of their ranges
ISO-2022-JP   all of ESC and two bytes; each escape sequence before all of one byte, and before each other one and 21 21;
              all of ESC $ B and two bytes, and of ESC $ @, 30 and a byte. A line ends with ESC ( B before the line feed
UTF-8         all of three and four bytes of a choice at the borders of its ranges
UTF-16        all pairs of a choice of code units
UTF-32        a choice of code units

NAME.bin of UTF-16 and UTF-32 leaves out the sequences that are no multiple of a line feed, as none but the last can be
one. UTF-32 is served with its byte order mark, which alone tells it.

What Python decodes is expected, except for what `charset_codecs.py` names. Where Python finds an error, WHATWG's
decoders say how many bytes it takes: `first_unit` cuts the bytes by their rules, and the codec decodes each unit alone.
"""
import functools
import http.server
import itertools
import os
import pathlib
import signal
import sys

from charset_codecs import CODECS, SINGLE_BYTE, decoded, strictly

REPLACEMENT = "\uFFFD"

MARKS = {"UTF-32LE": b"\xFF\xFE\x00\x00", "UTF-32BE": b"\x00\x00\xFE\xFF"}


def first_unit(name, data):
    """What WHATWG's decoder takes first: the bytes, and how many of them it gives back if they are an error."""
    lead = data[0]
    trail = data[1] if len(data) > 1 else None
    if name in ("GBK", "GB18030") and 0x81 <= lead <= 0xFE and trail is not None and 0x30 <= trail <= 0x39:
        third_fits = len(data) < 3 or 0x81 <= data[2] <= 0xFE
        unit = data[:4] if third_fits else data[:3]
        return unit, 0 if len(unit) < 3 or third_fits and (len(unit) < 4 or 0x30 <= unit[3] <= 0x39) else len(unit) - 1
    if name == "EUC-JP" and lead == 0x8F and trail is not None and 0xA1 <= trail <= 0xFE:
        unit = data[:3]
    elif (name == "Shift_JIS" and (0x81 <= lead <= 0x9F or 0xE0 <= lead <= 0xFC)
          or name == "EUC-JP" and (lead in (0x8E, 0x8F) or 0xA1 <= lead <= 0xFE)
          or name in ("GBK", "GB18030", "Big5", "EUC-KR") and 0x81 <= lead <= 0xFE):
        unit = data[:2]
    else:
        unit = data[:1]
    # A byte of ASCII at the end of a wrong sequence is read again.
    return unit, int(len(unit) > 1 and unit[-1] < 0x80)


ESCAPES = {b"\x1B(B": "ASCII", b"\x1B(J": "Roman", b"\x1B(I": "katakana", b"\x1B$@": "JIS X 0208", b"\x1B$B": "JIS X 0208"}


def expected_of_iso2022jp(data):
    """The same for the one encoding in which bytes mean what an escape sequence before them says."""
    text = ""
    mode = "ASCII"
    after_escape = False
    place = 0
    while place < len(data):
        byte = data[place]
        if byte == 0x1B:
            found = ESCAPES.get(data[place:place + 3])
            if found is None or after_escape:
                text += REPLACEMENT
            mode = found or mode
            after_escape = found is not None
            place += 3 if found else 1
            continue
        after_escape = False
        unit = data[place:place + (2 if mode == "JIS X 0208" and 0x21 <= byte <= 0x7E else 1)]
        place += len(unit)
        if mode == "JIS X 0208":
            # The codec passes control characters on, which are wrong here.
            fits = len(unit) == 2 and 0x21 <= unit[1] <= 0x7E
            character = decoded("ISO-2022-JP", b"\x1B$B" + unit) if fits else None
            if len(unit) == 2 and unit[1] == 0x1B:
                place -= 1
        elif mode == "katakana":
            character = decoded("ISO-2022-JP", b"\x1B(I" + unit) if 0x21 <= byte <= 0x5F else None
        else:
            escape = b"\x1B(J" if mode == "Roman" else b""
            character = decoded("ISO-2022-JP", escape + unit) if byte not in (0x0E, 0x0F) else None
        text += character or REPLACEMENT
    return text


@functools.cache
def of_bytes(name):
    """What each byte of an encoding of one byte a character is."""
    return tuple(decoded(name, bytes([byte])) or REPLACEMENT for byte in range(256))


def expected(name, data):
    """How the bytes decode, with U+FFFD for each error."""
    if name.startswith("UTF-"):
        return data.decode("utf-16-le" if name == "UTF-16" else CODECS[name], "replace")
    if name == "ISO-2022-JP":
        return expected_of_iso2022jp(data)
    if name in SINGLE_BYTE:
        return "".join(map(of_bytes(name).__getitem__, data))
    text = ""
    place = 0
    while place < len(data):
        unit, given_back = first_unit(name, data[place:place + 4])
        character = decoded(name, unit)
        text += character or REPLACEMENT
        place += len(unit) - (0 if character else given_back)
    return text


def sequences(name):
    every = [bytes([byte]) for byte in range(256)]
    result = every + [a + b for a in every for b in every]
    if name == "EUC-JP":
        result += [b"\x8F" + a + b for a in every for b in every]
    elif name in ("GBK", "GB18030"):
        leads = [bytes([b]) for b in (0x81, 0x84, 0x85, 0x8F, 0x90, 0xE3, 0xE4, 0xFE)]
        digits = [bytes([b]) for b in (0x2F, 0x30, 0x31, 0x35, 0x38, 0x39, 0x3A)]
        thirds = [bytes([b]) for b in (0x41, 0x80, 0x81, 0x82, 0x9A, 0xA4, 0xA5, 0xF4, 0xFE, 0xFF)]
        lasts = [bytes([b]) for b in (0x2F, 0x30, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x81)]
        threes = [a + b + c for a in leads for b in digits for c in thirds]
        result += threes + [three + d for three in threes for d in lasts]
    elif name == "ISO-2022-JP":
        result += [b"\x1B" + a + b for a in every for b in every]
        result += [escape + a for escape in ESCAPES for a in every]
        result += [a + b + b"\x21\x21" for a in ESCAPES for b in ESCAPES]
        result += [b"\x1B$B" + a + b for a in every for b in every] + [b"\x1B$@\x30" + a for a in every]
    elif name == "UTF-8":
        borders = [bytes([b]) for b in (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF)]
        leads = [bytes([b]) for b in (0xC1, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF)]
        result += [b"".join(s) for count in (2, 3) for s in itertools.product(leads, *[borders] * count)]
    elif name.startswith("UTF-16"):
        order = "big" if name == "UTF-16BE" else "little"
        choice = (0x0041, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF)
        result += [a.to_bytes(2, order) + b.to_bytes(2, order) for a in choice for b in choice]
    elif name.startswith("UTF-32"):
        order = "big" if name == "UTF-32BE" else "little"
        choice = (0x00000041, 0x0000D7FF, 0x0000D800, 0x0000DFFF, 0x0000E000, 0x0000FFFF, 0x00010000, 0x0010FFFF,
                  0x00110000, 0x01000041, 0x80000041, 0xFFFFFFFF)
        result += [unit.to_bytes(4, order) for unit in choice]
    return result


def lines(name):
    """For each sequence of NAME.bin its line there and how it decodes."""
    if name == "ISO-2022-JP":
        line_feed = b"\x1B(B\n"
        whole = 1
    else:
        line_feed = "\n".encode("utf-16-le" if name == "UTF-16" else CODECS[name])
        whole = len(line_feed)
    for sequence in sequences(name):
        if len(sequence) % whole == 0:
            line = sequence + line_feed
            yield line, expected(name, line).encode("utf-8")


def make(directory, names):
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        made = list(lines(name))
        (directory / (name + ".bin")).write_bytes(b"".join(line for line, _ in made))
        (directory / (name + ".txt")).write_bytes(b"".join(text for _, text in made))
        with open(directory / (name + ".python"), "w", encoding="ascii", newline="\n") as file:
            for sequence in sequences(name):
                text = strictly(sequence, CODECS[name])
                file.write((text.encode("utf-8").hex() if isinstance(text, str) else "!%d" % text) + "\n")


def digests():
    for name in CODECS:
        digest = 0xCBF29CE484222325
        count = 0
        for _, text in lines(name):
            count += 1
            for byte in text:
                digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
        print("%-12s %6d %016x" % (name, count, digest))


def compare(directory, name, data):
    wanted = (directory / (name + ".txt")).read_bytes()
    if data == wanted:
        return
    reported = 0
    place = 0
    for line, text in lines(name):
        got = data[place:place + len(text)]
        if got != text:
            end = data.find(b"\n", place)
            end = len(data) if end < 0 else end + 1
            print("%s %s: expected %s, got %s" % (name, line.hex(" "), text.hex(" "), data[place:end].hex(" ")))
            place = end
            reported += 1
            if reported == 20:
                break
        else:
            place += len(text)
    sys.exit("%s: %d bytes expected, %d bytes got; they differ" % (name, len(wanted), len(data)))


def serve(directory, port_file):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            name = self.path.lstrip("/")
            if name not in CODECS:
                self.send_error(404)
                return
            body = MARKS.get(name, b"") + (directory / (name + ".bin")).read_bytes()
            self.send_response(200)
            # A charset that has no label is told by its mark alone.
            self.send_header("Content-Type", "text/plain" if name in MARKS else "text/plain; charset=" + name)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            pass  # A client may leave when it likes.

    def stop(*arguments):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    with Server(("127.0.0.1", 0), Handler) as server:
        # Renamed into place, so that a reader never sees half a number.
        unfinished = port_file.with_name(port_file.name + ".new")
        unfinished.write_text("%d\n" % server.server_address[1])
        os.replace(unfinished, port_file)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            port_file.unlink(missing_ok=True)


def main():
    verb, *rest = sys.argv[1:] or [""]
    if verb == "make" and rest and set(rest[1:]) <= set(CODECS):
        make(pathlib.Path(rest[0]), rest[1:] or list(CODECS))
    elif verb == "serve" and len(rest) == 3 and rest[1] == "--port-file":
        serve(pathlib.Path(rest[0]), pathlib.Path(rest[2]))
    elif verb == "compare" and len(rest) in (2, 3) and rest[1] in CODECS:
        data = pathlib.Path(rest[2]).read_bytes() if len(rest) == 3 else sys.stdin.buffer.read()
        compare(pathlib.Path(rest[0]), rest[1], data)
    elif verb == "digests" and not rest:
        digests()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
