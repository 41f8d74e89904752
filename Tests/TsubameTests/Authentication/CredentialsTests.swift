// CredentialsTests: credentials are sent to the right origin, and never printed.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite struct CredentialsTests {
    private static func authorization(
        _ authentication: Authentication = .none, base: String? = nil, url: String, headers: RequestHeaders = [:]
    ) async throws -> String? {
        let stub = StubTransport { $0.on("*") }
        let client = Client(base, transport: stub) { $0.authentication = authentication }
        _ = try await client.get(url: url, headers: headers)
        return stub.requests.last?.headers[.authorization]
    }

    @Test(
        arguments: [
            // The examples of RFC 7617.
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("", "", "Basic Og=="), ("燕", "a:b", "Basic 54eVOmE6Yg=="),
        ])
    func `Basic is user and password in UTF-8`(user: String, password: String, field: String) async throws {
        let sent = try await Self.authorization(.basic(user: user, password: password), url: "https://a.example/")
        #expect(sent == field)
    }

    @Test func `Bearer is the token`() async throws {
        let sent = try await Self.authorization(.bearer("abc.def"), url: "https://a.example/")
        #expect(sent == "Bearer abc.def")
    }

    @Test func `an Authorization set by hand is left alone`() async throws {
        let sent = try await Self.authorization(
            .bearer("abc"), url: "https://user:pw@a.example/", headers: [.authorization: "Mine"])
        #expect(sent == "Mine")
    }

    @Test(
        "BAD-INPUT 17: a control character in credentials is refused before anything is sent, and they are not told",
        arguments: ["\r", "\n", "\0", "\r\nX: y", "\u{7F}"])
    func control(characters: String) async throws {
        let escaped = characters.utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
        let refused: [(Authentication, String)] = [
            (.bearer("s3cret\(characters)"), "https://a.example/"),
            (.bearer("\(characters)s3cret"), "https://a.example/"),
            (.basic(user: "me\(characters)", password: "s3cret"), "https://a.example/"),
            (.basic(user: "me", password: "s3\(characters)s3cret"), "https://a.example/"),
            (.none, "https://me\(escaped):s3cret@a.example/"), (.none, "https://me:s3cret\(escaped)@a.example/"),
        ]
        for (authentication, url) in refused {
            let stub = StubTransport { $0.on("*") }
            let client = Client(transport: stub) { $0.authentication = authentication }
            let error = try #require(await callError { _ = try await client.get(url: url) })
            #expect(error.kind == .invalidRequest && error.phase == .preparing)
            #expect(error.reason.hasSuffix("holds a control character"))
            #expect(!"\(error)\(String(reflecting: error))".contains("s3cret"))
            #expect(stub.requests.isEmpty)
        }
    }

    @Test func `credentials that cannot be sent hinder no call that goes without them`() async throws {
        let broken = Authentication.bearer("abc\n")
        let foreign = try await Self.authorization(broken, base: "https://a.example", url: "https://b.example/")
        #expect(foreign == nil)
        let own = try await Self.authorization(broken, url: "https://a.example/", headers: [.authorization: "Mine"])
        #expect(own == "Mine")
    }

    @Test(
        arguments: [
            ("https://user:pw@a.example/", "Basic dXNlcjpwdw=="), ("https://user@a.example/", "Basic dXNlcjo="),
            ("https://us%20er:p%40ss@a.example/", "Basic dXMgZXI6cEBzcw=="),
            // An escaped colon belongs to the name; the first literal colon separates name and password.
            ("https://us%3Aer@a.example/", "Basic dXM6ZXI6"), ("https://:pw@a.example/", "Basic OnB3"),
        ])
    func `the userinfo of a URL is sent as Basic`(url: String, field: String) async throws {
        let sent = try await Self.authorization(url: url)
        #expect(sent == field)
    }

    @Test func `FAULT 23: an empty userinfo sends no Authorization, also from a Location`() async throws {
        #expect(try await Self.authorization(url: "https://@a.example/") == nil)
        #expect(try await Self.authorization(url: "https://:@a.example/") == nil)
        #expect(try await Self.authorization(.bearer("abc"), url: "https://@a.example/") == "Bearer abc")
        let stub = StubTransport {
            $0.on("https://a.example/start").respond(status: .found, headers: [.location: "https://@b.example/end"])
            $0.on("https://b.example/end")
        }
        _ = try await Client(transport: stub).get(url: "https://a.example/start")
        #expect(stub.requests.map { $0.headers[.authorization] } == [nil, nil])
    }

    @Test func `the client's credentials go to its own origin only`() async throws {
        let own = Authentication.bearer("abc")
        let base = "https://a.example/v1"
        let home = try await Self.authorization(own, base: base, url: "https://a.example/other")
        let foreign = try await Self.authorization(own, base: base, url: "https://b.example/")
        let named = try await Self.authorization(own, base: base, url: "https://user:pw@b.example/")
        #expect(home == "Bearer abc")
        #expect(foreign == nil)
        #expect(named == "Basic dXNlcjpwdw==")
    }

    @Test("BAD-INPUT 21, 34: userinfo goes to its URL's origin and nowhere else") func userinfo() async throws {
        let stub = StubTransport {
            $0.on("http://a.example/start").respond(status: .found, headers: [.location: "/next"])
            $0.on("http://a.example/next").respond(status: .found, headers: [.location: "http://b.example/"])
            $0.on("http://b.example/").respond(status: .found, headers: [.location: "http://a.example/end"])
            $0.on("http://a.example/end")
        }
        let response = try await Client(transport: stub).get(url: "http://user:pw@a.example/start")
        #expect(
            stub.requests.map { $0.headers[.authorization] } == ["Basic dXNlcjpwdw==", "Basic dXNlcjpwdw==", nil, nil])
        #expect(!"\(response.request)\(response.history)".contains("pw"))
    }

    @Test func `a base URL with userinfo gives it to every path`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://user:pw@a.example/v1", transport: stub)
        _ = try await client.get("x")
        #expect(stub.requests.first?.headers[.authorization] == "Basic dXNlcjpwdw==")
        #expect(stub.requests.first?.uri?.string == "https://a.example/v1/x")
    }

    @Test func `a challenge of a stub is answered, and a request that comes from its response is sent as it is`()
        async throws
    {
        let challenge = #"Digest realm="r", nonce="n", qop="auth""#
        let stub = StubTransport {
            $0.on("/x").respond(status: .unauthorized, headers: [.wwwAuthenticate: challenge]).respond(text: "in")
        }
        let client = Client("https://a.example", transport: stub) {
            $0.authentication = .digest(user: "u", password: "p")
        }
        let response = try await client.get("x")
        #expect(response.bytes == Bytes("in") && response.history.map(\.statusCode) == [401])
        let sent = try #require(response.request.headers[.authorization])
        #expect(sent.hasPrefix(#"Digest username="u", realm="r", nonce="n", uri="/x""#))
        _ = try await client.send(response.request)
        #expect(stub.requests.map { $0.headers[values: .authorization] } == [[], [sent], [sent]])
    }

    @Test func `credentials are never printed`() {
        for authentication in [Authentication.bearer("s3cret"), .basic(user: "s3cret", password: "s3cret")] {
            var text = "\(authentication)" + String(reflecting: authentication)
            dump(authentication, to: &text)
            #expect(text.hasPrefix("[redacted][redacted]"))
            #expect(!text.contains("s3cret") && !text.contains("Basic") && !text.contains("czNjcmV0"))
        }
        #expect("\(Authentication.none)" == "none")
    }

    @Test(
        arguments: [
            (CachePolicy.standard, nil), (.reload, "no-cache"), (.preferStored, "max-stale"),
            (.onlyStored, "only-if-cached"),
        ])
    func `the cache policy is a directive, unless one is set by hand`(policy: CachePolicy, field: String?) async throws
    {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub)
        var request = Request(.get, "x")
        request.cachePolicy = policy
        _ = try await client.send(request)
        request.headers[.cacheControl] = "no-store"
        _ = try await client.send(request)
        #expect(stub.requests.map { $0.headers[.cacheControl] } == [field, "no-store"])
    }
}
