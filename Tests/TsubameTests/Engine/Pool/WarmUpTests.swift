// WarmUpTests: Client.warmUp opens connections before calls need them.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct WarmUpTests {
    @Test func `it makes connections, sends nothing, and the first calls use them`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0.target).after(gate) }
        try await serving(server) { server, client in
            try await client.warmUp(connections: 3)
            let statistics = await client.statistics()
            #expect(statistics.idle == 3 && statistics.connecting == 0)
            try await server.waitUntil(acceptedConnections: 3)
            #expect(server.requests.isEmpty)
            let calls = (0..<3).map { index in Task { try await client.get("\(index)") } }
            // All calls run at once, each on its own connection.
            _ = try await server.head(2)
            #expect(Set(server.requests.map(\.connection)) == [0, 1, 2])
            gate.open()
            for call in calls {
                let response = try await call.value
                // No call has used the connection before, and this call did not open it.
                #expect(response.connection?.isReused == false)
                #expect(response.timings.resolved == nil && response.timings.connected == nil)
            }
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(arguments: [true, false])
    func `a warm connection that was dead costs a call nothing, and a new one that dies fails it`(_ isWarm: Bool)
        async throws
    {
        let server = try await ScriptedServer.start { $0.index == 0 ? .close : .ok("second") }
        try await serving(server, { $0.retry = .off }) { server, client in
            if isWarm {
                try await client.warmUp()
                #expect(try await client.get("x").text() == "second")
                #expect(server.acceptedConnections == 2)
            } else {
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .emptyReply && server.acceptedConnections == 1)
            }
        }
    }

    @Test func `asked again, it makes only what is missing, and what is in use counts`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in Reply.ok().after(gate) }
        try await serving(server) { server, client in
            let occupant = Task { try await client.get("x") }
            _ = try await server.head(0)
            try await client.warmUp()
            try await client.warmUp(connections: 2)
            try await client.warmUp(connections: 2)
            try await client.warmUp(connections: 0)
            try await client.warmUp(connections: -1)
            let statistics = await client.statistics()
            #expect(statistics.leased == 1 && statistics.idle == 1)
            try await server.waitUntil(acceptedConnections: 2)
            gate.open()
            _ = try await occupant.value
            try await client.warmUp(connections: 3)
            #expect(await client.statistics().idle == 3)
            try await server.waitUntil(acceptedConnections: 3)
        }
    }

    @Test func `over TLS the handshake is done, too`() async throws {
        let server = try await ScriptedServer.start(tls: .localhost)
        try await serving(server, base: server.localhostURL, { $0.connection.tls.roots = .authority }) {
            server, client in
            try await client.warmUp()
            let response = try await client.get("x")
            #expect(response.timings.secured == nil && response.connection?.tls?.version == "TLS 1.3")
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `another origin than the client's own is warmed up by its URL`() async throws {
        let server = try await ScriptedServer.start { .ok($0["host"] ?? "") }
        try await serving(server, { $0.connection.resolve = hosts(["a.example:80"], at: server) }) { server, client in
            try await client.warmUp(url: "http://a.example/where/ever?x=y", connections: 2)
            try await server.waitUntil(acceptedConnections: 2)
            for _ in 0..<2 {
                let response = try await client.get(url: "http://a.example/")
                #expect(response.bytes == Bytes("a.example"))
            }
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `nobody there is an error`() async throws {
        let dead = try DeadPort()
        try await withClient(dead.url) { client in
            let error = try await failure { try await client.warmUp(connections: 3) }
            #expect(error.kind == .connectionFailed, "\(error)")
            #expect(await client.statistics().idle == 0)
        }
    }

    @Test func `one that cannot be made is an error, and those that were made stay`() async throws {
        let server = try await ScriptedServer.start(
            tls: .localhost, onConnect: { $0 == 1 ? [.stopReading, .stall] : nil })
        try await serving(server, base: server.localhostURL) {
            $0.connection.tls.roots = .authority
            $0.timeouts.tls = .seconds(2)
        } _: { server, client in
            let error = try await failure { try await client.warmUp(connections: 3) }
            #expect(error.timeout == .tls, "\(error)")
            #expect(await client.statistics().idle == 2)
            #expect(try await client.get("x").timings.secured == nil)
        }
    }

    @Test func `no more are made than there may be`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server) {
            $0.connection.connectionsPerOrigin = 2
            $0.timeouts.pool = .milliseconds(200)
        } _: { server, client in
            // Whether connections beyond the limit are an error does not matter here.
            _ = try? await client.warmUp(connections: 5)
            #expect(await client.statistics().idle == 2)
            for _ in 0..<2 { _ = try await client.get("x") }
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `cancelled, it ends at once and leaves nothing`() async throws {
        let silent = try FullBacklog()
        defer { withExtendedLifetime(silent) {} }
        try await withClient("http://127.0.0.1:\(silent.port)") { client in
            let warmUp = Task { try await client.warmUp(connections: 2) }
            try await client.waitUntil { $0.connecting == 2 }
            warmUp.cancel()
            let error = try await failure { try await warmUp.value }
            #expect(error.kind == .cancelled, "\(error)")
            // A connector that no call wants any more would go on for ten seconds.
            let start = ContinuousClock.now
            try await client.waitUntil { $0.connecting == 0 && $0.sockets == 0 }
            #expect(ContinuousClock.now - start < .seconds(8))
        }
    }

    @Test func `cancelled before it begins, it makes nothing`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server) { server, client in
            let gate = Gate()
            let warmUp = Task {
                try? await gate.wait()
                try await client.warmUp(connections: 2)
            }
            warmUp.cancel()
            let error = try await failure { try await warmUp.value }
            #expect(error.kind == .cancelled, "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: [Timeouts.Name.connect, .total])
    func `the deadline on the connection is that of the client`(limit: Timeouts.Name) async throws {
        let silent = try FullBacklog()
        defer { withExtendedLifetime(silent) {} }
        try await withClient("http://127.0.0.1:\(silent.port)") {
            $0.timeouts = .only(limit, .milliseconds(150))
        } _: { client in
            let start = ContinuousClock.now
            let error = try await failure { try await client.warmUp(connections: 2) }
            #expect(error.timeout == limit, "\(error)")
            #expect(limit == .connect || error.reason == "not done after 0.15 s", "\(error)")
            #expect(ContinuousClock.now - start >= .milliseconds(149))
        }
    }

    @Test func `a closed client makes none`() async throws {
        try await ScriptedServer.start().use { server in
            let client = Client(server.url)
            await client.close()
            let error = try await failure { try await client.warmUp() }
            #expect(error.kind == .cancelled, "\(error)")
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a client with a transport of its own has none to make`() async throws {
        let client = Client("https://a.example", transport: StubTransport())
        let error = try await failure { try await client.warmUp() }
        #expect(error.kind == .unsupported, "\(error)")
    }

    @Test(arguments: [nil, "http://a b/", "ftp://a.example/"])
    func `without a URL, or with one that is none, it is an invalid request`(_ url: String?) async throws {
        try await withClient { client in
            let error = try await failure { try await client.warmUp(url: url) }
            #expect(error.kind == .invalidRequest, "\(error)")
        }
    }

    @Test func `a client that was warmed up keeps nothing alive once it is gone`() async throws {
        final class Token: Sendable {}
        weak var held: Token?
        do {
            let token = Token()
            held = token
            let server = try await ScriptedServer.start(tls: .localhost)
            try await serving(server, base: server.localhostURL) {
                $0.connection.tls.roots = .authority
                $0.connection.tls.check = TLSCheck { [token] _, _ in withExtendedLifetime(token) {} }
            } _: { _, client in
                try await client.warmUp(connections: 2)
                _ = try await client.get("x")
            }
        }
        // The event loops release it a little later.
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        while held != nil {
            guard ContinuousClock.now < end else {
                Issue.record("something still holds the client's settings")
                return
            }
            await Task.yield()
        }
    }
}
