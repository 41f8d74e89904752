// AddressFamilyTests: connection.addressFamily: the addresses of a host to which the client connects.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct AddressFamilyTests {
    private static let both = NameResolver.custom { _ in NameResolver.Answer(["2001:db8::1", "127.0.0.1"]) }

    @Test func `addresses of the other family are not tried`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(
            server,
            {
                $0.connection.resolver = Self.both
                $0.connection.addressFamily = .ipv4
            }
        ) { server, client in
            let response = try await client.get(url: "http://both.test:\(server.port)/")
            #expect(response.connection?.remoteAddress == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `a host that has no such address is an error that says so`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.addressFamily = .ipv6 }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution && error.phase == .resolving, "\(error)")
            #expect(error.reason == "127.0.0.1 has no address of IPv6")
            #expect(error.advice?.contains("connection.addressFamily") == true)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `views of different families share no connection`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server) { server, client in
            let own = try await client.get("x").connection
            let other = try await client.with { $0.connection.addressFamily = .ipv4 }.get("x").connection
            #expect(own?.id != other?.id && other?.isReused == false)
        }
    }
}
