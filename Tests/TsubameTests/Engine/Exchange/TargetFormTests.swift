// TargetFormTests: uncommon methods and request targets.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct TargetFormTests {
    @Test func `the server as a whole can be asked`() async throws {
        try await serving(.start()) { server, client in
            var request = Request(.options, "ignored")
            request.asksServer = true
            let status = try await client.send(request).status
            #expect(status == .ok)
            #expect(server.requests.map(\.target) == ["*"])
            #expect(server.requests[0]["host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `only OPTIONS asks the server as a whole`() async throws {
        try await serving(.start()) { server, client in
            var request = Request(.get, "x")
            request.asksServer = true
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.kind == .invalidRequest)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a proxy is told the server by an absolute form without a path`() async throws {
        try await serving(.start()) { server, client in
            var request = Request(.options, url: "http://a.example:81/ignored?x")
            request.asksServer = true
            let view = client.with { $0.connection.proxy = .url("http://127.0.0.1:\(server.port)") }
            let status = try await view.send(request).status
            #expect(status == .ok)
            #expect(server.requests.map(\.target) == ["http://a.example:81"])
        }
    }

    @Test(arguments: ["PROPFIND", "M-SEARCH", "get", "x!#$%&'*+-.^_`|~1"])
    func `any token is a method`(_ name: String) async throws {
        try await serving(.start()) { server, client in
            let method = try #require(HTTPRequest.Method(name))
            let status = try await client.send(Request(method, "x", body: .text("b"))).status
            #expect(status == .ok)
            #expect(server.requests.map(\.method) == [name])
        }
    }

    // MARK: Ranges

    @Test func `a request can ask for parts, and the answer says which came`() async throws {
        let server = try await ScriptedServer.start { _ in
            .status(.partialContent, "cde", headers: [.contentRange: "bytes 2-4/10"])
        }
        try await serving(server) { server, client in
            var request = Request(.get, "x")
            request.ask(for: .bytes(2...4))
            let response = try await client.send(request)
            #expect(response.contentRange?.bytes == 2...4 && response.contentRange?.total == 10)
            request.ask(for: .from(7), .last(2), .bytes(0...0))
            _ = try await client.send(request)
            #expect(server.requests.map { $0["range"] } == ["bytes=2-4", "bytes=7-, -2, 0-0"])
            // A coded content has other byte positions.
            #expect(server.requests.map { $0["accept-encoding"] } == ["identity", "identity"])
        }
    }

    @Test(arguments: [ByteRange.bytes(-3 ... -1), .from(-1), .last(0), .last(-5)])
    func `a range that makes no sense is an error`(_ range: ByteRange) async throws {
        try await serving(.start()) { server, client in
            var request = Request(.get, "x")
            request.ask(for: range)
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.kind == .invalidRequest)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(
        arguments: [
            ("bytes 0-0/1", 0, 0, 1), ("Bytes 5-9/*", 5, 9, -1),
            ("bytes  0-9223372036854775806/9223372036854775807", 0, .max - 1, .max),
        ] as [(String, Int64, Int64, Int64)])
    func `what came is read`(_ field: String, _ first: Int64, _ last: Int64, _ total: Int64) throws {
        let range = try #require(Response(status: .partialContent, headers: [.contentRange: field]).contentRange)
        #expect(range.bytes == first...last && range.total == (total < 0 ? nil : total))
        #expect(range.length == last - first + 1)
    }

    @Test func `416 says how long the whole is`() {
        let range = Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */47"]).contentRange
        #expect(range != nil && range?.bytes == nil && range?.total == 47 && range?.length == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes 1-0/5", "bytes 0-5/5", "bytes -1/5", "bytes 0-/5", "bytes */*", "bytes 0-1", "lines 0-1/5",
        "bytes 0-1/5 x", "bytes +0-1/5", "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*",
        "bytes 0-1/٥", "bytes 0 - 1/5",
    ])
    func `BAD-INPUT 42: what cannot be true is nothing`(_ field: String) {
        #expect(Response(status: .partialContent, headers: [.contentRange: field]).contentRange == nil)
    }

    // MARK: resolve

    @Test(arguments: [
        "http://a.example", "a.example/", "a.example:0", "a.example:65536", "a.example:+80", "a.example:x", "", ":80",
        "a b",
    ])
    func `an address override that is filed under no host and port fails every call`(_ name: String) async throws {
        try await serving(.start(), { $0.connection.resolve[name] = "127.0.0.1" }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest && error.reason.contains("resolve"), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["a.example", "A.example:080", "a.example:80"])
    func `an address override is found however its host and port are written`(_ name: String) async throws {
        try await serving(.start()) { server, client in
            let view = client.with { $0.connection.resolve[name] = "127.0.0.1:\(server.port)" }
            let status = try await view.get(url: "http://a.example/").status
            #expect(status == .ok)
        }
    }
}
