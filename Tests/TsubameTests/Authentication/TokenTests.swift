// TokenTests: tokens are fetched once for many calls, and each refused call is repeated once.

import HTTPTypes
import Synchronization
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct TokenTests {
    /// A server that accepts one token, and a token source that counts its calls.
    final class Issuer: Sendable {
        private struct State: Sendable {
            var number = 0
            var isValid = true
        }

        private let state = Mutex(State())

        /// The number of tokens that have been issued.
        var count: Int { state.withLock { $0.number } }

        /// Makes the newest token invalid.
        func revoke() { state.withLock { $0.isValid = false } }

        func issue() -> AccessToken {
            state.withLock { state in
                state.number += 1
                state.isValid = true
                return AccessToken("s3cret-\(state.number)")
            }
        }

        func reply(to request: ReceivedRequest) -> Reply {
            let isRight = state.withLock { state in
                state.isValid && request["authorization"] == "Bearer s3cret-\(state.number)"
            }
            return isRight ? .ok(request.text) : .status(.unauthorized, "who are you?")
        }
    }

    struct NoToken: Error, Equatable {}

    /// Runs `body` with an issuer's server and a client that uses its tokens.
    private func issuing(
        _ issuer: Issuer = Issuer(), script: (@Sendable (ReceivedRequest) -> Reply)? = nil,
        source: (@Sendable (Client) async throws -> AccessToken)? = nil, initial: AccessToken? = nil,
        configure: (inout Configuration) -> Void = { _ in },
        _ body: (ScriptedServer, Client, Issuer) async throws -> Void
    ) async throws {
        let server = try await ScriptedServer.start(script ?? { issuer.reply(to: $0) })
        try await serving(server) {
            $0.authentication = .token(initial, refresh: source ?? { _ in issuer.issue() })
            configure(&$0)
        } _: { (server, client) async throws in
            try await body(server, client, issuer)
        }
    }

    // MARK: Once

    @Test func `the first call has one fetched, and those after it use it`() async throws {
        try await issuing { (server, client, issuer) async throws in
            for _ in 0..<3 { #expect(try await client.get("a").statusCode == 200) }
            let view = client.with { $0.timeouts.total = .seconds(30) }
            #expect(try await view.get("a").statusCode == 200)
            #expect(server.schemes == ["Bearer", "Bearer", "Bearer", "Bearer"])
            #expect(issuer.count == 1)
        }
    }

    @Test func `any number of calls at once have one fetched`() async throws {
        let gate = Gate()
        let issuer = Issuer()
        try await issuing(
            issuer,
            source: { _ in
                try await gate.wait()
                return issuer.issue()
            }
        ) { (server, client, issuer) async throws in
            let events = EventLog()
            let waiting = Gate()
            let observation = client.observe { event in
                events.add(event)
                if events.decisions.count == 40 { waiting.open() }
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<40 { group.addTask { try await client.get("\(index)").statusCode } }
                try await waiting.wait()
                #expect(server.requests.isEmpty)
                gate.open()
                for try await status in group { #expect(status == 200) }
            }
            #expect(issuer.count == 1 && server.requests.count == 40)
            #expect(events.decisions.filter { $0 == "the call asks for a new token" }.count == 1)
            #expect(
                events.decisions.filter { $0 == "the call waits for a new token" }.count == 39)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `any number of 401s at once ask once, and each call is repeated once`() async throws {
        let issuer = Issuer()
        let all = Gate()
        let count = Atomic(0)
        let old = issuer.issue()
        try await issuing(
            issuer,
            script: { request in
                guard request["authorization"] == "Bearer s3cret-1" else { return issuer.reply(to: request) }
                // All requests are refused at the same time.
                if count.wrappingAdd(1, ordering: .relaxed).newValue == 40 { all.open() }
                return Reply.status(.unauthorized).after(all)
            }, initial: old
        ) { (server, client, issuer) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            try await withThrowingTaskGroup(of: Response.self) { group in
                for index in 0..<40 {
                    group.addTask { try await client.post("\(index)", body: .text("\(index)")) }
                }
                for try await response in group {
                    #expect(response.status == .ok && response.history.map(\.statusCode) == [401])
                    #expect(response.request.uri?.path == "/" + String(decoding: response.bytes, as: UTF8.self))
                }
            }
            #expect(issuer.count == 2 && server.requests.count == 80)
            #expect(events.resendings == Array(repeating: "401: another token", count: 40))
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a 401 to a token that has been replaced meanwhile asks for nothing`() async throws {
        let issuer = Issuer()
        let late = Gate()
        let old = issuer.issue()
        try await issuing(
            issuer,
            script: { request in
                guard request["authorization"] == "Bearer s3cret-1" else { return issuer.reply(to: request) }
                return request.path == "/late" ? Reply.status(.unauthorized).after(late) : .status(.unauthorized)
            }, initial: old
        ) { (server, client, issuer) async throws in
            async let slow = client.get("late")
            _ = try await server.request(0)
            #expect(try await client.get("a").statusCode == 200)
            #expect(issuer.count == 2)
            late.open()
            #expect(try await slow.statusCode == 200)
            #expect(issuer.count == 2 && server.requests.count == 4)
        }
    }

    @Test func `a new token that is refused as well is no reason to go on`() async throws {
        try await issuing(script: { _ in .status(.unauthorized) }) { (server, client, issuer) async throws in
            let events = EventLog()
            let observation = events.observe(client)
            let response = try await client.get("a")
            #expect(response.status == .unauthorized && server.requests.count == 2 && issuer.count == 2)
            #expect(events.decisions.last == "the 401 is given back: the new token is refused as well")
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a token that is revoked is replaced, and its call sees nothing of it`() async throws {
        try await issuing { (server, client, issuer) async throws in
            for _ in 0..<3 {
                #expect(try await client.get("a").statusCode == 200)
                issuer.revoke()
            }
            #expect(issuer.count == 3 && server.requests.count == 5)
        }
    }

    @Test(arguments: [(Duration.zero, 3), (.seconds(-1), 3), (.seconds(3600), 1), (.seconds(1 << 60), 1)])
    func `a token that is about to expire is replaced before it is refused`(time: Duration, fetches: Int) async throws {
        let issuer = Issuer()
        try await issuing(issuer, source: { _ in AccessToken(issuer.issue().value, expiresIn: time) }) {
            (server, client, issuer) async throws in
            for _ in 0..<3 { #expect(try await client.get("a").statusCode == 200) }
            #expect(issuer.count == fetches && server.requests.count == 3)
        }
    }

    // MARK: The source fails

    @Test func `what the source throws is given to all that wait, and the next call asks again`() async throws {
        let gate = Gate()
        let asked = Atomic(0)
        let issuer = Issuer()
        try await issuing(
            issuer,
            source: { _ in
                guard asked.wrappingAdd(1, ordering: .relaxed).newValue == 1 else { return issuer.issue() }
                try await gate.wait()
                throw NoToken()
            }, initial: AccessToken("old")
        ) { (server, client, issuer) async throws in
            let events = EventLog()
            let waiting = Gate()
            let observation = client.observe { event in
                events.add(event)
                if events.decisions.count == 20 { waiting.open() }
            }
            try await withThrowingTaskGroup(of: CallError?.self) { group in
                for _ in 0..<20 { group.addTask { await callError { _ = try await client.get("a") } } }
                try await waiting.wait()
                gate.open()
                for try await error in group {
                    #expect(error?.kind == .authentication && error?.phase == .authenticating)
                    #expect(error?.underlying is NoToken)
                    #expect(error?.reason == "the token source failed: NoToken()")
                    #expect(error?.response?.statusCode == 401)
                }
            }
            #expect(asked.load(ordering: .relaxed) == 1 && server.requests.count == 20)
            #expect(try await client.get("a").statusCode == 200)
            #expect(asked.load(ordering: .relaxed) == 2)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a source has a deadline of its own, however long its call may take`() async throws {
        let never = Gate()
        let tokens = TokenAuthenticator(refreshTimeout: .milliseconds(100)) { _ in
            try await never.wait()
            return AccessToken("late")
        }
        let clock = ContinuousClock()
        try await serving(.start(), { $0.authentication = .token(tokens) }) { (server, client) async throws in
            let start = clock.now
            let error = try #require(await callError { _ = try await client.get("a") })
            #expect(clock.now - start >= .milliseconds(100))
            #expect(
                error.kind == .authentication
                    && error.reason == "the token source failed: it returned no token within 0.1 s")
            #expect(server.requests.isEmpty)
            // The source was cancelled and no longer waits.
            while never.waiting > 0 { try Task.checkCancellation(); await Task.yield() }
        }
    }

    @Test func `a source has 30 seconds`() {
        #expect(TokenAuthenticator { _ in AccessToken("x") }.refreshTimeout == .seconds(30))
    }

    @Test(arguments: ["\n", "a\r\nX: y", "\0"]) func `a token that cannot be sent fails its calls`(_ token: String)
        async throws
    {
        try await issuing(source: { _ in AccessToken("s3cret" + token) }) { (server, client, _) async throws in
            for _ in 0..<2 {
                let error = try #require(await callError { _ = try await client.get("a") })
                #expect(error.kind == .invalidRequest && error.reason == "the token holds a control character")
                #expect(!"\(error)\(String(reflecting: error))".contains("s3cret"))
            }
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: The field

    @Test func `scheme and field are as the server wants them`() async throws {
        let field = try #require(HTTPField.Name("X-Session"))
        for (scheme, value) in [("", "s3cret"), ("Token", "Token s3cret")] {
            let tokens = TokenAuthenticator(scheme: scheme, field: field) { _ in AccessToken("s3cret") }
            try await serving(.start(), { $0.authentication = .token(tokens) }) { (server, client) async throws in
                let log = Log<CallEvent>()
                let observation = client.observe { log.add($0) }
                let response = try await client.get("a")
                #expect(try await server.request(0)["x-session"] == value)
                #expect(!"\(response.request)\(log.all.map(\.kind))".contains("s3cret"))
                withExtendedLifetime(observation) {}
            }
        }
    }

    @Test func `FAULT 16: a token in a field of its own goes beside Authorization`() async throws {
        let field = try #require(HTTPField.Name("X-Session"))
        let count = Atomic(0)
        let tokens = TokenAuthenticator(scheme: "", field: field) { _ in
            AccessToken("s3cret-\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
        let server = try await ScriptedServer.start { request in
            request["x-session"] == "s3cret-2" ? .ok() : .status(.unauthorized)
        }
        try await serving(server, { $0.authentication = .token(tokens) }) { (server, client) async throws in
            // A token that was refused once is replaced; the caller's Authorization field stays.
            let own = try await client.get("a", headers: [.authorization: "Basic YTpi"])
            #expect(own.statusCode == 200)
            let ofURL = try await client.get(url: server.url.replacing("://", with: "://c:d@") + "/b")
            #expect(ofURL.statusCode == 200)
            let received = server.requests.map { [$0["authorization"], $0["x-session"]] }
            #expect(
                received == [
                    ["Basic YTpi", "s3cret-1"], ["Basic YTpi", "s3cret-2"], ["Basic Yzpk", "s3cret-2"],
                ])
            // The caller's own field is left unchanged.
            let given = try await client.get("a", headers: [HeaderName(field): "mine"])
            #expect(given.statusCode == 401)
            #expect(server.requests.last?["x-session"] == "mine")
        }
    }

    @Test func `a token can be set, and taken away`() async throws {
        let issuer = Issuer()
        let tokens = TokenAuthenticator { _ in issuer.issue() }
        #expect(tokens.token == nil)
        try await serving(.start { issuer.reply(to: $0) }, { $0.authentication = .token(tokens) }) {
            (server, client) async throws in
            tokens.token = issuer.issue()
            #expect(try await client.get("a").statusCode == 200)
            #expect(issuer.count == 1)
            tokens.token = nil
            #expect(try await client.get("a").statusCode == 200)
            #expect(issuer.count == 2 && tokens.token?.value == "s3cret-2")
        }
    }

    @Test("BAD-INPUT 20: no text shows a token") func texts() {
        let tokens = TokenAuthenticator(AccessToken("s3cret", expiresIn: .seconds(1))) { _ in AccessToken("s3cret") }
        var configuration = Configuration()
        configuration.authentication = .token(tokens)
        var text = "\(tokens)\(tokens.token.map { "\($0)" } ?? "")\(configuration)\(configuration.authentication)"
        text += String(reflecting: tokens) + String(reflecting: configuration) + String(reflecting: tokens.token)
        dump(tokens, to: &text)
        dump(configuration, to: &text)
        dump(AccessToken("s3cret"), to: &text)
        #expect(!text.contains("s3cret"))
    }
}
