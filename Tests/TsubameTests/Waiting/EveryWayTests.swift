// EveryWayTests: one request value, sent in every way at once.

import Dispatch
import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct EveryWayTests {
    @Test func `one value is sent by every way to wait, many times at once`() async throws {
        let server = try await ScriptedServer.start { request in
            request.query == "n=1" && request.text == "up" && request["x-mine"] == "yes"
                ? .ok("down") : .status(.badRequest)
        }
        var request = Request(.put, "x", query: ["n": 1], body: .text("up"))
        request.headers[try #require(HTTPField.Name("X-Mine"))] = "yes"
        request.timeouts.idle = .seconds(30)
        try await serving(server) { [request] server, client in
            let endpoint = Same(other: request)
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await client.send(request).text() }
                    group.addTask { try await client.stream(request) { try await $0.text() } }
                    group.addTask { try await onThread { try client.blocking.send(request).text() } }
                    group.addTask {
                        try await onThread {
                            try client.blocking.stream(request) { _, next in
                                var text = ""
                                while let piece = try next() { text += String(decoding: piece, as: UTF8.self) }
                                return text
                            }
                        }
                    }
                    group.addTask {
                        let result = await withCheckedContinuation { continuation in
                            client.start(request) { continuation.resume(returning: $0) }
                        }
                        return try await result.get().text()
                    }
                    group.addTask {
                        let result = await withCheckedContinuation { continuation in
                            client.start(request, on: .queue(.init(label: "x"))) { continuation.resume(returning: $0) }
                        }
                        return try await result.get().text()
                    }
                    group.addTask { try await Self.delegated(request, client) }
                    group.addTask { try await client.send(endpoint) }
                    if let executor = client.executor {
                        group.addTask(executorPreference: executor) { try await client.send(request).text() }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "down", count: 9 * 8))
            #expect(server.requests.count == 9 * 8)
            let heads = Set(server.requests.map(\.headText))
            #expect(heads.count == 1)
        }
    }

    @MainActor private static func delegated(_ request: Request, _ client: Client) async throws -> String {
        let recorder = DelegateTests.Recorder()
        client.start(request, delegate: recorder)
        try await recorder.ended.wait()
        return String(decoding: recorder.bytes, as: UTF8.self)
    }

    /// The same request as an endpoint.
    private struct Same: Endpoint {
        let other: Request
        var method: HTTPRequest.Method { other.method }
        var path: RequestPath { "x" }
        var query: Parameters { ["n": 1] }
        var headers: RequestHeaders { other.headers }
        var body: RequestBody { other.body }
        func decode(_ response: Response) throws -> String { try response.text() }
    }

    @Test func `a value is a value: what is sent does not change it`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Client("https://a.example", transport: stub) {
            $0.headers[.from] = "default"
            $0.interceptors = [CommonParameters { ["app": 1] }]
        }
        let request = Request(.get, "x", headers: [.accept: "text/html"])
        for _ in 0..<2 { _ = try await client.send(request) }
        #expect(request.headers == [.accept: "text/html"])
        #expect(request.uri == nil)
        #expect(stub.requests.map { $0.uri?.target } == ["/x?app=1", "/x?app=1"])
        var changed = request
        changed.timeouts.total = .seconds(1)
        changed.tags["a"] = 1
        #expect(request.timeouts == Timeouts() && request.tags.isEmpty)
    }
}
