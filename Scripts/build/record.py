#!/usr/bin/env python3
"""Records the tool at a terminal of its own, against its own server, as an animated SVG for the README.

usage: record.py TOOL OUTPUT.svg

Every line and every pause between two commands is what the run gave: nothing is edited. Only the port is shown as 8080.
"""
import fcntl
import html
import os
import pathlib
import pty
import re
import select
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import time

COLUMNS, ROWS = 92, 200
COMMANDS = [
    "tsubame :8080/get page==2 X-Bird:燕",
    "tsubame -p Bh PUT :8080/put name=swallow wings:=2 'nest[place]=eaves' 'nest[eggs][]:=5'",
    "tsubame -F --timings -p t :8080/redirect/1",
    "tsubame -d :8080/drip numbytes==1500000 duration==1 delay==0",
    "tsubame :8080/status/418 -q; echo status $?",
]
PALETTE = {
    30: "#3b4252", 31: "#e06c75", 32: "#98c379", 33: "#e5c07b", 34: "#61afef", 35: "#c678dd", 36: "#56b6c2", 37: "#d8dee9",
    90: "#7f8899", 91: "#ff8f97", 92: "#b4e096", 93: "#ffd98f", 94: "#82c4ff", 95: "#e09cf5", 96: "#7fdbe5", 97: "#ffffff",
}
LINE_HEIGHT, CHARACTER_WIDTH, MARGIN = 18, 8.4, 16
TYPING = 0.035


def run(command, environment, folder):
    """What a shell at a terminal prints for the command: pairs of seconds and bytes."""
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("/bin/sh", ["sh", "-c", command], environment)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    start, pieces = time.monotonic(), []
    while select.select([master], [], [], 30)[0]:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        pieces.append((time.monotonic() - start, data))
    os.waitpid(pid, 0)
    os.close(master)
    return pieces


def width(text):
    return sum(2 if ord(character) > 0x2E80 else 1 for character in text)


class Screen:
    """As much of a terminal as the tool uses: colours, lines, and going back to the beginning of the last ones."""

    def __init__(self):
        self.lines, self.row, self.style, self.returned = [[]], 0, (None, False), False

    def feed(self, text):
        for part in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
            if part == "\n":
                self.row, self.returned = self.row + 1, False
                if self.row == len(self.lines):
                    self.lines.append([])
            elif part == "\r":
                self.returned = True
            elif part.startswith("\x1b"):
                self.control(part)
            else:
                if self.returned:
                    self.lines[self.row], self.returned = [], False
                self.lines[self.row].append((part, self.style))

    def control(self, sequence):
        numbers = [int(number) for number in sequence[2:-1].split(";") if number] or [0]
        if sequence.endswith("m"):
            for number in numbers:
                colour, bold = self.style
                self.style = (None, False) if number == 0 else (colour, True) if number == 1 else (PALETTE.get(number, colour), bold)
        elif sequence.endswith("A"):
            self.row = max(self.row - max(numbers[0], 1), 0)
        elif sequence.endswith("J"):
            self.lines, self.returned = self.lines[: self.row] + [[]], False


def frames(tool, folder):
    """All lines with the second at which each is there."""
    server = subprocess.Popen([tool, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = re.search(r":(\d+)", server.stdout.readline())[1]
        bin_folder = pathlib.Path(folder) / ".bin"
        bin_folder.mkdir()
        (bin_folder / "tsubame").symlink_to(pathlib.Path(tool).resolve())
        environment = {
            "PATH": f"{bin_folder}:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": folder,
            "XDG_CONFIG_HOME": folder + "/.config",
        }
        clock, lines = 0.6, []
        for command in COMMANDS:
            lines.append((clock, [("$ ", (PALETTE[92], True))], command))
            clock += TYPING * len(command) + 0.3
            pieces = run(command.replace(":8080", f":{port}"), environment, folder)
            screen, shown = Screen(), {}
            for seconds, data in pieces:
                screen.feed(data.decode("utf-8", "replace").replace(f":{port}", ":8080"))
                for row in range(len(screen.lines)):
                    shown.setdefault(row, seconds)
            while screen.lines and not screen.lines[-1]:
                screen.lines.pop()
            for row, line in enumerate(screen.lines):
                lines.append((clock + shown.get(row, 0), line, None))
            clock += (pieces[-1][0] if pieces else 0) + 1.6
        return lines, clock
    finally:
        server.terminate()
        server.wait()


def spans(parts):
    text = ""
    for part, (colour, bold) in parts:
        style = f' fill="{colour}"' if colour else ""
        style += ' font-weight="bold"' if bold else ""
        text += f"<tspan{style}>{html.escape(part)}</tspan>"
    return text


def draw(lines, end):
    shown = 26
    height, breadth = shown * LINE_HEIGHT + 2 * MARGIN, COLUMNS * CHARACTER_WIDTH + 2 * MARGIN
    total = end + 2.5
    body, scroll = [], [(0.0, 0)]
    for index, (seconds, parts, typed) in enumerate(lines):
        y = MARGIN + (index + 1) * LINE_HEIGHT - 4
        percent = seconds / total * 100
        style = f"animation:l{index} {total:.2f}s linear infinite"
        body.append(f"@keyframes l{index}{{0%,{percent:.3f}%{{opacity:0}}{percent + 0.001:.3f}%,100%{{opacity:1}}}}")
        content = spans(parts)
        if typed is not None:
            for place, character in enumerate(typed):
                at = (seconds + place * TYPING) / total * 100
                name = f"t{index}-{place}"
                body.append(f"@keyframes {name}{{0%,{at:.3f}%{{opacity:0}}{at + 0.001:.3f}%,100%{{opacity:1}}}}")
                content += f'<tspan style="animation:{name} {total:.2f}s linear infinite">{html.escape(character)}</tspan>'
        body.append((y, style, content))
        if index + 1 > shown:
            scroll.append((seconds, (index + 1 - shown) * LINE_HEIGHT))
    rules = [rule for rule in body if isinstance(rule, str)]
    moves = []
    for place, (seconds, offset) in enumerate(scroll):
        until = scroll[place + 1][0] if place + 1 < len(scroll) else total
        moves.append(f"{seconds / total * 100:.3f}%,{until / total * 100 - 0.001:.3f}%{{transform:translateY(-{offset}px)}}")
    rules.append("@keyframes scroll{" + "".join(moves) + "}")
    texts = [
        f'<text x="{MARGIN}" y="{y}" style="{style}" xml:space="preserve">{content}</text>'
        for y, style, content in (entry for entry in body if not isinstance(entry, str))
    ]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {breadth:.0f} {height:.0f}" width="{breadth:.0f}">',
        "<title>tsubame at a terminal</title>",
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,DejaVu Sans Mono,monospace;fill:#d8dee9}" + "".join(rules) + "</style>",
        f'<rect width="100%" height="100%" rx="8" fill="#1e222a"/>',
        f'<svg y="{MARGIN / 2}" height="{height - MARGIN}"><g style="animation:scroll {total:.2f}s linear infinite">',
        *texts, "</g></svg>", "</svg>", "",
    ])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as folder:
        recorded, last = frames(sys.argv[1], folder)
    pathlib.Path(sys.argv[2]).write_text(draw(recorded, last), encoding="utf-8")
