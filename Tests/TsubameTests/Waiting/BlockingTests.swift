// BlockingTests: blocking calls wait on their own thread, need no other thread, and cannot be made where they must not
// be.

import Dispatch
import Foundation
import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(2))) struct BlockingTests {
    @Test func `waits on its own thread and gives what async gives`() async throws {
        try await serving(.start { .ok("hello \($0.path)") }) { server, client in
            let (status, text, isSame) = try await onThread {
                let thread = Thread.current
                let response = try client.blocking.send(Request(.get, "x"))
                return (response.statusCode, try response.text(), Thread.current === thread)
            }
            #expect(status == 200 && text == "hello /x" && isSame)
        }
    }

    @Test func `interceptors run on the waiting thread`() async throws {
        struct ThreadKeeper: MessageHook {
            let threads: Log<ObjectIdentifier>

            func willSend(_ request: inout Request) throws(CallError) { note() }
            func didReceive(_ response: inout Response) throws(CallError) { note() }

            func note() { threads.add(ObjectIdentifier(Thread.current)) }
        }
        let threads = Log<ObjectIdentifier>()
        try await serving(.start()) {
            $0.wireInterceptors = [ThreadKeeper(threads: threads)]
        } _: { _, client in
            let (own, asked) = try await onThread {
                let own = ObjectIdentifier(Thread.current)
                _ = try client.blocking.send(Request(.get, "x"))
                return (own, threads.all)
            }
            #expect(asked == [own, own])
        }
    }

    @Test func `an endpoint is sent, decoded and waited for`() async throws {
        struct Answer: Endpoint {
            var path: RequestPath { "answer" }
            typealias Value = [Int]
        }
        try await serving(.start { _ in .json("[42]") }) { _, client in
            let value = try await onThread { try client.blocking.send(Answer()) }
            #expect(value == [42])
        }
    }

    @Test func `a body is read piece by piece, and an unread rest given up`() async throws {
        try await serving(.start { $0.path == "/all" ? .chunked(["hel", "lo"]) : .stream(nil) }) { server, client in
            let all = try await onThread {
                try client.blocking.stream(Request(.get, "all")) { response, next in
                    var text = ""
                    while let piece = try next() { text += String(decoding: piece, as: UTF8.self) }
                    return "\(response.statusCode) \(text)"
                }
            }
            #expect(all == "200 hello")
            let some = try await onThread {
                try client.blocking.stream(Request(.get, "endless")) { _, next in try next()?.count ?? 0 }
            }
            #expect(some > 0)
            try await server.waitUntil(openConnections: 0)
        }
    }

    struct OwnError: Error {}

    @Test func `what the closure throws is thrown on`() async throws {
        try await serving(.start { _ in .ok("x") }) { _, client in
            let error = await #expect(throws: OwnError.self) {
                try await onThread {
                    try client.blocking.stream(Request(.get, "x")) { _, _ in throw OwnError() }
                }
            }
            #expect(error != nil)
        }
    }

    @Test func `a stalled answer ends with the deadline, on the waiting thread`() async throws {
        try await serving(.start { _ in .stall }) { server, client in
            var request = Request(.get, "x")
            request.timeouts.total = .milliseconds(30)
            let start = ContinuousClock.now
            let error = await callError { [request] in
                _ = try await onThread { try client.blocking.send(request) }
            }
            #expect(error?.kind == .timeout && error?.timeout == .total)
            #expect(ContinuousClock.now - start >= .milliseconds(30))
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `the total time is a minute unless set`() {
        let client = Client("https://a.example", transport: StubTransport())
        let minute = Duration.seconds(60)
        func total(_ request: Request, _ client: Client) -> Duration? {
            client.makeCall(request, defaultTotal: minute).options.timeouts.total
        }
        #expect(total(Request(.get, "x"), client) == minute)
        #expect(total(Request(.get, "x"), client.with { $0.timeouts.total = .seconds(5) }) == .seconds(5))
        #expect(total(Request(.get, "x"), client.with { $0.timeouts.total = nil }) == nil)
        var request = Request(.get, "x")
        request.timeouts.total = .seconds(7)
        #expect(total(request, client) == .seconds(7))
    }

    /// A program's synchronous function that waits for a response.
    private static func length(of path: RequestPath, _ client: Client) throws -> Int {
        try client.blocking.send(Request(.get, path)).bytes.count
    }

    // With fewer than 64 cores, this blocks all threads of the cooperative pool at once. A call that needed one of
    // these threads would never end. On a machine with more cores this proves nothing.
    @Test func `sixty-four tasks that block on calls all finish`() async throws {
        try await serving(.start { _ in .ok("hello") }) { server, client in
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        // The same must hold with redirects, bodies and an interceptor's guard.
                        try Self.length(of: "x/\(index)", client)
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 64 * 5)
            #expect(server.requests.count == 64)
        }
    }

    @Test func `so do they with streamed bodies, redirects, interceptors and back-off in the way`() async throws {
        struct Wrap: Interceptor {
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        let policy = ChainRunTests.TestPolicy.resending(after: .milliseconds(1))
        let server = try await ScriptedServer.start { request in
            switch (request["max-forwards"], request.path) {
            case (nil, _): .status(.serviceUnavailable)
            case (_, "/end"): .chunked(["hel", "lo"])
            default: .redirect(to: "/end", status: .temporaryRedirect)
            }
        }
        try await serving(server) {
            $0.interceptors = [Wrap(), policy]
        } _: { server, client in
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try Self.exchange(client)
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 64 * 5)
        }
    }

    private static func exchange(_ client: Client) throws -> Int {
        let pieces = AsyncStream<Bytes> {
            $0.yield(Bytes("up"))
            $0.finish()
        }
        let request = Request(.put, "start", body: .stream { pieces })
        return try client.blocking.stream(request) { _, next in
            var count = 0
            while let piece = try next() { count += piece.count }
            return count
        }
    }

    private static func sendBlocking(_ client: Client) throws(CallError) -> Response {
        try client.blocking.send(Request(.get, "x"))
    }

    @Test func `on an event loop's thread it is misuse, said before anything is sent`() async throws {
        try await serving(.start()) { server, client in
            let executor = try #require(client.executor)
            let error = await callError {
                try await withTaskExecutorPreference(executor) { _ = try Self.sendBlocking(client) }
            }
            #expect(error?.kind == .misuse)
            #expect(
                "\(error.map(String.init(describing:)) ?? "")" == """
                    GET /x failed while preparing the request: \
                    a blocking call on an event loop's thread would wait for itself
                      use the async way there
                    """)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a client that is closed refuses, and one that closes ends the wait`() async throws {
        try await serving(.start { _ in .stall }) { server, client in
            let error = await callError {
                async let response = onThread { try client.blocking.send(Request(.get, "x")) }
                _ = try await server.head(0)
                await client.close()
                _ = try await response
            }
            #expect(error?.kind == .cancelled)
            let late = await callError { _ = try await onThread { try client.blocking.send(Request(.get, "x")) } }
            #expect(late?.kind == .cancelled && late?.reason == "the client is closed")
        }
    }

    @Test func `cancelling the task that reads piece by piece ends the call`() async throws {
        @Sendable func readBlocked(_ client: Client) throws {
            try client.blocking.stream(Request(.get, "x")) { _, next in
                while try next() != nil {}
            }
        }
        try await serving(
            .start { _ in [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .stall] }
        ) { _, client in
            let (began, begin) = AsyncStream.makeStream(of: Void.self)
            let observation = client.observe { if case .receiving = $0.kind { begin.finish() } }
            defer { observation.cancel() }
            let task = Task(executorPreference: ThreadOfItsOwn()) { try readBlocked(client) }
            for await _ in began {}
            task.cancel()
            let error = await callError { try await task.value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func `cancelling the task that waits ends the call`() async throws {
        @Sendable func waitBlocked(_ client: Client) throws -> Response { try client.blocking.send(Request(.get, "x")) }
        try await serving(.start { _ in .stall }) { server, client in
            let task = Task(executorPreference: ThreadOfItsOwn()) { try waitBlocked(client) }
            _ = try await server.head(0)
            task.cancel()
            let error = await callError { _ = try await task.value }
            #expect(error?.kind == .cancelled)
        }
    }
}

/// A thread on which a task may block. Two blocked tasks on the shared threads of all tests would leave no thread for a
/// cancellation.
private final class ThreadOfItsOwn: TaskExecutor {
    private let queue = DispatchQueue(label: "a thread of its own")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
