// CookieScopeTests: hosts and paths as cookies compare them, RFC 6265bis §5.1.2–5.1.4.

import Testing
import TsubameWire

@Suite struct CookieScopeTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("a.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("bexample.com", "example.com", false),
        ("example.com", "a.example.com", false), ("example.com", "com", true), ("bexample", "example", false),
        ("example.com.", "example.com", false), ("a.example.com", "", false), ("", "", true),
        ("127.0.0.1", "127.0.0.1", true), ("1.127.0.0.1", "127.0.0.1", false), ("127.0.0.1", "0.0.1", false),
        ("127.0.0.0x1", "0.0x1", false), ("[::1]", "[::1]", true), ("[::ffff:1.2.3.4]", "2.3.4]", false),
    ])
    func aHostMatchesItselfAndTheDomainsAboveIt(_ host: String, _ domain: String, _ matches: Bool) {
        #expect(CookieScope.host(host, matches: domain) == matches)
    }

    @Test func theDomainsOfAHostAreNearestFirst() {
        #expect(CookieScope.domains(of: "a.b.example") == ["a.b.example", "b.example", "example"])
        #expect(CookieScope.domains(of: "127.0.0.1") == ["127.0.0.1"])
        #expect(CookieScope.domains(of: "[::1]") == ["[::1]"])
        #expect(CookieScope.domains(of: "a.") == ["a."])
        #expect(CookieScope.domains(of: "") == [""])
    }

    @Test(arguments: [
        ("", "/"), ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("a/b", "/"), ("/a/b?c/d", "/a"),
        ("//", "/"),
        ("/燕/b", "/燕"), ("?/a/b", "/"),
    ])
    func theDefaultPathEndsBeforeTheLastSlash(_ path: String, _ expected: String) {
        #expect(CookieScope.defaultPath(of: path) == expected)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/ab", "/a", false), ("/ab", "/a/", false), ("/a", "/a/", false), ("/a/b", "/a/", true), ("/A", "/a", false),
        ("/a?b", "/a", true), ("/?/a", "/a", false), ("", "/", false),
    ])
    func aPathMatchesItselfAndThoseAboveIt(_ path: String, _ cookiePath: String, _ matches: Bool) {
        #expect(CookieScope.path(path, matches: cookiePath) == matches)
    }
}
