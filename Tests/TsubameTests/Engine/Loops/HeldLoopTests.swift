// HeldLoopTests: calls that are cancelled while their event loop is busy with something else.

import Dispatch
import Testing
import TsubameTesting

@testable import Tsubame
@testable import TsubameEngine

@Suite(.serialized, .timeLimit(.minutes(1))) struct HeldLoopTests {
    /// Holds every event loop of the process while the body runs, but for five seconds at most.
    private func holding(_ body: (_ isHeld: () -> Bool) async throws -> Void) async throws {
        let loops = try ProcessLoops.all()
        let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let freed = Log<Bool>()
        for loop in loops {
            loop.execute {
                held.signal()
                _ = release.wait(timeout: .now() + .seconds(5))
                freed.add(true)
            }
        }
        defer { for _ in loops { release.signal() } }
        await withUnsafeContinuation { continuation in
            DispatchQueue.global().async {
                for _ in loops { held.wait() }
                continuation.resume()
            }
        }
        try await body { freed.all.isEmpty }
    }

    @Test func `a call that its loop has not begun is answered as soon as it is cancelled`() async throws {
        try await serving(.start()) { server, client in
            for _ in 0..<20 {
                try await holding { isHeld in
                    let task = Task { try await client.get("x") }
                    // The call is on its way to the loop, or there.
                    for _ in 0..<20 { await Task.yield() }
                    task.cancel()
                    let error = await callError { _ = try await task.value }
                    #expect(error?.kind == .cancelled && isHeld())
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `calls that arrive at once are all begun, though not in one turn`() async throws {
        try await serving(.start()) { _, client in
            let count = 1_000
            let tasks = Log<Task<Int, any Error>>()
            try await holding { _ in
                for _ in 0..<count { tasks.add(Task { try await client.get("x").statusCode }) }
                for _ in 0..<20 { await Task.yield() }
            }
            for task in tasks.all { #expect(try await task.value == 200) }
        }
    }
}
