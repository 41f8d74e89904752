// The contract over HTTP/2: calls share a connection, and each has its own body, deadline and end.
#if TestServer

import HTTPTypes
import Tsubame

extension TransportContract {
    static let http2: [TransportContract] = [
        TransportContract("over HTTP/2, calls share a connection and get their own responses", needs: [.http2]) { run in
            try await run.servingHTTP2(try await .start(versions: [.http2]) { .ok($0.target) }) { server, client in
                // The client learns from the first response how many streams the server allows.
                _ = try await client.get("first")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<80 {
                        group.addTask {
                            let text = try await client.get("call/\(number)").text()
                            try run.expect(text, is: "/call/\(number)", "the response to call \(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                try run.expect(server.acceptedConnections, is: 1, "the number of connections")
                try run.expect(
                    server.requests.allSatisfy { $0.version == "HTTP/2" }, "a request came over another version")
            }
        },
        TransportContract("over HTTP/2, bodies go both ways in full", needs: [.http2]) { run in
            let content = (0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
            let server = try await ScriptedServer.start(versions: [.http2], keepingBodyBytes: 2 << 20) { _ in
                .ok(content)
            }
            try await run.servingHTTP2(server) { server, client in
                let response = try await client.post("x", body: .bytes(content))
                try run.expect(Array(response.bytes) == content, "the body of the response arrived changed")
                try run.expect(
                    try await server.request(0).body == content, "the body of the request arrived changed")
                let head = try await client.head("x")
                try run.expect(head.bytes.count, is: 0, "the body of HEAD")
            }
        },
        TransportContract("over HTTP/2, trailer fields come after the body", needs: [.http2, .trailers]) { run in
            let name = HTTPField.Name("X-Digest") ?? .eTag
            let server = try await ScriptedServer.start(
                replies: [.chunked(["a", "b"], trailers: [name: "abc"])], versions: [.http2])
            try await run.servingHTTP2(server) { server, client in
                let trailer = try await client.stream("x") { response in
                    _ = try await response.body.collect()
                    return response.trailers?[name]
                }
                try run.expect(trailer, is: "abc", "the trailer field")
            }
        },
        TransportContract("over HTTP/2, a reader that stops holds up its own stream alone", needs: [.http2]) { run in
            let server = try await ScriptedServer.start(versions: [.http2]) { request in
                request.path == "/endless" ? .stream(nil) : .ok(request.target)
            }
            try await run.servingHTTP2(server) { server, client in
                try await client.stream("endless") { response in
                    var iterator = response.body.makeAsyncIterator()
                    try run.expect(try await iterator.next() != nil, "the body ended")
                    try await server.waitUntilBlocked()
                    let sent = server.sentBodyBytes
                    try run.expect(sent < 16 << 20, "the server sent \(sent) bytes to a reader that took one piece")
                    try run.expect(try await client.get("other").text(), is: "/other", "the other response")
                }
                try run.expect(server.acceptedConnections, is: 1, "the number of connections")
            }
        },
        TransportContract("over HTTP/2, a cancelled call and a deadline end no other call", needs: [.http2]) { run in
            let gate = Gate()
            let server = try await ScriptedServer.start(versions: [.http2]) { request in
                request.path == "/late" ? .ok("late").after(gate) : .stall
            }
            try await run.servingHTTP2(server) { server, client in
                let late = Task { try await client.get("late").text() }
                _ = try await server.head(0)
                let cancelled = Task { _ = try await client.get("cancelled") }
                _ = try await server.head(1)
                cancelled.cancel()
                try await run.failure(.cancelled) { try await cancelled.value }
                let hasty = client.with { $0.timeouts.head = .milliseconds(150) }
                let error = try await run.failure(.timeout) { _ = try await hasty.get("hasty") }
                try run.expect(error.timeout, is: .head, "the deadline of the error")
                gate.open()
                try run.expect(try await late.value, is: "late", "the response of the other call")
            }
        },
        TransportContract("over HTTP/2, a body that is cut off is an error", needs: [.http2]) { run in
            for end in [Reply.Step.close, .reset, .resetStream()] {
                let reply = Reply.ok("hello").interrupted(.inBody(after: 3), by: end)
                let server = try await ScriptedServer.start(replies: [reply], versions: [.http2])
                try await run.servingHTTP2(server) { server, client in
                    let error = try await run.failure(.incompleteResponse, .connectionLost) {
                        _ = try await client.get("x")
                    }
                    try run.expect(error.phase, is: .receivingBody, "the phase of the error")
                }
            }
        },
    ]
}

extension ContractRun {
    /// Like `serving`, with a client that speaks HTTP/2 from the first byte.
    fileprivate func servingHTTP2(
        _ server: ScriptedServer, _ body: (ScriptedServer, Client) async throws -> Void
    ) async throws {
        try await serving(server, { $0.connection.httpVersion = .http2 }, body)
    }
}
#endif
