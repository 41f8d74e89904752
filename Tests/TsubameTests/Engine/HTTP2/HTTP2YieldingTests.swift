// HTTP2YieldingTests: a busy connection makes room for another origin for a second, and then goes on.

import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(2))) struct HTTP2YieldingTests {
    /// Answers the request for `/endless` when the gate is open, and each other one at once.
    private static func script(_ gate: Gate) -> FramePeer.Script {
        { connection in
            while true {
                let request = try await connection.nextRequest()
                let path = request[":path"] ?? ""
                Task {
                    if path == "/endless" { try await gate.wait() }
                    try await connection.respond(request.stream, text: path)
                }
            }
        }
    }

    /// The client may have one connection. Beside the endless stream each call has a stream at once, unless the connection
    /// yields; then it waits until that is over.
    @Test func `a connection yields to another origin, and goes on beside a stream that does not end`() async throws {
        let end = Gate()
        try await withPeer {
            try await $0.echo()
        } client: { other, _ in
            try await withPeer(
                {
                    $0.connection.connections = 1
                    $0.timeouts.pool = .seconds(600)
                }, Self.script(end)
            ) { peer, client in
                let endless = Task { try await client.get(url: "\(peer.url)/endless").text() }
                _ = try await peer.connection(0).frame("the request") { $0.kind == .headers }
                let waiting = Task { try await client.get(url: "\(other.url)/other").text() }
                try await client.waitUntil { $0.waiting == 1 }
                let hasYielded = Gate()
                let observation = client.observe { event in
                    guard case .queued(let why) = event.kind else { return }
                    if why.contains("makes room for another origin") { hasYielded.open() }
                }
                while !hasYielded.isOpen {
                    let text = try await client.get(url: "\(peer.url)/own").text()
                    #expect(text == "/own")
                }
                withExtendedLifetime(observation) {}
                #expect(other.acceptedConnections == 0)
                end.open()
                let texts = try await [endless.value, waiting.value]
                #expect(texts == ["/endless", "/other"])
            }
        }
    }
}
