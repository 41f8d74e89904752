// WHATWGReferenceTests: references against a base, resolved as WHATWG's URL standard does (sections 4.4 and 4.5).

import Testing
import TsubameCore

@Suite struct WHATWGReferenceTests {
    private static let base = "http://user:pw@example.org/foo/bar?q#f"

    private func resolve(_ reference: String, base: String = base) throws -> String {
        switch try TargetURI(parsing: base).resolving(reference) {
        case .uri(let uri): uri.string
        case .otherScheme(let scheme): scheme + ":…"
        }
    }

    @Test(
        "FAULT 29: a backslash before the query is a slash",
        arguments: [
            ("\\\\x\\hello", "http://x/hello"), ("/\\x", "http://x/"), ("\\/x", "http://x/"),
            ("\\x", "http://example.org/x"),
            ("x\\y", "http://example.org/foo/x/y"), ("..\\y", "http://example.org/y"),
            ("http:\\\\x:80\\", "http://x/"), ("http://x\\y", "http://x/y"), ("http:/\\x", "http://x/"),
            ("https:\\\\x\\y", "https://x/y"), ("/a\\..\\b", "http://example.org/b"),
            ("http://a\\b/@evil", "http://a/b/@evil"), ("x\\@evil", "http://example.org/foo/x/@evil"),
            ("?a\\b", "http://example.org/foo/bar?a%5Cb"), ("#a\\b", "http://example.org/foo/bar?q#a\\b"),
            ("x?a\\..\\b#\\", "http://example.org/foo/x?a%5C..%5Cb#\\"),
        ])
    func backslashes(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
    }

    @Test(
        "FAULT 29: a reference of the base's scheme without two slashes is relative",
        arguments: [
            ("http:x", "http://example.org/foo/x"), ("http:/x", "http://example.org/x"),
            ("HTTP:x?y", "http://example.org/foo/x?y"), ("http:", "http://example.org/foo/bar?q"),
            ("http:?y", "http://example.org/foo/bar?y"), ("http:#s", "http://example.org/foo/bar?q#s"),
            ("http:.", "http://example.org/foo/"), ("http:../x", "http://example.org/x"),
            ("http::@c:29", "http://example.org/foo/:@c:29"), ("https:x", "https://x/"), ("https:/x/y", "https://x/y"),
            ("https:x:8443?y", "https://x:8443/?y"),
        ])
    func schemes(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
    }

    @Test(
        "FAULT 29: more than two slashes stand before a host as two do",
        arguments: [
            ("///x", "http://x/"), ("////x/y", "http://x/y"), ("///\\//\\//x", "http://x/"), ("http:///x", "http://x/"),
            ("http://///x", "http://x/"), ("https:///x", "https://x/"), ("///x:81/../y", "http://x:81/y"),
            ("///test/./a//b", "http://test/a//b"),
        ])
    func slashes(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
    }

    @Test(
        "FAULT 29: controls and spaces around a reference are left out",
        arguments: [
            ("  x ", "http://example.org/foo/x"), ("\t/x\r\n", "http://example.org/x"),
            (" ", "http://example.org/foo/bar?q"),
            ("\u{1}\u{1F} http://x/ \u{B}", "http://x/"), (" x y ", "http://example.org/foo/x%20y"),
            ("\u{C}?y\u{1}", "http://example.org/foo/bar?y"), (" #s ", "http://example.org/foo/bar?q#s"),
        ])
    func blanks(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
    }

    @Test(
        "FAULT 29: dot segments are removed, written as they are or as %2e",
        arguments: [
            ("/a/%2e%2E/b", "/b"), ("/a/%2e/b", "/a/b"), ("/a/.%2e", "/"), ("/a/%2E.", "/"), ("/a/%2e", "/a/"),
            ("%2E%2e/x", "/x"), ("/a/..%2f", "/a/..%2f"), ("/a/%2e%2e%2e", "/a/%2e%2e%2e"), ("/a/...", "/a/..."),
            ("/%2e%2e/%2e%2e/x", "/x"), ("/a/./b/../../c/", "/c/"), ("/a/b/..", "/a/"), ("/..//x", "//x"),
            ("/a?b/../c", "/a?b/../c"), ("/a/../b?%2e/../", "/b?%2e/../"), ("/a/../\u{E9}", "/%C3%A9"),
        ])
    func dots(reference: String, target: String) throws {
        #expect(try resolve(reference) == "http://example.org" + target)
    }

    @Test(
        "FAULT 29: authority, query and fragment come out as in the standard",
        arguments: [
            ("", "http://example.org/foo/bar?q"), ("?", "http://example.org/foo/bar?"),
            ("#", "http://example.org/foo/bar?q#"),
            ("//EXAMPLE.com:80/", "http://example.com/"), ("//x:", "http://x/"), ("//x:0081", "http://x:81/"),
            ("//u:p@x/y", "http://x/y"), ("//@x/y", "http://x/y"), ("//u@x?@y#@z", "http://x/?@y#@z"),
            ("//0x7f.1", "http://127.0.0.1/"), ("//[::0:1]", "http://[::1]/"), ("//x?y?z#a#b", "http://x/?y?z#a#b"),
            (":x", "http://example.org/foo/:x"), ("1:x", "http://example.org/foo/1:x"),
            ("a/:x", "http://example.org/foo/a/:x"),
            ("https://x?y", "https://x/?y"), ("mailto:a@b", "mailto:…"), ("file:///etc/passwd", "file:…"),
            ("javascript:x\\y", "javascript:…"), ("a.b+c-1:x", "a.b+c-1:…"), ("FTP://x/", "ftp:…"),
        ])
    func parts(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
    }

    @Test("FAULT 29: a base of https leads to https") func secureBase() throws {
        #expect(try resolve("\\\\x", base: "https://a/b") == "https://x/")
        #expect(try resolve("https:c", base: "https://a/b") == "https://a/c")
        #expect(try resolve("http:c", base: "https://a/b") == "http://c/")
        #expect(throws: CallError.self) { try resolve("http:", base: "https://a/b") }
    }

    @Test("FAULT 29: only a reference that names userinfo has some") func userinfo() throws {
        let base = try TargetURI(parsing: Self.base)
        let cases: [(String, String?)] = [("x", nil), ("//u:p@x/", "u:p"), ("\\\\u@x\\y", "u"), ("//@x/", nil)]
        for (reference, userinfo) in cases {
            guard case .uri(let uri) = try base.resolving(reference) else {
                Issue.record("not a URI")
                return
            }
            #expect(uri.userinfo == userinfo, "\(reference)")
        }
    }

    @Test("FAULT 29: a long run of delimiters costs linear time") func long() throws {
        let many = 200_000
        #expect(try resolve(String(repeating: "\\", count: many) + "x") == "http://x/")
        #expect(try resolve(String(repeating: "../", count: many)) == "http://example.org/")
        #expect(try resolve(String(repeating: " ", count: many)) == "http://example.org/foo/bar?q")
    }
}
