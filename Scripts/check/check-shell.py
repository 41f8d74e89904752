#!/usr/bin/env python3
"""Runs every shell line of README.md and of the articles: the lines of `sh` blocks, and inline code that begins with
`make`, `tsubame`, `git` or `openssl`.

usage: check-shell.py TOOL

Hosts are mapped by the tool's own --resolve to the embedded server and to a server of one file, all on loopback. Their
certificates are for localhost, so none is verified. A line that cannot run like this stands in ELSEWHERE or NOT_RUN with
the reason. A line that no document has any more is an error there, too. Blocks of shell lines are marked `sh`.
"""
import http.server, os, pathlib, re, shutil, signal, ssl, subprocess, sys, tempfile, threading

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
import testkit  # noqa: E402

root = pathlib.Path(__file__).resolve().parents[2]
tool = pathlib.Path(sys.argv[1]).resolve()
documents = [root / "README.md", *sorted(root.glob("Sources/*/*.docc/**/*.md"))]

# Run by `make test` through these targets. The check reads the Makefile, and looks whether that is so.
ELSEWHERE = {
    "make demo": "demo",
    "make docs": "docs",
    "make compare-httpbin": "compare-httpbin",
    "make install": "smoke",  # with DESTDIR
}
NOT_RUN = {
    "make bench": "half an hour, and the times of a busy machine say nothing; Benchmarks/RESULTS.md has the results",
}
# What the output of a line must hold, beside an exit status of 0.
EXPECTED = {
    "tsubame httpbin.org/get": '"page": "2"',
    "tsubame PUT :8080/put": '"nest"',
    "tsubame --form :8080/post": '"photo"',
    "tsubame --offline": "GET /get HTTP/1.1",
    "tsubame --help": "--session",
    "tsubame run api.http --env local -": '"user": "joe"',
    "tsubame run api.hurl": "api.hurl: ok, 1 request",
    "tsubame from-curl": "try await client.send(request)",
    "tsubame --har": "calls.har: ok, 1 request",
    # The pin of the test kit's certificate, as TLSInfo gives it.
    "openssl x509": "sw5zgc0dhNyKbpEoOts5WZo1QEpQqmznUVCcjKLgfqs=",
}
FILE = bytes(range(256)) * 400


class OneFile(http.server.BaseHTTPRequestHandler):
    """A large file with a validator, of which a part can be asked for."""

    protocol_version = "HTTP/1.1"
    # Where each request began. The first response is cut off, so that a download has to continue.
    starts = []

    def do_GET(self):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(asked[1]) if asked else 0
        self.starts.append(first)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{len(FILE) - 1}/{len(FILE)}")
        self.send_header("ETag", '"1"')
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(FILE) - first))
        self.end_headers()
        if len(self.starts) == 1:
            self.wfile.write(FILE[first : len(FILE) // 2])
            self.close_connection = True
        else:
            self.wfile.write(FILE[first:])

    def log_message(self, *_):
        pass


def served(arguments, environment):
    """An embedded server, and its port, which the first line of its output names."""
    server = subprocess.Popen([tool, "serve", *arguments], stdout=subprocess.PIPE, text=True, env=environment)
    line = server.stdout.readline()
    port = re.search(r":(\d+)", line)
    if not port:
        sys.exit(f"`tsubame serve` says {line!r}, and no port")
    return server, int(port[1])


def lines(document):
    text = document.read_text()
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.S | re.M):
        yield from (line for line in block.splitlines() if line.strip())
    prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for code in re.findall(r"`((?:make|tsubame|git|openssl|swift|curl) [^`]*)`", prose):
        yield code


def unmarked(document):
    """Fences of another kind that may hold shell lines."""
    return re.findall(r"^[ \t]*(?:```|~~~) ?(?:bash|shell|console|zsh|sh +)$|^[ \t]+```sh$", document.read_text(), re.M)


def command(line):
    """Without a comment at the end."""
    return re.sub(r"\s+#( .*)?$", "", line).strip()


def inspected(line, folder, environment):
    """Runs a line with an inspector, which is open until Ctrl-C."""
    shell = line.replace("tsubame serve", "tsubame serve --port 0")
    running = subprocess.Popen(
        ["bash", "-c", f"exec {shell}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    last = "the inspector is at" if "serve" in line else "Ctrl-C ends it"
    seen = []
    for text in iter(running.stderr.readline, ""):
        seen.append(text)
        if last in text:
            break
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=20)
    if running.returncode or not any("the inspector is at http://127.0.0.1:" in text for text in seen):
        return f"exit status {running.returncode}:\n{''.join(seen)}{errors}{output}"
    return None


def run(line, folder, environment):
    if line == "tsubame serve":
        # The port of the document may be taken; any free one shows the same.
        server, _ = served(["--port", "0"], environment)
        server.terminate()
        server.wait(timeout=20)
        return None
    if "--inspect" in line:
        return inspected(line.replace("…", "httpbin.org/get"), folder, environment)
    shell = line.replace("…", "httpbin.org/get")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shell], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, text=True)
    if done.returncode:
        return f"exit status {done.returncode}:\n{done.stdout}"
    wanted = next((text for start, text in EXPECTED.items() if line.startswith(start)), "")
    if wanted not in done.stdout:
        return f"the output has no {wanted}:\n{done.stdout}"
    if line.startswith("tsubame -d"):
        if (folder / line.rsplit("/", 1)[1]).read_bytes() != FILE:
            return "the file is not there as it was served"
        if OneFile.starts != [0, len(FILE) // 2]:
            return f"the broken download was not continued: requests began at {OneFile.starts}"
    if line.startswith("git clone") and not (folder / "tsubame/Package.swift").exists():
        return "there is no checkout"
    return None


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "bin").mkdir()
    (folder / "bin/tsubame").symlink_to(tool)
    (folder / "swallow.jpg").write_bytes(b"\xff\xd8\xff")
    # The files that the article shows are those that its lines run.
    article = (root / "Sources/Tsubame/Tsubame.docc/Articles/FilesOfRequests.md").read_text()
    for language, name in [("http", "api.http"), ("hurl", "api.hurl"), ("json", "http-client.env.json")]:
        (folder / name).write_text(re.search(rf"^```{language}\n(.*?)^```", article, re.S | re.M)[1])
    environment = {
        "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
        # The project's address stands for this checkout.
        "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": f"url.{root}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/tsubame-http/tsubame",
        "GIT_CONFIG_KEY_1": "safe.directory", "GIT_CONFIG_VALUE_1": "*",
    }
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OneFile)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    (folder / "server.pem").write_text(testkit.chain())
    context.load_cert_chain(folder / "server.pem")
    files.socket = context.wrap_socket(files.socket, server_side=True)
    threading.Thread(target=files.serve_forever, daemon=True).start()
    servers = []
    try:
        plain, plain_port = served(["--port", "0"], environment)
        servers.append(plain)
        secure, secure_port = served(["--port", "0", "--tls"], environment)
        servers.append(secure)
        (folder / "config/tsubame").mkdir(parents=True)
        (folder / "config/tsubame/config").write_text(
            f"--resolve=localhost:8080:127.0.0.1:{plain_port}\n"
            f"--resolve=httpbin.org:443:127.0.0.1:{secure_port}\n"
            f"--resolve=example.com:443:127.0.0.1:{files.server_port}\n--verify=no\n")
        return check(folder, environment)
    finally:
        for server in servers:
            server.terminate()
            server.wait(timeout=20)
        files.shutdown()
        shutil.rmtree(folder)


def check(folder, environment):
    tested = re.search(r"^test:(.*)$", (root / "Makefile").read_text(), re.M)[1].split()
    problems, met, count, expected = [], set(), 0, set()
    for document in documents:
        problems += [f"{document.relative_to(root)}: mark shell lines by ```sh" for _ in unmarked(document)]
        for line in map(command, lines(document)):
            name = document.relative_to(root)
            if line in ELSEWHERE or line in NOT_RUN:
                met.add(line)
                if line in ELSEWHERE and ELSEWHERE[line] not in tested:
                    problems.append(f"{name}: `make test` does not run {ELSEWHERE[line]}, which runs: {line}")
                continue
            count += 1
            expected |= {start for start in EXPECTED if line.startswith(start)}
            if problem := run(line, folder, environment):
                problems.append(f"{name}: {line}\n  {problem}")
    problems += [f"no document has this line any more: {line}" for line in {**ELSEWHERE, **NOT_RUN} if line not in met]
    problems += [f"no document has a line that begins with: {start}" for start in EXPECTED if start not in expected]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{count} shell lines of the documentation run; {len(met)} others are run elsewhere or named with a reason")
    return 1 if problems else 0


sys.exit(main())
