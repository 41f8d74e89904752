// The contract of cancellation and deadlines: a call ends in time, and leaves nothing behind.
#if TestServer

import Tsubame

extension TransportContract {
    private static let halfBody: Reply = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .stall]

    static let cancellation: [TransportContract] = [
        TransportContract("a call that is cancelled while it waits for the response ends at once") { run in
            try await run.serving(try await .start { _ in .stall }) { server, client in
                let task = Task { _ = try await client.get("x") }
                _ = try await server.head(0)
                task.cancel()
                try await run.failure(.cancelled) { try await task.value }
                try await server.waitUntil(openConnections: 0)
            }
        },
        TransportContract("a call that is cancelled while it connects ends at once") { run in
            let port: FullBacklog
            do throws(FullBacklog.Unavailable) {
                port = try FullBacklog()
            } catch {
                // This system refuses connections instead of letting them wait.
                return
            }
            let client = run.client(port.url)
            let task = Task { _ = try await client.get("x") }
            // No server sees a connection that is being made.
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            try await run.failure(.cancelled) { try await task.value }
            await client.close()
            withExtendedLifetime(port) {}
        },
        TransportContract("a call that is cancelled while it sends its body ends at once", unless: .streamedUploads) {
            run in
            try await run.serving(try await .start()) { server, client in
                let body = RequestBody.stream { PieceThenSilence() }
                let task = Task { _ = try await client.post("x", body: body) }
                try await server.waitUntil(acceptedBodyBytes: 5)
                task.cancel()
                try await run.failure(.cancelled) { try await task.value }
                try await server.waitUntil(openConnections: 0)
                try run.expect(server.requests.filter { $0.isComplete }.count, is: 0, "the number of whole requests")
            }
        },
        TransportContract("a call that is cancelled while it reads the body ends at once") { run in
            try await run.serving(try await .start { _ in halfBody }) { server, client in
                let gate = Gate()
                let task = Task {
                    try await client.stream("x") { response in
                        gate.open()
                        _ = try await response.body.collect()
                    }
                }
                try await gate.wait()
                task.cancel()
                try await run.failure(.cancelled) { try await task.value }
                try await server.waitUntil(openConnections: 0)
            }
        },
        TransportContract("a body that nobody reads to its end closes its connection") { run in
            try await run.serving(try await .start { _ in .stream(nil) }) { server, client in
                try await client.stream("x") { response in
                    for try await _ in response.body { break }
                }
                try await server.waitUntil(openConnections: 0)
            }
        },
        TransportContract("a closed client refuses calls, and leaves no connection") { run in
            try await run.serving(try await .start()) { server, client in
                _ = try await client.get("x")
                await client.close()
                try await run.failure(.cancelled) { _ = try await client.get("x") }
                try await server.waitUntil(openConnections: 0)
                try run.expect(server.requests.count, is: 1, "the number of requests")
            }
        },
    ]

    static let deadlines: [TransportContract] = [
        TransportContract("the deadline of the connection holds", unless: .connectionSteps) { run in
            let silent = try FullBacklog()
            let client = run.client(silent.url) { $0.timeouts.connect = .milliseconds(150) }
            let clock = ContinuousClock()
            let start = clock.now
            let error = try await run.failure(.timeout) { _ = try await client.get("x") }
            try run.expect(error.timeout, is: .connect, "the deadline of the error")
            try run.expect(error.phase, is: .connecting, "the phase of the error")
            try run.expect(clock.now - start >= .milliseconds(149), "the call ended before its deadline")
            try await LeakCheck.verify(client)
            await client.close()
            withExtendedLifetime(silent) {}
        },
        TransportContract("the deadline of the whole call holds while the response is awaited") { run in
            try await expire(.total, run, { $0.timeouts.total = .milliseconds(150) }, .stall)
        },
        TransportContract("the deadline of the whole call holds while the body arrives") { run in
            try await expire(.total, run, { $0.timeouts.total = .milliseconds(150) }, halfBody)
        },
        TransportContract("the deadline of the head holds") { run in
            try await expire(.head, run, { $0.timeouts.head = .milliseconds(150) }, .stall)
        },
        TransportContract("the deadline of a silent body holds") { run in
            try await expire(.idle, run, { $0.timeouts.idle = .milliseconds(150) }, halfBody)
        },
        TransportContract("the deadline of a silent upload holds") { run in
            try await run.serving(try await .start(), { $0.timeouts.idle = .milliseconds(150) }) { server, client in
                let body = RequestBody.stream { PieceThenSilence() }
                let error = try await run.failure(.timeout) { _ = try await client.post("x", body: body) }
                try run.expect(error.timeout, is: .idle, "the deadline of the error")
                try run.expect(error.phase, is: .sendingBody, "the phase of the error")
                try await server.waitUntil(openConnections: 0)
            }
        },
    ]

    private static func expire(
        _ name: Timeouts.Name, _ run: ContractRun, _ configure: (inout Configuration) -> Void, _ reply: Reply
    ) async throws {
        try await run.serving(try await .start { _ in reply }, configure) { server, client in
            let clock = ContinuousClock()
            let start = clock.now
            let error = try await run.failure(.timeout) { _ = try await client.get("x") }
            try run.expect(error.timeout, is: name, "the deadline of the error")
            try run.expect(clock.now - start >= .milliseconds(149), "the call ended before its deadline")
            try await server.waitUntil(openConnections: 0)
        }
    }
}

/// One piece, and then nothing, until the task is cancelled.
private struct PieceThenSilence: AsyncSequence, Sendable {
    typealias Element = Bytes

    struct AsyncIterator: AsyncIteratorProtocol {
        var isFirst = true

        mutating func next() async throws -> Bytes? {
            if isFirst {
                isFirst = false
                return Bytes("first")
            }
            try await Gate().wait()
            return nil
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
#endif
