// ReferenceResolutionTests: references against a base: the examples of RFC 3986 section 5, and the references that this
// library refuses.

import Testing
import TsubameCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ReferenceResolutionTests {
    private static let base = "http://a/b/c/d;p?q"

    private func resolve(_ reference: String, base: String = base) throws -> String {
        switch try TargetURI(parsing: base).resolving(reference) {
        case .uri(let uri): uri.string
        case .otherScheme(let scheme): scheme + ":…"
        }
    }

    /// Section 5.4.1. An empty path is sent as `/` (RFC 9110 section 4.2.3).
    private static let normal = [
        ("g:h", "g:…"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ]

    /// Section 5.4.2.
    private static let abnormal = [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ]

    @Test(arguments: normal + abnormal) func everyExampleOfTheRFC(reference: String, result: String) throws {
        #expect(try resolve(reference) == result)
        // Foundation agrees with all of them, except for an empty path.
        if reference != "g:h", reference != "//g" {
            let base = try #require(URL(string: Self.base))
            #expect(URL(string: reference, relativeTo: base)?.absoluteString == result || reference.isEmpty)
        }
    }

    /// The last example of section 5.4.2, in the form for backward compatibility.
    @Test func aSchemeOfTheBaseWithoutAnAuthorityIsRelative() throws {
        #expect(try resolve("http:g") == "http://a/b/c/g")
    }

    /// Section 5.2.2 asks for this for every reference, not only for those without a scheme.
    @Test func dotSegmentsOfWholeReferencesAreRemovedToo() throws {
        #expect(try resolve("http://x/a/../b/./c?d/../e#f/../g") == "http://x/b/c?d/../e#f/../g")
        #expect(try resolve("//x/..") == "http://x/")
        #expect(try resolve("https://x") == "https://x/")
        // A reference against a base with dot segments gives a path without them.
        let base = try TargetURI(parsing: "http://x/a/../b", keepingDotSegments: true)
        for (reference, result) in [("#s", "http://x/b#s"), ("?y", "http://x/b?y"), ("c", "http://x/c")] {
            guard case .uri(let uri) = try base.resolving(reference) else {
                Issue.record("not a URI")
                return
            }
            #expect(uri.string == result)
        }
    }

    @Test(
        arguments: [
            ("//", "/a//b/..//c", "http://a/"), ("x", "http://a", "http://a/x"), ("?x", "http://a", "http://a/?x"),
            ("x", "http://a?q/r", "http://a/x"), ("..//g", base, "http://a/b//g"), ("/a//../b", base, "http://a/a/b"),
            ("/.//g", base, "http://a//g"), (".//g", base, "http://a/b/c//g"), ("g?", base, "http://a/b/c/g?"),
            ("a:b", "http://a/", "a:…"), ("./a:b", "http://a/", "http://a/a:b"),
            ("%2e%2e/g", base, "http://a/b/g"),
            ("ä b", base, "http://a/b/c/%C3%A4%20b"), ("?a#b#c", base, "http://a/b/c/d;p?a#b#c"),
            ("1:b", base, "http://a/b/c/1:b"), ("HTTPS://X/", base, "https://x/"),
            ("//ü.example/", base, "http://xn--tda.example/"),
        ].dropFirst())
    func whatTheRFCHasNoExampleOf(reference: String, base: String, result: String) throws {
        #expect(try resolve(reference, base: base) == result)
    }

    /// A delimiter with a combining mark after it is one character to Swift's String, but a delimiter to other
    /// programs.
    @Test func delimitersAreBytes() throws {
        #expect(try resolve("/\u{301}../g") == "http://a/%CC%81../g")
        #expect(try resolve("../\u{301}g") == "http://a/b/%CC%81g")
        #expect(try resolve("g?\u{301}/../x") == "http://a/b/c/g?%CC%81/../x")
        #expect(try resolve("g#\u{301}/../x") == "http://a/b/c/g#\u{301}/../x")
        #expect(try resolve("?\u{301}") == "http://a/b/c/d;p?%CC%81")
        #expect(throws: CallError.self) { try resolve("//\u{301}evil/") }
        #expect(try resolve("file:\u{301}x") == "file:…")
    }

    @Test("BAD-INPUT 26: a reference is read as strictly as a URL")
    func refused() {
        for reference in [
            "//a\\@evil/", "http://a\\@evil/", "\\\\a\\x@evil/", "//a:0/", "//a%2Fb/", "http://", "//", "///",
            "//[::1%25eth0]/", "/a\tb", "/\nx", "/\0", "\0/", "ht\ttp://a/", "//u@v@a/", "//\u{FFFD}/", "//a b/",
            "https:",
        ] {
            #expect(throws: CallError.self, "\(reference)") { try resolve(reference) }
        }
    }

    @Test func otherHostsAndSchemesAreTold() throws {
        let base = try TargetURI(parsing: "https://a/b")
        guard case .uri(let other) = try base.resolving("//g/x") else {
            Issue.record("not a URI")
            return
        }
        #expect(other.origin == Origin("https://g"))
        for scheme in ["file", "data", "unix", "javascript"] {
            guard case .otherScheme(scheme) = try base.resolving("\(scheme):x") else {
                Issue.record("\(scheme) was followed")
                return
            }
        }
    }
}
