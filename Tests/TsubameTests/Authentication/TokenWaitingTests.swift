// TokenWaitingTests: waiting for a token: with every way to wait, with its own end, and never for the call's own fetch.

import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct TokenWaitingTests {
    /// Runs `body` with a server that accepts the token `new`, and a source that gives it once the gate is open.
    private func held(
        _ gate: Gate, configure: (inout Configuration) -> Void = { _ in },
        _ body: (ScriptedServer, Client, _ asked: Log<Int>) async throws -> Void
    ) async throws {
        let asked = Log<Int>()
        let server = try await ScriptedServer.start {
            $0["authorization"] == "Bearer new" ? .ok() : .status(.unauthorized)
        }
        try await serving(server) {
            $0.authentication = .token(AccessToken("old")) { _ in
                asked.add(1)
                try await gate.wait()
                return AccessToken("new")
            }
            configure(&$0)
        } _: { (server, client) async throws in
            try await body(server, client, asked)
        }
    }

    /// A gate that opens when `count` calls of the client wait for a token.
    private func gate(of client: Client, waiting count: Int) -> (gate: Gate, observation: EventSubscription) {
        let gate = Gate()
        let waiting = Atomic(0)
        let observation = client.observe { event in
            guard case .decision(let why) = event.kind, why.contains("token") else { return }
            if waiting.wrappingAdd(1, ordering: .relaxed).newValue == count { gate.open() }
        }
        return (gate, observation)
    }

    @Test func `an interceptor that sends twice at once gets the token for both`() async throws {
        struct Twice: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response {
                async let first = next(request)
                async let second = next(request)
                _ = try await second
                return try await first
            }
        }
        let gate = Gate()
        try await held(gate, configure: { $0.interceptors = [Twice()] }) { (server, client, asked) async throws in
            let (both, observation) = self.gate(of: client, waiting: 2)
            let call = Task { try await client.get("0").statusCode }
            try await both.wait()
            gate.open()
            #expect(try await call.value == 200)
            #expect(asked.all.count == 1)
            withExtendedLifetime(observation) {}
        }
    }

    @Test("one that is cancelled goes at once, and the others wait on", arguments: [0, 1]) func cancelled(index: Int)
        async throws
    {
        let gate = Gate()
        try await held(gate) { (server, client, asked) async throws in
            // The first call has begun the fetch.
            let (first, observation) = self.gate(of: client, waiting: 1)
            let (both, other) = self.gate(of: client, waiting: 2)
            var calls = [Task { try await client.get("0").statusCode }]
            try await first.wait()
            calls.append(Task { try await client.get("1").statusCode })
            try await both.wait()
            // A call reports that it waits before the fetch has come to the gate.
            try await gate.waitForArrivals(1)
            calls[index].cancel()
            let error = await callError { _ = try await calls[index].value }
            #expect(error?.kind == .cancelled && error?.phase == .authenticating)
            #expect(gate.waiting == 1)
            gate.open()
            #expect(try await calls[1 - index].value == 200)
            #expect(asked.all.count == 1)
            withExtendedLifetime((observation, other)) {}
        }
    }

    @Test("one whose time is up goes, and the others wait on", arguments: [Way.async, .blocking]) func expired(
        _ way: Way
    )
        async throws
    {
        let gate = Gate()
        try await held(gate) { (server, client, asked) async throws in
            let (both, observation) = self.gate(of: client, waiting: 2)
            let patient = Task { try await client.get("a").statusCode }
            var request = Request(.get, "b")
            request.timeouts.total = .milliseconds(1500)
            let error = await callError { [request] in _ = try await way.send(request, by: client) }
            #expect(error?.kind == .timeout && error?.timeout == .total && error?.phase == .authenticating)
            try await both.wait()
            gate.open()
            #expect(try await patient.value == 200)
            #expect(asked.all.count == 1)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a fetch that nobody waits for any more goes on, and the next call has its token`() async throws {
        let gate = Gate()
        try await held(gate) { (server, client, asked) async throws in
            let call = Task { try await client.get("a") }
            try await gate.waitForArrivals(1)
            call.cancel()
            #expect(await callError { _ = try await call.value }?.kind == .cancelled)
            gate.open()
            #expect(try await client.get("b").statusCode == 200)
            #expect(asked.all.count == 1)
        }
    }

    @Test func `closing the client ends those that wait`() async throws {
        let gate = Gate()
        try await held(gate) { (server, client, _) async throws in
            let call = Task { try await client.get("a") }
            try await gate.waitForArrivals(1)
            await client.close()
            #expect(await callError { _ = try await call.value }?.kind == .cancelled)
            gate.open()
        }
    }

    // MARK: No wait for the call's own fetch

    @Test(arguments: [false, true])
    func `a source may call the server, by the client it is given or by the one it is of`(
        byItself: Bool
    ) async throws {
        let server = try await ScriptedServer.start { request in
            if request.path == "/token" { return .ok("new") }
            return request["authorization"] == "Bearer new" ? .ok() : .status(.unauthorized)
        }
        let own = Mutex<Client?>(nil)
        try await serving(server) {
            // There is one connection, so the waiting call must not hold it.
            $0.connection.connectionsPerOrigin = 1
            $0.headers[.from] = "me"
            $0.authentication = .token(AccessToken("old")) { given in
                let client: Client? = byItself ? own.withLock { $0 } : given
                let text = try await client?.post("token").text() ?? ""
                // The source's own call meets a 401, but the source is not asked for it.
                let status = try await client?.get("a").statusCode
                #expect(status == 401)
                return AccessToken(text)
            }
        } _: { (server, client) async throws in
            own.withLock { $0 = client as Client? }
            defer { own.withLock { $0 = nil } }
            for way in [Way.async, .blocking] {
                #expect(try await way.send(Request(.get, "a"), by: client).statusCode == 200)
            }
            #expect(try await client.stream(Request(.get, "a")) { $0.statusCode } == 200)
            let token = try #require(server.requests.first { $0.path == "/token" })
            #expect(token["authorization"] == nil && token["from"] == "me")
            #expect(server.requests.filter { $0.path == "/token" }.count == 1)
        }
    }

    @Test func `a long 401 does not hold the connection that the source needs`() async throws {
        let server = try await ScriptedServer.start { request in
            if request.path == "/token" { return .ok("new") }
            if request["authorization"] == "Bearer new" { return .ok("in") }
            return .status(.unauthorized, [UInt8](repeating: 0x61, count: 1 << 20))
        }
        try await serving(server) {
            $0.connection.connectionsPerOrigin = 1
            $0.authentication = .token(AccessToken("old")) { AccessToken(try await $0.post("token").text()) }
        } _: { (server, client) async throws in
            #expect(try await client.stream(Request(.get, "a")) { try await $0.text() } == "in")
        }
    }

    @Test func `64 blocking calls inside tasks wait for a token that is fetched by a call`() async throws {
        let server = try await ScriptedServer.start { request in
            if request.path == "/token" { return .ok("new") }
            return request["authorization"] == "Bearer new" ? .ok() : .status(.unauthorized)
        }
        let asked = Log<Int>()
        try await serving(server) {
            $0.authentication = .token(AccessToken("old")) { client in
                asked.add(1)
                return AccessToken(try await client.post("token").text())
            }
        } _: { (server, client) async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 { group.addTask { try Self.block(client) } }
                // One call of the group is not blocking, and it may be the first.
                group.addTask { try await client.get("a").statusCode }
                for try await status in group { #expect(status == 200) }
            }
            #expect(asked.all.count == 1)
        }
    }

    private static func block(_ client: Client) throws -> Int {
        try client.blocking.send(Request(.get, "a")).statusCode
    }

    @Test func `beside an interceptor of the user's a call waits as well, and no longer than its time`() async throws {
        struct Pass: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        let gate = Gate()
        try await held(gate, configure: { $0.interceptors = [Pass()] }) { (server, client, asked) async throws in
            var request = Request(.get, "a")
            request.timeouts.total = .milliseconds(200)
            let error = await callError { [request] in _ = try await client.send(request) }
            #expect(error?.kind == .timeout && error?.timeout == .total)
            gate.open()
            #expect(try await client.get("b").statusCode == 200)
            #expect(asked.all.count == 1)
        }
    }

    @Test func `calls on the event loops wait without holding them`() async throws {
        let gate = Gate()
        try await held(gate) { (server, client, asked) async throws in
            let executor = try #require(client.executor)
            let (all, observation) = self.gate(of: client, waiting: 8)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<8 {
                    group.addTask(executorPreference: executor) { try await client.get("\(index)").statusCode }
                }
                try await all.wait()
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(asked.all.count == 1)
            withExtendedLifetime(observation) {}
        }
    }
}
