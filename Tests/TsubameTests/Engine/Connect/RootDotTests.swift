// RootDotTests: hosts with the dot of the DNS root: a host with and without it is the same in TLS and for pins.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct RootDotTests {
    @Test func `FAULT 6: the server name in the TLS handshake has no root dot, and the Host field keeps it`()
        async throws
    {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: "https://localhost.:\(server.port)", { $0.connection.tls.roots = .authority }) {
            server, client in
            let response = try await client.get("x")
            #expect(response.status == .ok)
            let request = try await server.request(0)
            #expect(request.serverName == "localhost")
            #expect(request["host"] == "localhost.:\(server.port)")
        }
    }

    @Test(arguments: ["a.example.com", "a.example.com.", "a*b.example.com", "a*b.example.com.", "*.example.com."])
    func `FAULT 6: a wildcard pin holds for every host below it, with an asterisk and a root dot too`(
        _ name: String
    ) throws {
        let pin = "sha256/" + String(repeating: "A", count: 43) + "="
        var tls = ConnectionSettings.TLS()
        tls.pins = ["*.example.com": PinnedKeys(pin, backup: pin)]
        let host = try #require(Origin("https://\(name)")?.host)
        #expect(tls.pins(for: host) == PinnedKeys(pin, backup: pin))
    }
}
