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

The sequences: all of one byte and all of two, in this order. EUC-JP has all of 8F and two bytes, too; UTF-8 all of
three and four bytes of a choice at the borders of its ranges; the forms of UTF-16 all pairs of a choice of code units.
NAME.bin of UTF-16 leaves out the sequences of one byte, as none but the last can be one.

What Python decodes is expected, except for `differences`. Where Python finds an error, WHATWG's decoders say how many
bytes it takes: `first_unit` cuts the bytes by their rules, and the codec decodes each unit alone.
"""
import http.server
import itertools
import os
import pathlib
import signal
import sys

CODECS = {
    "UTF-8": "utf-8",
    "UTF-16": "utf-16",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "ISO-8859-1": "latin-1",
    "windows-1252": "cp1252",
    "Shift_JIS": "cp932",
    "EUC-JP": "euc_jp",
}
REPLACEMENT = "\uFFFD"


def differences():
    """For each charset the units that are to be decoded otherwise than by Python; None is an error."""
    result = {
        "windows-1252": {bytes([byte]): chr(byte) for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)},
        "Shift_JIS": {bytes([byte]): None for byte in (0xA0, 0xFD, 0xFE, 0xFF)},
        "EUC-JP": {
            b"\xA1\xC1": "\uFF5E",
            b"\xA1\xC2": "\u2225",
            b"\xA1\xDD": "\uFF0D",
            b"\xA1\xF1": "\uFFE0",
            b"\xA1\xF2": "\uFFE1",
            b"\xA2\xCC": "\uFFE2",
            b"\x8F\xA2\xB7": "\uFF5E",
        },
    }
    # The extensions of NEC and IBM, which only cp932 has.
    for row in (13, 89, 90, 91, 92):
        for cell in range(1, 95):
            lead, trail = divmod((row - 1) * 94 + cell - 1, 188)
            shift_jis = bytes([lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)])
            character = strictly(shift_jis, "cp932")
            if isinstance(character, str):
                result["EUC-JP"][bytes([0xA0 + row, 0xA0 + cell])] = character
    return result


def strictly(data, codec):
    """The text, or the offset of the first error."""
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        return error.start


DIFFERENCES = differences()


def first_unit(name, data):
    """The bytes that WHATWG's decoder takes first, for a character or an error, if no byte of ASCII is given back."""
    lead = data[0]
    if name == "Shift_JIS" and (0x81 <= lead <= 0x9F or 0xE0 <= lead <= 0xFC):
        return data[:2]
    if name == "EUC-JP" and (lead in (0x8E, 0x8F) or 0xA1 <= lead <= 0xFE):
        three = lead == 0x8F and len(data) > 1 and 0xA1 <= data[1] <= 0xFE
        return data[:3] if three else data[:2]
    return data[:1]


def expected(name, data):
    """How the bytes decode, with U+FFFD for each error."""
    if name.startswith("UTF-"):
        return data.decode("utf-16-le" if name == "UTF-16" else CODECS[name], "replace")
    text = ""
    rest = data
    while rest:
        unit = first_unit(name, rest)
        character = DIFFERENCES.get(name, {}).get(unit, strictly(unit, CODECS[name]))
        if isinstance(character, str):
            text += character
        else:
            text += REPLACEMENT
            # A byte of ASCII at the end of a wrong sequence is read again.
            if len(unit) > 1 and unit[-1] < 0x80:
                unit = unit[:-1]
        rest = rest[len(unit):]
    return text


def sequences(name):
    every = [bytes([byte]) for byte in range(256)]
    result = every + [a + b for a in every for b in every]
    if name == "EUC-JP":
        result += [b"\x8F" + a + b for a in every for b in every]
    elif name == "UTF-8":
        borders = [bytes([b]) for b in (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF)]
        leads = [bytes([b]) for b in (0xC1, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF)]
        result += [b"".join(s) for count in (2, 3) for s in itertools.product(leads, *[borders] * count)]
    elif name.startswith("UTF-16"):
        order = "big" if name == "UTF-16BE" else "little"
        choice = (0x0041, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF)
        result += [a.to_bytes(2, order) + b.to_bytes(2, order) for a in choice for b in choice]
    return result


def lines(name):
    """For each sequence of NAME.bin its line there and how it decodes."""
    line_feed = "\n".encode("utf-16-le" if name == "UTF-16" else CODECS[name])
    for sequence in sequences(name):
        if len(sequence) % len(line_feed) == 0:
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
            body = (directory / (name + ".bin")).read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; charset=" + name)
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
