// ReplayTests: a safely repeatable request on a reused connection that closes before a byte of the response is sent
// once more.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

struct ReplayCase: Sendable, CustomTestStringConvertible {
    let name: String
    let isReplayed: Bool
    var isStream: Bool { name.contains("stream") }
    let make: @Sendable (String) -> Request

    var testDescription: String { name }

    static let all = [
        ReplayCase(name: "GET", isReplayed: true) { Request(.get, url: $0) },
        ReplayCase(name: "DELETE", isReplayed: true) { Request(.delete, url: $0) },
        ReplayCase(name: "PUT with bytes", isReplayed: true) { Request(.put, url: $0, body: .text("hello")) },
        ReplayCase(name: "PUT with a stream", isReplayed: true) {
            Request(.put, url: $0, body: .stream { CountedPieces(count: 1, pulled: { _ in }) })
        },
        ReplayCase(name: "PUT with a stream that exists once", isReplayed: false) {
            Request(.put, url: $0, body: .stream(once: CountedPieces(count: 1, pulled: { _ in })))
        },
        ReplayCase(name: "QUERY (FAULT 18)", isReplayed: true) { Request(.query, url: $0, body: .text("hello")) },
        ReplayCase(name: "POST", isReplayed: false) { Request(.post, url: $0, body: .text("hello")) },
        ReplayCase(name: "PATCH", isReplayed: false) { Request(.patch, url: $0, body: .text("hello")) },
        ReplayCase(name: "POST with Idempotency-Key", isReplayed: true) {
            Request(.post, url: $0, headers: ["Idempotency-Key": "k-1"], body: .text("hello"))
        },
        ReplayCase(name: "POST that its caller allows", isReplayed: true) {
            var request = Request(.post, url: $0, body: .text("hello"))
            request.isReplayable = true
            return request
        },
    ]
}

extension HTTPField.Name {
    fileprivate static let idempotencyKey = Self("Idempotency-Key") ?? .ifMatch
}

@Suite(.timeLimit(.minutes(2))) struct ReplayTests {
    @Test(arguments: ReplayCase.all, [Reply.close, .reset])
    func `it is sent again on a new connection, once, or the call fails`(
        _ row: ReplayCase, _ death: Reply
    ) async throws {
        let server = try await ScriptedServer.start { request in
            request.connection == 0 && request.indexOnConnection == 1 ? death : .ok("hello")
        }
        try await serving(server) { server, client in
            _ = try await client.get(url: server.url)
            let log = EventLog()
            let observation = log.observe(client)
            if row.isReplayed {
                let response = try await client.send(row.make(server.url))
                #expect(response.bytes == Bytes("hello"))
                #expect(response.connection?.isReused == false)
                #expect(server.requests.count == 3)
                #expect(server.requests[2].isComplete)
                let again = try await server.request(2)
                #expect(
                    again.text
                        == (again.method == "GET" || again.method == "DELETE"
                            ? "" : row.isStream ? String(repeating: "a", count: 64 << 10) : "hello"))
                #expect(log.names.filter { $0 == "resending" }.count == 1)
                #expect(log.finals == ["finished"])
            } else {
                let error = try await failure { try await client.send(row.make(server.url)) }
                #expect([.emptyReply, .connectionLost].contains(error.kind), "\(error)")
                #expect(server.requests.count == 2)
                #expect(log.finals == ["failed"])
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `on a first connection nothing is sent twice`() async throws {
        try await serving(try await ScriptedServer.start { _ in .close }) { server, client in
            let error = try await failure { try await client.get(url: server.url) }
            #expect(error.kind == .emptyReply)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `once a byte of the answer has come nothing is sent twice`() async throws {
        let server = try await ScriptedServer.start { request in
            request.indexOnConnection == 0 ? .ok("hello") : [.bytes("H"), .close]
        }
        try await serving(server) { server, client in
            _ = try await client.get(url: server.url)
            let error = try await failure { try await client.get(url: server.url) }
            #expect(error.kind == .incompleteResponse)
            #expect(server.requests.count == 2)
        }
    }

    @Test func `a server that kills every reused connection costs one sending more, never a loop`() async throws {
        let server = try await ScriptedServer.start { request in
            request.indexOnConnection == 0 ? .ok("hello") : .close
        }
        try await serving(server) { server, client in
            for _ in 0..<5 {
                let response = try await client.get(url: server.url)
                #expect(response.status == .ok)
            }
            // The first request is sent once; each other request on the idle connection, then on a new connection.
            #expect(server.requests.count == 9)
        }
    }
}
