// InterceptorTests: the user's interceptors: they answer, proceed twice, throw, and never hold a call beyond its end.

import Dispatch
import HTTPTypes
import Synchronization
import Testing
import Tsubame
import TsubamePlatform
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct InterceptorTests {
    /// An interceptor made of a closure.
    struct TestInterceptor: Interceptor {
        let body: @Sendable (Request, Next) async throws -> Response

        init(_ body: @escaping @Sendable (Request, Next) async throws -> Response) { self.body = body }

        func intercept(_ request: Request, next: Next) async throws -> Response { try await body(request, next) }
    }

    private static func client(
        _ stub: StubTransport = StubTransport { $0.on("*") }, _ configure: (inout Configuration) -> Void = { _ in },
        _ body: @escaping @Sendable (Request, Next) async throws -> Response
    ) -> Client {
        Client("https://a.example", transport: stub) {
            configure(&$0)
            $0.interceptors = [TestInterceptor(body)]
        }
    }

    @Test func `an interceptor that answers itself sends nothing, and its answer is to the request`() async throws {
        let stub = StubTransport { $0.on("*") }
        let client = Self.client(stub) { _, _ in Response(status: .notFound, body: Bytes("mine")) }
        var request = Request(.get, "x")
        request.acceptedStatuses = .successful.union(404...404)
        let response = try await client.send(request)
        let text = try await response.text()
        #expect(text == "mine")
        #expect(response.request.uri?.string == "https://a.example/x")
        #expect(stub.requests.isEmpty)
    }

    @Test func `a cancellation ends each exchange of a call, also one before the last`() async throws {
        let half: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .stall]
        let server = try await ScriptedServer.start { $0.index == 0 ? half : .ok("second") }
        let interceptor = TestInterceptor { request, next in
            let first = try await next(request)
            _ = try await next(request)
            return first
        }
        try await serving(server, { $0.interceptors = [interceptor] }) { server, client in
            let error = await callError {
                try await client.stream(Request(.get, url: server.url)) { response in
                    let closing = Task { await client.close() }
                    defer { closing.cancel() }
                    _ = try await response.body.collect()
                }
            }
            #expect(error?.kind == .cancelled)
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `an exchange that begins after the end of its call is refused`() async throws {
        let late = Latch<Next>()
        let server = try await ScriptedServer.start()
        let interceptor = TestInterceptor { request, next in
            late.settle(next)
            return try await next(request)
        }
        try await serving(server, { $0.interceptors = [interceptor] }) { server, client in
            _ = try await client.get(url: server.url)
            let next = try #require(await late.wait())
            let error = await callError { _ = try await next(Request(.get, url: server.url)) }
            #expect(error?.kind == .cancelled)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `an interceptor may go twice, with another request`() async throws {
        let stub = StubTransport { $0.on("*").respond(status: .unauthorized).respond(text: "in") }
        let client = Self.client(stub) { request, next in
            let response = try await next(request)
            guard response.statusCode == 401 else { return response }
            var again = request
            again.headers[.authorization] = "again"
            return try await next(again)
        }
        let response = try await client.get("x")
        #expect(response.bytes == Bytes("in"))
        #expect(response.history.isEmpty)
        #expect(stub.requests.map { $0.headers[.authorization] } == [nil, "again"])
    }

    @Test func `an interceptor among the wire interceptors sees every request that is really sent`() async throws {
        let log = Log<String>()
        let stub = StubTransport {
            $0.on("/x").respond(status: .found, headers: [.location: "/y"])
            $0.on("/y")
        }
        let client = Client("https://a.example", transport: stub) {
            $0.wireInterceptors = [
                TestInterceptor { request, next in
                    log.add(request.uri?.path ?? "")
                    return try await next(request)
                }
            ]
        }
        let response = try await client.get("x")
        #expect(log.all == ["/x", "/y"])
        #expect(response.history.count == 1)
    }

    struct OwnError: Error, Equatable { let code: Int }

    @Test func `an error of its own is thrown on as underlying`() async throws {
        let error = await callError { _ = try await Self.client { _, _ in throw OwnError(code: 7) }.get("x") }
        #expect(error?.kind == .interceptor)
        #expect(error?.underlying as? OwnError == OwnError(code: 7))
        #expect(error?.reason == "the interceptor TestInterceptor threw: OwnError(code: 7)")
        #expect(error?.request?.uri?.path == "/x")
    }

    @Test func `a CallError goes through as it is, and a CancellationError is a cancelled call`() async throws {
        let mine = await callError {
            _ = try await Self.client { _, _ in throw CallError(.unsupported, "mine") }.get("x")
        }
        #expect(mine?.kind == .unsupported && mine?.reason == "mine")
        let cancelled = await callError { _ = try await Self.client { _, _ in throw CancellationError() }.get("x") }
        #expect(cancelled?.kind == .cancelled)
    }

    @Test func `an interceptor sees what fails behind it, and may answer instead`() async throws {
        let stub = StubTransport { $0.on("*").fail(CallError(.connectionLost, "gone")) }
        let client = Self.client(stub) { request, next in
            do {
                return try await next(request)
            } catch let error as CallError {
                #expect(error.kind == .connectionLost)
                return Response(status: .ok, body: Bytes("from memory"))
            }
        }
        let response = try await client.get("x")
        #expect(response.bytes == Bytes("from memory"))
    }

    @Test func `going on and on ends after forty exchanges`() async throws {
        let stub = StubTransport { $0.on("*").respond(status: .serviceUnavailable) }
        let client = Self.client(stub) { request, next in
            while true {
                let response = try await next(request)
                if response.statusCode == 200 { return response }
            }
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .limitExceeded)
        #expect(stub.requests.count == 40)
    }

    // MARK: Interceptors that never return

    /// Waits, ignoring deadlines and cancellation, until the test releases it.
    private final class Trap: Sendable {
        private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        let entered = Gate()
        let left = Gate()

        func fall() async {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append(continuation) }
                entered.open()
            }
            left.open()
        }

        func release() {
            for continuation in waiting.withLock({ $0 }) { continuation.resume() }
        }
    }

    /// The error of a call that waits in a trap. The trap is opened afterwards.
    private static func errorInTrap(
        _ configure: (inout Configuration) -> Void = { _ in },
        _ send: (Client, Trap) async throws -> Void
    ) async throws -> CallError? {
        let trap = Trap()
        let client = client(StubTransport { $0.on("*") }, configure) { request, next in
            await trap.fall()
            return try await next(request)
        }
        let events = Log<CallEvent>()
        let observation = client.observe { events.add($0) }
        let error = await callError { try await send(client, trap) }
        #expect(client.runningCallCount == 0)
        trap.release()
        try await trap.left.wait()
        #expect(events.ends.count == 1)
        observation.cancel()
        return error
    }

    @Test func `an interceptor that never returns does not outlast the deadline`() async throws {
        let start = ContinuousClock.now
        let error = try await Self.errorInTrap {
            $0.timeouts.total = .milliseconds(1_500)
        } _: { client, _ in
            _ = try await client.get("x")
        }
        #expect(error?.kind == .timeout && error?.timeout == .total)
        #expect(error?.reason == "not done after 1.5 s")
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
    }

    @Test func `nor does it in a stream, a blocking call or a callback`() async throws {
        let streamed = try await Self.errorInTrap {
            $0.timeouts.total = .milliseconds(1_500)
        } _: { client, _ in
            _ = try await client.stream(Request(.get, "x")) { _ in }
        }
        #expect(streamed?.timeout == .total)
        let blocking = try await Self.errorInTrap {
            $0.timeouts.total = .milliseconds(1_500)
        } _: { client, _ in
            _ = try await onThread { () throws(CallError) in try client.blocking.send(Request(.get, "x")) }
        }
        #expect(blocking?.timeout == .total)
        let started = try await Self.errorInTrap {
            $0.timeouts.total = .milliseconds(1_500)
        } _: { client, _ in
            let result = await withCheckedContinuation { continuation in
                client.start(Request(.get, "x")) { continuation.resume(returning: $0) }
            }
            _ = try result.get()
        }
        #expect(started?.timeout == .total)
    }

    @Test func `an interceptor that never returns does not outlast its task`() async throws {
        let error = try await Self.errorInTrap { client, trap in
            let task = Task { try await client.get("x") }
            try await trap.entered.wait()
            task.cancel()
            _ = try await task.value
        }
        #expect(error?.kind == .cancelled)
    }

    @Test func `an interceptor that never returns does not outlast its call`() async throws {
        let error = try await Self.errorInTrap { client, trap in
            let ended = AsyncStream<Result<Response, CallError>>.makeStream()
            let call = client.start(Request(.get, "x"), on: .queue(.global())) { ended.continuation.yield($0) }
            try await trap.entered.wait()
            call.cancel()
            for await result in ended.stream {
                _ = try result.get()
                break
            }
        }
        #expect(error?.kind == .cancelled)
    }

    @Test func `an interceptor that waits as tasks do is cancelled at the deadline`() async throws {
        let cancelled = Gate()
        let client = Self.client(StubTransport(), { $0.timeouts.total = .milliseconds(1_500) }) { _, _ in
            do {
                try await Gate().wait()
            } catch {
                cancelled.open()
                throw error
            }
            return Response(status: .ok)
        }
        let error = await callError { _ = try await client.get("x") }
        #expect(error?.kind == .timeout && error?.timeout == .total)
        try await cancelled.wait()
    }

    @Test func `behind an interceptor the exchange's own deadline says more`() async throws {
        try await serving(.start { _ in .stall }) {
            $0.timeouts.total = .milliseconds(50)
            $0.interceptors = [TestInterceptor { request, next in try await next(request) }]
        } _: { server, client in
            let error = await callError { _ = try await client.get("x") }
            #expect(error?.timeout == .total)
            try await server.waitUntil(openConnections: 0)
        }
    }
}
