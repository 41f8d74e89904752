#!/usr/bin/env python3
"""Serves TLS on loopback with the test kit's certificate, which no root certificate of the system's vouches for."""
import argparse, pathlib, re, socket, ssl, tempfile

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port-file", required=True, type=pathlib.Path)
options = parser.parse_args()

source = pathlib.Path(__file__).resolve().parents[2] / "Sources/TsubameTesting/Certificates/TestCertificates.swift"
text = re.sub(r"^ +", "", source.read_text(), flags=re.M)
pem = lambda name: re.search(name + r' = """\n(.*?)"""', text, re.S)[1]
with tempfile.NamedTemporaryFile("w") as chain:
    chain.write(pem("localhostKeyPEM") + pem("localhostPEM"))
    chain.flush()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain.name)
listener = socket.create_server(("127.0.0.1", 0))
options.port_file.write_text(str(listener.getsockname()[1]))
while True:
    connection, _ = listener.accept()
    try:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(1)
    except OSError:
        pass
