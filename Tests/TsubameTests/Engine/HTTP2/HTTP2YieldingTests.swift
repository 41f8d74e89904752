// HTTP2YieldingTests: a busy connection makes room for another origin, or goes on after a second.

import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2YieldingTests {
    /// Answers each request when its gate is open, on a connection that begins the next ones meanwhile.
    private final class Answers: Sendable {
        let arrived = Log<String>()
        private let gates = Mutex<[String: Gate]>([:])

        func gate(_ path: String) -> Gate {
            gates.withLock { gates in
                let gate = gates[path] ?? Gate()
                gates[path] = gate
                return gate
            }
        }

        func serve(_ connection: FrameConnection) async throws {
            while true {
                let request = try await connection.nextRequest()
                let path = request[":path"] ?? ""
                arrived.add(path)
                Task {
                    try await self.gate(path).wait()
                    try await connection.respond(request.stream, text: path)
                }
            }
        }
    }

    /// Two origins, and a client that may have one connection. A call to the first origin is under way, and one to the other
    /// waits.
    private func contended(
        _ body: (_ answers: Answers, _ url: String, Client, _ first: Task<String, any Error>, Task<String, any Error>)
            async throws -> Void
    ) async throws {
        let answers = Answers()
        try await withPeer {
            try await $0.echo()
        } client: { other, _ in
            try await withPeer({ $0.connection.connections = 1 }) {
                try await answers.serve($0)
            } client: { peer, client in
                let first = Task { try await client.get(url: "\(peer.url)/0").text() }
                while answers.arrived.all.isEmpty { try Task.checkCancellation(); await Task.yield() }
                let waiting = Task { try await client.get(url: "\(other.url)/other").text() }
                try await client.waitUntil { $0.waiting == 1 }
                try await body(answers, peer.url, client, first, waiting)
            }
        }
    }

    /// Each call is answered after the next one has begun. So the connection is never free by itself.
    @Test func `a connection that is never free makes room for another origin`() async throws {
        try await contended { answers, url, client, first, waiting in
            var (last, number) = (first, 0)
            var hasWaited = false
            while !hasWaited {
                let path = "/\(number + 1)"
                let next = Task { try await client.get(url: "\(url)\(path)").text() }
                while !answers.arrived.all.contains(path), !hasWaited {
                    try Task.checkCancellation()
                    hasWaited = await client.statistics().waiting == 2
                }
                answers.gate("/\(number)").open()
                let text = try await last.value
                #expect(text == "/\(number)")
                (last, number) = (next, number + 1)
            }
            let text = try await waiting.value
            #expect(text == "/other")
            answers.gate("/\(number)").open()
            let own = try await last.value
            #expect(own == "/\(number)")
        }
    }

    @Test func `beside a stream that does not end, calls of the same origin go on`() async throws {
        try await contended { answers, url, client, first, waiting in
            var (number, hasWaited) = (0, false)
            while !hasWaited {
                number += 1
                let path = "/\(number)"
                answers.gate(path).open()
                let call = Task { try await client.get(url: "\(url)\(path)").text() }
                while !answers.arrived.all.contains(path), !hasWaited {
                    try Task.checkCancellation()
                    hasWaited = await client.statistics().waiting == 2
                }
                let text = try await call.value
                #expect(text == path)
            }
            try await client.waitUntil { $0.waiting == 1 }
            answers.gate("/0").open()
            let texts = try await [first.value, waiting.value]
            #expect(texts == ["/0", "/other"])
        }
    }
}
