// InterfaceTests: connection.interface: the local address and interface of connections.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct InterfaceTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `a server of another family than the address is not reached from there, and the error says so`(
        _ interface: String
    ) async throws {
        let server = try await ScriptedServer.start()
        let dead = try DeadPort()
        let isIPv4 = interface == "127.0.0.1"
        try await serving(server, { $0.connection.interface = interface }) { server, client in
            let (url, address) =
                isIPv4
                ? ("http://[::1]:\(dead.number)/", "[::1]:\(dead.number)") : (server.url, "127.0.0.1:\(server.port)")
            let error = try await failure { try await client.get(url: url) }
            #expect(error.kind == .connectionFailed && error.phase == .connecting, "\(error)")
            #expect(error.reason.contains("\(address): not of the family of \(interface)"), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: ["", "a name that is too long", "lo\u{0}", "lo\n", "\u{1B}[31m", "127.0.0.1:80000000"])
    func `what can be neither an address nor an interface is an invalid request, and shown as it can be`(
        _ interface: String
    ) async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.interface = interface }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .invalidRequest, "\(error)")
            #expect(error.reason.contains("connection.interface") && !error.reason.holdsControlCharacter)
            #expect(error.advice != nil)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `an address that is not this machine's is an error that says so`() async throws {
        let server = try await ScriptedServer.start()
        // An address for documentation (RFC 5737), which no host has.
        try await serving(server, { $0.connection.interface = "192.0.2.1" }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .connectionFailed, "\(error)")
            #expect(error.reason.contains("127.0.0.1:\(server.port): "), "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `views that come from different places share no connection`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server) { server, client in
            let own = try await client.get("x").connection
            let bound = client.with { $0.connection.interface = "127.0.0.1" }
            let other = try await bound.get("x").connection
            #expect(own?.id != other?.id && other?.isReused == false)
            #expect(try await bound.get("x").connection?.id == other?.id)
            #expect(try await client.get("x").connection?.id == own?.id)
            #expect(server.acceptedConnections == 2)
        }
    }

    // Only on Linux do all addresses of 127.0.0.0/8 belong to the machine, and only there can an interface be named.
    #if os(Linux)
    @Test func `connections come from the address`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.interface = "127.0.0.3" }) { _, client in
            let connection = try #require(try await client.get("x").connection)
            #expect(connection.localAddress.hasPrefix("127.0.0.3:"), "\(connection.localAddress)")
            // The reported port is not port 0, to which the socket was bound.
            #expect(connection.localAddress != "127.0.0.3:0")
            let other = try await client.with { $0.connection.interface = "127.0.0.4" }.get("x").connection
            #expect(other?.localAddress.hasPrefix("127.0.0.4:") == true)
        }
    }

    @Test func `of a name's addresses those of the same family are tried, in their order`() async throws {
        let server = try await ScriptedServer.start()
        let dead = try HeldAddress("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        let book = NameBook(["::1", "127.0.0.2", "::ffff:127.0.0.1", "127.0.0.1"])
        try await serving(server, base: "http://name.example:\(server.port)") {
            $0.connection.resolver = book.resolver
            $0.connection.interface = "127.0.0.3"
        } _: { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let response = try await client.get("x")
            #expect(response.connection?.localAddress.hasPrefix("127.0.0.3:") == true)
            let tried = log.events.compactMap { event in
                if case .connecting(let address) = event.kind { address } else { nil }
            }
            #expect(tried == ["127.0.0.2:\(server.port)", "127.0.0.1:\(server.port)"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test(.enabled(if: LocalSocket.bindsToDevice, "SO_BINDTODEVICE is not allowed here"))
    func `connections go by the interface`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.interface = "lo" }) { server, client in
            for index in 0..<2 {
                let response = try await client.get("x")
                #expect(response.status == .ok && response.connection?.isReused == (index > 0))
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(
        .enabled(if: LocalSocket.bindsToDevice, "SO_BINDTODEVICE is not allowed here"),
        arguments: ["none0", "lo0123456789abc", "../lo", "lo ", "255.255.255.256"])
    func `an interface that does not exist is an error, and no other is taken`(_ interface: String) async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.interface = interface }) { server, client in
            for _ in 0..<2 {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .connectionFailed, "\(error)")
                #expect(error.reason.contains("127.0.0.1:\(server.port): no such device"), "\(error)")
                #expect(error.reason.contains("from \(interface)"), "\(error)")
                #expect(error.advice?.contains("connection.interface") == true, "\(error)")
            }
            #expect(server.acceptedConnections == 0)
        }
    }
    #endif
}
