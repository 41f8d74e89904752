// NameResolverTests: the user's own resolver, and the lifetime of its answers.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

extension ScriptedServer {
    /// The URL of a name that only the test's resolver knows, with this server's port.
    fileprivate func url(of name: String) -> String { "http://\(name):\(port)" }
    fileprivate var named: String { url(of: "name.example") }
}

/// The lifetime of answers, and the number of questions for three connections in sequence.
struct AnswerLifetime: Sendable, CustomTestStringConvertible {
    let answer: Duration?
    let client: Duration
    let asked: Int

    var testDescription: String { "answer: \(answer.map { "\($0)" } ?? "none"), client: \(client)" }

    static let all = [
        AnswerLifetime(answer: nil, client: .seconds(60), asked: 1),
        AnswerLifetime(answer: .seconds(3_600), client: .seconds(60), asked: 1),
        AnswerLifetime(answer: .seconds(60), client: .seconds(Int64.max), asked: 1),
        AnswerLifetime(answer: nil, client: .zero, asked: 3),
        AnswerLifetime(answer: .seconds(3_600), client: .zero, asked: 3),
        AnswerLifetime(answer: nil, client: .nanoseconds(1), asked: 3),
        AnswerLifetime(answer: .nanoseconds(1), client: .seconds(60), asked: 3),
        AnswerLifetime(answer: .zero, client: .seconds(60), asked: 3),
        AnswerLifetime(answer: .seconds(-1), client: .seconds(60), asked: 3),
        AnswerLifetime(answer: nil, client: .seconds(-1), asked: 3),
    ]
}

@Suite(.timeLimit(.minutes(1))) struct NameResolverTests {
    private struct Gone: Error, Equatable {}

    @Test func `its addresses are connected to, and the name stays what it is for the server`() async throws {
        let book = NameBook(["127.0.0.1"])
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { server, client in
            let log = EventLog()
            let observation = log.observe(client)
            let response = try await client.get("x")
            #expect(response.connection?.remoteAddress == "127.0.0.1:\(server.port)")
            #expect(response.timings.resolved != nil)
            #expect(try await server.request(0)["host"] == "name.example:\(server.port)")
            #expect(book.asked == ["name.example"])
            let told = log.events.compactMap { event in
                switch event.kind {
                case .resolving(let host): host
                case .resolved(let addresses): addresses.joined(separator: " ")
                default: nil
                }
            }
            #expect(told == ["name.example", "127.0.0.1"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `over TLS the certificate is to be the name's, not the address's`() async throws {
        let book = NameBook(["127.0.0.1"])
        let server = try await ScriptedServer.start(tls: .wrongHost)
        try await serving(server, base: "https://wrong.host:\(server.port)") {
            $0.connection.resolver = book.resolver
            $0.connection.tls.roots = .authority
        } _: { server, client in
            #expect(try await client.get("x").status == .ok)
            #expect(try await server.request(0).serverName == "wrong.host")
            let error = try await failure { try await client.get(url: "https://right.host:\(server.port)/") }
            #expect(error.kind == .tls && error.reason.contains("not for right.host"), "\(error)")
        }
    }

    @Test func `however many want to know at once, it is asked once for each name`() async throws {
        let gate = Gate()
        let book = NameBook { _, _ in
            try await gate.wait()
            return NameResolver.Answer(["127.0.0.1"])
        }
        let server = try await ScriptedServer.start { .ok($0["host"] ?? "") }
        try await serving(server, { $0.connection.resolver = book.resolver }) { server, client in
            let names = ["a.example", "b.example"]
            let calls = (0..<16).map { index in
                Task { try await client.get(url: server.url(of: names[index % 2])).bytes }
            }
            try await client.waitUntil { $0.connecting == 16 }
            gate.open()
            for (index, call) in calls.enumerated() {
                let bytes = try await call.value
                #expect(bytes == Bytes("\(names[index % 2]):\(server.port)"))
            }
            #expect(book.asked.sorted() == names)
        }
    }

    // MARK: The lifetime of an answer

    @Test(arguments: AnswerLifetime.all)
    func `an answer is good for as long as it says, and no longer than the client does`(
        _ row: AnswerLifetime
    ) async throws {
        let book = NameBook(["127.0.0.1"], lifetime: row.answer)
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named) {
            $0.connection.resolver = book.resolver
            $0.connection.addressLifetime = row.client
            $0.connection.exchangesPerConnection = 1
        } _: { server, client in
            for _ in 0..<3 { _ = try await client.get("x") }
            #expect(server.acceptedConnections == 3)
            #expect(book.asked.count == row.asked)
        }
    }

    @Test func `an answer is shared by all who have the resolver, each with a lifetime of its own`() async throws {
        let book = NameBook(["127.0.0.1"])
        let server = try await ScriptedServer.start()
        try await server.use { server in
            for (lifetime, asked) in [
                (.seconds(60), 1), (.seconds(60), 1), (.zero, 2), (.seconds(60), 2),
            ] as [(Duration, Int)] {
                try await withClient(server.named) {
                    $0.connection.resolver = book.resolver
                    $0.connection.addressLifetime = lifetime
                } _: { client in
                    _ = try await client.get("x")
                }
                #expect(book.asked.count == asked)
            }
        }
    }

    // MARK: Failures

    @Test func `what it throws is what the call fails with, and the next call asks again`() async throws {
        let book = NameBook { _, index in
            if index == 0 { throw Gone() }
            return NameResolver.Answer(["127.0.0.1"])
        }
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution && error.phase == .resolving, "\(error)")
            #expect((error.underlying as? Gone) == Gone())
            #expect(error.reason.contains("name.example"))
            #expect(try await client.get("x").status == .ok)
            #expect(book.asked.count == 2)
        }
    }

    @Test(arguments: [CallError.Kind.cancelled, .timeout, .status])
    func `an error of the library's own, as of a client that it asks by, is no other kind of failure`(
        _ kind: CallError.Kind
    ) async throws {
        let book = NameBook { _, _ in throw CallError(kind, "no answer by HTTPS") }
        try await withClient("http://name.example", { $0.connection.resolver = book.resolver }) { client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution, "\(error)")
            #expect((error.underlying as? CallError)?.reason == "no answer by HTTPS")
        }
    }

    @Test(
        "an answer with something else than an address is refused",
        arguments: [
            ["nothing"], ["127.0.0.1:80"], ["[::1]"], ["300.1.1.1"], ["127.0.0.1", "other.example"], [""], ["127.1"],
            ["0x7f.0.0.1"], [" 127.0.0.1"], ["\u{1B}[31m"], ["127.0.0.1\n127.0.0.2"],
        ])
    func noAddress(addresses: [String]) async throws {
        let book = NameBook(addresses)
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution && error.phase == .resolving, "\(error)")
            #expect(error.reason.contains("name.example") && !error.reason.holdsControlCharacter)
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `a name without an address is an error`() async throws {
        let book = NameBook([])
        try await withClient("http://name.example", { $0.connection.resolver = book.resolver }) { client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution && error.reason.contains("no address"), "\(error)")
        }
    }

    @Test(arguments: [[], ["nothing"]] as [[String]])
    func `an answer that could not be used is not kept`(_ first: [String]) async throws {
        let book = NameBook { _, index in NameResolver.Answer(index == 0 ? first : ["127.0.0.1"]) }
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution)
            #expect(try await client.get("x").status == .ok)
            #expect(book.asked.count == 2)
        }
    }

    #if os(Linux)
    @Test func `addresses of which none can be reached are forgotten, and the next call asks again`() async throws {
        let server = try await ScriptedServer.start()
        let dead = try HeldAddress("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        let book = NameBook { _, index in NameResolver.Answer([index == 0 ? "127.0.0.2" : "127.0.0.1"]) }
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { _, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .connectionFailed, "\(error)")
            #expect(try await client.get("x").status == .ok)
            #expect(book.asked.count == 2)
        }
    }

    @Test func `so are those that do not answer in time`() async throws {
        let server = try await ScriptedServer.start()
        let silent = try FullBacklog("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(silent) {} }
        let book = NameBook { _, index in NameResolver.Answer([index == 0 ? "127.0.0.2" : "127.0.0.1"]) }
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { _, client in
            var request = Request(.get, "x")
            request.timeouts = .only(.connect, .milliseconds(150))
            let error = try await failure { [request] in try await client.send(request) }
            #expect(error.timeout == .connect && error.phase == .connecting, "\(error)")
            #expect(try await client.get("x").status == .ok)
            #expect(book.asked.count == 2)
        }
    }

    @Test func `those of which one could be reached are not`() async throws {
        let server = try await ScriptedServer.start()
        let dead = try HeldAddress("127.0.0.2", port: server.port)
        defer { withExtendedLifetime(dead) {} }
        let book = NameBook(["127.0.0.2", "127.0.0.1"])
        try await serving(server, base: server.named) {
            $0.connection.resolver = book.resolver
            $0.connection.exchangesPerConnection = 1
        } _: { server, client in
            for _ in 0..<3 { _ = try await client.get("x") }
            #expect(server.acceptedConnections == 3 && book.asked.count == 1)
        }
    }
    #endif

    // MARK: Questions that a resolver does not get

    @Test func `literals, localhost and what resolve names are never asked for`() async throws {
        let book = NameBook { _, _ in throw Gone() }
        let server = try await ScriptedServer.start()
        try await serving(server) {
            $0.connection.resolver = book.resolver
            $0.connection.resolve = hosts(["name.example:80"], at: server)
            $0.connection.exchangesPerConnection = 1
        } _: { server, client in
            for url in [
                server.url, server.url(of: "localhost"), server.url(of: "a.localhost"), server.url(of: "LOCALHOST"),
                "http://name.example/",
            ] {
                let status = try await client.get(url: url).status
                #expect(status == .ok, "\(url)")
            }
            // The request may fail; only the missing question matters.
            _ = try? await client.get(url: "http://[::1]:\(server.port)/")
            #expect(book.asked.isEmpty)
        }
    }

    @Test func `an empty answer does not lead back to the system`() async throws {
        // The system, or its DNS server, would know this name.
        let book = NameBook([])
        try await withClient("http://ip6-localhost", { $0.connection.resolver = book.resolver }) { client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .nameResolution)
            #expect(book.asked == ["ip6-localhost"])
        }
    }

    // MARK: A slow resolver

    @Test(arguments: [Timeouts.Name.total, .connect], Way.allCases)
    func `while it thinks the call's deadlines run`(_ limit: Timeouts.Name, _ way: Way) async throws {
        let gate = Gate()
        let book = NameBook { _, _ in
            try await gate.wait()
            return NameResolver.Answer(["127.0.0.1"])
        }
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named) {
            $0.connection.resolver = book.resolver
            $0.connection.exchangesPerConnection = 1
        } _: { _, client in
            defer { gate.open() }
            // On a busy machine the time may be up before the question is asked, so a longer time follows.
            for time in [Duration.milliseconds(150), .milliseconds(600), .seconds(3)] {
                var request = Request(.get, "x")
                request.timeouts = .only(limit, time)
                let start = ContinuousClock.now
                let error = try await failure { [request] in try await way.send(request, by: client) }
                if error.phase != .resolving, time < .seconds(3) { continue }
                #expect(error.timeout == limit && error.phase == .resolving, "\(error)")
                #expect(ContinuousClock.now - start >= time - .milliseconds(1))
                break
            }
            // The question is still the same one, and its answer is kept.
            let late = Task { try await client.get("x") }
            try await client.waitUntil { $0.connecting == 1 }
            gate.open()
            #expect(try await late.value.status == .ok)
            #expect(try await client.get("x").connection?.isReused == false)
            #expect(book.asked.count == 1)
        }
    }

    @Test func `a call that is cancelled meanwhile ends at once, and no other with it`() async throws {
        let gate = Gate()
        let book = NameBook { _, _ in
            try await gate.wait()
            return NameResolver.Answer(["127.0.0.1"])
        }
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = book.resolver }) { _, client in
            let (hasty, patient) = (Task { try await client.get("1") }, Task { try await client.get("2") })
            try await client.waitUntil { $0.connecting == 2 }
            hasty.cancel()
            let error = try await failure { try await hasty.value }
            #expect(error.kind == .cancelled && error.phase == .resolving, "\(error)")
            gate.open()
            #expect(try await patient.value.status == .ok)
            #expect(book.asked.count == 1)
        }
    }

    @Test func `a name that it thinks about holds up no other`() async throws {
        let gate = Gate()
        let book = NameBook { host, _ in
            if host == "slow.example" { try await gate.wait() }
            return NameResolver.Answer(["127.0.0.1"])
        }
        let server = try await ScriptedServer.start()
        try await serving(server, { $0.connection.resolver = book.resolver }) { server, client in
            let slow = Task { try await client.get(url: server.url(of: "slow.example")) }
            try await client.waitUntil { $0.connecting == 1 }
            for index in 0..<8 {
                #expect(try await client.get(url: server.url(of: "\(index).example")).status == .ok)
            }
            gate.open()
            #expect(try await slow.value.status == .ok)
        }
    }

    @Test func `a client that is closed meanwhile does not wait for it`() async throws {
        let gate = Gate()
        let book = NameBook { _, _ in
            try await gate.wait()
            return NameResolver.Answer(["127.0.0.1"])
        }
        let client = Client("http://name.example") {
            $0.connection.proxy = .none
            $0.connection.resolver = book.resolver
        }
        let call = Task { try await client.get("x") }
        try await client.waitUntil { $0.connecting == 1 }
        await client.close()
        let error = try await failure { try await call.value }
        #expect(error.kind == .cancelled)
        try await LeakCheck.verifyClosed(client)
        gate.open()
    }

    // MARK: Views

    @Test func `views with two resolvers share no connection, and with the same one they do`() async throws {
        let (first, second) = (NameBook(["127.0.0.1"]), NameBook(["127.0.0.1"]))
        let server = try await ScriptedServer.start()
        try await serving(server, base: server.named, { $0.connection.resolver = first.resolver }) { server, client in
            let own = try await client.get("x").connection
            let other = try await client.with { $0.connection.resolver = second.resolver }.get("x").connection
            let same = try await client.with { $0.connection.resolver = first.resolver }.get("x").connection
            #expect(own?.id != other?.id && own?.id == same?.id)
            #expect(first.asked.count == 1 && second.asked.count == 1)
            #expect(server.acceptedConnections == 2)
        }
    }

    private final class Mark: Sendable {}

    @Test func `a resolver that never answers keeps nothing of a cancelled call`() async throws {
        let (asked, never) = (Gate(), Gate())
        try await withClient("http://a.example") {
            $0.connection.resolver = .custom { _ in
                asked.open()
                try await never.wait()
                return .init([])
            }
        } _: { client in
            weak var mark: Mark?
            do {
                var request = Request(.get, "x")
                let own = Mark()
                mark = own
                request.tags["mark"] = own
                let call = Task { [request] in try await client.send(request) }
                try await asked.wait()
                call.cancel()
                _ = await call.result
            }
            while mark != nil {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        never.open()
    }
}
