// CookieDecisionTests: cookies that are refused over real connections, and the client's report of the reason.

import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CookieDecisionTests {
    /// A server for any host that sets these fields in each response.
    private static func server(_ fields: String...) async throws -> ScriptedServer {
        let lines = fields.map { "Set-Cookie: \($0)\r\n" }.joined()
        return try await ScriptedServer.start { _ in
            .bytes("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
        }
    }

    /// The Cookie fields of the requests to these hosts, in order, and the decisions meanwhile.
    private static func sent(
        to hosts: [String], _ server: ScriptedServer, jar: CookieJar = CookieJar()
    ) async throws -> (fields: [String?], decisions: [String]) {
        let log = Log<CallEvent>()
        return try await serving(server) {
            $0.cookies = .jar(jar)
            $0.connection.resolve["*"] = "127.0.0.1:\(server.port)"
        } _: { server, client in
            let observation = client.observe { log.add($0) }
            for host in hosts { _ = try await client.get(url: "http://\(host)/") }
            observation.cancel()
            return (server.requests.map { $0["cookie"] }, log.decisions)
        }
    }

    @Test("BAD-INPUT 28: no cookie is set for a public suffix, and the call says so", arguments: ["co.uk", "co.UK"])
    func publicSuffix(_ domain: String) async throws {
        let server = try await Self.server("id=geheim; Domain=\(domain)")
        let (fields, decisions) = try await Self.sent(to: ["a.co.uk", "b.co.uk", "a.co.uk"], server)
        #expect(fields == [nil, nil, nil])
        #expect(decisions.count == 3)
        #expect(decisions.first == "the cookie “id” of a.co.uk is refused: its Domain is a public suffix (co.uk)")
    }

    @Test("BAD-INPUT 28: nor with the root's dot") func publicSuffixWithADot() async throws {
        let server = try await Self.server("id=geheim; Domain=co.uk.")
        let (fields, decisions) = try await Self.sent(to: ["a.co.uk.", "b.co.uk.", "a.co.uk"], server)
        #expect(fields == [nil, nil, nil])
        #expect(decisions.count == 3 && decisions.allSatisfy { $0.contains("public suffix (co.uk.)") })
    }

    @Test("BAD-INPUT 28: a host that is a public suffix gets its cookie alone") func hostIsASuffix() async throws {
        let server = try await Self.server("id=1; Domain=co.uk")
        let jar = CookieJar()
        let (fields, _) = try await Self.sent(to: ["co.uk", "a.co.uk", "co.uk"], server, jar: jar)
        #expect(fields == [nil, nil, "id=1"])
        #expect(jar.cookies.map(\.isHostOnly) == [true])
    }

    @Test("BAD-INPUT 28: bexample never matches example, and an address matches itself") func names() async throws {
        let server = try await Self.server("id=1; Domain=example.test")
        let (fields, decisions) = try await Self.sent(
            to: ["example.test", "bexample.test", "a.example.test"], server)
        #expect(fields == [nil, nil, "id=1"])
        #expect(decisions.count == 1)
        let addresses = try await Self.server("id=1; Domain=0.0.1")
        let (sent, why) = try await Self.sent(to: ["127.0.0.1", "127.0.0.2", "127.0.0.1"], addresses)
        #expect(sent == [nil, nil, nil])
        #expect(why.count == 3)
    }

    @Test(
        "BAD-INPUT 29: a control character in a cookie rejects its whole response",
        arguments: ["\u{1}", "\u{7F}", "\u{1F}"])
    func controlCharacters(_ character: String) async throws {
        let server = try await Self.server("a=1", "b=geheim\(character)")
        let jar = CookieJar()
        let error = await callError { _ = try await Self.sent(to: ["a.test"], server, jar: jar) }
        #expect(error?.kind == .invalidResponse)
        #expect(jar.cookies.isEmpty)
        #expect("\(String(describing: error))".contains("Set-Cookie"))
        #expect(!"\(String(describing: error))".contains("geheim"))
    }

    @Test("BAD-INPUT 29: but for a tab") func tabs() async throws {
        let server = try await Self.server("c=3\tx")
        let (fields, decisions) = try await Self.sent(to: ["a.test", "a.test"], server)
        #expect(fields == [nil, "c=3\tx"])
        #expect(decisions.isEmpty)
    }

    @Test("BAD-INPUT 29: long cookies and attributes are ignored, and so are more than 50 of one response")
    func limits() async throws {
        let long = String(repeating: "x", count: 4_096)
        let path = String(repeating: "p", count: 1_024)
        let many = (0..<50).map { "c\($0)=1" }.joined(separator: "\r\nSet-Cookie: ")
        let server = try await Self.server("a=\(long)", "b=2; Path=/\(path)", many)
        let jar = CookieJar()
        let (_, decisions) = try await Self.sent(to: ["a.test"], server, jar: jar)
        #expect(jar.cookies.count == 49)
        #expect(jar.cookies.first { $0.name == "b" }?.path == "/")
        #expect(decisions.contains { $0.contains("“a”") && $0.contains("4096") })
        #expect(decisions.contains { $0.hasPrefix("2 cookies of a.test are refused") })
    }

    @Test("BAD-INPUT 29: the Cookie field has whole cookies up to 8190 bytes") func fieldLength() async throws {
        let value = String(repeating: "x", count: 4_000)
        let server = try await Self.server("a=\(value)", "b=\(value)", "c=\(value)", "d=\(value)")
        let (fields, decisions) = try await Self.sent(to: ["a.test", "a.test"], server)
        #expect(fields.last == "a=\(value); b=\(value)")
        #expect(decisions == ["2 cookies are not sent: the Cookie field would be too long with them"])
    }

    @Test("BAD-INPUT 29: a host cannot drive out the cookies of others") func floods() async throws {
        let server = try await ScriptedServer.start { request in
            let start = Int(request.path.dropFirst()) ?? 0
            let lines = (0..<50).map { "Set-Cookie: c\(start + $0)=1\r\n" }.joined()
            return .bytes("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 0\r\n\r\n")
        }
        let jar = CookieJar()
        try await serving(server) {
            $0.cookies = .jar(jar)
            $0.connection.resolve["*:80"] = "127.0.0.1:\(server.port)"
        } _: { _, client in
            try jar.set("kept=1", from: "https://other.test/")
            for start in stride(from: 0, to: 400, by: 50) { _ = try await client.get(url: "http://a.test/\(start)") }
            #expect(jar.cookies.count == 181)
            #expect(jar.cookies.first?.name == "kept")
        }
    }

    @Test("BAD-INPUT 30: http neither sets nor replaces nor hides a Secure cookie") func secure() async throws {
        let log = Log<CallEvent>()
        let secure = try await ScriptedServer.start(tls: .localhost) { _ in
            .ok("", headers: [.setCookie: "id=good; Secure; Path=/"])
        }
        let plain = try await ScriptedServer.start { request in
            .ok("", headers: [.setCookie: request.path == "/new" ? "new=1; Secure" : "id=evil; Path=/"])
        }
        try await plain.use { plain in
            try await serving(secure) {
                $0.cookies = .memory
                $0.connection.tls.verification = .dangerouslyOff
                $0.connection.resolve = [
                    "a.test:443": "127.0.0.1:\(secure.port)", "a.test:80": "127.0.0.1:\(plain.port)",
                ]
            } _: { secure, client in
                let observation = client.observe { log.add($0) }
                _ = try await client.get(url: "https://a.test/")
                _ = try await client.get(url: "http://a.test/x")
                _ = try await client.get(url: "http://a.test/new")
                _ = try await client.get(url: "https://a.test/")
                observation.cancel()
                #expect(client.cookieJar?.cookies.map(\.value) == ["good"])
                #expect(plain.requests.map { $0["cookie"] } == [nil, nil])
                #expect(secure.requests.map { $0["cookie"] } == [nil, "id=good"])
                #expect(log.decisions.count == 2)
                #expect(log.decisions.allSatisfy { $0.contains("insecure connection") })
            }
        }
    }

    @Test func `FAULT 29: a Secure cookie works over http to localhost`() async throws {
        let server = try await ScriptedServer.start { request in
            .ok("", headers: request.path == "/set" ? [.setCookie: "id=1; Secure; Path=/"] : [:])
        }
        try await serving(server) {
            $0.cookies = .memory
        } _: { server, client in
            for host in ["localhost", "a.localhost", "127.0.0.1"] {
                for path in ["set", "get"] { _ = try await client.get(url: "http://\(host):\(server.port)/\(path)") }
                #expect(server.requests.last?["cookie"] == "id=1", "\(host)")
            }
        }
    }

    @Test(
        "BAD-INPUT 30: prefixes, paths and SameSite",
        arguments: [
            ("__Host-a=1; Secure", nil), ("__host-a=1; Secure; Path=/; Domain=localhost.test", nil),
            ("__Secure-a=1", nil), ("a=1; SameSite=None", nil), ("=__Host-a; Secure; Path=/", nil),
            ("a=1; Path=/a", "a=1"), ("a=1; Path=/ab", nil), ("a=1; SameSite=Strict; Path=/", "a=1"),
            ("a=1; Expires=garbage; Path=/", "a=1"), ("a=1; Expires=Fri, 31 Dec 9999 23:59:59 GMT; Path=/", "a=1"),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", nil), ("token; Path=/", "token"),
        ] as [(String, String?)])
    func rules(_ field: String, _ expected: String?) async throws {
        let server = try await ScriptedServer.start { request in
            .ok("", headers: request.path == "/a/set" ? [.setCookie: field] : [:])
        }
        try await serving(server) {
            $0.cookies = .memory
        } _: { server, client in
            for path in ["a/set", "a/b", "ab"] { _ = try await client.get(url: "\(server.url)/\(path)") }
            #expect(server.requests[1]["cookie"] == expected)
            let isElsewhere = field.hasSuffix("Path=/a")
            #expect(
                server.requests[2]["cookie"] == (field.hasSuffix("Path=/ab") ? "a=1" : isElsewhere ? nil : expected))
            let lives = client.cookieJar?.cookies.compactMap(\.expires).first.map { $0 - CookieJar.now }
            #expect(lives.map { $0 <= 400 * 86_400 } ?? true)
        }
    }
}
