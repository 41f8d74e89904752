// TLSCheckTests: tls.check: the user's own check of a server, in addition to all others.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct TLSCheckTests {
    private struct Unknown: Error, Equatable {
        let host: String
    }

    @Test(arguments: [ConnectionSettings.TLS.Verification.full, .dangerouslyOff])
    func `a check is asked once a connection, with the host and what TLS has settled`(
        _ verification: ConnectionSettings.TLS.Verification
    ) async throws {
        let asked = Log<String>()
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.verification = verification
            $0.connection.tls.check = TLSCheck { host, tls in
                asked.add("\(host) \(tls.version) \(tls.certificate?.der.count ?? 0)")
            }
        } _: { _, client in
            for _ in 0..<3 { _ = try await client.get("x") }
            let size = try TLSIdentity.localhost.der.count
            #expect(asked.all == ["localhost TLS 1.3 \(size)"])
        }
    }

    @Test(arguments: Way.allCases)
    func `what a check throws refuses the server, and no byte of a request reaches it`(_ way: Way) async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.check = TLSCheck { host, _ in throw Unknown(host: host) }
        } _: { server, client in
            for count in 1...2 {
                let request = Request(.post, "x", body: .text("secret"))
                let error = try await failure { try await way.send(request, by: client) }
                #expect(error.kind == .tls, "\(error)")
                #expect(error.phase == .securing)
                #expect((error.underlying as? Unknown) == Unknown(host: "localhost"))
                #expect(error.reason.contains("tls.check"))
                try await server.waitUntil(openConnections: 0)
                #expect(server.acceptedConnections == count)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `an error of the library's own is what a check threw, too`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.check = TLSCheck { _, _ in throw CallError(.cancelled, "not today") }
        } _: { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls, "\(error)")
            #expect((error.underlying as? CallError)?.reason == "not today")
        }
    }

    @Test(arguments: [TLSIdentity.expired, .selfSigned, .wrongHost])
    func `BAD-INPUT 31: what verification refuses, no check is asked about`(_ identity: TLSIdentity) async throws {
        let asked = Log<String>()
        let server = try await ScriptedServer.start(tls: identity)
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.connection.tls.check = TLSCheck { host, _ in asked.add(host) }
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .tls)
            #expect(asked.all.isEmpty && server.requests.isEmpty)
            // The check can refuse a verified server, but it cannot replace the verification.
            _ = try await client.with { $0.connection.tls.verification = .dangerouslyOff }.get("x")
            #expect(asked.all == ["localhost"])
        }
    }

    @Test func `two checks are two settings, and one is itself wherever it is set`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            let (first, second) = (TLSCheck { _, _ in }, TLSCheck { _, _ in })
            var ids: [UInt64?] = []
            for check in [first, second, first] {
                ids.append(try await client.with { $0.connection.tls.check = check }.get("x").connection?.id)
            }
            #expect(ids[0] != ids[1] && ids[0] == ids[2])
            #expect(server.acceptedConnections == 2)
        }
    }
}
