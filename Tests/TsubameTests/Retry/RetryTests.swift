// RetryTests: retries: the requests that are sent again, the delays, and the limits.

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameEngine
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct RetryTests {
    private static let down = Reply.status(.serviceUnavailable)

    /// The standard policy with a fixed delay, the longest one.
    private static var standard: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.random = { 1 }
        return policy
    }

    // MARK: By status

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504])
    func `a status that may pass is asked for again, after longer and longer waits`(_ status: Int) async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(
            replies: Array(repeating: .status(HTTPResponse.Status(code: status)), count: 3) + [.ok("at last")])
        try await serving(server) {
            $0.retry = Self.standard
            $0.clock = clock
        } _: { server, client in
            let call = Task { try await client.get("x") }
            for milliseconds in [200, 400, 800] {
                try await clock.waitForSleepers(1)
                clock.advance(by: .milliseconds(milliseconds - 1))
                #expect(clock.sleepers == 1)
                clock.advance(by: .milliseconds(1))
            }
            let response = try await call.value
            let value1 = try await response.text()
            #expect(value1 == "at last")
            #expect(response.history.map(\.statusCode) == [status, status, status])
            #expect(server.requests.count == 4)
        }
    }

    @Test func `the last response is given back when it does not pass`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server) {
            $0.retry = .standard { $0.delay = .zero }
            $0.clock = clock
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let response = try await client.get("x")
            #expect(response.status == .serviceUnavailable && response.history.count == 3)
            #expect(server.requests.count == 4)
            #expect(events.decisions.contains { $0.contains("already retried 3 times") }, "\(events.decisions)")
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `by default no status is a reason, and nothing is with off`() async throws {
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server, { $0.retry = .connectionFailures }) { server, client in
            let value2 = try await client.get("x").status
            #expect(value2 == .serviceUnavailable)
            let value3 = try await client.with { $0.retry = .off }.get("x").status
            #expect(value3 == .serviceUnavailable)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [RetryTests.down, .close])
    func `FAULT 32: an error says that the budget for retries is spent`(_ reply: Reply) async throws {
        let server = try await ScriptedServer.start { _ in reply }
        try await serving(server) {
            // The reserve is ten retries.
            $0.retry = .standard { ($0.delay, $0.retries, $0.extraLoad) = (.zero, 20, 0) }
        } _: { server, client in
            let error = try #require(await callError { _ = try await client.get("x").text() })
            #expect([.status, .emptyReply, .connectionLost].contains(error.kind))
            let text = "too many calls of this client fail (retry.extraLoad)"
            #expect(
                "\(error)".contains("11 exchanges · not sent again after ") && "\(error)".contains(text), "\(error)")
            #expect(server.requests.count == 11)
        }
    }

    @Test func `an infinite extra load allows every call its retries`() async throws {
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server) {
            $0.retry = .standard { ($0.delay, $0.retries, $0.extraLoad) = (.zero, 20, .infinity) }
        } _: { server, client in
            for _ in 1...2 {
                let status = try await client.get("x").status
                #expect(status == .serviceUnavailable)
            }
            #expect(server.requests.count == 42)
        }
    }

    // MARK: Requests that may be repeated

    @Test func `a POST is not repeated, unless it has a key, or everything may be`() async throws {
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server, { $0.retry = .standard { $0.delay = .zero } }) { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let value4 = try await client.post("x", body: .text("a")).status
            #expect(value4 == .serviceUnavailable)
            #expect(server.requests.count == 1)
            #expect(
                events.decisions.contains { $0.contains("POST may not be repeated without an Idempotency-Key") },
                "\(events.decisions)")
            _ = try await client.post("x", headers: ["Idempotency-Key": "1"], body: .text("a"))
            #expect(server.requests.count == 5)
            let all = client.with { $0.retry = .standard { ($0.delay, $0.allowsAllMethods) = (.zero, true) } }
            _ = try await all.post("x", body: .text("a"))
            #expect(server.requests.count == 9)
            #expect(server.requests.allSatisfy { $0.body == Array("a".utf8) })
            // A body that can be sent only once is not sent again, even with permission.
            let once = RequestBody.stream(once: AsyncStream<Bytes> { $0.finish() })
            _ = try await all.post("x", body: once)
            #expect(server.requests.count == 10)
            #expect(events.decisions.contains { $0.contains("the body can be sent only once") })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a key is made once for a call, and is another for the next`() async throws {
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server) {
            $0.retry = .standard { ($0.delay, $0.addsIdempotencyKeys, $0.retries) = (.zero, true, 2) }
        } _: { server, client in
            for _ in 0..<2 { _ = try await client.post("x", body: .text("a")) }
            _ = try await client.get("x")
            let keys = server.requests.map { $0["idempotency-key"] }
            #expect(keys.count == 9)
            #expect(Set(keys[0..<3]).count == 1 && Set(keys[3..<6]).count == 1 && keys[0] != keys[3])
            #expect(keys[0]?.count == 38 && keys[0]?.hasPrefix("\"") == true)
            #expect(keys[6...].allSatisfy { $0 == nil })
        }
    }

    // MARK: Connections

    @Test func `a connection that breaks before an answer is made again, twice at most`() async throws {
        let server = try await ScriptedServer.start(replies: [[.close], [.close], .ok("third")])
        try await serving(server) {
            $0.retry = .connectionFailures
            $0.retry.delay = .zero
        } _: { server, client in
            let value5 = try await client.get("x").text()
            #expect(value5 == "third")
            #expect(server.requests.count == 3)
        }
        let dead = try await ScriptedServer.start { _ in [.close] }
        try await serving(dead) {
            $0.retry = .connectionFailures
            $0.retry.delay = .zero
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .emptyReply && error.attempts == 3, "\(error)")
            #expect(server.requests.count == 3)
            let post = try await failure { try await client.post("x", body: .text("a")) }
            #expect(post.kind == .emptyReply && post.attempts == 1)
        }
    }

    @Test func `the policy off with retries added retries no connection failure`() async throws {
        let dead = try await ScriptedServer.start { _ in [.close] }
        try await serving(dead) {
            $0.retry = .off
            ($0.retry.retries, $0.retry.delay) = (2, .zero)
        } _: { server, client in
            let error = try await failure { try await client.get("x") }
            #expect(error.kind == .emptyReply && error.attempts == 1, "\(error)")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a server that comes back is reached`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { _ in .ok("back") }
        let dead = try DeadPort()
        let book = Log<Int>()
        try await serving(server) {
            $0.retry = .connectionFailures
            $0.clock = clock
            $0.wireInterceptors = [Rerouted(log: book, first: dead.number, then: server.port)]
        } _: { _, client in
            let call = Task { try await client.get("x").text() }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            let value6 = try await call.value
            #expect(value6 == "back")
        }
    }

    /// Sends the first request to another server.
    private struct Rerouted: MessageHook {
        let log: Log<Int>
        let first: Int
        let then: Int

        func willSend(_ request: inout Request) throws(CallError) {
            log.add(1)
            let port = log.all.count == 1 ? first : then
            request.target = .uri(try TargetURI(parsing: "http://127.0.0.1:\(port)/x"))
        }
    }

    @Test func `a resolver that does not answer is asked again, an address that is not allowed is not`() async throws {
        let request = Request(.get, url: "http://a.example/")
        let call = Call(
            request, CallOptions(), observers: ObserverList())
        let hop = Hop(request: request, call: call, resends: 0)
        let retries = Retries(policy: Self.standard)
        func isRepeated(_ cause: FailureCause?) -> Bool {
            if case .resend = retries.followUp(CallError(.nameResolution, "", underlying: cause), hop) {
                true
            } else {
                false
            }
        }
        #expect(isRepeated(FailureCause(isTransient: true)))
        #expect(!isRepeated(nil))
        let server = try await ScriptedServer.start()
        try await serving(server) {
            $0.retry = Self.standard
            $0.connection.allowedAddresses = .publicOnly
        } _: { server, client in
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.kind == .connectionFailed && error?.attempts == 1)
        }
    }

    @Test(arguments: [0.0, -1, -Double.infinity, .nan]) func `no extra load adds nothing`(_ load: Double) {
        let budget = RetryBudget(extraLoad: load, reserve: 1)
        #expect(budget.withdraw())
        for _ in 0..<2_000 { budget.deposit() }
        #expect(!budget.withdraw())
    }

    @Test func `an extra load adds its share, up to the reserve`() {
        let budget = RetryBudget(extraLoad: 0.5, reserve: 1)
        #expect(budget.withdraw())
        budget.deposit()
        #expect(!budget.withdraw())
        for _ in 0..<10 { budget.deposit() }
        #expect(budget.withdraw())
        #expect(!budget.withdraw())
        let unlimited = RetryBudget(extraLoad: .infinity, reserve: 0)
        #expect((0..<100).allSatisfy { _ in unlimited.withdraw() })
    }

    // MARK: Time

    @Test func `BAD-INPUT 37: Retry-After is obeyed, and one that nobody waits for is not`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(
            replies: [
                .status(.tooManyRequests, headers: [.retryAfter: "7"]), .ok("after 7 s"),
                .status(.tooManyRequests, headers: [.retryAfter: "99999999999"]),
                .status(.tooManyRequests, headers: [.retryAfter: "-5"]), .ok("after the usual wait"),
                .status(.tooManyRequests, headers: [.retryAfter: "Sat, 01 Jan 2000 00:00:00 GMT"]), .ok("at once"),
            ])
        try await serving(server) {
            $0.retry = Self.standard
            $0.clock = clock
        } _: { server, client in
            let first = Task { try await client.get("x").text() }
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(6_999))
            #expect(clock.sleepers == 1)
            clock.advance(by: .milliseconds(1))
            let value7 = try await first.value
            #expect(value7 == "after 7 s")
            let value8 = try await client.get("x").status
            #expect(value8 == .tooManyRequests)
            #expect(server.requests.count == 3)
            let second = Task { try await client.get("x").text() }
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(200))
            let value9 = try await second.value
            #expect(value9 == "after the usual wait")
            let value10 = try await client.get("x").text()
            #expect(value10 == "at once")
        }
    }

    @Test func `the client waits for two minutes by default, and not for a second more`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start(
            replies: [
                .status(.tooManyRequests, headers: [.retryAfter: "121"]),
                .status(.tooManyRequests, headers: [.retryAfter: "120"]), .ok("after two minutes"),
            ])
        try await serving(server) {
            $0.retry = Self.standard
            $0.clock = clock
        } _: { server, client in
            #expect(try await client.get("x").status == .tooManyRequests)
            #expect(server.requests.count == 1)
            let call = Task { try await client.get("x").text() }
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(120))
            #expect(try await call.value == "after two minutes")
        }
    }

    @Test func `a wait that the deadline would not outlive is not begun`() async throws {
        let server = try await ScriptedServer.start { _ in .status(.serviceUnavailable, headers: [.retryAfter: "60"])
        }
        try await serving(server) {
            $0.retry = .standard
            $0.timeouts.total = .seconds(30)
        } _: { server, client in
            let events = Log<CallEvent>()
            let observation = client.observe { events.add($0) }
            let value11 = try await client.get("x").status
            #expect(value11 == .serviceUnavailable)
            #expect(server.requests.count == 1)
            #expect(
                events.decisions.contains { $0.contains("the deadline is nearer than 60 s") }, "\(events.decisions)")
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `waits are random up to twice the last, and never above the most`() {
        var policy = RetryPolicy.standard
        policy.random = { 0.5 }
        policy.maximumDelay = .seconds(1)
        #expect((0..<5).map { policy.backOff(after: $0) } == [100, 200, 400, 500, 500].map { .milliseconds($0) })
        for count in [-1, 62, 63, 64, Int.max] { #expect(policy.backOff(after: count) <= .seconds(1)) }
        policy.random = { .random(in: 0..<1) }
        #expect(Set((0..<100).map { _ in policy.backOff(after: 3) }).count > 90)
    }

    // MARK: Budget and rule

    @Test func `retries are ten, and then a fifth of what is answered, over all views`() async throws {
        let server = try await ScriptedServer.start { $0.path == "/ok" ? .ok() : Self.down }
        try await serving(server, { $0.retry = .standard { ($0.delay, $0.retries) = (.zero, 1) } }) { server, client in
            // The reserve is ten retries.
            for _ in 0..<20 { _ = try await client.with { $0.timeouts.total = .seconds(60) }.get("x") }
            #expect(server.requests.count == 30)
            for _ in 0..<10 { _ = try await client.get("ok") }
            #expect(server.requests.count == 40)
            // Ten responses earn two more retries.
            for _ in 0..<5 { _ = try await client.get("x") }
            #expect(server.requests.count == 47)
        }
    }

    @Test func `a rule decides before the policy, within its limits`() async throws {
        let server = try await ScriptedServer.start { $0.path == "/conflict" ? .status(.conflict) : Self.down }
        let seen = Log<Int>()
        try await serving(server) {
            $0.retry = .standard {
                $0.delay = .zero
                $0.rule = { outcome in
                    seen.add(outcome.retries)
                    switch outcome.response?.status {
                    case .conflict: return .retry(after: .zero)
                    case .serviceUnavailable: return .giveUp
                    default: return .standard
                    }
                }
            }
        } _: { server, client in
            let value12 = try await client.get("conflict").status
            #expect(value12 == .conflict)
            #expect(server.requests.count == 4 && seen.all == [0, 1, 2, 3])
            let value13 = try await client.get("x").status
            #expect(value13 == .serviceUnavailable)
            #expect(server.requests.count == 5)
        }
    }

    @Test func `a call that is cancelled while it waits is sent no more`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { _ in Self.down }
        try await serving(server) {
            $0.retry = .standard
            $0.clock = clock
        } _: { server, client in
            let task = Task { try await client.get("x") }
            try await clock.waitForSleepers(1)
            task.cancel()
            let error = await callError { _ = try await task.value }
            #expect(error?.kind == .cancelled && error?.phase == .backingOff)
            #expect(server.requests.count == 1)
        }
    }
}
