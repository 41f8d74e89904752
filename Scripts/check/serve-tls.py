#!/usr/bin/env python3
"""Serves TLS on loopback with the test kit's certificate, which no root certificate of the system's vouches for."""
import argparse, pathlib, socket, ssl, sys, tempfile

# No folder of compiled modules beside the scripts.
sys.dont_write_bytecode = True
import testkit  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port-file", required=True, type=pathlib.Path)
options = parser.parse_args()

with tempfile.NamedTemporaryFile("w") as chain:
    chain.write(testkit.chain())
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
