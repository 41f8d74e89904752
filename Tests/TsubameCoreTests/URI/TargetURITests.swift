// TargetURITests: the URI parser: BAD-INPUT 26, and the URLs that users expect to work.

import Testing
import TsubameCore

@Suite struct TargetURITests {
    @Test func aURLIsTakenApart() throws {
        let uri = try TargetURI(parsing: "https://User:pw@Example.COM:8443/a/b?x=1&y=2#frag")
        #expect(uri.isSecure)
        #expect(uri.host == "example.com")
        #expect(uri.port == 8443)
        #expect(uri.authority == "example.com:8443")
        #expect(uri.target == "/a/b?x=1&y=2")
        #expect(uri.path == "/a/b")
        #expect(uri.query == "x=1&y=2")
        #expect(uri.fragment == "frag")
        #expect(uri.string == "https://example.com:8443/a/b?x=1&y=2#frag")
    }

    @Test func theDefaultPortIsNotPartOfTheAuthority() throws {
        #expect(try TargetURI(parsing: "http://a:80/").authority == "a")
        #expect(try TargetURI(parsing: "https://a:443").target == "/")
        #expect(try TargetURI(parsing: "http://[::1]:8080/x").authority == "[::1]:8080")
        #expect(try TargetURI(parsing: "http://a?q").target == "/?q")
    }

    @Test func whatCannotStandInAURIIsPercentEncoded() throws {
        #expect(try TargetURI(parsing: "http://a/ü x?q=ä\"").target == "/%C3%BC%20x?q=%C3%A4%22")
        #expect(try TargetURI(parsing: "http://a/%41%zz").target == "/%41%zz")
    }

    @Test(
        "FAULT 27: dot segments of a URL are removed (RFC 3986 section 5.2.4), unless it is to stay as it is",
        arguments: [
            ("/a/../b", "/b"), ("/a/./b/.", "/a/b/"), ("/..", "/"), ("/../../x?y/../z", "/x?y/../z"), ("/.", "/"),
            ("/a/%2e%2E/b", "/b"), ("/a/..", "/"), ("/a/.../b", "/a/.../b"), ("/a/..b/.c", "/a/..b/.c"),
            ("/a/%41/b", "/a/%41/b"), ("/a//../b", "/a/b"), ("/\u{E9}/../b?\u{E9}", "/b?%C3%A9"), ("?/../x", "/?/../x"),
        ])
    func dotSegments(written: String, target: String) throws {
        let uri = try TargetURI(parsing: "http://a\(written)#/../f")
        #expect(uri.target == target)
        #expect(uri.path == String(target.prefix { $0 != "?" }))
        #expect(uri.fragment == "/../f")
        #expect(try TargetURI(parsing: uri.string) == uri)
        if written.utf8.first == 0x2F, !written.contains("\u{E9}") {
            #expect(try TargetURI(parsing: "http://a" + written, keepingDotSegments: true).target == written)
        }
    }

    @Test("FAULT 23: an empty userinfo is none") func emptyUserinfo() throws {
        #expect(try TargetURI(parsing: "http://@a/").userinfo == nil)
        #expect(try TargetURI(parsing: "http://@a:81/x").authority == "a:81")
        #expect(try TargetURI(parsing: "http://u@a/").userinfo == "u")
    }

    @Test("BAD-INPUT 26: a fragment ends the authority, so the host is what stands before it")
    func fragmentEndsAuthority() throws {
        let uri = try TargetURI(parsing: "http://a#@evil/")
        #expect(uri.host == "a")
        #expect(uri.fragment == "@evil/")
    }

    @Test(
        "BAD-INPUT 26: what other parsers read differently is refused",
        arguments: [
            "http://a\\@evil/", "http://a/\\b", "http://a/\tb", "http://a\n/", "http://a b/", "http://u@v@a/",
            "http://[::1%25eth0]/", "http://a%2Fb/", "http://a:0/", "http://a:65536/", "http://a:99999999999999999999/",
            "http://a:-1/", "http://a:8x/", "http:///x", "http://", "http://:80/", "http://u@/", "https://[]/",
            "http://[1/", "http://[::1]x/", "", "a/b", "ftp://a/", "file:///etc/passwd", "http:/a", "http://a\u{0}b/",
            "http://a/\u{7F}", "http://a\u{FFFD}/", "http://a/#\u{1}", "http://a\t/", "http://u:p@v@a/", "http://a:８０/",
            "http://a:80:90/",
            "http://[::1]:0/", "http://[::1]:x/", " http://a/", "http://a:+80/", "http://:@/",
        ])
    func refused(url: String) {
        #expect {
            try TargetURI(parsing: url)
        } throws: { error in
            (error as? CallError)?.kind == .invalidRequest
        }
    }

    @Test func noErrorAndNoDescriptionShowsUserinfoOrSecrets() throws {
        let uri = try TargetURI(parsing: "http://me:hunter2@a/?token=abc&page=2")
        #expect("\(uri)" == "http://a/?token=[redacted]&page=2")
        #expect(!String(reflecting: uri).contains("hunter2"))
        var dumped = ""
        dump(uri, to: &dumped)
        #expect(!dumped.contains("hunter2") && !dumped.contains("abc"))
        #expect {
            try TargetURI(parsing: "http://me:hunter2@a:0/?secret=s3")
        } throws: { error in
            !"\(error)".contains("hunter2") && !"\(error)".contains("s3") && "\(error)".contains("port")
        }
    }

    /// The end of the userinfo is ambiguous if its characters were not percent-encoded.
    @Test(
        "BAD-INPUT 20: a password that breaks the URL is not shown",
        arguments: [
            "http://me:hun/ter2@a/", "http://me:hun?ter2@a/", "http://me:hun#ter2@a/", "http://me:hun\\ter2@a/",
            "http://me:hun@ter2@a/",
            "http://me:hun ter2@a/", "me:hun/ter2@a", "//me:hun/ter2@a", "http://me:hunter2@a/\u{1}?token=ter2",
            "http://me:0?x=a@b&token=ter2",
        ])
    func passwords(url: String) {
        let error = #expect(throws: CallError.self) { try TargetURI(parsing: url) }
        let text = error?.description ?? "ter2"
        #expect(!text.contains("ter2") && !text.contains("hun"))
    }

    @Test func anErrorSaysWhatToDo() throws {
        let error = #expect(throws: CallError.self) { try TargetURI(parsing: "http://1.2.3.256/x") }
        #expect(error?.description.contains("http://1.2.3.256/x") == true)
        #expect(error?.advice?.contains("0 to 255") == true)
    }

    @Test func aPathIsAppendedToTheBaseAndNeverReplacesIt() throws {
        let base = try TargetURI(parsing: "https://api.example.com/v1?key=1")
        #expect(base.appending(path: "/users").target == "/v1/users?key=1")
        #expect(base.appending(path: "/users?page=2").target == "/v1/users?page=2&key=1")
        let root = try TargetURI(parsing: "https://api.example.com")
        #expect(root.appending(path: "/users").target == "/users")
        #expect(root.appending(path: "/").target == "/")
    }

    @Test func aQueryIsAddedToTheOneThatIsThere() throws {
        let uri = try TargetURI(parsing: "http://a/x?one=1")
        #expect(uri.adding(query: "two=2").target == "/x?one=1&two=2")
        #expect(try TargetURI(parsing: "http://a/x").adding(query: "two=2").target == "/x?two=2")
        #expect(try TargetURI(parsing: "http://a/x?").adding(query: "two=2").target == "/x?two=2")
    }
}
