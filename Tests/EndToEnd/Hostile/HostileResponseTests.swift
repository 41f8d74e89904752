// HostileResponseTests: malformed responses over a real socket. Each is a typed error, its connection is not used again,
// and no part of it is taken for the whole.
#if TestServer
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HostileResponseTests {
    /// A response as it is sent, and the result for the caller.
    struct Case: Sendable, CustomTestStringConvertible {
        let number: Int
        let response: String
        let expected: Outcome
        /// Whether the connection can be used again.
        let keepsConnection: Bool
        var testDescription: String { "\(number): \(response.prefix(60).debugDescription)" }

        init(_ number: Int, _ response: String, _ expected: Outcome, keepsConnection: Bool = false) {
            self.number = number
            self.response = response
            self.expected = expected
            self.keepsConnection = keepsConnection
        }
    }

    enum Outcome: Sendable, Equatable {
        case text(String)
        case error(CallError.Kind)
    }

    /// A 200 response with this field.
    private static func ok(_ field: String, _ body: String = "hello!") -> String {
        "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(body)"
    }

    private static func chunked(_ body: String) -> String { ok("Transfer-Encoding: chunked", body) }

    private static let refused: [Case] =
        ["-6", "+8", "crap", "6abc", "6\r7", "9223372036854775808", "99999999999999999999"].map {
            Case(1, ok("Content-Length: \($0)"), .error(.invalidResponse))
        } + [
            Case(2, ok("Content-Length: 6\r\nContent-Length: 5"), .error(.invalidResponse)),
            Case(2, ok("Content-Length: 6, 5"), .error(.invalidResponse)),
            Case(3, ok("Content-Length: 7"), .error(.incompleteResponse)),
            Case(3, ok("Content-Length: 9000000000000000000"), .error(.incompleteResponse)),
        ]
        + [
            "chunked, chunked", "chunked, gzip", "identity", "identityx", "chunked\r\nTransfer-Encoding: chunked",
        ].map { Case(4, ok("Transfer-Encoding: \($0)", "6\r\nhello!\r\n0\r\n\r\n"), .error(.invalidResponse)) }
        + [
            "G\r\nhello!\r\n0\r\n\r\n", "\r\nhello!\r\n0\r\n\r\n", "-1\r\nhello!\r\n0\r\n\r\n",
            "5:x\r\nhello\r\n0\r\n\r\n", "1 A\r\nh\r\n0\r\n\r\n", "00000000000000006\r\nhello!\r\n0\r\n\r\n",
            "6\nhello!\r\n0\r\n\r\n", "6\r\nhello!!\r\n0\r\n\r\n", "6\r\nhello!\n0\r\n\r\n",
        ].map { Case(6, chunked($0), .error(.invalidResponse)) }
        + [
            Case(
                7, chunked("6;\(String(repeating: "x", count: 100_000))\r\nhello!\r\n0\r\n\r\n"), .error(.limitExceeded)
            ),
            Case(7, chunked("6\r\nhello!\r\n"), .error(.incompleteResponse)),
            Case(7, chunked("6\r\nhello!\r\n0\r\n"), .error(.incompleteResponse)),
            Case(8, chunked("0\r\n\(String(repeating: "X: y\r\n", count: 2_000))\r\n"), .error(.limitExceeded)),
            Case(8, chunked("0\r\nX: \(String(repeating: "y", count: 300_000))\r\n\r\n"), .error(.limitExceeded)),
        ]
        + [
            "HTP/1.1 200 OK", " HTTP/1.1 200 OK", "HTTP/1.10 200 OK", "HTTP/2.0 200 OK",
            "HTTP/1.\(String(repeating: "1", count: 100)) 200 OK", "HTTP/1.1 -12 OK", "HTTP/1.1 2 OK",
            "HTTP/1.1 001 OK",
            "HTTP/1.1 \(String(repeating: "2", count: 100)) OK", "hello",
        ].map { Case(12, "\($0)\r\nContent-Length: 6\r\n\r\nhello!", .error(.invalidResponse)) }
        + [
            Case(13, "HTTP/1.1 101 Switching Protocols\r\n\r\n", .error(.invalidResponse)),
            Case(
                13, String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1_000) + ok("Content-Length: 6"),
                .error(.limitExceeded)),
        ]
        + ["no colon", "X : y", "X: a\u{0}b", "X: a\rb", ": y"].map {
            Case(14, ok("Content-Length: 6\r\n\($0)"), .error(.invalidResponse))
        } + [
            Case(14, "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 6\r\n\r\nhello!", .error(.invalidResponse)),
            Case(15, "HTTP/1.1 200 OK\r\nContent-Le", .error(.incompleteResponse)),
            Case(15, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n", .error(.incompleteResponse)),
            Case(15, "", .error(.emptyReply)),
            Case(
                16, ok("Content-Length: 6\r\n\(String(repeating: "X: y\r\n", count: 1_100))Y: z"),
                .error(.limitExceeded)),
            Case(16, ok("X: \(String(repeating: "y", count: 70_000))"), .error(.limitExceeded)),
            Case(
                16, ok((0..<6).map { "X\($0): \(String(repeating: "y", count: 50_000))" }.joined(separator: "\r\n")),
                .error(.limitExceeded)),
        ]

    /// Faults that a client has to forgive.
    private static let forgiven =
        [
            Case(2, ok("Content-Length: 6\r\nContent-Length: 6"), .text("hello!"), keepsConnection: true),
            Case(2, ok("Content-Length: 6,06,6"), .text("hello!"), keepsConnection: true),
            Case(4, ok("Content-Length: 3\r\nTransfer-Encoding: chunked", "6\r\nhello!\r\n0\r\n\r\n"), .text("hello!")),
            Case(
                5, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nhello!\r\n0\r\n\r\n", .text("hello!")),
            Case(
                8, chunked("6\r\nhello!\r\n0\r\nContent-Length: 3\r\nSet-Cookie: a=b\r\n\r\n"), .text("hello!"),
                keepsConnection: true),
            Case(9, "HTTP/1.1 204 No Content\r\nContent-Length: 6\r\n\r\nhello!", .text("")),
            Case(9, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\nhello!", .text("")),
            Case(
                10, ok("Content-Length: 6", "hello!HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .text("hello!")),
            Case(
                12, "HTTP/1.1 999 What\r\nContent-Length: 6\r\n\r\nhello!", .text("hello!"), keepsConnection: true),
            Case(
                13, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\n" + ok("Content-Length: 6"), .text("hello!"),
                keepsConnection: true),
            Case(
                14, "HTTP/1.1 200 OK\nX: a\r\n b\r\nContent-Length: 6\n\nhello!", .text("hello!"),
                keepsConnection: true),
        ]
        + (2...9).map {
            Case(
                12, "HTTP/1.\($0) 200 OK\r\nContent-Length: 6\r\n\r\nhello!", .text("hello!"), keepsConnection: true)
        }

    private func outcome(_ api: Client, _ path: String) async -> Outcome {
        do throws(CallError) {
            var request = Request(.get, path: path)
            request.acceptedStatuses = .all
            return .text(String(decoding: try await api.send(request).bytes, as: UTF8.self))
        } catch {
            #expect(!error.reason.isEmpty)
            return .error(error.kind)
        }
    }

    /// Sends the response, and then closes the connection or leaves it open.
    private func check(_ sample: Case, thenCloses: Bool) async throws {
        let broken: Reply = thenCloses ? [.bytes(sample.response), .close] : [.bytes(sample.response)]
        let server = try await ScriptedServer.start(replies: [broken, .ok("next")])
        try await withClient(server.url, { $0.retry = .off }) { api in
            let first = await outcome(api, "first")
            #expect(first == sample.expected)
            // The next request meets none of the bytes.
            let second = await outcome(api, "second")
            #expect(second == .text("next"))
            #expect(server.requests.map(\.connection) == [0, sample.keepsConnection ? 0 : 1])
        }
        await server.stop()
    }

    @Test(arguments: refused)
    func `a malformed response is an error, and its connection is closed`(_ sample: Case) async throws {
        try await check(sample, thenCloses: true)
    }

    @Test(
        arguments: refused.filter { $0.expected != .error(.incompleteResponse) && $0.expected != .error(.emptyReply) })
    func `the error does not wait for the end of the connection`(_ sample: Case) async throws {
        try await check(sample, thenCloses: false)
    }

    @Test(arguments: forgiven)
    func `a fault that RFC 9112 forgives is read as it says`(_ sample: Case) async throws {
        try await check(sample, thenCloses: false)
    }

    // MARK: More than a text

    /// Sends a response and then another one. The second comes over the same connection.
    private func exchange(
        _ response: String, _ method: HTTPRequest.Method = .get,
        _ check: (Response, Client, CookieJar) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(replies: [.bytes(response), .ok("next")])
        let jar = CookieJar()
        try await withClient(server.url, { $0.cookies = .jar(jar) }) { api in
            try await check(try await api.send(Request(method, path: "first")), api, jar)
            _ = try await api.get("second")
        }
        await server.stop()
    }

    @Test func `BAD-INPUT 8: trailers bring no field about framing, cookies or credentials`() async throws {
        let trailers =
            "Content-Length: 3\r\nSet-Cookie: a=b\r\nAuthorization: x\r\nTransfer-Encoding: gzip\r\nX-Sum: 6\r\n"
        try await exchange(Self.chunked("6\r\nhello!\r\n0\r\n\(trailers)\r\n")) { response, _, jar in
            let text = try await response.text()
            #expect(text == "hello!" && response.trailers?.map(\.name.rawName) == ["X-Sum"])
            #expect(response.headers["Content-Length"] == nil && response.headers["Set-Cookie"] == nil)
            #expect(jar.cookies.isEmpty)
        }
    }

    @Test func `BAD-INPUT 4: a Content-Length beside chunks is removed`() async throws {
        let response = Self.ok("Content-Length: 3\r\nTransfer-Encoding: chunked", "6\r\nhello!\r\n0\r\n\r\n")
        try await exchange(response) { response, _, _ in
            #expect(response.headers["Content-Length"] == nil && response.headers["Transfer-Encoding"] == "chunked")
        }
    }

    @Test func `BAD-INPUT 14: a folded field is joined by a space`() async throws {
        try await exchange("HTTP/1.1 200 OK\r\nX: a\r\n\t b\r\nContent-Length: 0\r\n\r\n") { response, _, _ in
            #expect(response.headers["X"] == "a b")
        }
    }

    @Test(arguments: [
        ("Content-Length: 6\r\n\r\n", 0), ("Transfer-Encoding: chunked\r\n\r\n", 0), ("\r\n", 0),
        ("Content-Length: 6\r\n\r\nhello!", 1), ("Transfer-Encoding: chunked\r\n\r\n6\r\nhello!\r\n0\r\n\r\n", 1),
    ])
    func `BAD-INPUT 9: a response to HEAD has no body, whatever it says`(_ rest: String, _ second: Int) async throws {
        let server = try await ScriptedServer.start(replies: [.bytes("HTTP/1.1 200 OK\r\n" + rest), .ok("next")])
        try await withClient(server.url) { api in
            let response = try await api.head("first")
            #expect(response.statusCode == 200 && response.bytes.count == 0)
            let next = try await api.get("second").text()
            #expect(next == "next" && server.requests.map(\.connection) == [0, second])
        }
        await server.stop()
    }
}
#endif
