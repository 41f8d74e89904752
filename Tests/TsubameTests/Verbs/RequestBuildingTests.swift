// RequestBuildingTests: requests: how they are built, and requests that must not be sent.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RequestBuildingTests {
    /// The request that would go to the network.
    private static func sent(
        _ request: Request, base: String? = "https://a.example/v1",
        _ configure: (inout Configuration) -> Void = { _ in }
    ) async throws -> Request {
        let stub = StubTransport { $0.on("*") }
        _ = try await Client(base, transport: stub, configure).send(request)
        return try #require(stub.requests.last)
    }

    // MARK: Paths and queries

    @Test(
        arguments: [
            ("https://a.example", "x", "/x"), ("https://a.example/", "/x", "/x"),
            ("https://a.example/v1", "x", "/v1/x"),
            ("https://a.example/v1/", "/x", "/v1/x"), ("https://a.example/v1", "", "/v1"),
            ("https://a.example/v1", "x/", "/v1/x/"), ("https://a.example", "", "/"),
            ("https://a.example/v1", "x?a=1", "/v1/x?a=1"), ("https://a.example/v1?key=k", "x", "/v1/x?key=k"),
            ("https://a.example/v1", "größe", "/v1/gr%C3%B6%C3%9Fe"),
        ] as [(String, RequestPath, String)])
    func `a path is appended to the base`(base: String, path: RequestPath, target: String) async throws {
        let request = try await Self.sent(Request(.get, path), base: base)
        #expect(request.uri?.target == target)
    }

    @Test(
        arguments: [
            ("x", ["a": 1], "/v1/x?a=1"), ("x?b=2", ["a": 1], "/v1/x?b=2&a=1"), ("x?", ["a": 1], "/v1/x?a=1"),
            ("x?b=2&", ["a": 1], "/v1/x?b=2&a=1"), ("x", [:], "/v1/x"), ("x?b=2", [:], "/v1/x?b=2"),
            ("x", ["b": 2, "a": 1, "b": 1, "c": nil], "/v1/x?b=2&a=1&b=1"), ("x", ["": "", "e": ""], "/v1/x?=&e="),
        ] as [(RequestPath, Parameters, String)])
    func `a query is merged into the URL's own, its order kept`(
        path: RequestPath, query: Parameters, target: String
    ) async throws {
        let below = try await Self.sent(Request(.get, path, query: query))
        #expect(below.uri?.target == target)
        let whole = try await Self.sent(
            Request(.get, url: "https://a.example/v1/\(path.encoded.dropFirst())", query: query))
        #expect(whole.uri?.target == target)
    }

    @Test func `a fragment stays behind the query and is not sent`() async throws {
        let request = try await Self.sent(Request(.get, url: "https://a.example/x?a=1#part", query: ["b": 2]))
        #expect(request.uri?.string == "https://a.example/x?a=1&b=2#part")
        #expect(request.uri?.target == "/x?a=1&b=2")
    }

    @Test func `parameters are sorted only on demand, equal names keeping their order`() async throws {
        let query: Parameters = ["b": 2, "a": 1, "B": 0, "a": 0]
        let request = try await Self.sent(Request(.get, "x", query: query.sorted()))
        #expect(request.uri?.query == "B=0&a=1&a=0&b=2")
    }

    @Test func `percent-encoding leaves exactly the unreserved characters`() async throws {
        let every = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar($0) })) + "é燕"
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        let encoded = every.utf8.map { byte -> String in
            let character = String(Unicode.Scalar(byte))
            if byte < 128, unreserved.contains(character) { return character }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
        try await serving(.start()) { server, client in
            _ = try await client.send(Request(.post, "x", query: [every: every], body: .form([every: every])))
            _ = try await client.get("\(every)/x?q=\(every)")
            #expect(server.requests[0].query == "\(encoded)=\(encoded)")
            #expect(server.requests[0].text == "\(encoded)=\(encoded)")
            #expect(server.requests[1].target == "/\(encoded)/x?q=\(encoded)")
        }
    }

    // MARK: Fields

    @Test func `the client's fields are added where the request has none of that name`() async throws {
        let configure: (inout Configuration) -> Void = {
            $0.headers = [.userAgent: "Viewer/2.0", .accept: "text/html", .from: "me"]
        }
        let plain = try await Self.sent(Request(.get, "x"), configure)
        #expect(
            plain.headers.map { "\($0.name): \($0.value)" }.prefix(3) == [
                "User-Agent: Viewer/2.0", "Accept: text/html", "From: me",
            ])
        let own = try await Self.sent(
            Request(.get, "x", headers: [.accept: "image/png", .userAgent: "Mine"]), configure)
        #expect(own.headers[values: .accept] == ["image/png"])
        #expect(own.headers[values: .userAgent] == ["Mine"])
        #expect(own.headers[.from] == "me")
        let bare = try await Self.sent(Request(.get, "x"))
        #expect(bare.headers[.accept] == "*/*" && bare.headers[.userAgent] == "Tsubame/\(Client.version)")
    }

    @Test func `a request to another origin goes without the client's fields`() async throws {
        let configure: (inout Configuration) -> Void = { $0.headers = [.from: "me", .userAgent: "Viewer/2.0"] }
        let foreign = try await Self.sent(Request(.get, url: "https://b.example/x"), configure)
        #expect(foreign.headers[.from] == nil)
        #expect(foreign.headers[.userAgent] == "Tsubame/\(Client.version)")
        let home = try await Self.sent(Request(.get, url: "HTTPS://A.example:443/x"), configure)
        #expect(home.headers[.from] == "me")
        let allowed = try await Self.sent(Request(.get, url: "https://b.example/x")) {
            configure(&$0)
            $0.allowedOrigins = [Origin("https://b.example")].compactMap { $0 }.reduce(into: []) { $0.insert($1) }
        }
        #expect(allowed.headers[.from] == "me")
        let homeless = try await Self.sent(Request(.get, url: "https://b.example/x"), base: nil, configure)
        #expect(homeless.headers[.from] == "me")
    }

    @Test(
        arguments: [
            (RequestBody.text("x"), "text/plain; charset=utf-8"), (.json(["a": 1]), "application/json"),
            (.form(["a": 1]), "application/x-www-form-urlencoded"), (.bytes([1, 2]), nil),
            (.bytes([1, 2], contentType: "image/png"), "image/png"), (.data(Data([1]), contentType: "a/b"), "a/b"),
            (.text("x").with(contentType: "text/csv"), "text/csv"), (.empty, nil),
        ] as [(RequestBody, String?)])
    func `a body names its type, unless the request does`(body: RequestBody, type: String?) async throws {
        let request = try await Self.sent(Request(.post, "x", body: body))
        #expect(request.headers[.contentType] == type)
        let own = try await Self.sent(Request(.post, "x", headers: [.contentType: "own/type"], body: body))
        #expect(own.headers[values: .contentType] == ["own/type"])
    }

    @Test func `verbs put method, query and body on the wire`() async throws {
        try await serving(.start()) { server, client in
            let value = ["a": 1]
            _ = try await client.get("x", query: ["q": 1])
            _ = try await client.head("x", query: ["q": 1])
            _ = try await client.delete("x", query: ["q": 1])
            _ = try await client.post("x", query: ["q": 1])
            _ = try await client.post("x", form: ["f": 1])
            _ = try await client.post("x", json: value)
            _ = try await client.put("x", json: value)
            _ = try await client.put("x", query: ["q": 1], body: .text("t"))
            _ = try await client.patch("x", json: value)
            _ = try await client.patch("x", body: .text("t"))
            _ = try await client.get(url: server.url + "/x", query: ["q": 1])
            _ = try await client.post(url: server.url + "/x", query: ["q": 1], body: .text("t"))
            let lines = server.requests.map { "\($0.method) \($0.target) \($0.text)" }
            #expect(
                lines == [
                    "GET /x?q=1 ", "HEAD /x?q=1 ", "DELETE /x?q=1 ", "POST /x?q=1 ", "POST /x f=1", "POST /x {\"a\":1}",
                    "PUT /x {\"a\":1}", "PUT /x?q=1 t", "PATCH /x {\"a\":1}", "PATCH /x t", "GET /x?q=1 ",
                    "POST /x?q=1 t",
                ])
            // A request without a body has no framing, except with methods that expect a body.
            #expect(server.requests.prefix(4).map { $0["content-length"] } == [nil, nil, nil, "0"])
        }
    }

    // MARK: Requests that must not be sent

    struct Unencodable: Encodable {
        let number = Double.infinity
    }

    static let invalid: [Request] = [
        Request(.get, "a/../b"), Request(.get, "a/./b"), Request(.get, "a//b"), Request(.get, "a\\b"),
        Request(.get, "\("")/x"), Request(.get, "x/\("..")"), Request(.get, "a\u{1}b"), Request(.get, "a#b"),
        Request(.get, "http://evil.example/x"), Request(.get, url: "ftp://a.example/"), Request(.get, url: ""),
        Request(.get, url: "a.example"), Request(.get, url: "https://a.example:0/"),
        Request(.get, url: "https://a\\@b.example/"), Request(.get, url: "https://a.example/\r\nX: y"),
        Request(.get, "x", query: ["n": Double.nan]), Request(.get, "x", query: Parameters(encoding: Unencodable())),
        Request(.post, "x", body: .json(Unencodable())), Request(.post, "x", body: .form(["n": Double.infinity])),
        Request(.get, url: "https://us\r\ner@a.example/"), Request(.get, url: "https://us\0er:pw@a.example/"),
        Request(.post, "x", body: .text("x", contentType: "text/plain\r\nX: y")),
        Request(.post, "x", body: .bytes([1], contentType: "image/png\n")),
        Request(.post, "x", body: .file("/nowhere", contentType: "\0")),
        Request(.post, "x", body: .json(1, contentType: "application/json\r")),
        Request(.post, "x", body: .data(Data(), contentType: "a/b\0")),
        Request(.post, "x", body: .stream(contentType: "a\nb") { AsyncStream<Bytes> { $0.finish() } }),
        Request(.post, "x", body: .text("x").with(contentType: "a\r\nb")),
        // The type would not be sent at all.
        Request(.post, "x", headers: [.contentType: "text/plain"], body: .text("x", contentType: "a\r\nb")),
    ]

    @Test("BAD-INPUT 17: what is invalid is kept, and thrown by every way to send before any I/O", arguments: invalid)
    func refused(request: Request) async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub)
        let errors = [
            await callError { _ = try await client.send(request) },
            await callError { _ = try await client.stream(request) { _ in } },
            await callError { _ = try await onThread { try client.blocking.send(request) } },
            await callError { try await onThread { try client.blocking.stream(request) { _, _ in } } },
            await callError {
                let result = await withCheckedContinuation { continuation in
                    client.start(request) { continuation.resume(returning: $0) }
                }
                _ = try result.get()
            },
            await callError { try await Self.delegated(request, client) },
        ]
        for error in errors {
            #expect(error?.kind == .invalidRequest)
            #expect(error?.phase == .preparing)
        }
        #expect(stub.requests.isEmpty)
        #expect(client.runningCallCount == 0)
    }

    @MainActor private static func delegated(_ request: Request, _ client: Client) async throws {
        let recorder = DelegateTests.Recorder()
        client.start(request, delegate: recorder)
        try await recorder.ended.wait()
        #expect(recorder.stages == ["failed"])
        _ = try recorder.result?.get()
    }

    @Test("BAD-INPUT 17, 19: fields that must not be set are refused, and inject nothing") func fields() async throws {
        try await serving(.start()) { server, client in
            for field in ["Content-Length", "Transfer-Encoding"] {
                let headers: RequestHeaders = [HeaderName(field): "5"]
                let error = await callError { _ = try await client.post("x", headers: headers, body: .text("x")) }
                #expect(error?.kind == .invalidRequest, "\(field)")
            }
            for value in ["a b", "a/b", "a@b", ""] {
                let error = await callError { _ = try await client.get("x", headers: ["Host": value]) }
                #expect(error?.kind == .invalidRequest, "\(value)")
            }
            #expect(server.requests.isEmpty)
            let injected = await callError { _ = try await client.get("x", headers: [.from: "a\r\nInjected: yes"]) }
            #expect(injected?.kind == .invalidRequest && injected?.reason.contains("line break") == true)
            #expect(server.requests.isEmpty)
            // HTTPTypes has replaced these control characters already.
            let fields: HTTPFields = [.from: "a\r\nInjected: yes\0", .host: "other.example"]
            _ = try await client.get("x", headers: RequestHeaders(fields))
            let request = try await server.request(0)
            #expect(request["injected"] == nil)
            #expect(request["from"] == "a  Injected: yes")
            #expect(request.values("host") == ["other.example"])
        }
    }

    @Test("BAD-INPUT 17: more fields than HTTPFields holds beside them are refused, and nothing traps")
    func tooManyFields() async throws {
        try await serving(.start()) {
            $0.headers = [.from: "me"]
            $0.authentication = .bearer("token")
        } _: { server, client in
            let name = try #require(HTTPField.Name("X"))
            var fields = HTTPFields()
            while fields.count < 65_534 { fields.append(HTTPField(name: name, value: "")) }
            let error = await callError { _ = try await client.get("x", headers: RequestHeaders(fields)) }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.reason == "the request has more than 65000 fields")
            #expect(server.requests.isEmpty)
        }
    }

    @Test("BAD-INPUT 17: a pseudo name, at which HTTPFields would trap, is left out") func pseudoName() throws {
        let name = try #require(HTTPField.Name(parsed: ":path"))
        #expect(HTTPField.Name(":path") == nil)
        var received = Response(status: .ok, headers: [.from: "me"]).headers
        received.append(HTTPField(name: name, value: "/evil"))
        #expect(received.map(\.name) == [.from])
        var fields = received.fields
        fields.appendSafely(HTTPField(name: name, value: "/evil"))
        #expect(fields == [.from: "me"])
    }

    @Test func `a client whose base is invalid throws why, by every request`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("htps://a.example", transport: stub) { $0.headers = [.authorization: "s3cret"] }
        for request in [Request(.get, "x"), Request(.get, url: "https://b.example/")] {
            let error = await callError { _ = try await client.send(request) }
            #expect(error?.kind == .invalidRequest)
            #expect(error?.reason == "the URL does not start with http:// or https://: htps://a.example")
        }
        #expect(stub.requests.isEmpty)
    }

    @Test func `a path without a base is an error that says what to do`() async throws {
        let error = await callError { _ = try await Client.shared.get("users") }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.reason == "the path \"/users\" has no base URL")
        #expect(error?.advice == "give the client one: Client(\"https://…\"), or pass a whole URL: get(url:)")
    }

    // MARK: Timeouts

    @Test func `what a request sets counts, and the rest is the client's`() {
        var client = Timeouts()
        client.head = .seconds(5)
        client.total = .seconds(20)
        var request = Timeouts()
        request.total = .seconds(1)
        request.idle = nil
        let merged = request.merged(over: client)
        #expect(merged.total == .seconds(1) && merged.idle == nil && merged.head == .seconds(5))
        #expect(merged.connect == .seconds(10) && merged.tls == .seconds(10) && merged.pool == .seconds(30))
        #expect(Timeouts().merged(over: client) == client)
        let defaults = Timeouts()
        #expect(defaults.head == .seconds(60) && defaults.idle == .seconds(60) && defaults.total == nil)
        // A timeout that is set to the default value counts as set.
        request.head = .seconds(60)
        #expect(request.merged(over: client).head == .seconds(60))
        request.total = nil
        #expect(request.merged(over: client).total == nil)
        request.connect = .seconds(-1)
        #expect(request.connect == .zero)
        request.connect = .seconds(Int64.max)
        #expect(request.connect == nil || request.connect ?? .zero > .seconds(1_000_000))
    }
}
