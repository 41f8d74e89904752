#!/usr/bin/env python3
"""Compares an HTTPBin server of this package with PyPI's httpbin, request by request.

usage: compare-httpbin.py --ours http://127.0.0.1:8080 [--cache FOLDER] [--theirs URL] [--verbose]

PyPI's httpbin is installed into a virtual environment in the cache folder (else XDG_CACHE_HOME, else ~/.cache) and
run by gunicorn on a free port. Exit status: 0 all the same, 1 something differs, 75 httpbin cannot be had from PyPI.
"""
import argparse
import ctypes.util
import gzip
import html.parser
import http.client
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree
import zlib

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import environments  # noqa: E402
from httpbin_cases import Case, cases, later_cases  # noqa: E402
from httpbin_digest import conversations, shape  # noqa: E402

PACKAGES = ["httpbin>=0.10.4,<0.11", "gunicorn>=23"]
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"RIFF": "webp"}


class Reader(io.BytesIO):
    """What http.client wants of a socket."""

    def makefile(self, *_):
        return self


# The committed number of same answers.
SCORES = pathlib.Path(__file__).resolve().parents[1] / "conformance-scores.txt"
SCORE = "httpbin, answers that are the same as those of PyPI's"


def send(base, method, target, headers, content):
    """The status, the fields by lower-case name, the content and the sizes of the chunks of an answer."""
    host, port = base.hostname, base.port or 80
    headers = {"Host": f"{host}:{port}", **headers}
    if content is not None and "Transfer-Encoding" not in headers:
        headers["Content-Length"] = str(len(content))
    lines = [f"{method} {target} HTTP/1.1".encode()]
    for name, values in headers.items():
        for value in values if isinstance(values, list) else [values]:
            lines.append(name.encode() + b": " + (value if isinstance(value, bytes) else value.encode()))
    message = b"\r\n".join(lines) + b"\r\nConnection: close\r\n\r\n" + (content or b"")
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(message)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    response = http.client.HTTPResponse(Reader(answer), method=method)
    response.begin()
    fields = {}
    for name, value in response.getheaders():
        fields.setdefault(name.lower(), []).append(value)
    chunks = []
    if response.chunked:
        rest = answer.split(b"\r\n\r\n", 1)[1]
        while size := int(rest.split(b"\r\n", 1)[0], 16):
            chunks.append(size)
            rest = rest.split(b"\r\n", 1)[1][size + 2:]
    return response.status, fields, response.read(), chunks


def normalised(value, base):
    """The value with the server's own address replaced, wherever it stands in it."""
    if isinstance(value, str):
        return value.replace(f"{base.hostname}:{base.port or 80}", "SERVER")
    if isinstance(value, list):
        return [normalised(each, base) for each in value]
    if isinstance(value, dict):
        return {normalised(key, base): normalised(each, base) for key, each in value.items()}
    return value


class Page(html.parser.HTMLParser):
    """The links of a page, and its form with the elements that have names."""

    def __init__(self, text):
        super().__init__()
        self.links, self.form = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "a":
            self.links.append(values.get("href"))
        elif tag == "form":
            self.form.append((tag, values.get("method"), values.get("action")))
        elif values.get("name"):
            self.form.append((tag, values["name"], values.get("type"), values.get("value")))


def tree(element):
    """An element of XML with its children, without white space around texts."""
    texts = [(element.text or "").strip()] + [(child.tail or "").strip() for child in element]
    return element.tag, sorted(element.attrib.items()), texts, [tree(child) for child in element]


def unbrotlied(content):
    """The content of a body in brotli, or nothing but that it is one where Python cannot read it."""
    for module in ("brotlicffi", "brotli"):
        try:
            return __import__(module).decompress(content)
        except ImportError:
            continue
    return b'"brotli"'


def seen(base, case):
    """What is compared: a dictionary from the name of a part to its value."""
    if not isinstance(case, Case):
        return case.turn(lambda *request: send(base, *request)[:3])
    status, fields, content, chunks = send(base, case.method, case.target, case.headers, case.content)
    parts = {"status": status}
    for name in case.fields:
        values = [shape(value) for value in normalised(fields.get(name.removesuffix("~"), []), base)]
        # Only what it looks like: the value itself is random, or the time.
        if name.endswith("~"):
            values = [re.sub(r"\w", "x", value) for value in values]
        if name == "allow":
            values = sorted(each.strip() for value in values for each in value.split(","))
        parts[name] = sorted(values)
    coding = fields.get("content-encoding", [""])[0]
    if coding == "gzip":
        content = gzip.decompress(content)
    elif coding == "deflate" and content:
        content = zlib.decompress(content)
    elif coding == "br" and content:
        content = unbrotlied(content)
    if case.body == "bytes" or (case.body == "json" and not content.strip()):
        parts["body"] = content
    elif case.body == "chunks":
        parts["body"] = (content, chunks)
    elif case.body == "signature":
        named = [name for start, name in SIGNATURES.items() if content.startswith(start)]
        parts["body"] = named or ["svg" if b"<svg" in content else "none"]
    elif case.body == "xml":
        parts["body"] = tree(xml.etree.ElementTree.fromstring(content))
    elif case.body == "links":
        parts["body"] = Page(content.decode()).links
    elif case.body == "form":
        parts["body"] = sorted(Page(content.decode()).form, key=str)
    elif case.body == "length":
        parts["body"] = len(content)
    elif case.body == "uuid":
        value = json.loads(content)["uuid"]
        parts["body"] = (len(value), value.count("-"), value == value.lower(), value[14])
    elif case.body == "lines":
        parts["body"] = [normalised(json.loads(line), base) for line in content.splitlines()]
    elif case.body == "json":
        is_json = fields.get("content-type", [""])[0].startswith("application/json")
        parts["body"] = normalised(json.loads(content), base) if is_json else "(no JSON)"
    return parts


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def serve(programs, log):
    """Starts PyPI's httpbin and waits until it accepts connections."""
    port = free_port()
    command = [programs / "gunicorn", "-w1", "-k", "gthread", "--threads", "8", "-b", f"127.0.0.1:{port}",
               "httpbin:app"]
    if "--no-control-socket" in subprocess.run([programs / "gunicorn", "--help"], capture_output=True,
                                               text=True).stdout:
        command.insert(1, "--no-control-socket")
    process = subprocess.Popen(command, stdout=log, stderr=log, cwd=tempfile.gettempdir())
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.1)
    process.terminate()
    raise SystemExit("PyPI's httpbin was installed, but gunicorn does not serve it")


def not_asked(programs, asked):
    """The routes of httpbin, as its own table has them, with the methods that no case has asked for."""
    script = ("import json, httpbin; print(json.dumps([[str(rule), sorted(rule.methods)] "
              "for rule in httpbin.app.url_map.iter_rules()]))")
    rules = json.loads(subprocess.run([programs / "python", "-c", script], capture_output=True, check=True).stdout)
    for rule, methods in rules:
        pattern = re.sub(r"<int:\w+>", r"\\d+", re.escape(rule).replace("\\<", "<").replace("\\>", ">"))
        pattern = re.sub(r"<\w+>", "[^/]+", re.sub(r"<path:\w+>", ".+", pattern))
        for method in methods:
            if not any(each == method and re.fullmatch(pattern, path) for each, path in asked):
                yield f"{method} {rule}"


def compare(ours, theirs, verbose, programs=None):
    same = different = absent = 0
    asked = set()
    for case in [*cases(), *later_cases(), *conversations()]:
        if isinstance(case, Case):
            asked.add((case.method, case.target.split("?")[0]))
        answers = []
        for base in (ours, theirs):
            try:
                answers.append(seen(base, case))
            except (OSError, ValueError, KeyError, http.client.HTTPException, EOFError, zlib.error) as error:
                # Named, so that two failures never count as the same.
                answers.append({"status": f"{type(error).__name__} from {base.netloc}: {error}"})
        # Where the library that the endpoint needs is not installed.
        if answers[0].get("status") == 501 and case.target.startswith("/brotli"):
            print(f"not there  {case}")
            absent += 1
            continue
        differing = [part for part in answers[1] | answers[0] if answers[0].get(part) != answers[1].get(part)]
        if not differing:
            same += 1
            if verbose:
                print(f"same       {case}")
            continue
        different += 1
        print(f"different  {case}")
        for part in differing:
            print(f"    {part}\n        ours   {answers[0].get(part)!r}\n        theirs {answers[1].get(part)!r}")
    for missing in not_asked(programs, asked) if programs else []:
        different += 1
        print(f"not asked  {missing}")
    least = int(re.search(rf"^(\d+) {SCORE}$", SCORES.read_text(), re.M)[1])
    print(f"{same} same, {different} different" + (f", {absent} not there" if absent else ""))
    if same + absent < least:
        print(f"fewer than the {least} of {SCORES.name}, which may only rise")
    return 1 if different or same + absent < least else 0


def refused(tool, theirs):
    """How many of httpbin's own doors the tool does not get through with the credentials of a URL.

    Their Digest takes neither a query nor an escape in the path, whatever a client makes of it.
    """
    paths = ["basic-auth/user/pa:s@s", "hidden-basic-auth/user/pa:s@s", "digest-auth/auth/user/pa:s@s"]
    for algorithm in ["MD5", "SHA-256", "SHA-512"]:
        paths += [f"digest-auth/{offered}/user/pa:s@s/{algorithm}" for offered in ["auth", "auth-int", "both"]]
    failed = 0
    for path in paths:
        url = f"http://user:pa:s%40s@{theirs.netloc}/{path}"
        done = subprocess.run([tool, "--ignore-stdin", url], capture_output=True, text=True, timeout=60)
        if done.returncode or '"authenticated": true' not in done.stdout:
            failed += 1
            print(f"refused    {path}: {done.stdout}{done.stderr}")
    print(f"{len(paths) - failed} of {len(paths)} of their doors are opened by credentials in the URL")
    return failed


def astray(tool, theirs):
    """How many of httpbin's own ways by redirects, cookies, credentials, codings, ranges and caches the tool does not find.

    Each is the arguments, behind the tool's own, and what the last answer must have in it.
    """
    base = f"http://{theirs.netloc}"
    ways = [
        (["-F", f"{base}/redirect/5"], f'"url": "{base}/get"'),
        (["-F", f"{base}/absolute-redirect/3"], f'"url": "{base}/get"'),
        (["-F", f"{base}/relative-redirect/3"], f'"url": "{base}/get"'),
        (["-F", "PUT", f"{base}/redirect-to", f"url=={base}/put", "status_code==307", "--raw", "kept"], '"data": "kept"'),
        (["-F", f"{base}/redirect-to", f"url=={base}/get?a=b", "status_code==303", "--raw", "dropped"], '"a": "b"'),
        (["-F", f"{base}/cookies/set", "one==1", "two==2"], '"two": "2"'),
        (["-F", f"{base}/cookies/set/one/1"], '"one": "1"'),
        (["--session={folder}/jar.json", "-F", f"{base}/cookies/set/one/1"], '"one": "1"'),
        (["--session={folder}/jar.json", "-F", f"{base}/cookies/delete", "one=="], '"cookies": {}'),
        (["-a", "user:pässword", f"{base}/basic-auth/user/pässword"], '"authenticated": true'),
        ([f"{base}/bearer", "Authorization:Bearer token"], '"token": "token"'),
        ([f"{base}/gzip"], '"gzipped": true'),
        ([f"{base}/deflate"], '"deflated": true'),
        ([f"{base}/range/26", "Range:bytes=10-15"], "klmnop"),
        (["--cache", "--print=h", f"{base}/cache/60"], "max-age=60"),
        (["--cache", "--print=h", f"{base}/cache/60"], "tsubame; hit"),
        (["--cache", "--print=b", f"{base}/cache/60"], f'"url": "{base}/cache/60"'),
    ]
    if ctypes.util.find_library("brotlidec"):
        ways.append(([f"{base}/brotli"], '"brotli": true'))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_CACHE_HOME": folder}
        for arguments, expected in ways:
            arguments = [argument.replace("{folder}", folder) for argument in arguments]
            done = subprocess.run(
                [tool, "--ignore-stdin", *arguments], capture_output=True, text=True, timeout=60, env=environment
            )
            if done.returncode or expected not in done.stdout:
                failed += 1
                print(f"astray     {' '.join(arguments)}: {done.stdout}{done.stderr}")
    print(f"{len(ways) - failed} of {len(ways)} of their ways are found: redirects, cookies, credentials, codings, ranges, caches")
    return failed


def main():
    parser = argparse.ArgumentParser(description="Compares an HTTPBin server with PyPI's httpbin.")
    parser.add_argument("--ours", help="the URL of the HTTPBin server")
    parser.add_argument("--tool", help="the program whose `serve` is the HTTPBin server, instead of --ours")
    parser.add_argument("--theirs", help="the URL of a running httpbin, instead of installing one")
    parser.add_argument("--cache", help="where the virtual environment is kept", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="name also the requests with the same answers")
    options = parser.parse_args()
    if options.tool:
        process = subprocess.Popen([options.tool, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            options.ours = re.search(r"http://[^\s/]+", process.stdout.readline())[0]
            return run(options)
        finally:
            process.terminate()
            process.wait()
    if not options.ours:
        parser.error("--ours or --tool is needed")
    return run(options)


def run(options):
    ours = urllib.parse.urlsplit(options.ours)
    try:
        socket.create_connection((ours.hostname, ours.port or 80), timeout=5).close()
    except OSError as error:
        raise SystemExit(f"nothing answers at {options.ours}: {error}")
    if options.theirs:
        return compare(ours, urllib.parse.urlsplit(options.theirs), options.verbose)
    cache = options.cache and options.cache.absolute()
    python = environments.python("httpbin", PACKAGES, ["httpbin", "gunicorn"], cache)
    programs = python and python.parent
    if programs is None:
        print("httpbin cannot be had from PyPI, see above: nothing was compared", file=sys.stderr)
        return 75
    with tempfile.TemporaryFile() as log:
        process, url = serve(programs, log)
        try:
            # For the brotli module of httpbin's own environment, if this is the Python that it was made for.
            sys.path += [str(path) for path in programs.parent.glob("lib/python*/site-packages")]
            theirs = urllib.parse.urlsplit(url)
            shut = refused(options.tool, theirs) + astray(options.tool, theirs) if options.tool else 0
            return compare(ours, theirs, options.verbose, programs) or min(shut, 1)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
