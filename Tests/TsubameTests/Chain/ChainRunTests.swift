// ChainRunTests: the chain's run: its hooks, the steps that send again, and their limits.

import HTTPTypes
import Testing
import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct ChainRunTests {
    /// Reports when a message passes, and marks the message.
    struct Tracer: MessageHook {
        let mark: String
        let log: Log<String>

        var name: String { "tracer \(mark)" }

        func willSend(_ request: inout Request) throws(CallError) {
            log.add("\(mark) out")
            request.headers.append(HTTPField(name: .via, value: mark))
        }

        func didReceive(_ response: inout Response) throws(CallError) {
            log.add("\(mark) in \(response.statusCode)")
            response.headers.append(HTTPField(name: .via, value: mark))
        }
    }

    /// A step made of closures. The client's lists take interceptors, and steps of the library's own package.
    final class TestPolicy: ChainStep, Interceptor {
        let name = "TestPolicy"
        let received: @Sendable (borrowing Response, borrowing Hop) -> FollowUp
        let failed: @Sendable (CallError, borrowing Hop) -> FollowUp

        init(
            received: @escaping @Sendable (borrowing Response, borrowing Hop) -> FollowUp = { _, _ in .proceed },
            failed: @escaping @Sendable (CallError, borrowing Hop) -> FollowUp = { _, _ in .proceed }
        ) {
            self.received = received
            self.failed = failed
        }

        func stance(toward request: borrowing Request) -> Stance { .watching }
        func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { true }
        func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { received(response, hop) }
        func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp { failed(error, hop) }

        func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }

        /// Sends again every request that a 503 answers.
        static func resending(after delay: Duration = .zero) -> TestPolicy {
            TestPolicy(received: { response, hop in
                guard response.statusCode == 503 else { return .proceed }
                var next = hop.request
                next.headers[.maxForwards] = "\(hop.resends)"
                return .resend(next, after: delay, why: ResendReason(.retry, "503"))
            })
        }
    }

    private static let unavailable = HTTPResponse.Status.serviceUnavailable

    private static func client(
        _ stub: StubTransport, _ configure: (inout Configuration) -> Void
    ) -> Client {
        Client("https://a.example", transport: stub) {
            $0.retry = .off
            configure(&$0)
        }
    }

    // MARK: Hooks

    @Test func `hooks are passed in order outwards, and in reverse on the way back`() async throws {
        let log = Log<String>()
        let stub = StubTransport { $0.on("/x").respond(status: .ok) }
        let client = Self.client(stub) {
            $0.interceptors = [Tracer(mark: "a", log: log), Tracer(mark: "b", log: log)]
            $0.wireInterceptors = [Tracer(mark: "c", log: log)]
        }
        let response = try await client.get("x")
        #expect(log.all == ["a out", "b out", "c out", "c in 200", "b in 200", "a in 200"])
        #expect(stub.requests.first?.headers[.via] == "a, b, c")
        #expect(response.headers[.via] == "c, b, a")
    }

    @Test func `interceptors and hooks keep the order in which they are listed`() async throws {
        struct Wrap: Interceptor {
            let log: Log<String>

            func intercept(_ request: Request, next: Next) async throws -> Response {
                log.add("interceptor out")
                let response = try await next(request)
                log.add("interceptor in")
                return response
            }
        }
        let log = Log<String>()
        let client = Self.client(StubTransport { $0.on("/x") }) {
            $0.interceptors = [Tracer(mark: "a", log: log), Wrap(log: log), Tracer(mark: "b", log: log)]
        }
        _ = try await client.get("x")
        #expect(log.all == ["a out", "interceptor out", "b out", "b in 200", "interceptor in", "a in 200"])
    }

    @Test func `outer interceptors see a call once, inner ones every request`() async throws {
        let log = Log<String>()
        let stub = StubTransport {
            $0.on("/x").respond(status: .found, headers: [.location: "/y"])
            $0.on("/y")
        }
        let client = Self.client(stub) {
            $0.interceptors = [Tracer(mark: "a", log: log)]
            $0.wireInterceptors = [Tracer(mark: "c", log: log)]
        }
        _ = try await client.get("x")
        #expect(log.all == ["a out", "c out", "c in 302", "c out", "c in 200", "a in 200"])
        #expect(stub.requests.map { $0.headers[.via] } == ["a, c", "a, c"])
    }

    @Test func `what a hook throws ends the call, on the way out before anything is sent`() async throws {
        struct Refusal: MessageHook {
            func willSend(_ request: inout Request) throws(CallError) {
                throw CallError(.invalidRequest, "refused")
            }
        }
        struct Disgust: MessageHook {
            func didReceive(_ response: inout Response) throws(CallError) {
                throw CallError(.invalidResponse, "disgusting")
            }
        }
        let stub = StubTransport { $0.on("/x") }
        let out = await callError { _ = try await Self.client(stub) { $0.interceptors = [Refusal()] }.get("x") }
        #expect(out?.reason == "refused")
        #expect(out?.request?.summary == "GET https://a.example/x")
        #expect(stub.requests.isEmpty)
        let back = await callError { _ = try await Self.client(stub) { $0.wireInterceptors = [Disgust()] }.get("x") }
        #expect(back?.reason == "disgusting")
        #expect(stub.requests.count == 1)
    }

    // MARK: Follow-up policies

    @Test func `a resend starts behind its policy and goes on from what it sent`() async throws {
        let log = Log<String>()
        let stub = StubTransport {
            $0.on("/x").respond(status: Self.unavailable).respond(status: Self.unavailable).respond(text: "at last")
        }
        let events = Log<CallEvent>()
        let client = Self.client(stub) {
            $0.interceptors = [
                Tracer(mark: "a", log: log), TestPolicy.resending(), Tracer(mark: "b", log: log),
            ]
        }
        let observation = client.observe { events.add($0) }
        let response = try await client.get("x")
        #expect(log.all == ["a out", "b out", "b in 503", "b out", "b in 503", "b out", "b in 200", "a in 200"])
        #expect(stub.requests.map { $0.headers[.maxForwards] } == [nil, "0", "1"])
        // The policy sees the request that it sent, without the changes of later hooks.
        #expect(stub.requests.map { $0.headers[.via] } == ["a, b", "a, b", "a, b"])
        #expect(response.history.map(\.statusCode) == [503, 503])
        #expect(events.resendings == ["503", "503"])
        #expect(events.ends.count == 1)
        observation.cancel()
    }

    @Test func `a policy may note, fail, or fetch something first`() async throws {
        let stub = StubTransport { $0.on("/x").respond(status: .unauthorized).respond(status: .ok) }
        let events = Log<CallEvent>()
        let gate = Gate()
        let client = Self.client(stub) {
            $0.interceptors = [
                TestPolicy(received: { response, hop in
                    guard response.statusCode == 401 else { return .note("it is \(response.statusCode)") }
                    let request = hop.request
                    return .resendWhen(
                        { () throws(CallError) in
                            do { try await gate.wait() } catch { throw CallError(.cancelled, "gate") }
                            var next = request
                            next.headers[.authorization] = "fetched"
                            return next
                        }, why: ResendReason(.retry, "401"))
                })
            ]
        }
        let observation = client.observe { events.add($0) }
        let call = Task { try await client.get("x") }
        try await gate.waitForArrivals(1)
        #expect(stub.requests.count == 1)
        gate.open()
        let response = try await call.value
        #expect(response.statusCode == 200)
        #expect(stub.requests.map { $0.headers[.authorization] } == [nil, "fetched"])
        #expect(events.resendings == ["401"])
        #expect(events.decisions == ["it is 200"])
        observation.cancel()
    }

    @Test func `what a policy fails with, or throws while it fetches, ends the call`() async throws {
        let stub = StubTransport { $0.on("/x") }
        let failing = TestPolicy(received: { _, _ in .fail(CallError(.unsupported, "no")) })
        let throwing = TestPolicy(received: { _, _ in
            .resendWhen({ () throws(CallError) in throw CallError(.unsupported, "no") }, why: ResendReason(.retry, "x"))
        })
        for policy in [failing, throwing] {
            let error = await callError { _ = try await Self.client(stub) { $0.interceptors = [policy] }.get("x") }
            #expect(error?.kind == .unsupported)
        }
        #expect(stub.requests.count == 2)
    }

    @Test func `a failure can be sent again, and the next policy outwards sees one that is not`() async throws {
        let lost = CallError(.connectionLost, "gone")
        let stub = StubTransport { $0.on("/x").fail(lost).fail(CallError(.tls, "no")).fail(lost).respond(text: "x") }
        let outer = Log<CallError.Kind>()
        let client = Self.client(stub) {
            $0.interceptors = [
                TestPolicy(failed: { error, hop in
                    outer.add(error.kind)
                    return .resend(hop.request, after: .zero, why: ResendReason(.retry, "outer"))
                }),
                TestPolicy(failed: { error, hop in
                    error.kind == .connectionLost
                        ? .resend(hop.request, after: .zero, why: ResendReason(.retry, "inner")) : .proceed
                }),
            ]
        }
        let response = try await client.get("x")
        #expect(response.bytes == Bytes("x"))
        // A failure adds no response to the history.
        #expect(response.history.isEmpty)
        #expect(outer.all == [.tls])
        #expect(stub.requests.count == 4)
    }

    @Test func `a policy that never ends is ended after forty exchanges`() async throws {
        let stub = StubTransport { $0.on("/x").respond(status: Self.unavailable) }
        let client = Self.client(stub) { $0.interceptors = [TestPolicy.resending()] }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .limitExceeded)
        #expect(error?.reason == "more than 40 exchanges for one call (limits.exchanges)")
        #expect(stub.requests.count == 40)
        // The error holds the last response before the failure.
        #expect(error?.response?.status == Self.unavailable)
        #expect(error?.response?.history.count == 39)
    }

    @Test func `an error says how many exchanges the call had begun`() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: Self.unavailable).respond(status: Self.unavailable)
                .fail(CallError(.connectionLost, "gone"))
            $0.on("/once").fail(CallError(.connectionLost, "gone"))
            $0.on("/status").respond(status: Self.unavailable).respond(status: .notFound)
        }
        let client = Self.client(stub) { $0.interceptors = [TestPolicy.resending()] }
        let lost = await callError { _ = try await client.get("x") }
        #expect(lost?.attempts == 3)
        #expect(lost.map { "\($0)" }?.contains("3 exchanges") == true)
        let once = await callError { _ = try await client.get("once") }
        #expect(once?.attempts == 1)
        let status = await callError { try await client.get("status").accepted() }
        #expect(status?.attempts == 2)
    }

    @Test func `what a policy fails with carries the responses so far`() async throws {
        let stub = StubTransport {
            $0.on("/x").respond(status: Self.unavailable).respond(status: Self.unavailable).respond(status: .gone)
        }
        let policy = TestPolicy(received: { response, hop in
            if response.statusCode == 503 {
                return .resend(hop.request, after: .zero, why: ResendReason(.retry, "503"))
            }
            let response = copy response
            return .fail(CallError(.misuse, "gone", response: response))
        })
        let client = Self.client(stub) { $0.interceptors = [policy] }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.response?.status == .gone)
        #expect(error?.response?.history.map(\.statusCode) == [503, 503])
        #expect(error?.attempts == 3)
    }

    // MARK: Back-off

    @Test func `a delay is counted on the client's clock`() async throws {
        let clock = ManualClock()
        let stub = StubTransport { $0.on("/x").respond(status: Self.unavailable).respond(text: "x") }
        let client = Self.client(stub) {
            $0.clock = clock
            $0.interceptors = [TestPolicy.resending(after: .seconds(3600))]
        }
        let call = Task { try await client.get("x") }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3599))
        #expect(clock.sleepers == 1 && stub.requests.count == 1)
        clock.advance(by: .seconds(1))
        let response = try await call.value
        #expect(response.statusCode == 200)
    }

    @Test func `a delay in real time is waited out`() async throws {
        let stub = StubTransport { $0.on("/x").respond(status: Self.unavailable).respond(text: "x") }
        let client = Self.client(stub) { $0.interceptors = [TestPolicy.resending(after: .milliseconds(20))] }
        let start = ContinuousClock.now
        _ = try await client.get("x")
        #expect(ContinuousClock.now - start >= .milliseconds(20))
    }

    @Test("BAD-INPUT 37: a delay beyond all bounds ends with the deadline") func endlessDelay() async throws {
        let stub = StubTransport { $0.on("/x").respond(status: Self.unavailable) }
        let client = Self.client(stub) {
            $0.timeouts.total = .milliseconds(50)
            $0.interceptors = [TestPolicy.resending(after: .seconds(Int64.max))]
        }
        let start = ContinuousClock.now
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .timeout && error?.timeout == .total && error?.phase == .backingOff)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func `a delay ends at once when the call is cancelled`() async throws {
        let stub = StubTransport { $0.on("/x").respond(status: Self.unavailable) }
        let client = Self.client(stub) { $0.interceptors = [TestPolicy.resending(after: .seconds(3600))] }
        let resending = Gate()
        let observation = client.observe { if case .resending = $0.kind { resending.open() } }
        let task = Task { try await client.get("x") }
        try await resending.wait()
        task.cancel()
        let byTask = await callError { _ = try await task.value }
        #expect(byTask?.kind == .cancelled && byTask?.phase == .backingOff)
        observation.cancel()
    }

    // MARK: The list

    @Test func `the chain prints as it is resolved`() {
        struct Wrap: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        let log = Log<String>()
        let client = Self.client(StubTransport()) {
            $0.cookies = .memory
            $0.interceptors = [CommonParameters { [:] }, Wrap()]
            $0.wireInterceptors = [Tracer(mark: "wire", log: log)]
        }
        #expect(
            "\(client.chain)" == """
                1. CommonParameters (hook)
                2. Wrap (interceptor)
                3. Redirects (follow-up)
                4. HSTSUpgrade (hook)
                5. Credentials (follow-up)
                6. CookiesOut (hook)
                7. ContentDecoding (hook)
                8. CacheDirectives (hook)
                9. CookiesIn (hook)
                10. tracer wire (hook)
                11. stub (transport)
                """)
        #expect(
            "\(Client.shared.chain)" == """
                1. Redirects (follow-up)
                2. HSTSUpgrade (hook)
                3. Credentials (follow-up)
                4. ContentDecoding (hook)
                5. CacheDirectives (hook)
                6. Retries (follow-up)
                7. Engine (HTTP/1.1, HTTP/2) (transport)
                """)
    }
}
