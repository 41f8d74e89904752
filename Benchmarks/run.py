#!/usr/bin/env python3
"""Measures Tsubame beside its peers, in one run.

run.py [WORKLOAD …] [--rounds N] [--only CLIENT,…] [--write FILE]

Builds every client whose tools are there (as root on Debian it installs them first), starts the servers on free loopback
ports, and runs the clients interleaved, round by round: the client pinned to the first core, the servers to the second.
CPU is user and system time of the client's process after a warm-up; what is printed are medians, and ratios are medians
of the ratios within each round. Times on a shared machine drift: quote ratios of one run.
"""
import argparse
import collections
import datetime
import glob
import json
import os
import platform
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(HERE, ".build", "bench")
PACKAGES = (
    "nginx-light wrk nghttp2-client gcc libc6-dev libcurl4-openssl-dev golang-go cargo librust-reqwest-dev "
    "librust-tokio-dev librust-futures-util-dev librust-bytes-dev librust-libc-dev openssl"
).split()
GIB = 1 << 30


# --- Building ---------------------------------------------------------------------------------------------------------

def install():
    if os.getuid() != 0 or not shutil.which("apt-get"):
        return
    missing = [p for p in PACKAGES if subprocess.run(["dpkg", "-s", p], capture_output=True).returncode]
    if not missing:
        return
    environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
    subprocess.run(["apt-get", "update", "-qq"], env=environment)
    for package in missing:  # One that cannot be had costs only its own peer.
        done = subprocess.run(
            ["apt-get", "install", "-y", "-qq", package], env=environment, capture_output=True, text=True)
        if done.returncode:
            print(f"not installed: {package}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)


def kept_libcurl():
    return next(iter(glob.glob(os.path.join(WORK, "pycurl", "pycurl.libs", "libcurl-*.so.*"))), None)


def newest_libcurl():
    """The library of libcurl within the newest wheel of pycurl, which is later than the system's; `None` without one."""
    folder = os.path.join(WORK, "pycurl")
    if found := kept_libcurl():
        return found
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder,
               "pycurl"]
    done = subprocess.run(command, capture_output=True, text=True)
    wheels = glob.glob(f"{folder}/pycurl-*.whl")
    if done.returncode or not wheels:
        print(f"left out: libcurl-new: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    zipfile.ZipFile(wheels[0]).extractall(folder)
    return kept_libcurl()


def build():
    """Name of each client that could be built, with its program."""
    peers = os.path.join(HERE, "Peers")
    swift_peers = os.path.join(WORK, "swift")
    steps = {
        "tsubame": (
            ["swift", "build", "-c", "release", "--package-path", HERE, "--product", "tsubame-bench"],
            os.path.join(HERE, ".build", "release", "tsubame-bench"), {}),
        "libcurl": (
            ["gcc", "-O2", "-w", "-o", f"{WORK}/curl-bench", f"{peers}/libcurl/main.c", "-lcurl"],
            f"{WORK}/curl-bench", {}),
        "go": (["go", "build", "-C", f"{peers}/go", "-o", f"{WORK}/go-bench", "."], f"{WORK}/go-bench",
               {"GOFLAGS": "-mod=mod"}),
        "reqwest": (
            [cargo(), "build", "--release", "--offline", "--quiet", "--target-dir", f"{WORK}/rust"],
            f"{WORK}/rust/release/reqwest-bench", {}),
        "ahc": (
            ["swift", "build", "-c", "release", "--package-path", f"{peers}/swift", "--scratch-path", swift_peers,
             "--product", "ahc"], f"{swift_peers}/release/ahc", {}),
        "urlsession": (
            ["swift", "build", "-c", "release", "--package-path", f"{peers}/swift", "--scratch-path", swift_peers,
             "--product", "urlsession"], f"{swift_peers}/release/urlsession", {}),
    }
    if library := newest_libcurl():
        steps["libcurl-new"] = (
            ["gcc", "-O2", "-w", "-o", f"{WORK}/curl-new-bench", f"{peers}/libcurl/main.c", library,
             f"-Wl,-rpath,{os.path.dirname(library)}"], f"{WORK}/curl-new-bench", {})
    programs = {}
    for name, (command, program, environment) in steps.items():
        directory = f"{peers}/reqwest" if name == "reqwest" else HERE
        if name == "go" and not supports_directory():
            command, directory = [c for c in command if c not in ("-C", f"{peers}/go")], f"{peers}/go"
        try:
            done = subprocess.run(
                command, cwd=directory, env=dict(os.environ, **environment), stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True)
        except OSError as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
            continue
        if done.returncode:
            print(f"left out: {name}: it does not build:\n{done.stdout[-2000:]}", file=sys.stderr)
        else:
            programs[name] = program
    for tool in ("wrk", "h2load"):
        if shutil.which(tool):
            programs[tool] = tool
    return programs


def cargo():
    # Debian's own, whose registry Peers/reqwest names.
    return "/usr/bin/cargo" if os.path.exists("/usr/bin/cargo") else "cargo"


def supports_directory():
    version = subprocess.run(["go", "version"], capture_output=True, text=True).stdout if shutil.which("go") else ""
    found = re.search(r"go1\.(\d+)", version)
    return bool(found) and int(found[1]) >= 20


# --- Servers ----------------------------------------------------------------------------------------------------------

def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(port, complaint):
    """Waits until a server accepts connections."""
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(complaint)


class Servers:
    """nginx for what is fetched, a sink for what is sent, and one that holds connections open."""

    def __init__(self):
        self.http, self.tls, self.h2, self.sink, self.hold = (free_port() for _ in range(5))
        self.processes = []
        self.folder = os.path.join(WORK, "server")
        os.makedirs(os.path.join(self.folder, "www"), exist_ok=True)

    @property
    def over_h2(self):
        return f"https://127.0.0.1:{self.h2}"

    def __enter__(self):
        self.make_files()
        configuration = open(os.path.join(HERE, "Server", "nginx.conf")).read()
        configuration = configuration.replace("HTTP_PORT", str(self.http)).replace("TLS_PORT", str(self.tls))
        configuration = configuration.replace("H2_PORT", str(self.h2))
        if os.getuid() == 0:
            configuration = "user root;\n" + configuration
        with open(os.path.join(self.folder, "nginx.conf"), "w") as file:
            file.write(configuration)
        if not shutil.which("nginx"):
            sys.exit("the measurements need nginx (apt-get install nginx-light)")
        self.start(["nginx", "-p", self.folder, "-c", os.path.join(self.folder, "nginx.conf")], self.http)
        sink = os.path.join(WORK, "sink")
        subprocess.run(
            ["gcc", "-O2", "-w", "-pthread", "-o", sink, os.path.join(HERE, "Server", "sink.c")], check=True)
        self.start([sink, str(self.sink)], self.sink)
        self.start([sys.executable, os.path.join(HERE, "Server", "hold.py"), str(self.hold)], self.hold)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait()

    def start(self, command, port):
        def pin():
            os.sched_setaffinity(0, {os.cpu_count() - 1})
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

        log = open(os.path.join(self.folder, "servers.log"), "a")
        self.processes.append(subprocess.Popen(command, preexec_fn=pin, stdout=log, stderr=log, cwd=self.folder))
        wait_for(port, f"{command[0]} did not start: see {self.folder}/servers.log")

    def make_files(self):
        www = os.path.join(self.folder, "www")
        small = json.dumps({"id": 7, "name": "bench", "items": list(range(200)), "pad": ""})
        small = small[:-2] + "x" * (1024 - len(small)) + small[-2:]
        with open(os.path.join(www, "small"), "w") as file:
            file.write(small)
        for name, size in (("g1", GIB), ("up256", 256 << 20)):
            path = os.path.join(www, name)
            if not os.path.exists(path) or os.path.getsize(path) != size:
                with open(path, "wb") as file:
                    for _ in range(size >> 20):
                        file.write(bytes(1 << 20))
        if not os.path.exists(os.path.join(self.folder, "cert.pem")):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                 "3650", "-keyout", "key.pem", "-out", "cert.pem", "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=DNS:localhost,IP:127.0.0.1"],
                cwd=self.folder, check=True, capture_output=True)

    def trusting(self, command):
        """URLSession on Linux cannot be told to trust a certificate: in a mount namespace the system does."""
        bundle, system = os.path.join(self.folder, "bundle.crt"), "/etc/ssl/certs/ca-certificates.crt"
        if os.getuid() or not os.path.exists(system):
            return None
        with open(bundle, "w") as file:
            file.write(open(system).read() + open(os.path.join(self.folder, "cert.pem")).read())
        return ["unshare", "-m", "sh", "-c", f'mount --bind "{bundle}" {system} && exec "$@"', "sh", *command]


# --- Workloads --------------------------------------------------------------------------------------------------------

# What each client manages in about half a second, at 64 requests at once.
AMOUNTS = {
    "tsubame": 30000, "tsubame-loop": 40000, "libcurl": 25000, "libcurl-new": 25000, "go": 30000, "reqwest": 40000,
    "ahc": 10000, "urlsession": 2000,
}

TITLES = {
    "W1": "GET 1 KiB, keep-alive, one at a time", "W2": "GET 1 KiB, keep-alive, 64 at once",
    "W3": "W2 over TLS 1.3", "W4": "W3 over HTTP/2, one connection", "W5": "1 GiB download, streamed and thrown away",
    "W6": "256 MiB upload from a stream", "W7": "a new connection for each request",
    "W8": "10,000 idle connections", "W9": "scale: GET 1 KiB, 1 to 4,096 at once",
}


def commands(workload, programs, servers):
    """Pairs of a client's name and its command line; for W9 the name has the concurrency behind it."""
    http, tls = f"http://127.0.0.1:{servers.http}", f"https://127.0.0.1:{servers.tls}"

    def wrk(url, concurrency):
        return ["wrk", "-t1", f"-c{concurrency}", "-d1", "--latency", url]

    def small(url, concurrency, scale):
        for name in ("wrk", "tsubame", "tsubame-loop", "libcurl", "libcurl-new", "reqwest", "go", "ahc", "urlsession"):
            program = programs.get("tsubame" if name == "tsubame-loop" else name)
            if not program:
                continue
            if url.startswith(servers.over_h2) and name in ("wrk", "ahc", "urlsession"):
                continue
            if name == "wrk":
                yield name, wrk(url, concurrency)
                continue
            count = str(max(int(AMOUNTS[name] * scale), concurrency * 4, 200))
            mode = "loop" if name == "tsubame-loop" else "get"
            # Tsubame chooses it by itself.
            if url.startswith(servers.over_h2) and not name.startswith("tsubame"):
                mode = "h2"
            command = [program, mode, url, count, str(concurrency)]
            if name == "urlsession" and url.startswith("https"):
                command = servers.trusting(command)
            if command:
                yield name, command
        if concurrency == 1 and "tsubame" in programs:
            yield "tsubame-block", [programs["tsubame"], "block", url, str(int(30000 * scale)), "1"]

    def large(mode, url, count, names):
        for name in names:
            if name in programs:
                yield name, [programs[name], mode, url, str(count), "1"]

    everyone = ("tsubame", "libcurl", "libcurl-new", "reqwest", "go", "ahc", "urlsession")
    if workload == "W1":
        return list(small(http + "/small", 1, 0.2))
    if workload == "W2":
        return list(small(http + "/small", 64, 1))
    if workload == "W3":
        return list(small(tls + "/small", 64, 0.6))
    if workload == "W4":
        url = servers.over_h2 + "/small"
        rows = [("h2load", ["h2load", "-t1", "-c1", "-m64", "-n50000", url])] if "h2load" in programs else []
        return rows + list(small(url, 64, 0.6))
    if workload == "W5":
        return list(large("down", http + "/g1", 1, everyone))
    if workload == "W6":
        return list(large("up", f"http://127.0.0.1:{servers.sink}/", 2, everyone))
    if workload == "W7":
        rows = [("wrk", wrk(http + "/close", 1))] if "wrk" in programs else []
        return rows + list(large("close", http + "/close", 1500, everyone))
    if workload == "W8":
        return list(large("idle", f"http://127.0.0.1:{servers.hold}/hold", 10000, ("tsubame",)))
    rows = []
    for concurrency in (1, 8, 64, 512, 4096):
        for name, command in small(http + "/small", concurrency, 0.3 if concurrency == 1 else 1):
            if name not in ("urlsession", "tsubame-block") and not (name == "ahc" and concurrency > 512):
                rows.append((f"{name} c={concurrency}", command))
    return rows


# --- Measuring --------------------------------------------------------------------------------------------------------

COLUMNS = "wall rate cpu peak p50 p99 mbs cputime".split()


def microseconds(text):
    found = re.match(r"([\d.]+)(us|ms|s)", text)
    return float(found[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[found[2]] if found else 0


def measure(command):
    """One run of a client: its figures, or None with the reason said."""
    def pin():
        os.sched_setaffinity(0, {0})
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    before = children()
    # `time` starts the client from a small process, so that its peak of memory is not this script's.
    process = subprocess.Popen(
        ["/usr/bin/time", "-q", "-f", "PEAK %M", *command] if os.path.exists("/usr/bin/time") else command,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=pin, cwd=os.path.join(WORK, "server"),
        start_new_session=True)
    try:
        output = process.communicate(timeout=180)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        print(f"no answer within 180 s: {' '.join(command)}", file=sys.stderr)
        return None
    if command[0] == "h2load":
        found = re.search(r"finished in ([\d.]+)(us|ms|s),.*?(\d+) succeeded", output, re.DOTALL)
        if not found or process.returncode or " 0 failed, 0 errored" not in output:
            print(f"failed: {' '.join(command)}\n{output[:500]}", file=sys.stderr)
            return None
        wall, count, cpu = microseconds(found[1] + found[2]) / 1e6, int(found[3]), children() - before
        figures = [wall, count / wall, cpu * 1e6 / count, 0, 0, 0, 0, cpu]
    elif command[0] == "wrk":
        found = re.search(r"(\d+) requests in ([\d.]+)s", output)
        if not found:
            return None
        count, wall = int(found[1]), float(found[2])
        cpu = children() - before
        percent = [microseconds(re.search(rf"(?m)^\s+{p}%\s+(\S+)", output)[1]) for p in (50, 99)]
        figures = [wall, count / wall, cpu * 1e6 / count, 0, *percent, 0, cpu]
    else:
        lines = [line for line in output.splitlines() if line.count("\t") == 8]
        if not lines or process.returncode:
            print(f"failed: {' '.join(command)}\n{output[:500]}", file=sys.stderr)
            return None
        figures = list(map(float, lines[-1].split("\t")[1:]))
    peak = re.search(r"PEAK (\d+)", output)
    if peak:
        figures[3] = float(peak[1])
    return dict(zip(COLUMNS, figures))


def children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(workload, rows, rounds):
    results = collections.defaultdict(list)
    for number in range(rounds):
        started = time.time()
        for name, command in rows:
            figures = measure(command)
            if figures:
                results[name].append((number, figures))
        print(f"{workload} round {number + 1} of {rounds}: {time.time() - started:.0f} s", file=sys.stderr)
    return results


# --- Report -----------------------------------------------------------------------------------------------------------

def median(runs, column):
    return statistics.median(figures[column] for _, figures in runs)


def ratio(results, name, base, column):
    theirs = dict(results.get(base, []))
    quotients = [f[column] / theirs[n][column] for n, f in results[name] if n in theirs and theirs[n][column]]
    return f"{statistics.median(quotients):.2f}" if quotients else "–"


def table(workload, results):
    lines = [f"## {workload}: {TITLES[workload]}", ""]
    if workload == "W8":
        lines += ["| client | KiB a connection | CPU µs to make one | runs |", "|---|---|---|---|"]
        for name, runs in results.items():
            lines.append(f"| {name} | {median(runs, 'p50'):.1f} | {median(runs, 'cpu'):.0f} | {len(runs)} |")
        return lines + [""]
    if workload == "W9":
        grid = collections.defaultdict(dict)
        for name, runs in results.items():
            client, concurrency = name.split(" c=")
            grid[client][int(concurrency)] = median(runs, "cpu")
        columns = sorted({c for row in grid.values() for c in row})
        lines += ["CPU µs a request.", "", "| client | " + " | ".join(f"c={c}" for c in columns) + " | 4,096 / 64 |",
                  "|---|" + "---|" * (len(columns) + 1)]
        for client, row in grid.items():
            growth = f"{row[4096] / row[64]:.2f}" if 4096 in row and 64 in row else "–"
            cells = " | ".join(f"{row[c]:.1f}" if c in row else "–" for c in columns)
            lines.append(f"| {client} | {cells} | {growth} |")
        return lines + [""]
    is_large = workload in ("W5", "W6")
    column = "cputime" if is_large else "cpu"
    bases = ["libcurl", "libcurl-new"] if is_large else ["reqwest", "libcurl", "libcurl-new", "ahc", "wrk"]
    if workload == "W4":
        bases = ["h2load", "reqwest", "libcurl", "libcurl-new"]
    if workload == "W7":
        bases = ["ahc", "go", "reqwest", "wrk"]
    head = ["client", "CPU s" if is_large else "CPU µs", *[f"× {b}" for b in bases]]
    head += ["wall s", "wall × libcurl", "MB/s"] if is_large else ["requests/s", "p50 µs", "p99 µs"]
    head += ["peak MiB", "runs"]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name in sorted(results, key=lambda name: median(results[name], column)):
        runs = results[name]
        cells = [name, f"{median(runs, column):.2f}", *[ratio(results, name, base, column) for base in bases]]
        if is_large:
            cells += [f"{median(runs, 'wall'):.2f}", ratio(results, name, "libcurl", "wall"),
                      f"{median(runs, 'mbs'):.0f}"]
        else:
            # h2load does not say the percentiles.
            cells += [f"{median(runs, one):.0f}" if median(runs, one) else "–" for one in ("rate", "p50", "p99")]
        cells += [f"{median(runs, 'peak') / 1024:.0f}" if median(runs, "peak") else "–", str(len(runs))]
        lines.append("| " + " | ".join(cells) + " |")
    return lines + [""]


def versions():
    def first(*command):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.stdout.strip().splitlines()[0]
        except (OSError, IndexError):
            return None

    found = [first("swift", "--version"), first("nginx", "-v"), first("go", "version"), first(cargo(), "--version")]
    if shutil.which("h2load"):
        found.append(first("h2load", "--version"))
    new = kept_libcurl()
    if new and (version := re.search(rb"libcurl/(\d+\.\d+\.\d+)", open(new, "rb").read())):
        found.append(f"libcurl-new {version[1].decode()}, from the wheel of pycurl")
    wrk = first("wrk", "-v")
    found.append(wrk.split(" Copyright")[0] if wrk else None)
    for package in ("librust-reqwest-dev", "libcurl4"):
        version = first("dpkg-query", "-W", "-f", "${Version}", package)
        found.append(f"{package} {version}" if version and "no packages" not in version else None)
    resolved = os.path.join(HERE, "Peers", "swift", "Package.resolved")
    if os.path.exists(resolved):
        for pin in json.load(open(resolved))["pins"]:
            if pin["identity"] in ("async-http-client", "swift-nio"):
                found.append(f"{pin['identity']} {pin['state'].get('version')}")
    return [line for line in found if line]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", default=[], metavar="WORKLOAD", help=" ".join(TITLES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="clients, separated by commas")
    parser.add_argument("--write", metavar="FILE", help="write the report there as well")
    arguments = parser.parse_args()
    unknown = [w for w in arguments.workloads if w not in TITLES]
    if unknown:
        parser.error(f"no workload {unknown[0]}; there are {', '.join(TITLES)}")
    if (os.cpu_count() or 1) < 2:
        sys.exit("the measurements need two cores: one for the client, one for the server")
    os.makedirs(WORK, exist_ok=True)
    install()
    programs = build()
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 platform.processor())
    report = [
        "# Tsubame beside its peers", "",
        f"{datetime.date.today()}, {model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, "
        f"medians of {arguments.rounds} interleaved rounds. `make bench` measures anew; `× name` is the ratio of the "
        "column before it to that of the client named. CPU is that of the client's process, a request unless it says s.", "",
        *[f"- {line}" for line in versions()], "",
    ]
    with Servers() as servers:
        for workload in arguments.workloads or TITLES:
            rows = commands(workload, programs, servers)
            if arguments.only:
                rows = [row for row in rows if row[0].split(" ")[0] in arguments.only.split(",")]
            lines = table(workload, run(workload, rows, arguments.rounds))
            print("\n".join(lines), flush=True)
            report += lines
            if arguments.write:  # After each, so that what was measured is kept whatever happens next.
                with open(arguments.write, "w") as file:
                    file.write("\n".join(report).rstrip() + "\n")


if __name__ == "__main__":
    main()
