// BlockedPoolTests: deadlines and back-offs while every thread of the shared dispatch pool is blocked.

import Dispatch
import Foundation
import Testing
import Tsubame
import TsubameTesting

/// Waits for a gate that stays closed.
private struct Endless: Interceptor {
    let gate: Gate

    func intercept(_ request: Request, next: Next) async throws -> Response {
        try await gate.wait()
        return try await next(request)
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct BlockedPoolTests {
    /// Makes eight blocking calls at once while more blocks wait on `DispatchQueue.global()` than it will ever have
    /// threads.
    ///
    /// On Linux these threads also run Swift's concurrency, so the test uses its own threads.
    private static func sendBlocked(_ client: Client) async -> [Result<Response, CallError>] {
        await onThread {
            let (blocks, release) = (600, DispatchSemaphore(value: 0))
            for _ in 0..<blocks { DispatchQueue.global().async { release.wait() } }
            let (results, group) = (Log<Result<Response, CallError>>(), DispatchGroup())
            for _ in 0..<8 {
                group.enter()
                Thread.detachNewThread {
                    results.add(Result { () throws(CallError) in try client.blocking.send(Request(.get, "x")) })
                    group.leave()
                }
            }
            group.wait()
            for _ in 0..<blocks { release.signal() }
            return results.all
        }
    }

    @Test func `FAULT 17: deadlines need no thread of the shared dispatch pool`() async throws {
        try await serving(.start { _ in .ok("late") }) { _, client in
            let guarded = client.with {
                $0.interceptors += [Endless(gate: Gate())]
                $0.timeouts.total = .milliseconds(50)
            }
            let limits = await Self.sendBlocked(guarded).map { result -> Timeouts.Name? in
                guard case .failure(let error) = result else { return nil }
                return error.timeout
            }
            #expect(limits == Array(repeating: .total, count: 8))
        }
    }

    @Test func `FAULT 17: nor do back-offs`() async throws {
        let server = try await ScriptedServer.start { $0.index < 8 ? .status(.serviceUnavailable) : .ok("second") }
        try await serving(
            server,
            {
                $0.retry = .standard {
                    $0.delay = .milliseconds(20)
                    $0.retries = 8
                }
            }
        ) { _, client in
            let bodies = await Self.sendBlocked(client).map { try? $0.get().bytes }
            #expect(bodies == Array(repeating: Bytes("second"), count: 8))
        }
    }

    @Test func `FAULT 17: a progress closure that blocks delays no other call`() async throws {
        let (second, rest, other) = (Gate(), Gate(), DispatchSemaphore(value: 0))
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n"
        let server = try await ScriptedServer.start { request in
            guard request.path == "/file" else { return .ok("late") }
            return [.bytes(head + "12345"), .wait(for: second), .bytes("12345"), .wait(for: rest), .bytes("12345")]
        }
        try await withTemporaryFolder { folder in
            try await serving(server) { _, client in
                let (isBlocked, wasReleased) = (Gate(), Log<Bool>())
                let download = Task {
                    try await client.download("file", to: folder.appending(path: "file")) { progress in
                        if progress.received == 5 { second.open() }
                        guard progress.received == 10, !isBlocked.isOpen else { return }
                        isBlocked.open()
                        wasReleased.add(other.wait(timeout: .now() + 20) == .success)
                    }
                }
                try await isBlocked.wait()
                let guarded = client.with {
                    $0.interceptors += [Endless(gate: Gate())]
                    $0.timeouts.total = .milliseconds(50)
                }
                let error = await callError { _ = try await guarded.get("x") }
                other.signal()
                rest.open()
                _ = try await download.value
                #expect(error?.timeout == .total && wasReleased.all == [true])
            }
        }
    }
}
