// InformationalTests: informational responses are reported as they arrive, and their number is limited.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct InformationalTests {
    private static func hints(of log: EventLog) -> [String] {
        log.events.compactMap { event in
            guard case .informational(let status, let fields) = event.kind else { return nil }
            return "\(status) \(fields.map { "\($0.name): \($0.value)" }.joined(separator: ", "))"
        }
    }

    @Test("BAD-INPUT 13: a 103 before the response is told with its fields, and is not the response")
    func earlyHints() async throws {
        let server = try await ScriptedServer.start { _ in
            [
                .bytes("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nX: y\r\n\r\n"),
                .bytes("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
        }
        try await serving(server) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            for isReused in [false, true] {
                let response = try await client.get("x")
                #expect(response.status == .ok && response.bytes == Bytes("ok"))
                #expect(response.headers.count == 1 && response.history.isEmpty)
                #expect(response.connection?.isReused == isReused)
            }
            #expect(Self.hints(of: log) == ["103 Link: </a.css>, X: y", "100 ", "103 Link: </a.css>, X: y", "100 "])
            let names = log.names.filter { ["informational", "headReceived"].contains($0) }
            #expect(names.prefix(3) == ["informational", "informational", "headReceived"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test("BAD-INPUT 13: a flood of informational responses is an error, and its connection is closed")
    func flood() async throws {
        let server = try await ScriptedServer.start { _ in
            [.repeating(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8))]
        }
        try await serving(server) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .limitExceeded, "\(error)")
            #expect(error.reason.contains("limits.informationalResponses"))
            #expect(Self.hints(of: log).count == 32)
            try await server.waitUntil(openConnections: 0)
            withExtendedLifetime(observation) {}
        }
    }
}
