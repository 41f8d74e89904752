"""The test kit's certificate for localhost, for servers of scripts."""
import pathlib, re

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "Sources/TsubameTesting/Certificates/TestCertificates.swift"


def chain():
    """The private key and the certificate as PEM text."""
    text = re.sub(r"^ +", "", SOURCE.read_text(), flags=re.M)
    pem = lambda name: re.search(name + r' = """\n(.*?)"""', text, re.S)[1]
    return pem("localhostKeyPEM") + pem("localhostPEM")
