// PoolLimitTests: the limits on the number of connections, in all and to one origin, on their age, and on their
// exchanges.

import HTTPTypes
import NIOCore
import Synchronization
import Testing
import Tsubame
import TsubameTesting

extension Client {
    /// The host's answer to a request for its root.
    fileprivate func ask(_ host: String) async throws -> String {
        String(decoding: try await get(url: "http://\(host)/").bytes, as: UTF8.self)
    }
}

/// Names of which the first two live on one event loop, as for calls from other threads. The third lives on another
/// loop, if there are several. The loop follows from the name's length and its first and last letter.
private enum Hosts {
    static let first = "aa.example"
    static let second = "ab.example"
    static let elsewhere = "ba.example"
    static let all = [first, second, elsewhere, "bb.example", "ca.example"]

    /// The addresses of all these names.
    static func addresses(at server: ScriptedServer) -> [String: String] {
        hosts(all.map { $0 + ":80" }, at: server)
    }
}

@Suite(.timeLimit(.minutes(1))) struct PoolLimitTests {
    /// A server that answers with the host that it was asked for.
    private static func echo() async throws -> ScriptedServer {
        try await ScriptedServer.start { .ok($0["host"] ?? "") }
    }

    // MARK: Over all origins

    @Test func `no more connections are open than the client may have, and every call gets its turn`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 2
        } _: { server, client in
            try await withThrowingTaskGroup(of: String.self) { group in
                let asked = (Hosts.all + Hosts.all).sorted()
                for host in asked { group.addTask { try await client.ask(host) } }
                // Two calls run, all others wait, and no connection is being made.
                try await client.waitUntil { $0.leased == 2 && $0.waiting == 8 && $0.connecting == 0 }
                _ = try await server.head(1)
                #expect(server.acceptedConnections == 2 && server.requests.count == 2)
                gate.open()
                let answers: [String] = try await group.reduce(into: []) { $0.append($1) }
                #expect(answers.sorted() == asked)
            }
            let statistics = await client.statistics()
            #expect(statistics.idle <= 2 && statistics.waiting == 0)
        }
    }

    @Test func `what is idle makes room, the longest idle first`() async throws {
        let server = try await ScriptedServer.start()
        let names = ["a1.example", "a2.example", "a3.example"]
        try await serving(server) {
            $0.connection.resolve = hosts(names.map { $0 + ":80" }, at: server)
            $0.connection.connections = 2
        } _: { server, client in
            var reused: [Bool?] = []
            for index in [0, 1, 2, 1, 0, 1] {
                reused.append(try await client.get(url: "http://\(names[index])/").connection?.isReused)
            }
            // The third takes the place of the first, and the first then takes the place of the third.
            #expect(reused == [false, false, false, true, false, true])
            #expect(server.acceptedConnections == 4)
            try await server.waitUntil(openConnections: 2)
        }
    }

    // With one loop there is no other loop.
    @Test(.enabled(if: System.coreCount > 1))
    func `the longest idle of the same loop first, and others stay`() async throws {
        let server = try await Self.echo()
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 2
        } _: { _, client in
            var reused: [Bool?] = []
            for host in [Hosts.elsewhere, Hosts.first, Hosts.second, Hosts.elsewhere] {
                reused.append(try await client.get(url: "http://\(host)/").connection?.isReused)
            }
            #expect(reused == [false, false, false, true])
        }
    }

    @Test func `one connection is enough for many origins at once`() async throws {
        let server = try await Self.echo()
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<40 {
                    let host = Hosts.all[index % Hosts.all.count]
                    group.addTask { try await client.ask(host) == host }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.requests.count == 40)
            #expect(await client.statistics().idle <= 1)
        }
    }

    @Test(arguments: [Hosts.second, Hosts.elsewhere])
    func `an origin that is never idle leaves the others their turn`(_ other: String) async throws {
        let first = Gate()
        let server = try await ScriptedServer.start { request in
            let reply = Reply.ok(request["host"] ?? "")
            return request.index == 0 ? reply.after(first) : reply
        }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            let (callers, turns, isServed) = (16, 40, Gate())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        for _ in 0..<turns where !isServed.isOpen { _ = try await client.ask(Hosts.first) }
                    }
                }
                try await client.waitUntil { $0.leased == 1 && $0.waiting == callers - 1 }
                group.addTask {
                    _ = try await client.ask(other)
                    isServed.open()
                }
                try await client.waitUntil { $0.waiting == callers }
                first.open()
                try await group.waitForAll()
            }
            // A caller that was served last would have seen all other turns taken before.
            #expect(server.requests.count < callers * turns)
        }
    }

    @Test(arguments: [Hosts.second, Hosts.elsewhere])
    func `no connection is closed for a call that was cancelled while it waited`(_ other: String) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            async let first = client.ask(Hosts.first)
            _ = try await server.head(0)
            let cancelled = Task { try await client.ask(other) }
            try await client.waitUntil { $0.waiting == 1 }
            cancelled.cancel()
            _ = await cancelled.result
            async let second = client.ask(Hosts.first)
            try await client.waitUntil { $0.waiting == 1 }
            gate.open()
            #expect(try await [first, second] == [Hosts.first, Hosts.first])
            #expect(try await client.ask(Hosts.first) == Hosts.first)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [Hosts.second, Hosts.elsewhere])
    func `while all are busy, who waits for one waits as long as timeouts pool says`(_ other: String) async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            let occupant = Task { try await client.ask(Hosts.first) }
            _ = try await server.head(0)
            var request = Request(.get, url: "http://\(other)/")
            request.timeouts = .only(.pool, .milliseconds(150))
            let start = ContinuousClock.now
            let error = try await failure { [request] in try await client.send(request) }
            #expect(ContinuousClock.now - start >= .milliseconds(149))
            #expect(error.timeout == .pool && error.phase == .waiting, "\(error)")
            #expect(error.reason.contains(other))
            #expect(server.acceptedConnections == 1)
            gate.open()
            #expect(try await occupant.value == Hosts.first)
            #expect(try await client.ask(other) == other)
        }
    }

    @Test func `who gives up waiting takes nobody's turn`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            let occupant = Task { try await client.ask(Hosts.first) }
            _ = try await server.head(0)
            let impatient = Task { try await client.ask(Hosts.elsewhere) }
            try await client.waitUntil { $0.waiting == 1 }
            let patient = Task { try await client.ask(Hosts.second) }
            try await client.waitUntil { $0.waiting == 2 }
            impatient.cancel()
            let error = try await failure { try await impatient.value }
            #expect(error.kind == .cancelled)
            gate.open()
            #expect(try await occupant.value == Hosts.first)
            #expect(try await patient.value == Hosts.second)
            #expect(server.requests.compactMap { $0["host"] } == [Hosts.first, Hosts.second])
        }
    }

    @Test func `what could not be made, or was given up, takes no place`() async throws {
        let dead = try DeadPort()
        let silent = try FullBacklog()
        defer { withExtendedLifetime(silent) {} }
        let unknown = NameBook { _, _ in throw NoFailure() }
        let stranger = try await ScriptedServer.start(tls: .selfSigned)
        let server = try await Self.echo()
        try await serving(server) {
            $0.connection.connections = 1
            $0.connection.resolver = unknown.resolver
            $0.connection.tls.roots = .authority
        } _: { server, client in
            for _ in 0..<3 {
                for (url, kind) in [
                    (dead.url, .connectionFailed), ("http://unknown.example/", .nameResolution),
                    (stranger.localhostURL, .tls),
                ] as [(String, CallError.Kind)] {
                    let error = try await failure { try await client.get(url: url) }
                    #expect(error.kind == kind, "\(error)")
                }
                let given = Task { try await client.get(url: "http://127.0.0.1:\(silent.port)/") }
                try await client.waitUntil { $0.connecting == 1 }
                given.cancel()
                let error = try await failure { try await given.value }
                #expect(error.kind == .cancelled)
                #expect(try await client.get(url: server.url).connection?.isReused == false)
            }
            try await stranger.waitUntil(openConnections: 0)
        }
        await stranger.stop()
    }

    // When an attempt fails at once, the next attempt begins in the same function call: see LoopPool.finished.
    @Test
    func `thousands that wait for a connection that cannot be made fail one after the other`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { _ in Reply.ok().after(gate) }
        try await serving(server) {
            $0.connection.connections = 1
            // All calls run on one loop.
            $0.connection.connectionsPerOrigin = 255
        } _: { server, client in
            let occupant = Task { try await client.get("x") }
            _ = try await server.head(0)
            try await withThrowingTaskGroup(of: CallError.Kind.self) { group in
                // The system refuses to connect there before it sends anything.
                for _ in 0..<5_000 {
                    group.addTask { try await failure { try await client.get(url: "http://255.255.255.255:9/") }.kind }
                }
                try await client.waitUntil { $0.waiting == 5_000 }
                gate.open()
                for try await kind in group { #expect(kind == .connectionFailed) }
            }
            _ = try await occupant.value
        }
    }

    #if os(Linux)
    @Test(arguments: [1, 3])
    func `a connection that makes room is closed before the next one is made`(_ limit: Int) async throws {
        let server = try await Self.echo()
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = limit
            $0.connection.exchangesPerConnection = 2
        } _: { server, client in
            let open = Log<Int>()
            let port = server.port
            let observation = client.observe { event in
                // The event comes before the socket is made.
                guard case .connecting = event.kind else { return }
                open.add((try? SocketTable.connections(to: "127.0.0.1", port: port)) ?? .max)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<30 {
                    group.addTask { _ = try await client.ask(Hosts.all[index % Hosts.all.count]) }
                }
                try await group.waitForAll()
            }
            #expect(open.all.count >= 15)
            #expect(open.all.allSatisfy { $0 < limit }, "\(open.all)")
            withExtendedLifetime(observation) {}
        }
    }
    #endif

    // MARK: The number of exchanges

    @Test(arguments: [1, 2, 3])
    func `a connection carries as many exchanges as it may, and then another does`(_ count: Int) async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.exchangesPerConnection = count }) { server, client in
            for index in 0..<7 {
                let body: RequestBody = index.isMultiple(of: 2) ? .empty : .text("hello")
                let response = try await client.post("x", body: body)
                #expect(response.connection?.isReused == !index.isMultiple(of: count))
            }
            #expect(server.requests.map(\.connection) == (0..<7).map { $0 / count })
        }
    }

    @Test(arguments: [0, -1])
    func `one exchange it carries in any case`(_ count: Int) async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.exchangesPerConnection = count }) { server, client in
            for _ in 0..<3 { _ = try await client.get("x") }
            #expect(server.requests.map(\.connection) == [0, 1, 2])
        }
    }

    @Test func `who waits for a connection that is spent gets the next one`() async throws {
        let server = try await ScriptedServer.start { .ok($0.target) }
        try await serving(server) {
            $0.connection.connectionsPerOrigin = 1
            $0.connection.exchangesPerConnection = 1
        } _: { server, client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<16 { group.addTask { try await client.get("\(index)").bytes == Bytes("/\(index)") } }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.acceptedConnections == 16)
        }
    }

    // MARK: The age of a connection

    @Test func `a connection that is too old is used no more, and one that is not is`() async throws {
        let server = try await ScriptedServer.start { _ in .stream(1 << 20) }
        try await serving(server, { $0.connection.connectionLifetime = .nanoseconds(1) }) { server, client in
            for count in 1...3 {
                // A running exchange is not cut short.
                let response = try await client.get("x")
                #expect(response.bytes.count == 1 << 20 && response.connection?.isReused == false)
                #expect(server.acceptedConnections == count)
            }
            let patient = client.with { $0.connection.connectionLifetime = .seconds(3_600) }
            for index in 0..<3 { #expect(try await patient.get("x").connection?.isReused == (index > 0)) }
        }
    }

    @Test func `it is as old as it is, however long an exchange took`() async throws {
        let server = try await ScriptedServer.start { request in
            request.index == 0 ? Reply.ok().after(.opening(after: 120)) : .ok()
        }
        try await serving(server, { $0.connection.connectionLifetime = .milliseconds(100) }) { server, client in
            _ = try await client.get("x")
            try await server.waitUntil(openConnections: 0)
            #expect(try await client.get("x").connection?.isReused == false)
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test func `one that grows too old while nobody uses it is closed`() async throws {
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.connectionLifetime = .milliseconds(300) }) { server, client in
            _ = try await client.get("x")
            try await server.waitUntil(openConnections: 0)
            #expect(await client.statistics().idle == 0)
        }
    }

    // MARK: Without waste

    @Test func `a connection serves all who wait for it before it is closed for others`() async throws {
        let server = try await Self.echo()
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await client.ask(Hosts.first) } }
                try await group.waitForAll()
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `nothing is closed for one who has been served meanwhile`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.index == 0 ? Reply.ok().after(gate) : .ok()
        }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 1
        } _: { server, client in
            async let first = client.ask(Hosts.first)
            try await gate.waitForArrivals(1)
            let queued = Gate()
            let observation = client.observe { if case .queued = $0.kind { queued.open() } }
            async let second = client.ask(Hosts.first)
            try await queued.wait()
            observation.cancel()
            gate.open()
            _ = try await (first, second)
            for _ in 0..<3 { _ = try await client.ask(Hosts.first) }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `a call that waits says why`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { request in
            request.path == "/last" ? .ok(headers: [.connection: "close"]) : Reply.ok().after(gate)
        }
        try await serving(server) {
            $0.connection.connectionsPerOrigin = 2
        } _: { server, client in
            let reasons = Mutex<[String]>([])
            let waiting = Gate()
            let observation = client.observe { event in
                guard case .queued(let why) = event.kind else { return }
                let count = reasons.withLock { reasons in
                    reasons.append(why)
                    return reasons.count
                }
                if count == 3 { waiting.open() }
            }
            async let first = client.get(url: server.url)
            try await gate.waitForArrivals(1)
            async let second = client.get(url: server.url)
            try await gate.waitForArrivals(2)
            async let third = client.get(url: server.url + "/last")
            try await waiting.wait()
            gate.open()
            _ = try await (first, second, third)
            observation.cancel()
            #expect(
                reasons.withLock { $0 } == [
                    "none is open", "the open connection is in use",
                    "all 2 open connections are in use, and no more are allowed (connectionsPerOrigin)",
                ])
        }
    }

    @Test func `two origins that share the limit keep a connection each`() async throws {
        let gate = Gate()
        let server = try await ScriptedServer.start { Reply.ok($0["host"] ?? "").after(gate) }
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server)
            $0.connection.connections = 2
        } _: { server, client in
            var waitedSince = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Each host has a connection before the other calls start.
                for host in [Hosts.first, Hosts.second] {
                    group.addTask { _ = try await client.ask(host) }
                }
                _ = try await server.head(1)
                waitedSince = .now
                for host in [Hosts.first, Hosts.second, Hosts.first, Hosts.second] {
                    group.addTask { _ = try await client.ask(host) }
                }
                try await client.waitUntil { $0.waiting == 4 }
                gate.open()
                try await group.waitForAll()
            }
            // When all calls of one host are done, its connection makes room for a second connection to the other host.
            // Otherwise only a call that has waited for a quarter of a second may close another host's connection, and
            // never the one whose turn it was.
            let wasQuick = waitedSince.duration(to: .now) < .milliseconds(250)
            #expect(server.acceptedConnections <= (wasQuick ? 3 : 5), "\(server.acceptedConnections)")
        }
    }

    @Test func `an origin that does not answer keeps no place under the limit`() async throws {
        let server = try await Self.echo()
        let dead = try DeadPort()
        try await serving(server) {
            $0.connection.resolve = Hosts.addresses(at: server).merging(["dead.example:80": "127.0.0.1:\(dead.number)"])
            { $1 }
            $0.connection.connections = 1
        } _: { _, client in
            // The only place is taken by an idle connection, by a failing connection attempt, and by others again.
            for _ in 0..<3 {
                let first = try await client.ask(Hosts.first)
                #expect(first == Hosts.first)
                let failures = await withTaskGroup(of: CallError?.self) { group in
                    for _ in 0..<4 { group.addTask { await callError { _ = try await client.ask("dead.example") } } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(failures.count == 4 && failures.allSatisfy { $0?.kind == .connectionFailed }, "\(failures)")
                let elsewhere = try await client.ask(Hosts.elsewhere)
                #expect(elsewhere == Hosts.elsewhere)
            }
            let statistics = await client.statistics()
            #expect(statistics.idle == 1 && statistics.waiting == 0 && statistics.connecting == 0)
        }
    }

    @Test func `over HTTP/1.1 each call has a connection made at once`() async throws {
        let silent = try FullBacklog()
        let client = Client { $0.timeouts.connect = .seconds(20) }
        let calls = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { _ = try? await client.get(url: silent.url) } }
            }
        }
        try await client.waitUntil { $0.waiting == 3 }
        #expect(await client.statistics().connecting == 3)
        calls.cancel()
        await calls.value
        await client.close()
        withExtendedLifetime(silent) {}
    }

    @Test func `the time to wait for a connection does not run while one is being made`() async throws {
        let silent = try FullBacklog()
        let client = Client {
            $0.timeouts.pool = .milliseconds(50)
            $0.timeouts.connect = .milliseconds(200)
        }
        let error = try await failure { _ = try await client.get(url: silent.url) }
        #expect(error.timeout == .connect, "\(error)")
        await client.close()
        withExtendedLifetime(silent) {}
    }

    @Test(arguments: [0, -1]) func `a limit that lets nothing through is an error`(_ limit: Int) async throws {
        for set in [{ $0.connections = limit }, { $0.connectionsPerOrigin = limit }]
            as [@Sendable (inout ConnectionSettings) -> Void]
        {
            try await serving(.start(), { set(&$0.connection) }) { server, client in
                let error = try await failure { try await client.get("x") }
                #expect(error.kind == .invalidRequest && error.reason.contains("\(limit)"), "\(error)")
                #expect(server.acceptedConnections == 0)
            }
        }
    }
}
