"""Conversations of Digest authentication, with the client's side done here."""
import hashlib
import re

HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256, "SHA-512": hashlib.sha512}
VARIES = re.compile(r'((?:nonce|opaque)=")(\w*)"')


def shape(value):
    """The value with what is random in a challenge replaced by its length."""
    return VARIES.sub(lambda match: f'{match[1]}({len(match[2])})"', value)


class Digest:
    """So many requests in turn, each with an answer to the newest challenge, if there is one and it is to be answered.

    qop: what the client says, None for nothing; sends: what credentials are given, by name, in place of the right ones,
    None to leave one out; keeps: whether cookies are kept; renews: whether a challenge after the first is heeded.
    """

    def __init__(self, path, password="pass", user="user", qop="auth", method="GET", content=None, turns=3, keeps=True,
                 renews=True, sends=None):
        self.path, self.user, self.password, self.qop, self.method = path, user, password, qop, method
        self.content, self.turns, self.keeps, self.renews, self.sends = content, turns, keeps, renews, sends or {}

    def __str__(self):
        extra = {name: value for name, value in vars(self).items() if name not in ("path", "method", "content")}
        return f"{self.turns} times {self.method} {self.path} {extra}"

    def turn(self, send):
        """What the conversation shows; `send(method, target, headers, content)` gives status, fields and content."""
        cookies, challenge, seen, count = {}, None, {}, 0
        for turn in range(self.turns):
            headers = {}
            if self.keeps and cookies:
                headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
            if challenge:
                count += 1
                headers["Authorization"] = self.credentials(challenge, count)
            status, fields, content = send(self.method, self.path, headers, self.content)
            set_cookies = [value.split("; ")[0].split("=", 1) for value in fields.get("set-cookie", [])]
            nonce = challenge and challenge["nonce"]
            authenticate = fields.get("www-authenticate", [])
            seen[f"turn {turn}"] = (
                status, content.decode("latin-1"), [shape(value) for value in authenticate],
                sorted((name, "NONCE" if nonce and value == nonce else value) for name, value in set_cookies))
            cookies.update(set_cookies)
            if authenticate and (challenge is None or self.renews):
                parameters = re.findall(r'(\w+)=(?:"([^"]*)"|([^",\s]+))', authenticate[0])
                challenge, count = {name: quoted or bare for name, quoted, bare in parameters}, 0
        return seen

    def credentials(self, challenge, count):
        algorithm = self.sends.get("algorithm", challenge["algorithm"])

        def hashed(*parts):
            return HASHES.get(algorithm, hashlib.md5)(b":".join(
                part if isinstance(part, bytes) else part.encode() for part in parts)).hexdigest()

        values = {
            "username": self.user, "realm": challenge["realm"], "nonce": challenge["nonce"], "uri": self.path,
            "algorithm": algorithm, "qop": self.qop, "nc": f"{count:08x}", "cnonce": "c1ient",
            "opaque": challenge["opaque"],
        }
        values.update(self.sends)
        secret = hashed(values["username"], values["realm"] or "", self.password)
        request = hashed(self.method, self.path)
        if self.qop == "auth-int":
            request = hashed(self.method, self.path, hashed(self.content or b""))
        if self.qop:
            values["response"] = hashed(secret, values["nonce"], values["nc"], values["cnonce"], self.qop, request)
        else:
            values["response"] = hashed(secret, values["nonce"], request)
            values["nc"] = values["cnonce"] = None
        bare = ("algorithm", "qop", "nc")
        return "Digest " + ", ".join(f"{name}={value}" if name in bare else f'{name}="{value}"'
                                     for name, value in values.items() if value is not None)


def conversations():
    for algorithm in ["", "/MD5", "/SHA-256", "/SHA-512", "/sha-256", "/X"]:
        for offered in ["auth", "auth-int", "both"]:
            for qop in ["auth", "auth-int", None]:
                yield Digest(f"/digest-auth/{offered}/user/pass{algorithm}", qop=qop, turns=2)
    for stale in ["0", "1", "2", "-1", "never", "x", "1x"]:
        yield Digest(f"/digest-auth/auth/user/pass/MD5/{stale}", turns=5)
        yield Digest(f"/digest-auth/auth/user/pass/MD5/{stale}", turns=4, renews=False)
        yield Digest(f"/digest-auth/auth/user/pass/MD5/{stale}", keeps=False)
    path = "/digest-auth/auth/user/pass"
    yield Digest(path, password="wrong", turns=4)
    yield Digest(path, password="wrong", turns=4, renews=False)
    yield Digest(path, password="wrong", turns=4, keeps=False)
    yield Digest(path, method="HEAD")
    for qop in ["auth", "auth-int"]:
        yield Digest(path, qop=qop, content=b"some body")
    yield Digest(path, sends={"algorithm": None})
    yield Digest("/digest-auth/auth/user/pass/SHA-256", sends={"algorithm": None})
    yield Digest("/digest-auth/auth/user/pass/SHA-256", sends={"algorithm": "MD5"})
    yield Digest(path, sends={"realm": "another realm"})
    yield Digest(path, sends={"realm": None})
    yield Digest(path, sends={"opaque": None, "uri": None})
    yield Digest(path, sends={"uri": "/elsewhere"})
    yield Digest(path, sends={"nonce": "of my own"})
    yield Digest(path, sends={"cnonce": "a, b=c"})
    yield Digest("/digest-auth/auth/user/pa:ss", password="pa:ss")
