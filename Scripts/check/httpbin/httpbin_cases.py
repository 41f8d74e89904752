"""The requests that compare-httpbin.py sends to both servers."""
import base64

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
FIELDS = [
    "content-type", "content-encoding", "location", "set-cookie", "www-authenticate", "allow",
    "access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods",
    "access-control-max-age", "access-control-allow-headers",
]


class Case:
    """One request and how its answers are compared.

    body: "json", "lines" (JSON a line), "bytes", "length", "uuid" or None; fields: names of fields to compare,
    by default all that say something; a name with a minus in front is left out.
    """

    def __init__(self, target, method="GET", headers=None, content=None, body="json", fields=()):
        self.method, self.target, self.headers, self.content, self.body = method, target, headers or {}, content, body
        left_out = {name[1:] for name in fields if name.startswith("-")}
        wanted = [name for name in fields if not name.startswith("-")]
        self.fields = wanted or [name for name in FIELDS if name not in left_out]

    def __str__(self):
        extra = "".join(f" {name}:{value}" for name, value in self.headers.items())
        content = f" {self.content[:60]!r}" if self.content is not None else ""
        return f"{self.method} {self.target}{extra}{content}"


def multipart(*parts, boundary="b0undary", end=True):
    lines = b"".join(
        b"--" + boundary.encode() + b"\r\n" + head.encode() + b"\r\n\r\n" + content + b"\r\n" for head,
        content in parts)
    return lines + (b"--" + boundary.encode() + b"--\r\n" if end else b"")


def cases():
    every = ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"]
    tricky = "%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D-._~%20"
    queries = [
        "", "?", "?a=1", "?a=1&b=2", "?a=1&a=2&b=3&a=4", "?a", "?a=", "?=b", "?=", "?a&b", "?a=1&&b=2&", "?a=b=c",
        "?a=1+2", "?a=1%202", "?a%20b=c%26d", "?a=%E7%87%95", "?%E7%87%95=%F0%9F%90%A6", "?a=%", "?a=%4", "?a=%zz",
        "?a=%ff%fe", "?a=%E7%87x%95", "?a=%C3%A9", "?a=e%CC%81&a=%C3%A9", "?%C3%A9=1&e%CC%81=2", "?a=%00%01%7F",
        "?a=<>\"'", "?a[]=1&a[]=2", "?a=1;b=2", "?a=?b", "?a=/b/../c", "?a=%2f%2F", "?a=1#fragment", "?a=%2525",
        "?show_env=1", f"?parameterTestKey={tricky}", "?B=1&a=2&A=3&_=4&%7E=5",
    ]
    for query in queries:
        yield Case("/get" + query)
        yield Case("/anything/x" + query)
    yield Case("/headers")
    yield Case("/headers", headers={"x-one": "1", "X-TWO-three": "a, b", "x-1abc": "d", "ETAG": "e", "x-empty": ""})
    yield Case("/headers", headers={"X-Spaces": "  a  b \t ", "X-Tab": "\tc"})
    yield Case("/headers", headers={"X-Repeated": ["1", "2", "3"], "x-repeated": "4", "X_Under": "no"})
    yield Case("/headers", headers={"X-Latin": "caf\u00e9".encode("latin-1"), "X-UTF8": "燕".encode()}, body=None)
    yield Case("/headers", headers={"X-UTF8": "燕é".encode()})
    yield Case("/headers", headers={"Via": "1.1 x", "X-Request-Id": "7", "X-Forwarded-Port": "1", "X-Other": "o"})
    yield Case("/headers?show_env", headers={"Via": "1.1 x", "X-Request-Id": "7"})
    yield Case("/headers", headers={"Host": "Example.COM:80"})
    for host in ["example.com", "EXAMPLE.com:80", "example.com:8080", "[::1]:80", "a_b", "a/b", "user@host", ""]:
        yield Case("/get?a=1", headers={"Host": host})
    yield Case("/get", headers={"X-Forwarded-For": "192.0.2.7, 10.0.0.1"})
    yield Case("/get", headers={"X-Forwarded-Proto": "https"})
    yield Case("/get", headers={"X-Forwarded-Ssl": "on"})
    yield Case("/get", headers={"Origin": "https://example.com"})
    yield Case("/ip")
    yield Case("/ip", headers={"X-Forwarded-For": "192.0.2.7"})
    yield Case("/user-agent", headers={"User-Agent": "Swallow/1.0 (燕)".encode()})
    yield Case("/user-agent")
    yield Case("/uuid", body="uuid")

    # Methods: what is allowed where, HEAD and OPTIONS.
    for path in ["/get", "/post", "/put", "/patch", "/delete", "/anything", "/anything/a/b", "/headers", "/uuid",
                 "/status/200", "/response-headers", "/redirect/2", "/redirect-to?url=/x", "/cookies", "/gzip",
                 "/stream/2", "/bytes/3", "/drip?duration=0", "/delay/0", "/bearer", "/basic-auth/a/b", "/nowhere"]:
        yield Case(path, method="OPTIONS", body=None)
        yield Case(path, method="OPTIONS", body=None, headers={
            "Origin": "https://a.example", "Access-Control-Request-Method": "PUT",
            "Access-Control-Request-Headers": "X-A, X-B"})
        yield Case(path, method="HEAD", body=None, fields=["-content-type"] if path == "/nowhere" else ())
        for method in every:
            if path not in ("/redirect/2", "/uuid", "/stream/2", "/gzip") or method != "GET":
                shown = path.startswith(("/get", "/anything", "/delay")) and method == "GET"
                kind = "json" if shown else None
                yield Case(path, method=method, body=kind, fields=["allow", "location", "www-authenticate"])

    # Bodies.
    texts = [
        b"", b"plain", "燕".encode(), b"\xff\xfe\x00binary", b'{"a": 1}', b"[1, 2.50, -0, 1e3, true, null]", b"123",
        b'"s"',
        b'{"a": {"b": [{"c": "\\u71d5\\ud83d\\udc26\\n"}]}, "a2": []}', b'{"a": 1, "a": 2}', b"{bad", b"", b" 1 ",
        b"1 2",
        b"01", b"1.", b".5", b"+1", b"tru", b'{"a" 1}', b"[1,]", b'{"a":1,}', b'"\\x"', b'"tab\t"', b'"\\/\\b\\f"',
        b"\xef\xbb\xbf1", b"12345678901234567890123456789", b"[" * 300 + b"]" * 300,
        b'{"\xc3\xa9": 1, "e\xcc\x81": 2}',
    ]
    for text in texts:
        yield Case("/post", method="POST", headers=JSON, content=text)
        yield Case("/anything", method="PUT", content=text, headers={"Content-Type": "text/plain"})
    for method in every:
        yield Case("/anything/with/path?q=1", method=method, content=b"k=v", headers=FORM)
        yield Case("/delay/0", method=method, content=b"k=v", headers=FORM)
    for path, method in [("/put", "PUT"), ("/patch", "PATCH"), ("/delete", "DELETE"), ("/post", "POST")]:
        yield Case(path, method=method, content=b'{"x": [1]}', headers=JSON)
        yield Case(path, method=method)
    forms = [
        b"", b"a=1", b"a=1&a=2&b=", b"a", b"a=1+2&b=%E7%87%95", "a=燕".encode(), b"a=\xff", b"a=%ff", b"&&a=1&",
        b"parameterTestKey=" + tricky.encode(), b"a=b=c;d=e", b"a=%zz%", b"line=1\r\nb=2",
    ]
    for content in forms:
        yield Case("/post", method="POST", headers=FORM, content=content)
    yield Case("/post", method="POST", content=b"a=1",
               headers={"Content-Type": "Application/X-WWW-Form-URLencoded; charset=utf-8"})
    yield Case("/post?a=query", method="POST", headers=FORM, content=b"a=form")
    yield Case("/post", method="POST", headers={"Content-Type": "application/x-url-encoded"}, content=b"a=1")
    yield Case("/post", method="POST", content=b"a=1")
    yield Case("/post", method="POST", headers={"Transfer-Encoding": "chunked", **FORM},
               content=b"3\r\na=1\r\n4;x=y\r\n&b=2\r\n0\r\n\r\n")
    yield Case("/post", method="POST", headers={"Transfer-Encoding": "chunked"}, content=b"0\r\n\r\n")
    yield Case("/post", method="POST", headers={"Expect": "100-continue", **FORM}, content=b"a=1")

    # Multipart forms.
    disposition = 'Content-Disposition: form-data; name="{}"'.format
    file = 'Content-Disposition: form-data; name="{}"; filename="{}"'.format
    type_ = {"Content-Type": "multipart/form-data; boundary=b0undary"}
    bodies = [
        multipart((disposition("a"), b"1")),
        multipart((disposition("a"), b"1"), (disposition("a"), b"2"), (disposition("b"), b"")),
        multipart((disposition("a"), b"line\r\nline\r\n"), (disposition("b"), b"--b0undary")),
        multipart((disposition("a"), b"\r\n--b0undar\r\n--b0undaryX")),
        multipart((file("f", "x.txt"), b"text"), (file("g", "y.bin") + "\r\nContent-Type: image/png",
                                                  b"\x89PNG\r\n\xff")),
        multipart((file("f", "x.txt"), b"one"), (file("f", "y.txt"), b"two"), (disposition("f"), b"field")),
        multipart((file("f", ""), b""), (file("g", "a") + "\r\nContent-Type:", b"\xff")),
        multipart((disposition("燕"), "はる".encode()), (file("写真", "燕.jpg"), "画".encode())),
        multipart((disposition('a\\"b'), b"1"), (disposition("c%22d"), b"2"), (disposition("e\\\\f"), b"3")),
        multipart((disposition("a") + "\r\nContent-Type: text/plain; charset=iso-8859-1", b"\xe9")),
        multipart((disposition("a"), b"\xe9 invalid")),
        multipart(("content-disposition:form-data;name=a", b"1"), ("CONTENT-DISPOSITION: form-data ;\tname=b", b"2")),
        multipart(("Content-Disposition: form-data; name*=UTF-8''%E7%87%95", b"1")),
        multipart(("X-Other: 1\r\n" + disposition("a") + "\r\nX-More: 2", b"1")),
        multipart(("X-Other: 1", b"no disposition")),
        multipart((disposition("a"), b"1"), end=False),
        b"preamble\r\n" + multipart((disposition("a"), b"1")) + b"epilogue",
        b"--b0undary--\r\n", b"--b0undary--", b"", b"garbage",
        multipart((disposition("a"), b"1")).replace(b"\r\n", b"\n"),
        multipart((disposition("a"), b"1")).replace(b"b0undary\r\n", b"b0undary \t\r\n"),
    ]
    for content in bodies:
        yield Case("/post", method="POST", headers=type_, content=content)
    yield Case("/post", method="POST", content=multipart((disposition("a"), b"1"), boundary="q q:'()+_,-./=?"),
               headers={"Content-Type": "multipart/form-data; boundary=\"q q:'()+_,-./=?\""})
    yield Case("/post", method="POST", headers={"Content-Type": "multipart/form-data"}, content=bodies[0])
    yield Case("/post", method="POST", headers={"Content-Type": "Multipart/Form-Data; BOUNDARY=b0undary"},
               content=bodies[0])

    # Paths and URLs.
    for path in ["a", "a/b/c", "a%20b", "%E7%87%95", "a%2Bb+c", "a;b=c,d", "a:b@c", "a%25b", "a%2541", "a%3Fb%23c",
                 "%5B%5D", "a%C3", "a%00b", "<>", "a%22b", "~-._", "a&b=c$d!'()*", "trailing/", "a%2Fb",
                 "a/%2e%2e/b"]:
        yield Case("/anything/" + path)
    yield Case("/get/", body=None)
    yield Case("/Get", body=None)
    yield Case("/status", body=None)
    yield Case("/anything/", body=None)

    # Statuses.
    for code in [200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 305, 306, 307, 308, 400, 401, 402, 403,
                 404,
                 405, 407, 408, 409, 410, 418, 422, 429, 451, 499, 500, 502, 503, 504, 599, 700, 999]:
        for method in ["GET", "HEAD", "POST"]:
            fields = ["-content-type"] if code in (402, 418) else ()
            yield Case(f"/status/{code}", method=method, body=None, fields=fields)
    yield Case("/status/406")
    for codes in ["200,200", "404:1", "200:0,500:1", "500:0.5,500:3", "+201", "%20404"]:
        yield Case(f"/status/{codes}", body=None)
    for codes in ["x", "200x", "200:x,300:1", "200,x", ",", "2.5", ""]:
        yield Case(f"/status/{codes}", body=None, fields=["location"])

    # Fields of the answer.
    for query in ["", "?a=1", "?a=1&a=2&b=3", "?Content-Type=text/plain", "?content-type=text/plain&X=y",
                  "?x-a=1&X-A=2",
                  "?ETag=%22e%22&Cache-Control=max-age%3D60", "?a=b+c", "?Location=/elsewhere",
                  "?Set-Cookie=a%3Db&Set-Cookie=c%3Dd"]:
        yield Case("/response-headers" + query, fields=["content-type", "a", "b", "etag", "cache-control", "location",
                                                        "set-cookie"])
        yield Case("/response-headers" + query, method="POST", fields=["content-type", "a", "b", "etag"])

    # Redirects.
    for kind in ["redirect", "relative-redirect", "absolute-redirect"]:
        for count in ["1", "2", "5", "007", "-1", "x", "1.5", "99999999999"]:
            fields = ["location"] + (["content-type"] if count.isdigit() else [])
            yield Case(f"/{kind}/{count}", body=None, fields=fields)
    for query in ["?absolute=true", "?absolute=TRUE", "?absolute=1"]:
        yield Case("/redirect/3" + query, body=None)
        yield Case("/redirect/1" + query, body=None)
    yield Case("/absolute-redirect/2", headers={"Host": "example.com:81"}, body=None)
    for url in ["/get", "http://example.com/", "http%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d%23e", "relative?x=y",
                "%2F%E7%87%95",
                "http://example.com/a%20b", "//other/x", "?x", "/a%2520b", "mailto:a@b", "/a'b(c)*!$,;=:@"]:
        yield Case(f"/redirect-to?url={url}", body=None)
    for method in every:
        yield Case("/redirect-to?url=/post&status_code=307", method=method, body=None)
    for status in ["301", "303", "307", "308", "399", "200", "400", "0", "-1"]:
        yield Case(f"/redirect-to?URL=/x&Status_Code={status}", body=None)

    # Cookies.
    for cookie in ["a=1", "a=1; b=2", "a=1;b=2;a=3", "a", "a=", "=b", "a=b=c", 'a="q q"', 'a="q\\"q"; b=2',
                   'a="\\303\\251"',
                   "a b=1; c=2", "a=1 2; c=3", " a = 1 ; b = 2 ", ";;a=1;;", 'a="open; b=2', "a=\u71d5",
                   'a="x"y; b=1', "a=1,b=2",
                   "_gauges_unique=1; __utma=2; z=3", "$Version=1; a=1; $Path=/"]:
        yield Case("/cookies", headers={"Cookie": cookie.encode()})
    yield Case("/cookies?show_env", headers={"Cookie": "__utma=2; z=3"})
    yield Case("/cookies")
    for query in ["", "?a=1", "?a=1&b=2", "?a=1&a=2", "?a=", "?a=b+c", "?a=%22q%22", "?a=a,b;c", "?a=%E7%87%95",
                  "?a=b%5Cc",
                  "?a=x=y", "?a={}[]<>@:/?!$%25^%26*()"]:
        yield Case("/cookies/set" + query, body=None)
        yield Case("/cookies/delete" + query, body=None)
    for pair in ["a/1", "a/b%20c", "a/%E7%87%95", "a/b=c", "a-b/c.d"]:
        yield Case(f"/cookies/set/{pair}", body=None)
    yield Case("/cookies/set/a/", body=None)
    yield Case("/cookies/set/a/b/c", body=None)

    # Authentication.
    def basic(text):
        return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    for target, headers in [
        ("/basic-auth/user/pass", {}), ("/basic-auth/user/pass", basic("user:pass")), ("/basic-auth/user/pass",
                                                                                       basic("user:wrong")),
        ("/basic-auth/user/pass", basic("user:pass:x")), ("/basic-auth/user/pa:ss", basic("user:pa:ss")),
        ("/basic-auth/a/b", basic("a")),
        ("/basic-auth/%E7%87%95/%F0%9F%90%A6", basic("燕:🐦")), ("/basic-auth/us:er/pass", basic("us:er:pass")),
        ("/basic-auth/user/pass", {"Authorization": "basic " + base64.b64encode(b"user:pass").decode()}),
        ("/basic-auth/user/pass", {"Authorization": "Basic !!!"}), ("/basic-auth/user/pass",
                                                                    {"Authorization": "Basic"}),
        ("/basic-auth/user/pass", {"Authorization": "Bearer x"}),
    ]:
        yield Case(target, headers=headers, body="json" if headers.get("Authorization",
                                                                       "").lower().startswith("basic ") else None)
    for value in ["Bearer token", "Bearer ", "bearer token", "Bearer a b", "Basic x", "Bearer", ""]:
        yield Case("/bearer", headers={"Authorization": value})
    yield Case("/bearer", body=None)

    # Codings, streams, bytes, time.
    for path in ["/gzip", "/deflate"]:
        yield Case(path)
        yield Case(path + "?a=1", headers={"Accept-Encoding": "identity"})
    for count in ["0", "1", "3", "150"]:
        yield Case(f"/stream/{count}?a=1", body="lines")
    for count in ["-1", "x", "1.5"]:
        yield Case(f"/stream/{count}", body=None, fields=["location"])
        yield Case(f"/bytes/{count}", body=None, fields=["location"])
    for target in ["/bytes/1000?seed=1", "/bytes/10?seed=0", "/bytes/10?seed=-1", "/bytes/2500?seed=4294967296",
                   "/bytes/10?SEED=%209%20",
                   "/bytes/700?seed=123456789012345678901234567890123456789012345678901234567890", "/bytes/0?seed=1",
                   "/bytes/200000?seed=7"]:
        yield Case(target, body="bytes")
    yield Case("/bytes/99999999999999999999", body="length")
    yield Case("/bytes/1234", body="length")
    yield Case("/drip?numbytes=0", body=None)
    for query in ["?duration=0&numbytes=5", "?duration=0.2&numbytes=4&code=201", "?numbytes=20000&duration=0",
                  "?Duration=0&NumBytes=3&CODE=418", "?duration=0&numbytes=1&delay=0.1"]:
        yield Case("/drip" + query, body="bytes", fields=["content-length", "content-type"])
    for delay in ["0", "0.1", "1e-2"]:
        yield Case(f"/delay/{delay}?a=1")


def later_cases():
    """The endpoints that are not for every day."""
    every = ["GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"]

    # Methods: each path with each of them.
    for path in ["/hidden-basic-auth/a/b", "/digest-auth/auth/a/b", "/digest-auth/auth/a/b/MD5",
                 "/digest-auth/auth/a/b/MD5/never", "/brotli", "/stream-bytes/3", "/range/10", "/cache", "/cache/60",
                 "/etag/a", "/links/3", "/links/3/0", "/image", "/image/png", "/image/jpeg", "/image/webp",
                 "/image/svg", "/xml", "/json", "/html", "/forms/post", "/encoding/utf8", "/robots.txt", "/deny",
                 "/base64/YQ==", "/cookies/set", "/cookies/set/a/b", "/cookies/delete", "/ip", "/user-agent",
                 "/relative-redirect/2", "/absolute-redirect/2", "/deflate"]:
        yield Case(path, method="OPTIONS", body=None)
        yield Case(path, method="HEAD", body=None)
        for method in every:
            yield Case(path, method=method, body=None, fields=["allow", "location", "www-authenticate"])
    for path in ["/", "/static/favicon.ico"]:
        for method in ["OPTIONS", "HEAD", *every]:
            yield Case(path, method=method, body=None, fields=["allow"])

    # Documents.
    yield Case("/json")
    yield Case("/xml", body="xml")
    yield Case("/html", body=None)
    yield Case("/forms/post", body="form")
    yield Case("/encoding/utf8", body=None)
    yield Case("/robots.txt", body="bytes")
    yield Case("/deny", body=None)
    for path in ["/image/png", "/image/jpeg", "/image/webp", "/image/svg"]:
        yield Case(path, body="signature")
    for path in ["/image/gif", "/image/", "/links", "/links/x", "/links/3/x", "/links/-1", "/base64/", "/cache/x",
                 "/cache/-1", "/etag/", "/range/", "/encoding/", "/encoding/utf16", "/forms/", "/static/nothing",
                 "/hidden-basic-auth/a", "/digest-auth/auth/a"]:
        yield Case(path, body=None, fields=["location"])
    for accept in ["image/webp", "image/svg+xml", "image/jpeg", "image/png", "image/*", "*/*", "text/html", "",
                   "IMAGE/JPEG", "image/png, image/webp", "image/jpeg;q=0.1, image/png;q=0.9",
                   "text/html, image/*;q=0.8", "image/gif", ["image/png", "image/svg+xml"]]:
        yield Case("/image", headers={"Accept": accept}, body="signature")
    yield Case("/image", headers={"Accept": "text/html"})
    for target in ["/links/3/1", "/links/1/0", "/links/0/0", "/links/10/20", "/links/500/3", "/links/007/002"]:
        yield Case(target, body="links")
    for target in ["/links/5", "/links/0", "/links/500", "/links/007", "/links/99999999999999999999"]:
        yield Case(target, body=None)
    for value in ["SFRUUEJJTiBpcyBhd2Vzb21l", "YQ==", "YQ=", "YQ", "YQ===", "Y", "YWI=", "YWJj", "54eV", "_-8=",
                  "%2B%2B8=", "8J-Qpg==", "8J+Qpg==", "_w==", "=", "====", "YQ==YQ==", "Y=Q==", "Y=W=J=j", "YW=Jj",
                  "YW==Jj", "!!!", "Y.W.J.j", "%E7%87%95", "YWJj%0A", "a%20b", "gIA="]:
        yield Case(f"/base64/{value}", body="bytes")

    # Validators and freshness.
    yield Case("/cache", fields=["content-type", "etag~", "last-modified~", "cache-control"])
    yield Case("/cache?a=1", fields=["content-type", "etag~", "last-modified~"])
    for headers in [{"If-None-Match": "x"}, {"If-None-Match": '"x", W/"y"'}, {"If-None-Match": ""},
                    {"If-Modified-Since": "Sat, 29 Oct 1994 19:43:31 GMT"}, {"If-Modified-Since": "x"},
                    {"If-Modified-Since": ""}, {"If-Modified-Since": "", "If-None-Match": ""}, {"If-Match": "x"}]:
        yield Case("/cache", headers=headers, fields=["etag~", "last-modified~"])
    for seconds in ["60", "0", "007", "99999999999999999999"]:
        yield Case(f"/cache/{seconds}?a=1", fields=["content-type", "cache-control", "etag", "last-modified"])
        yield Case(f"/cache/{seconds}", headers={"If-None-Match": "x"}, fields=["cache-control", "etag"])
    tags = ["abc", '"abc"', 'W/"abc"', ' "abc" ', "abc ", '"x", "abc"', "x,abc", '"x",W/"abc"', "*", '"*"', '"x"', "x",
            "", '"ab"c"', 'w/"abc"', ",", "W/abc", '""', '"abc', 'x"abc"', ["x", "abc"]]
    for tag in tags:
        for headers in [{"If-None-Match": tag}, {"If-Match": tag}, {"If-None-Match": tag, "If-Match": "abc"},
                        {"If-None-Match": "x", "If-Match": tag}]:
            yield Case("/etag/abc", headers=headers, fields=["content-type", "etag"])
    yield Case("/etag/abc?a=1", fields=["content-type", "etag", "cache-control", "last-modified"])
    yield Case("/etag/a%20b%22c", fields=["etag"])

    # Ranges.
    fields = ["content-type", "content-length", "content-range", "accept-ranges", "etag"]
    ranges = ["bytes=0-9", "bytes=0-0", "bytes=99-99", "bytes=10-", "bytes=-5", "bytes=0-99", "bytes=1-99",
              "bytes=0-100", "bytes=100-", "bytes=100-200", "bytes=5-2", "bytes=-0", "bytes=-100", "bytes=-1000",
              "bytes=0-1,5-6", "bytes=5-6,0-1", "bytes=a-b", "bytes=1-b", "bytes=a-1", "bytes=5", "bytes=", "bytes=-",
              "bytes", "", "bits=0-1", "Bytes=0-1", "bytes = 1 - 2 ", " bytes=3-4", "bytesx=0-1", "bytes=0-1=2",
              "bytes=1-2-3", "bytes=--1", "bytes=+1-+2", "bytes=99999999999999999999-", "bytes=0-99999999999999999999",
              "bytes=-99999999999999999999", "bytes=007-008", ["bytes=0-1", "bytes=2-3"]]
    for value in ranges:
        yield Case("/range/100", headers={"Range": value}, body="bytes", fields=fields)
    for validator in ["range100", '"range100"', "x", "Sat, 29 Oct 1994 19:43:31 GMT"]:
        yield Case("/range/100", headers={"Range": "bytes=0-9", "If-Range": validator}, body="bytes", fields=fields)
    for method in ["GET", "HEAD"]:
        yield Case("/range/100", method=method, body="bytes", fields=fields)
        yield Case("/range/100", method=method, headers={"Range": "bytes=7-8"}, body="bytes", fields=fields)
        yield Case("/range/100", method=method, headers={"Range": "bytes=100-"}, body="bytes", fields=fields)
    for count in ["1", "26", "27", "007", "102400", "20000"]:
        yield Case(f"/range/{count}", body="bytes", fields=fields)
    for count in ["0", "00", "102401", "99999999999999999999"]:
        yield Case(f"/range/{count}", body=None, fields=["content-type", "content-range", "accept-ranges", "etag"])
    for count in ["-1", "x", "1.5"]:
        yield Case(f"/range/{count}", body=None, fields=["location"])
        yield Case(f"/stream-bytes/{count}", body=None, fields=["location"])
    for query in ["?chunk_size=7", "?chunk_size=1", "?Chunk_Size=0", "?chunk_size=-3", "?chunk_size=1000",
                  "?duration=0.2", "?duration=0.2&chunk_size=10", "?DURATION=0"]:
        yield Case("/range/100" + query, body="bytes", fields=fields)
        yield Case("/range/100" + query, body="bytes", headers={"Range": "bytes=13-57"}, fields=fields)

    # Bytes in chunks, and brotli.
    for target in ["/stream-bytes/1000?seed=1", "/stream-bytes/10?seed=0&chunk_size=3", "/stream-bytes/0?seed=1",
                   "/stream-bytes/25000?seed=7", "/stream-bytes/200000?seed=7&chunk_size=50000",
                   "/stream-bytes/12?Seed=9&CHUNK_SIZE=-1", "/stream-bytes/12?seed=9&chunk_size=4"]:
        yield Case(target, body="chunks")
    yield Case("/stream-bytes/1234", body="length")
    yield Case("/stream-bytes/99999999999999999999", body="length")
    yield Case("/brotli")
    yield Case("/brotli?a=1", headers={"Accept-Encoding": "identity"})

    # Authentication.
    def basic(text):
        return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    for headers in [{}, basic("user:pass"), basic("user:wrong"), basic("other:pass"), {"Authorization": "Basic !!!"},
                    {"Authorization": "Bearer x"}]:
        yield Case("/hidden-basic-auth/user/pass", headers=headers)
    path = "/digest-auth/auth/user/pass"
    for value in ["", "Basic dXNlcjpwYXNz", "Basic !!!", "Bearer x", "Other a=b", "DigestX a=b"]:
        yield Case(path, headers={"Authorization": value})
        yield Case(path + "/SHA-512/3", headers={"Authorization": value})
    digest = 'Digest username="user", realm="r", nonce="n", uri="/", response="x", qop=auth, nc=00000001, cnonce="c"'
    for value in ["1", "t", "TRUE", "True"]:
        yield Case(path + f"?require-cookie={value}", headers={"Authorization": digest})
        yield Case(path + f"?require-cookie={value}", headers={"Authorization": digest, "Cookie": "a=b"})
        yield Case(path + f"?require-cookie={value}", headers={"Authorization": digest, "Cookie": "fake=other"})
    yield Case(path, headers={"Authorization": digest, "Cookie": "stale_after=0; fake=x"})
    yield Case(path, headers={"Authorization": digest, "Cookie": "last_nonce=n"})
    yield Case(path, headers={"Authorization": digest.replace("Digest", "dIGEST"), "Cookie": "last_nonce=n; a=b"})
    yield Case(path, headers={"Authorization": digest})
    for quoted in ["user, x", 'us\\"er']:
        yield Case(path, headers={"Authorization": digest.replace('"user"', f'"{quoted}"')})

    # What HTTPS, told by a proxy, changes.
    for headers in [{"X-Forwarded-Proto": "https"}, {"X-Forwarded-Ssl": "on"}]:
        for target in ["/cookies/set?a=1&b=2", "/cookies/set/a/b", "/cookies/delete?a", "/absolute-redirect/2",
                       "/digest-auth/auth/a/b"]:
            yield Case(target, headers=headers, body=None)
