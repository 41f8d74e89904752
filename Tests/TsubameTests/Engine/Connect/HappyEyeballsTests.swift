// HappyEyeballsTests: several addresses for one name: the order and the times of the attempts (RFC 8305).

import HTTPTypes
import NIOCore
import Testing
import Tsubame
import TsubameSockets
import TsubameTesting

@testable import TsubameEngine

@Suite(.timeLimit(.minutes(1))) struct AddressOrderTests {
    private func order(_ addresses: [String]) throws -> [String] {
        var order = AddressOrder(addresses.compactMap { TsubameSockets.SocketAddress(ip: $0, port: 80) })
        #expect(order.isEmpty == addresses.isEmpty)
        var tried: [String] = []
        while let address = order.next() { tried.append(address.ip) }
        #expect(order.isEmpty)
        return tried
    }

    @Test(
        arguments: [
            ([], []), (["192.0.2.1"], ["192.0.2.1"]), (["2001:db8::1"], ["2001:db8::1"]),
            (["192.0.2.1", "192.0.2.2", "192.0.2.3"], ["192.0.2.1", "192.0.2.2", "192.0.2.3"]),
            // The first address stays first, of any family; then the families alternate.
            (["192.0.2.1", "192.0.2.2", "2001:db8::1"], ["192.0.2.1", "2001:db8::1", "192.0.2.2"]),
            (
                ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.1", "192.0.2.2"],
                ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2", "2001:db8::3"]
            ),
            (
                ["192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8::3"],
                ["192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8::3"]
            ),
            // An address is tried as often as the resolver names it.
            (["192.0.2.1", "192.0.2.1", "2001:db8::1"], ["192.0.2.1", "2001:db8::1", "192.0.2.1"]),
        ] as [([String], [String])])
    func `the first stays first, and then the families take turns`(_ given: [String], _ tried: [String]) throws {
        #expect(try order(given) == tried)
    }

    @Test func `none is left out and none comes twice, however many there are`() throws {
        for (four, six) in [(0, 9), (1, 9), (5, 4), (9, 1), (9, 0), (40, 40)] {
            let given =
                (0..<four).map { "192.0.2.\($0)" } + (0..<six).map { "2001:db8::\(String($0 + 1, radix: 16))" }
            let tried = try order(given)
            #expect(tried.count == given.count && Set(tried) == Set(given))
            #expect(tried.first == given.first)
        }
    }
}

#if os(Linux)
/// An address that was tried, and the number of sockets to the first address just before the attempt.
private struct Tried: Sendable {
    let address: String
    let time: Duration
    let others: Int
}

// Only on Linux do all addresses of 127.0.0.0/8 belong to the machine.
@Suite(.timeLimit(.minutes(1))) struct HappyEyeballsTests {
    private static let delay = Duration.milliseconds(250)

    /// Runs `body` with a server on 127.0.0.1 and a client that resolves `name.example` to these addresses, with the
    /// server's port.
    private func trying<R>(
        _ addresses: [String], _ server: ScriptedServer, counting: Bool = false,
        configure: (inout Configuration) -> Void = { _ in }, _ body: (Client, Log<Tried>) async throws -> R
    ) async throws -> R {
        let book = NameBook(addresses)
        let scheme = server.url.prefix { $0 != ":" }
        return try await serving(server, base: "\(scheme)://name.example:\(server.port)") {
            $0.connection.resolver = book.resolver
            configure(&$0)
        } _: { server, client in
            let log = Log<Tried>()
            let (first, port) = (addresses.first ?? "", server.port)
            let observation = client.observe { event in
                guard case .connecting(let address) = event.kind else { return }
                // The system's table is long where many tests run, and this runs on an event loop, so it is read only
                // on request.
                let others = counting ? (try? SocketTable.connections(to: first, port: port)) ?? -1 : 0
                log.add(Tried(address: address, time: event.time, others: others))
            }
            defer { withExtendedLifetime(observation) {} }
            return try await body(client, log)
        }
    }

    @Test(arguments: [false, true])
    func `an address that does not answer is followed by the next after a quarter of a second, and then given up`(
        _ isSecure: Bool
    ) async throws {
        let server = try await ScriptedServer.start(tls: isSecure ? .localhost : nil)
        let port = server.port
        let silent = try FullBacklog("127.0.0.2", port: port)
        defer { withExtendedLifetime(silent) {} }
        let before = try SocketTable.connections(to: "127.0.0.2", port: port)
        try await trying(["127.0.0.2", "127.0.0.1"], server, counting: true) {
            $0.connection.tls.verification = .dangerouslyOff
        } _: { client, log in
            // Attempts one after the other would end with the connect deadline.
            let response = try await client.get("x")
            #expect(response.connection?.remoteAddress == "127.0.0.1:\(port)")
            #expect(log.all.map(\.address) == ["127.0.0.2:\(port)", "127.0.0.1:\(port)"])
            let times = log.all.map(\.time)
            try #require(times.count == 2)
            #expect(times[1] - times[0] >= Self.delay)
            // The attempt at the first address lasted until another address answered, and no longer.
            #expect(log.all.map(\.others) == [before, before + 1])
            #expect(try SocketTable.connections(to: "127.0.0.2", port: port) == before)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `each address has its quarter of a second`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let silent = try ["127.0.0.2", "127.0.0.3"].map { try FullBacklog($0, port: port) }
        defer { withExtendedLifetime(silent) {} }
        try await trying(["127.0.0.2", "127.0.0.3", "127.0.0.1"], server) { client, log in
            let status = try await client.get("x").status
            #expect(status == .ok)
            let times = log.all.map(\.time)
            try #require(times.count == 3)
            #expect(times[1] - times[0] >= Self.delay && times[2] - times[1] >= Self.delay)
        }
    }

    @Test func `so it has behind some that fail at once`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let silent = try ["127.0.0.2", "127.0.0.3"].map { try FullBacklog($0, port: port) }
        defer { withExtendedLifetime(silent) {} }
        // The system refuses to connect there before it sends anything.
        let unreachable = Array(repeating: "255.255.255.255", count: 3)
        try await trying(unreachable + ["127.0.0.2", "127.0.0.3", "127.0.0.1"], server) { client, log in
            let status = try await client.get("x").status
            #expect(status == .ok)
            let times = log.all.map(\.time)
            try #require(times.count == 6)
            #expect(times[4] - times[3] >= Self.delay && times[5] - times[4] >= Self.delay)
        }
    }

    @Test func `an address that answers is the only one tried`() async throws {
        let server = try await ScriptedServer.start()
        let dead = try HeldAddress("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        try await trying(["127.0.0.1", "127.0.0.2"], server) { client, log in
            for _ in 0..<2 { _ = try await client.get("x") }
            #expect(log.all.map(\.address) == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test func `addresses that refuse are followed at once`() async throws {
        let server = try await ScriptedServer.start()
        let addresses = (1...100).map { "127.0.1.\($0)" } + ["127.0.0.1"]
        try await trying(addresses, server) {
            // A quarter of a second for each attempt would add up to 25 seconds.
            $0.timeouts.connect = .seconds(20)
        } _: { client, log in
            let status = try await client.get("x").status
            #expect(status == .ok)
            #expect(log.all.map(\.address) == addresses.map { "\($0):\(server.port)" })
        }
    }

    @Test func `one that refuses does not wait for one that is silent`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let silent = try FullBacklog("127.0.0.2", port: port)
        let dead = try HeldAddress("127.0.0.3", port: port)
        defer { withExtendedLifetime((silent, dead)) {} }
        let before = try SocketTable.connections(to: "127.0.0.2", port: port)
        try await trying(["127.0.0.2", "127.0.0.3", "127.0.0.1"], server, counting: true) { client, log in
            let status = try await client.get("x").status
            #expect(status == .ok)
            // The first attempt was still running while the third address was tried.
            #expect(log.all.map(\.others) == [before, before + 1, before + 1])
            #expect(log.all.map(\.address).last == "127.0.0.1:\(port)")
        }
    }

    @Test func `a family that does not work costs no call`() async throws {
        let server = try await ScriptedServer.start()
        // Where there is no IPv6 at all, the attempt fails as well.
        let dead = try? HeldAddress("::1", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        try await trying(["::1", "127.0.0.1"], server) { client, log in
            let response = try await client.get("x")
            #expect(response.connection?.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(log.all.map(\.address) == ["[::1]:\(server.port)", "127.0.0.1:\(server.port)"])
        }
    }

    @Test func `the families take turns`() async throws {
        let server = try await ScriptedServer.start()
        let held = try ["127.0.0.2", "127.0.0.3", "127.0.0.4"].map { try HeldAddress($0, port: server.port) }
        defer { withExtendedLifetime(held) {} }
        // IPv4-mapped IPv6 addresses give several addresses of that family on this machine. No server listens at them.
        let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "::ffff:127.0.0.3", "::ffff:127.0.0.4"]
        try await trying(addresses, server) { client, log in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .connectionFailed, "\(error)")
            let port = server.port
            #expect(
                log.all.map(\.address) == [
                    "127.0.0.2:\(port)", "[::ffff:127.0.0.3]:\(port)", "127.0.0.3:\(port)",
                    "[::ffff:127.0.0.4]:\(port)", "127.0.0.4:\(port)",
                ])
        }
    }

    // MARK: When no address answers

    @Test(arguments: Way.allCases)
    func `when all refuse the error lists each with its reason`(_ way: Way) async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let held = try ["127.0.0.2", "127.0.0.3"].map { try HeldAddress($0, port: port) }
        let six = try? HeldAddress("::1", port: port)
        defer { withExtendedLifetime((held, six)) {} }
        try await trying(["127.0.0.2", "127.0.0.3", "::1"], server) { client, log in
            let error = try await failure { try await way.send(Request(.get, "x"), by: client) }
            #expect(error.kind == .connectionFailed && error.phase == .connecting, "\(error)")
            #expect(error.advice != nil)
            #expect(error.reason.contains("name.example:\(port)"))
            for address in ["127.0.0.2", "127.0.0.3"] {
                #expect(error.reason.contains("\(address):\(port): connection refused"), "\(error)")
            }
            #expect(error.reason.contains("[::1]:\(port): "), "\(error)")
            #expect(log.all.count == 3)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `when the deadline passes the error lists who refused and who said nothing`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let dead = try HeldAddress("127.0.0.2", port: port)
        let silent = try FullBacklog("127.0.0.3", port: port)
        defer { withExtendedLifetime((dead, silent)) {} }
        let before = try SocketTable.connections(to: "127.0.0.3", port: port)
        try await trying(["127.0.0.2", "127.0.0.3"], server) {
            $0.timeouts = .only(.connect, .milliseconds(400))
        } _: { client, _ in
            let start = ContinuousClock.now
            let error = try await failure { try await client.get("x") }
            #expect(ContinuousClock.now - start >= .milliseconds(399))
            #expect(error.timeout == .connect && error.phase == .connecting, "\(error)")
            #expect(error.reason.contains("127.0.0.2:\(port): connection refused"), "\(error)")
            #expect(error.reason.contains("127.0.0.3:\(port): no answer"), "\(error)")
            #expect(try SocketTable.connections(to: "127.0.0.3", port: port) == before)
        }
    }

    @Test func `a call that is cancelled while two are tried closes both`() async throws {
        let server = try await ScriptedServer.start()
        let port = server.port
        let silent = try ["127.0.0.2", "127.0.0.3"].map { try FullBacklog($0, port: port) }
        defer { withExtendedLifetime(silent) {} }
        func open() throws -> Int {
            try ["127.0.0.2", "127.0.0.3"].reduce(0) { try $0 + SocketTable.connections(to: $1, port: port) }
        }
        let before = try open()
        try await trying(["127.0.0.2", "127.0.0.3"], server) { client, log in
            let call = Task { try await client.get("x") }
            while log.all.count < 2 { try Task.checkCancellation(); await Task.yield() }
            // The event comes before the socket is made; this question passes through the event loop after it.
            _ = await client.statistics()
            #expect(try open() == before + 2)
            call.cancel()
            let error = try await failure { try await call.value }
            #expect(error.kind == .cancelled && error.phase == .connecting, "\(error)")
            try await LeakCheck.verify(client)
            #expect(try open() == before)
        }
    }

    // When an attempt fails at once, the next one begins in the same function call: see AddressRace.start.
    @Test
    func `thousands of addresses that fail at once are passed by`() async throws {
        let server = try await ScriptedServer.start()
        // The system refuses to connect there before it sends anything.
        let addresses = Array(repeating: "255.255.255.255", count: 5_000) + ["127.0.0.1"]
        try await trying(addresses, server) { client, _ in
            var request = Request(.get, "x")
            // On a busy machine with a sanitizer, they take more than the usual ten seconds.
            request.timeouts.connect = .seconds(50)
            let status = try await client.send(request).status
            #expect(status == .ok)
        }
    }
}
#endif
