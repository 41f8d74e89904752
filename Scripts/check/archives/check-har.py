#!/usr/bin/env python3
"""Judges the archives of the inspector: by a schema of HAR 1.2 (PyPI's jsonschema), by haralyzer, and by the rules of the format that
no schema can state. Makes them with the tool: one call after the other with --inspect, whose page gives the archive.

check-har.py TOOL; ends with 0, and says so, if the packages cannot be had.
"""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import urllib.parse
import http.client

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import environments  # noqa: E402

PACKAGES = ["jsonschema>=4", "haralyzer>=2", "rfc3339-validator", "rfc3987"]
SCHEMA = pathlib.Path(__file__).with_name("har.schema.json")
# The arguments of each call, and the statuses of its entries. {url} is the embedded server.
CALLS = [
    (["{url}/get?page=2&q=%20x", "Cookie:a=b"], [200]),
    (["-F", "{url}/redirect/2"], [302, 302, 200]),
    (["{url}/gzip"], [200]),
    (["{url}/image/png"], [200]),
    (["POST", "{url}/post", "name=燕"], [200]),
    (["--form", "POST", "{url}/post", "a=1", "password=hush"], [200]),
    (["--auth", "user:nest", "{url}/basic-auth/user/nest"], [200]),
    (["{url}/cookies/set?a=b"], [302]),
    (["{url}/status/503"], [503]),
    (["{url}/truncate/10?announce=20"], [200]),
    (["--timeout", "0.2", "{url}/delay/5"], [0]),
    (["http://127.0.0.1:1/closed"], [0]),
    (["HEAD", "{url}/get"], [200]),
    (["{url}/encoding/utf8"], [200]),
]


def archive(tool, words):
    """The archive of one call of the tool."""
    with tempfile.TemporaryFile() as output:
        run = subprocess.Popen(
            [tool, "--ignore-config", "--ignore-stdin", "--inspect", *words], stdout=output, stderr=subprocess.PIPE, text=True)
        try:
            return read(run)
        finally:
            run.kill()


def read(run):
    """The archive that the page of a running tool gives. The tool is then interrupted."""
    lines = iter(run.stderr.readline, "")
    page = urllib.parse.urlsplit(next(line for line in lines if "the inspector is at" in line).split()[-1])
    next(line for line in lines if "Ctrl-C ends it" in line)
    connection = http.client.HTTPConnection(page.hostname, page.port, timeout=20)
    connection.request("GET", f"/?{page.query}")
    first = connection.getresponse()
    first.read()
    cookie = first.headers["Set-Cookie"].split(";")[0]
    connection.request("GET", "/api/har", headers={"Cookie": cookie})
    answer = connection.getresponse()
    text = answer.read().decode()
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=20)
    return json.loads(text)


def judge(log, statuses):
    """The faults that no schema finds."""
    entries = log["log"]["entries"]
    found = [entry["response"]["status"] for entry in entries]
    if found != statuses:
        yield f"the statuses are {found}, and not {statuses}"
    starts = [entry["startedDateTime"] for entry in entries]
    if starts != sorted(starts):
        yield "the entries are not in the order of their start"
    for entry in entries:
        timings = entry["timings"]
        phases = [timings.get(name, -1) for name in ("blocked", "dns", "connect", "send", "wait", "receive")]
        if abs(sum(phase for phase in phases if phase != -1) - entry["time"]) > 0.01:
            yield f"time is {entry['time']}, and not the sum of {timings}"
        if timings.get("ssl", -1) > timings.get("connect", -1):
            yield "ssl is longer than connect"
        content = entry["response"]["content"]
        if "text" in content and content.get("encoding") != "base64" and len(content["text"].encode()) != content["size"]:
            yield f"size is {content['size']}, and the text has {len(content['text'].encode())} bytes"
    if "hush" in json.dumps(log):
        yield "a secret is shown"


def main():
    import haralyzer
    import jsonschema

    validator = jsonschema.Draft202012Validator(
        json.loads(SCHEMA.read_text()), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    tool, faults, count = sys.argv[1], 0, 0
    server = subprocess.Popen([tool, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = server.stdout.readline().strip()
        for words, statuses in CALLS:
            words = [word.format(url=url) for word in words]
            log = archive(tool, words)
            found = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)] + list(judge(log, statuses))
            read = [entry for page in haralyzer.HarParser(log).pages for entry in page.entries]
            if [(entry.status, entry.url) for entry in read] != [
                (entry["response"]["status"], entry["request"]["url"]) for entry in log["log"]["entries"]
            ]:
                found.append("haralyzer reads other entries")
            for fault in found:
                print(f"{' '.join(words)}: {fault}")
            faults += len(found)
            count += len(log["log"]["entries"])
    finally:
        server.terminate()
        server.wait()
    print(f"{count} entries of {len(CALLS)} archives are judged, with {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if "--judge" in sys.argv:
        sys.argv.remove("--judge")
        sys.exit(main())
    program = environments.python("har", PACKAGES, ["haralyzer", "jsonschema", "rfc3339_validator", "rfc3987"])
    if program is None:
        print(f"skipped: {', '.join(PACKAGES)} cannot be had from PyPI")
        sys.exit(0)
    sys.exit(subprocess.run([program, __file__, *sys.argv[1:], "--judge"]).returncode)
