// QueryTests: QUERY (RFC 10008), a safe and idempotent method whose body holds the query.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct QueryTests {
    @Test func `FAULT 18: a QUERY is retried with its body`() async throws {
        let server = try await ScriptedServer.start(replies: [.status(.serviceUnavailable), .ok("at last")])
        try await serving(server, { $0.retry = .standard { $0.delay = .zero } }) { server, client in
            let response = try await client.query("users", body: .text("name = 燕"))
            #expect(response.bytes == Bytes("at last"))
            #expect(server.requests.map(\.method) == ["QUERY", "QUERY"])
            #expect(server.requests.map(\.text) == ["name = 燕", "name = 燕"])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `FAULT 18: a redirect keeps a QUERY and its body, but for 303`(_ status: Int) async throws {
        let server = try await ScriptedServer.start { request in
            request.path == "/end"
                ? .ok() : .status(HTTPResponse.Status(code: status), headers: [.location: "/end"])
        }
        try await serving(server) { server, client in
            let response = try await client.query("start", body: .text("q"))
            #expect(response.statusCode == 200)
            let last = try await server.request(1)
            let isKept = status != 303
            #expect(last.method == (isKept ? "QUERY" : "GET") && last.text == (isKept ? "q" : ""))
            #expect((last["content-type"] != nil) == isKept)
        }
    }

    /// The response holds the number of the request.
    @Sendable private static func number(_ request: ReceivedRequest) -> Reply {
        .ok("\(request.index)", headers: [.cacheControl: "max-age=60"])
    }

    @Test(arguments: CachePlace.allCases)
    func `FAULT 18: what is stored of a QUERY answers the same content only`(_ place: CachePlace) async throws {
        try await cached(in: place, Self.number) { cached in
            func send(_ body: RequestBody, _ headers: RequestHeaders = [:]) async throws -> String {
                let response = try await cached.client.query("a", headers: headers, body: body)
                return String(decoding: response.bytes, as: UTF8.self)
            }
            let stream = RequestBody.stream {
                AsyncStream<Bytes> { continuation in
                    continuation.yield(Bytes("x"))
                    continuation.finish()
                }
            }
            var texts = [try await send(.text("x")), try await send(.text("x")), try await send(.text("y"))]
            #expect(texts == ["0", "0", "1"])
            texts = [
                try await send(.text("x", contentType: "application/sql")),
                try await send(.text("x"), [.contentEncoding: "identity"]), try await cached.get("a").text,
                try await send(stream), try await send(stream), try await send(.empty), try await send(.empty),
                try await send(.text("x")),
            ]
            #expect(texts == ["2", "3", "4", "5", "6", "7", "7", "0"])
            // QUERY removes no stored response; an unsafe method does.
            let isKept = try await cached.get("a").text
            #expect(isKept == "4")
            _ = try await cached.client.post("a", body: .text("new"))
            texts = [try await send(.text("x")), try await send(.text("y")), try await cached.get("a").text]
            #expect(texts == ["9", "10", "11"])
        }
    }

    @Test func `FAULT 18: what is stale of a QUERY is asked for again by QUERY`() async throws {
        try await cached({ request in
            guard request["if-none-match"] == nil else { return .status(.notModified) }
            return .ok("\(request.index)", headers: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        }) { cached in
            for _ in 0..<2 {
                let response = try await cached.client.query("a", body: .text("x"))
                #expect(response.bytes == Bytes("0"))
                cached.clock.pass(100)
            }
            #expect(cached.server.requests.map(\.method) == ["QUERY", "QUERY"])
            #expect(cached.server.requests.map(\.text) == ["x", "x"])
        }
    }
}
