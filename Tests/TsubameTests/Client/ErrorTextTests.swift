// ErrorTextTests: the exact texts of errors, which never hold a secret.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ErrorTextTests {
    private static func text(
        _ stub: StubTransport, base: String? = "https://api.example.com/v1", _ body: (Client) async throws -> Void
    ) async -> String {
        await callError { try await body(Client(base, transport: stub)) }.map { "\($0)" } ?? ""
    }

    @Test func `a status, with the beginning of the answer`() async {
        let stub = StubTransport { $0.on("*").respond(status: .notFound, text: "{\"error\":\n  \"no such user\"}") }
        let text = await Self.text(stub) { _ = try await $0.get("users/7").json(EmptyResponse.self) }
        #expect(
            text == """
                GET https://api.example.com/v1/users/7 failed: the server answered 404 Not Found
                  the answer: {"error":   "no such user"}
                """)
    }

    @Test func `a status whose answer is long, or no text`() async {
        let long = StubTransport { $0.on("*").respond(status: .badGateway, text: String(repeating: "x", count: 1000)) }
        let longText = await Self.text(long) { try await $0.put("x", body: .text("y")).accepted() }
        #expect(
            longText == """
                PUT https://api.example.com/v1/x failed: the server answered 502 Bad Gateway
                  the answer: \(String(repeating: "x", count: 300)) …
                """)
        let binary = StubTransport { $0.on("*").respond(status: .badGateway, body: Bytes([0xFF, 0xFE, 0])) }
        let binaryText = await Self.text(binary) { try await $0.get("x").accepted() }
        #expect(
            binaryText == """
                GET https://api.example.com/v1/x failed: the server answered 502 Bad Gateway
                  the answer's body: 3 bytes
                """)
    }

    @Test(arguments: [
        (#"{"detail":[{"input":{"user":"a","password":"s3cret"}}]}"#, "application/json"),
        (#"{"refresh_token":"s3cret"#, "application/problem+json"),
        ("a=1&pwd=s3cret", "application/x-www-form-urlencoded"),
    ])
    func `BAD-INPUT 20: the beginning of an answer shows no secrets`(body: String, type: String) async {
        let stub = StubTransport {
            $0.on("*").respond(status: .unprocessableContent, headers: [.contentType: type], body: Bytes(body))
        }
        let text = await Self.text(stub) { try await $0.post("x").accepted() }
        #expect(text.contains("the answer: ") && text.contains("[redacted]") && !text.contains("s3cret"), "\(text)")
    }

    @Test func `the code of an error is shown, and no text of a long binary answer`() async {
        let stub = StubTransport {
            $0.on("/a").respond(
                status: .badRequest, headers: [.contentType: "application/json"],
                body: Bytes(#"{"code":"rate_limited"}"#))
            $0.on("/b").respond(status: .badRequest, body: Bytes(repeatElement(0x80, count: 400)))
        }
        let code = await Self.text(stub, base: "https://a.example") { try await $0.get("a").accepted() }
        #expect(code.contains(#"{"code":"rate_limited"}"#), "\(code)")
        let binary = await Self.text(stub, base: "https://a.example") { try await $0.get("b").accepted() }
        #expect(binary.hasSuffix("the answer's body: 400 bytes"), "\(binary)")
    }

    @Test func `BAD-INPUT 20: a reason phrase and a field show no control characters`() async throws {
        let server = try await ScriptedServer.start { _ in
            .bytes("HTTP/1.1 500 x\u{9B}2J\u{85}y\r\nX-A: a\u{2028}b\r\nContent-Length: 0\r\n\r\n")
        }
        try await serving(server) { _, client in
            let response = try await client.get("x")
            let error = await callError { try await client.get("x").accepted() }
            for text in ["\(response)", error.map { "\($0)" } ?? ""] {
                #expect(text.contains("x\\u{9b}2J\\u{85}y"), "\(text)")
                #expect(!text.unicodeScalars.contains { [0x9B, 0x85, 0x2028].contains($0.value) })
            }
        }
    }

    @Test func `the beginning of an answer is not cut within a character`() async {
        for padding in 297...300 {
            let stub = StubTransport {
                $0.on("*").respond(status: .badRequest, text: String(repeating: "x", count: padding) + "燕燕燕")
            }
            let text = await Self.text(stub) { try await $0.get("x").accepted() }
            #expect(text.contains("the answer: xxx") && text.hasSuffix(" …"), "\(text)")
        }
    }

    @Test("BAD-INPUT 20: control characters of an answer cannot forge a line") func forged() async {
        let stub = StubTransport { $0.on("*").respond(status: .badRequest, text: "a\u{1B}[2Jb\0c\r\nd") }
        let text = await Self.text(stub) { try await $0.get("x").accepted() }
        #expect(text.hasSuffix("\n  the answer: a\\u{1b}[2Jb\\u{0}c d"))
    }

    @Test func `a value that is not what was asked for`() async {
        struct User: Decodable, Sendable { var name: String; var tags: [Int]? }
        for (body, reason) in [
            (#"{"nome":"x"}"#, #"no "name""#),
            (#"{"name":1}"#, "no String at name: Expected to decode String but found number instead."),
            (#"{"name":null}"#, "null where String is wanted at name"),
            (#"{"name":"x","tags":[1,"2"]}"#, "no Int at tags[1]: Expected to decode Int but found a string instead."),
        ] {
            let stub = StubTransport {
                $0.on("*").respond(headers: [.contentType: "application/json"], body: Bytes(body))
            }
            let text = await Self.text(stub) { _ = try await $0.get("me").json(User.self) }
            #expect(
                text == "GET https://api.example.com/v1/me failed while decoding the response: "
                    + "the body cannot be decoded as User from JSON: \(reason)")
        }
    }

    @Test func `a request that cannot be sent, and what to do`() async {
        let stub = StubTransport()
        let path = await Self.text(stub, base: nil) { _ = try await $0.get("users") }
        #expect(
            path == """
                GET /users failed while preparing the request: the path "/users" has no base URL
                  give the client one: Client("https://…"), or pass a whole URL: get(url:)
                """)
        let url = await Self.text(stub) { _ = try await $0.get(url: "ftp://user:s3cret@x/?token=s3cret") }
        #expect(
            url == """
                GET request failed while preparing the request: the URL does not start with http:// or https://: \
                ftp://x/?token=[redacted]
                  write it as http://host/path
                """)
    }

    @Test func `a timeout names itself, its phase and its connection`() async throws {
        try await serving(.start { _ in .stall }) {
            $0.timeouts.head = .milliseconds(50)
        } _: { server, client in
            let error = try #require(await callError { _ = try await client.post("photos", body: .text("x")) })
            #expect(
                "\(error)" == """
                    POST \(server.url)/photos failed while waiting for the response: \
                    no response head within 0.05 s of the request (timeouts.head)
                      connected to 127.0.0.1:\(server.port) (HTTP/1.1)
                    """)
        }
    }

    @Test(
        arguments: [
            ("Content-Length: 9\r\n\r\nhalf", false, "4 of 9 bytes of the body received"),
            ("Content-Length: 9\r\n\r\nhalf", true, "4 of 9 bytes of the body received"),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhalf", false, "4 bytes of the body received"),
        ])
    func `a body that is cut off, or stalls, says how much of it had come`(
        answer: String, stalls: Bool, words: String
    ) async throws {
        let server = try await ScriptedServer.start { _ in
            [.bytes("HTTP/1.1 200 OK\r\n" + answer), stalls ? .stall : .close]
        }
        try await serving(server, { if stalls { $0.timeouts.idle = .milliseconds(50) } }) { server, client in
            let sent = try #require(await callError { _ = try await client.get("x") })
            let streamed = try #require(
                await callError {
                    try await client.stream(Request(.get, "x")) { for try await _ in $0.body {} }
                })
            for error in [sent, streamed] {
                #expect(error.kind == (stalls ? .timeout : .incompleteResponse))
                #expect("\(error)".contains(" · \(words)"), "\(error)")
            }
        }
    }

    @Test func `a server that is not there`() async throws {
        let dead = try DeadPort()
        defer { withExtendedLifetime(dead) {} }
        let client = Client(dead.url) { $0.retry = .off }
        let error = try #require(await callError { _ = try await client.get("x") })
        #expect(
            "\(error)" == """
                GET \(dead.url)/x failed while connecting: \
                no connection to 127.0.0.1:\(dead.number) (127.0.0.1:\(dead.number): connection refused)
                  check that the server runs and that the port is right
                """)
        #expect(String(reflecting: error) == "CallError.connectionFailed: \(error)")
        await client.close()
    }

    @Test func `a deadline of the whole call`() async throws {
        let stub = StubTransport { $0.on("*").respond(text: "late").delay(.seconds(3600)) }
        let client = Client("https://api.example.com", transport: stub) { $0.timeouts.total = .milliseconds(20) }
        let error = try #require(await callError { _ = try await client.get("x") })
        #expect(
            "\(error)" == "GET https://api.example.com/x failed while waiting for the response: "
                + "not done after 0.02 s (timeouts.total)")
    }
}
