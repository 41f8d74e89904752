// EventOrderTests: the events of a plain call, and their order.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct EventOrderTests {
    /// The events of the last call, without those that may come any number of times.
    private static func names(_ log: EventLog, call: Int) throws -> [String] {
        let calls = Set(log.events.map(\.call)).sorted()
        try #require(calls.indices.contains(call))
        var names: [String] = []
        for event in log.events where event.call == calls[call] {
            let name = event.kind.name
            if name != "receiving" || names.last != name { names.append(name) }
        }
        return names
    }

    @Test func `a GET over a new connection, and over a reused one`() async throws {
        try await serving(.start { _ in .ok("hello") }) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            for _ in 0..<2 { _ = try await client.get("x") }
            let new = try Self.names(log, call: 0).filter { $0 != "queued" }
            #expect(
                new == [
                    "started", "resolving", "resolved", "connecting", "connected", "sent", "headReceived", "receiving",
                    "finished",
                ])
            let reused = try Self.names(log, call: 1)
            #expect(reused == ["started", "reused", "sent", "headReceived", "receiving", "finished"])
            for call in Set(log.events.map(\.call)) {
                let times = log.events.filter { $0.call == call }.map(\.time)
                #expect(times == times.sorted())
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `over TLS the handshake is told between the connection and the request`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost) { _ in .ok("hello") }
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .pem(TestCertificates.authorityPEM)
        } _: { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            _ = try await client.get("x")
            let names = try Self.names(log, call: 0).filter { $0 != "queued" }
            #expect(
                names == [
                    "started", "resolving", "resolved", "connecting", "connected", "securing", "secured", "sent",
                    "headReceived", "receiving", "finished",
                ])
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a body out is told behind its head and before the answer's`() async throws {
        try await serving(.start { _ in .status(.noContent) }) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            _ = try await client.post("x", body: .text("hello"))
            let names = try Self.names(log, call: 0)
            let sent = try #require(names.firstIndex(of: "sent"))
            let sending = try #require(names.firstIndex(of: "sending"))
            let head = try #require(names.firstIndex(of: "headReceived"))
            #expect(sent < sending && sending < head)
            #expect(log.sent.last == TransferProgress(bytes: 5, total: 5))
            withExtendedLifetime(observation) {}
        }
    }
}
