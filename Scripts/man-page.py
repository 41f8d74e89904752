#!/usr/bin/env python3
"""Writes the manual page tsubame(1), from what the tool says of its own options.

usage: man-page.py TOOL > tsubame.1
"""
import json
import re
import subprocess
import sys

EXAMPLES = [
    ("Get JSON, indented and coloured:", "tsubame api.example.com/users page==2"),
    ("Send JSON, with a number and a nested name:", "tsubame PUT :3000/users/7 name=swallow age:=3 address[city]=Kyoto"),
    ("Send a form with a file:", "tsubame --form :3000/upload note=hello photo@swallow.jpg"),
    ("Send what another program writes:", "date | tsubame POST :3000/log"),
    ("Follow redirects, and keep the login for later:", "tsubame -F --session=work :3000/login user=me password=secret"),
    ("See where the time goes:", "tsubame --timings https://example.com/"),
    ("Save to a file:", "tsubame -d https://example.com/swallow.jpg"),
    ("Look at what would be sent:", "tsubame --offline :3000/users name=swallow"),
]
FILES = [
    ("$XDG_CONFIG_HOME/tsubame/config", "Default options of requests, as they are typed; without that variable ~/.config/tsubame/config."),
    ("$XDG_CONFIG_HOME/tsubame/sessions/HOST/NAME.json", "What --session=NAME keeps of a host."),
    ("~/.netrc", "Users and passwords of hosts; NETRC names another file."),
]
ENVIRONMENT = [
    ("http_proxy, https_proxy, all_proxy, no_proxy", "Proxies, and hosts that are reached without one."),
    ("NO_COLOR", "No colours, whatever the terminal can."),
    ("COLORFGBG", "Whether the terminal is dark or light, for --style=auto."),
    ("NETRC, XDG_CONFIG_HOME", "See FILES."),
]


def escaped(text):
    """Text that troff takes for nothing else."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("“", "\\(lq").replace("”", "\\(rq").replace("…", "\\&...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def names(argument):
    """The names of an option with its value: -a, --auth USER."""
    value = ""
    if argument["kind"] == "option":
        value = " \\fI" + escaped(argument["valueName"]) + "\\fR"
    long = [name["name"] for name in argument["names"] if name["kind"] == "long"]
    short = [name["name"] for name in argument["names"] if name["kind"] != "long"]
    spelt = ["-" + name for name in short] + ["--" + name for name in long]
    return ", ".join("\\fB" + escaped(name) + "\\fR" for name in spelt) + value


def options(command):
    """The options of a command, by section, in their order."""
    sections = {}
    for argument in command.get("arguments", []):
        if argument["kind"] == "positional" or not argument.get("shouldDisplay", True):
            continue
        sections.setdefault(argument.get("sectionTitle") or "Others", []).append(argument)
    return sections


def option_lines(arguments):
    lines = []
    for argument in arguments:
        default = argument.get("defaultValue")
        text = argument.get("abstract", "")
        if default and argument["kind"] == "option":
            text += f" (default: {default})"
        lines += [".TP", names(argument), escaped(text)]
    return lines


def paragraphs(text):
    """The help's own text: what is indented stays as it stands."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        is_list = any(line.startswith("  ") for line in block.split("\n"))
        lines += [".PP"]
        if is_list:
            lines += [".nf", escaped(block), ".fi"]
        else:
            lines += [escaped(" ".join(block.split()))]
    return lines


def page(tool):
    dumped = subprocess.run([tool, "--experimental-dump-help"], capture_output=True, text=True, check=True)
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    command = json.loads(dumped.stdout)["command"]
    lines = [f'.TH TSUBAME 1 "" "{version}" "User Commands"', ".SH NAME"]
    lines += ["tsubame \\- " + escaped(command["abstract"].rstrip(".").replace("HTTP", "HTTP", 1)), ".SH SYNOPSIS"]
    for usage in ["[OPTION ...] [METHOD] URL [ITEM ...]", "serve [OPTION ...]", "demo"]:
        lines += [".B tsubame", escaped(usage), ".br"]
    lines += [".SH DESCRIPTION"] + paragraphs(command.get("discussion", ""))
    lines += [".SH OPTIONS"]
    for title, arguments in options(command).items():
        lines += [".SS " + escaped(title)] + option_lines(arguments)
    for subcommand in command.get("subcommands", []):
        if subcommand["commandName"] == "help":
            continue
        lines += [".SS tsubame " + subcommand["commandName"], escaped(subcommand["abstract"])]
        for arguments in options(subcommand).values():
            lines += option_lines(arguments)
    lines += [".SH EXAMPLES"]
    for text, line in EXAMPLES:
        lines += [".PP", escaped(text), ".RS", ".nf", escaped(line), ".fi", ".RE"]
    for title, entries in [("FILES", FILES), ("ENVIRONMENT", ENVIRONMENT)]:
        lines += [".SH " + title]
        for name, text in entries:
            lines += [".TP", "\\fI" + escaped(name) + "\\fR", escaped(text)]
    lines += [".SH SEE ALSO", ".BR curl (1), netrc (5)"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.stdout.write(page(sys.argv[1]))
