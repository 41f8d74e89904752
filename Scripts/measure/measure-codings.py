#!/usr/bin/env python3
"""Measures what it costs to receive and decode a coded gibibyte of JSON, beside `curl --compressed`.

usage: measure-codings.py BENCH [--rounds N] [--codings gzip,br,zstd] [--keep FOLDER]

BENCH is tsubame-bench (`swift build -c release` in Benchmarks). Each coded content is served on loopback by a process of
its own, and fetched and thrown away by both in turn. Printed are medians of processor time (user and system) in seconds.
The content is made once, and kept in FOLDER; brotli and zstd are made by their libraries, and left out where curl or the
libraries do not have them.
"""
import argparse
import ctypes
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

TOTAL = 1 << 30
BLOCK = 64 << 20


def text():
    """Records as an API gives them; the same at each run."""
    source = random.Random(7)
    names = ["".join(source.choice("abcdefghiklmnoprstuvwy") for _ in range(source.randint(3, 9))) for _ in range(5000)]
    lines, size = [], 0
    while size < BLOCK:
        words = " ".join(source.choices(names, k=source.randint(5, 30)))
        line = (f'{{"id":{source.getrandbits(40)},"name":"{source.choice(names)}","price":{source.random():.6f},'
                f'"tags":["{source.choice(names)}","{source.choice(names)}"],"text":"{words}"}}\n')
        lines.append(line)
        size += len(line)
    return "".join(lines).encode()[:BLOCK]


def gzipped(block, path):
    encoder = zlib.compressobj(6, zlib.DEFLATED, 31)
    with open(path, "wb") as file:
        for _ in range(TOTAL // BLOCK):
            file.write(encoder.compress(block))
        file.write(encoder.flush())


def zstandard(block, path):
    with open(path, "wb") as file:
        with subprocess.Popen(["zstd", "-q", "-c", "-3"], stdin=subprocess.PIPE, stdout=file) as process:
            for _ in range(TOTAL // BLOCK):
                process.stdin.write(block)
            process.stdin.close()


def brotli(block, path):
    library = ctypes.CDLL("libbrotlienc.so.1")
    library.BrotliEncoderCreateInstance.restype = ctypes.c_void_p
    encoder = ctypes.c_void_p(library.BrotliEncoderCreateInstance(None, None, None))
    library.BrotliEncoderSetParameter(encoder, 1, ctypes.c_uint32(5))
    output = ctypes.create_string_buffer(1 << 20)
    memory = ctypes.create_string_buffer(block, len(block))
    with open(path, "wb") as file:
        for number in range(TOTAL // BLOCK):
            operation = 2 if number == TOTAL // BLOCK - 1 else 0
            left, at = ctypes.c_size_t(len(block)), ctypes.cast(memory, ctypes.c_void_p)
            while True:
                room, to = ctypes.c_size_t(len(output)), ctypes.cast(output, ctypes.c_void_p)
                if not library.BrotliEncoderCompressStream(
                        encoder, operation, ctypes.byref(left), ctypes.byref(at), ctypes.byref(room), ctypes.byref(to),
                        None):
                    sys.exit("brotli refused to compress")
                file.write(output.raw[:len(output) - room.value])
                if left.value == 0 and not library.BrotliEncoderHasMoreOutput(encoder):
                    break
    library.BrotliEncoderDestroyInstance(encoder)


MAKERS = {"gzip": gzipped, "br": brotli, "zstd": zstandard}


def serve(listener, folder):
    """In a process of its own: its processor time is nobody's."""
    while True:
        connection, _ = listener.accept()
        with connection:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(65536)
                if not piece:
                    break
                request += piece
            if not request:
                continue
            coding = request.split()[1].decode().lstrip("/")
            with open(folder / coding, "rb") as file:
                length = os.fstat(file.fileno()).st_size
                connection.sendall(
                    f"HTTP/1.1 200 OK\r\nContent-Type: application/jsonl\r\nContent-Encoding: {coding}\r\n"
                    f"Content-Length: {length}\r\nConnection: close\r\n\r\n".encode())
                try:
                    connection.sendfile(file)
                except OSError:
                    pass


def cost(command):
    start = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    words = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}: {words.decode()[:500]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_utime, usage.ru_stime, time.perf_counter() - start


def main():
    options = argparse.ArgumentParser(description="Measures the cost of decoding, beside curl.")
    options.add_argument("bench")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--codings", default="gzip,br,zstd")
    options.add_argument("--keep", type=pathlib.Path)
    options = options.parse_args()
    features = subprocess.run(["curl", "--version"], capture_output=True, text=True).stdout
    known = {"gzip": "libz", "br": "brotli", "zstd": "zstd"}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        block = None
        listener = socket.create_server(("127.0.0.1", 0))
        child = os.fork()
        if child == 0:
            try:
                serve(listener, folder)
            finally:
                os._exit(0)
        try:
            for coding in options.codings.split(","):
                try:
                    if not (folder / coding).exists():
                        block = block or text()
                        MAKERS[coding](block, folder / "unfinished")
                        (folder / "unfinished").rename(folder / coding)
                except OSError as error:
                    print(f"{coding}: skipped, {error}")
                    continue
                url = f"http://127.0.0.1:{listener.getsockname()[1]}/{coding}"
                commands = {"tsubame": [options.bench, "down", url, "1", "1"]}
                if f" {known[coding]}" in features.lower().replace(",", " ") or coding == "gzip":
                    commands["curl"] = ["curl", "-sS", "--compressed", "-o", "/dev/null", url]
                taken = {name: [] for name in commands}
                for _ in range(options.rounds):
                    for name, command in commands.items():
                        taken[name].append(cost(command))
                print(f"{coding}: 1 GiB in {(folder / coding).stat().st_size >> 20} MiB, medians of {options.rounds}")
                for name, figures in taken.items():
                    total, user, system, wall = (statistics.median(column) for column in zip(*figures))
                    print(f"  {name:8} cpu {total:6.2f} s  (user {user:5.2f}, system {system:5.2f})  wall {wall:6.2f} s")
        finally:
            os.kill(child, 15)
            os.waitpid(child, 0)


if __name__ == "__main__":
    main()
