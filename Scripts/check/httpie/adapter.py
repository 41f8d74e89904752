"""A pytest plugin for HTTPie's own tests: each `http …` of theirs runs the program TSUBAME instead of HTTPie.

Three defaults of HTTPie are passed as options, because they differ on purpose: URLs without a scheme are http, the exit
status does not tell the response's status, and the servers' certificates are those of the tests.
"""

import contextlib
import http.server
import json
import os
import pty
import re
import subprocess
import termios
import threading
import tty

import httpie.core
import responses
from httpie.status import ExitStatus

PROGRAM = os.environ["TSUBAME"]
LIMIT_SECONDS = 20


def main(args, env):
    words = [word for word in args[1:] if word not in ("--traceback", "--debug")]
    words = [text(word) for word in words]
    own = defaults(args[0], words, env)
    runs.append(words)
    folder = config_folder(env)
    with answering_for_mocks() as proxy:
        status, out, err = run(own + proxy + words, env, environment(env, folder))
    write(env, with_line_ends_of_heads(out), err)
    return {64: ExitStatus.ERROR}.get(status) or (ExitStatus(status) if 0 <= status <= 6 else ExitStatus.ERROR)


HEAD = re.compile(rb"(?:HTTP/\d|[A-Z]+ [^ \r\n]+ HTTP/)[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\n")


def with_line_ends_of_heads(out):
    """HTTPie's tests look for the line ends of HTTP, which HTTPie prints on a terminal, too."""
    return HEAD.sub(lambda head: re.sub(rb"\r?\n", b"\r\n", head.group()), out)


@contextlib.contextmanager
def answering_for_mocks():
    """Some tests replace the network by the library responses. Its answers come from a proxy then."""
    registry = list(responses.registered())
    if not registry:
        yield []
        return

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            found = next((one for one in registry if one.method == self.command), registry[0])
            body = found.body.encode() if isinstance(found.body, str) else found.body or b""
            self.send_response_only(found.status)
            if found.content_type:
                self.send_header("Content-Type", found.content_type)
            for name, value in (found.headers or {}).items():
                if name.lower() not in ("content-type", "content-length"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = answer

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield [f"--proxy=http:http://127.0.0.1:{server.server_port}"]
    finally:
        server.shutdown()
        server.server_close()


def text(word):
    if isinstance(word, bytes):
        return word.decode()
    # Some styles are members of an enumeration.
    return str(getattr(word, "value", word))


def defaults(name, words, env):
    own = ["--default-scheme=" + ("https" if os.path.basename(name) == "https" else "http")]
    if "--check-status" not in words and not any(word in ("-d", "--download") for word in words):
        own.append("--no-check-status")
    if os.environ.get("REQUESTS_CA_BUNDLE") and not any(word.startswith(("--verify", "--cacert")) for word in words):
        own.append("--cacert=" + os.environ["REQUESTS_CA_BUNDLE"])
    return own


def config_folder(env):
    """HTTPie's default options become lines of a config file."""
    folder = str(env.config_dir) if env._create_temp_config_dir is False else str(env.config.directory)
    place = os.path.join(folder, "tsubame")
    os.makedirs(place, exist_ok=True)
    lines = []
    for option in env.config.default_options:
        lines.append(option)
    with open(os.path.join(place, "config"), "w") as file:
        file.write("\n".join(lines) + "\n")
    return folder


def environment(env, folder):
    result = {key: value for key, value in os.environ.items() if not key.startswith("HTTPIE")}
    result["XDG_CONFIG_HOME"] = folder
    result["TERM"] = "xterm-256color"
    result.pop("NO_COLOR", None)
    if not env.colors:
        result["NO_COLOR"] = "1"
    return result


def run(words, env, environment):
    """The exit status, and what came on the output and on the standard error."""
    source = None if env.stdin_isatty or env.stdin is None else input_bytes(env)
    terminal = pty.openpty() if env.stdout_isatty else None
    if terminal:
        tty.setraw(terminal[1])
        termios.tcsetwinsize(terminal[1], (50, 200))
    typed = pty.openpty() if source is None else None
    process = subprocess.Popen(
        [PROGRAM, *words], env=environment, start_new_session=True,
        stdin=typed[1] if typed else source if hasattr(source, "fileno") else subprocess.PIPE,
        stdout=terminal[1] if terminal else subprocess.PIPE, stderr=subprocess.PIPE)
    if terminal:
        os.close(terminal[1])
    if isinstance(source, bytes):
        threading.Thread(target=feed, args=(process.stdin, source), daemon=True).start()
    err = []
    errors = threading.Thread(target=lambda: err.append(process.stderr.read()), daemon=True)
    errors.start()
    watchdog = threading.Timer(LIMIT_SECONDS, process.kill)
    watchdog.start()
    out = b""
    if terminal:
        while True:
            try:
                piece = os.read(terminal[0], 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(terminal[0])
    else:
        out = process.stdout.read()
    status = process.wait()
    errors.join()
    watchdog.cancel()
    if typed:
        os.close(typed[0])
        os.close(typed[1])
    return status, out, err[0]


def input_bytes(env):
    stream = env.stdin
    if isinstance(stream, (str, bytes)):
        return stream.encode() if isinstance(stream, str) else stream
    try:
        stream.fileno()
        return stream
    except Exception:
        pass
    content = getattr(stream, "buffer", stream).read()
    return content.encode() if isinstance(content, str) else content


def feed(pipe, content):
    try:
        pipe.write(content)
        pipe.close()
    except OSError:
        pass


def write(env, out, err):
    buffer = getattr(env.stdout, "buffer", env.stdout)
    if out:
        try:
            buffer.write(out)
        except TypeError:
            buffer.write(out.decode(errors="replace"))
    env.stdout.flush()
    env.stderr.write(err.decode(errors="replace"))
    env.stderr.flush()


RESULTS = os.environ.get("TSUBAME_RESULTS")
runs = []
results = []


def pytest_configure(config):
    httpie.core.main = main


def pytest_runtest_setup(item):
    runs.clear()


def pytest_runtest_logreport(report):
    """Tests that never ran the program are about the inside of HTTPie, and do not count."""
    if report.when == "call" and runs:
        words = report.longreprtext.strip().splitlines()[-1:] if report.failed else []
        results.append({"test": report.nodeid, "outcome": report.outcome, "runs": list(runs), "why": words})


def pytest_sessionfinish(session):
    if RESULTS:
        with open(RESULTS, "w") as file:
            json.dump(results, file, indent=1)
