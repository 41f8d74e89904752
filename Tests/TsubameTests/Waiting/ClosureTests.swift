// ClosureTests: closures are called once, last, and on the caller's queue.

import Dispatch
import HTTPTypes
import Testing
import TsubameTesting

@testable import Tsubame

@Suite(.timeLimit(.minutes(1))) struct ClosureTests {
    private static let queueKey = DispatchSpecificKey<Bool>()

    private static func queue() -> DispatchQueue {
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: queueKey, value: true)
        return queue
    }

    private static var isOnQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

    @Test @MainActor func `without a queue callbacks run on the main actor`() async throws {
        try await serving(.start { _ in .ok("hello") }) { _, client in
            let response = try await withCheckedContinuation { continuation in
                client.start(Request(.get, "x")) { result in
                    MainActor.assertIsolated()
                    continuation.resume(returning: result)
                }
            }.get()
            #expect(response.bytes == Bytes("hello"))
        }
    }

    @Test func `a single trailing closure is the one called at the end`() async throws {
        let client = Client("https://a.example", transport: StubTransport { $0.on("/x").respond(text: "x") })
        let result = await withCheckedContinuation { continuation in
            client.start(Request(.get, "x"), on: .queue(Self.queue())) { result in
                #expect(Self.isOnQueue)
                continuation.resume(returning: result)
            }
        }
        #expect(try result.get().bytes == Bytes("x"))
    }

    /// The closures that a call runs on its queue, in order, up to the end.
    private static func told(
        by client: Client, _ request: Request, on queue: CallbackQueue = .queue(queue())
    ) async -> (progress: [CallProgress], afterEnd: Int, result: Result<Response, CallError>) {
        let progress = Log<CallProgress>()
        let before = Log<Int>()
        let result = await withCheckedContinuation { continuation in
            client.start(request, on: queue) {
                progress.add($0)
            } then: { result in
                before.add(progress.all.count)
                continuation.resume(returning: result)
            }
        }
        return (progress.all, progress.all.count - (before.all.first ?? 0), result)
    }

    @Test func `progress goes up to the whole, both ways, before the end`() async throws {
        let size = 3 << 20
        try await serving(.start { _ in .stream(size) }) { server, client in
            let body = RequestBody.bytes([UInt8](repeating: 0x78, count: size))
            let (progress, afterEnd, result) = await Self.told(by: client, Request(.post, "x", body: body))
            let response = try result.get()
            #expect(response.bytes.count == size)
            #expect(afterEnd == 0)
            let last = try #require(progress.last)
            #expect(last.sent == TransferProgress(bytes: Int64(size), total: Int64(size)) && last.sent.fraction == 1)
            #expect(
                last.received == TransferProgress(bytes: Int64(size), total: Int64(size)) && last.received.fraction == 1
            )
            for (earlier, later) in zip(progress, progress.dropFirst()) {
                #expect(earlier.sent.bytes <= later.sent.bytes && earlier.received.bytes <= later.received.bytes)
            }
        }
    }

    @Test func `a length that is not known gives no fraction`() async throws {
        try await serving(.start { _ in .chunked(["hel", "lo"]) }) { _, client in
            let stream = RequestBody.stream {
                AsyncStream<Bytes> {
                    $0.yield(Bytes("up"))
                    $0.finish()
                }
            }
            let (progress, _, result) = await Self.told(by: client, Request(.post, "x", body: stream))
            _ = try result.get()
            let last = try #require(progress.last)
            #expect(last.sent.bytes == 2)
            #expect(last.received.bytes == 5 && last.received.total == nil && last.received.fraction == nil)
        }
    }

    @Test func `on an executor of several threads the order is kept`() async throws {
        try await serving(.start { _ in .stream(1 << 20) }) { _, client in
            let executor = try #require(client.executor)
            let order = Log<Int>()
            let queue = CallbackQueue.executor(executor)
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                for index in 0..<1_000 { queue.run { order.add(index) } }
                queue.run { continuation.resume() }
            }
            #expect(order.all == Array(0..<1_000))
            let (progress, afterEnd, result) = await Self.told(by: client, Request(.get, "x"), on: queue)
            let count = try result.get().bytes.count
            #expect(count == 1 << 20 && afterEnd == 0 && progress.last?.received.fraction == 1)
        }
    }

    @Test func `however it ends it is told once`() async throws {
        let server = try await ScriptedServer.start { request in
            switch request.path {
            case "/ok": .ok("x")
            case "/close": .close
            default: .stall
            }
        }
        try await serving(server) { _, client in
            for (path, kind) in [
                ("ok", nil), ("close", .emptyReply), ("stall", .timeout), ("a/../b", .invalidRequest),
            ] as [(RequestPath, CallError.Kind?)] {
                let ends = Log<CallError.Kind?>()
                let queue = Self.queue()
                let ended = Gate()
                var request = Request(.get, path)
                if kind == .timeout { request.timeouts.head = .milliseconds(20) }
                let call = client.start(request, on: .queue(queue)) { result in
                    if case .failure(let error) = result { ends.add(error.kind) } else { ends.add(nil) }
                    ended.open()
                }
                try await ended.wait()
                // A call after the end would have arrived once the queue is empty.
                call.cancel()
                await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
                #expect(ends.all == [kind], "\(path)")
                #expect(!call.isCancelled)
            }
        }
    }

    @Test func `cancelling ends the call at once, once, and frees its connection`() async throws {
        try await serving(.start { _ in .stall }) { server, client in
            let ends = Log<CallError?>()
            let ended = Gate()
            let call = client.start(Request(.get, "x"), on: .queue(Self.queue())) { result in
                if case .failure(let error) = result { ends.add(error) } else { ends.add(nil) }
                ended.open()
            }
            _ = try await server.head(0)
            call.cancel()
            call.cancel()
            try await ended.wait()
            try await server.waitUntil(openConnections: 0)
            #expect(ends.all.count == 1)
            #expect(ends.all.first??.kind == .cancelled)
            #expect(ends.all.first??.phase == .waitingForHead)
            #expect(call.isCancelled)
        }
    }

    @Test func `cancelling in the middle of a body ends it`() async throws {
        try await serving(.start { _ in .stream(nil) }) { server, client in
            let receiving = Gate()
            let ended = AsyncStream<Result<Response, CallError>>.makeStream()
            let call = client.start(Request(.get, "x"), on: .queue(Self.queue())) { progress in
                if progress.received.bytes > 0 { receiving.open() }
            } then: {
                ended.continuation.yield($0)
            }
            try await receiving.wait()
            call.cancel()
            let result = await ended.stream.first { _ in true }
            #expect(throws: CallError.self) { try result?.get() }
            try await server.waitUntil(openConnections: 0)
        }
    }

    @Test func `dropping the client lets a running call end, and then closes its connections`() async throws {
        let gate = Gate()
        try await ScriptedServer.start { _ in .ok("late").after(gate) }.use { server in
            var client: Client? = Client(server.url)
            weak let dropped = client
            let ended = AsyncStream<Result<Response, CallError>>.makeStream()
            client?.start(Request(.get, "x"), on: .queue(Self.queue())) { ended.continuation.yield($0) }
            _ = try await server.head(0)
            client = nil
            #expect(dropped?.runningCallCount == 1)
            gate.open()
            let result = try #require(await ended.stream.first { _ in true })
            let response = try result.get()
            #expect(response.bytes == Bytes("late"))
            // The call was the last reader of the response.
            try await server.waitUntil(openConnections: 0)
            #expect(dropped == nil)
        }
    }
}
