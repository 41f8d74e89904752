// FileBodyTests: file bodies while the file system does not answer.

import Dispatch
import Foundation
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@testable import class Tsubame.FileReader

/// One suite: each test holds all queues on which files are read.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FileBodyTests {
    /// Runs the body while no file can be opened.
    private func withoutFiles<R>(_ body: (URL) async throws -> R) async throws -> R {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "body")
            try Data("hello".utf8).write(to: file)
            let release = DispatchSemaphore(value: 0)
            let count = 4 * FileReader.queues.count
            for index in 0..<count {
                FileReader.queues[index % FileReader.queues.count].async { _ = release.wait(timeout: .now() + 20) }
            }
            defer { for _ in 0..<count { release.signal() } }
            return try await body(file)
        }
    }

    @Test func `a call ends at its deadline, and other tasks go on`() async throws {
        try await serving(.start(), { $0.timeouts.total = .milliseconds(200) }) { server, client in
            try await withoutFiles { file in
                let error = try await failure { try await client.post("x", body: .file(file)) }
                #expect(error.kind == .timeout && error.phase == .preparing, "\(error)")
                await Task.detached {}.value
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `a cancelled call ends at once`() async throws {
        let server = try await ScriptedServer.start()
        try await server.use { server in
            let begun = Gate()
            let client = Client(server.url, transport: Announced(begun: begun)) { $0.retry = .off }
            try await withoutFiles { file in
                let call = Task { try await client.post("x", body: .file(file)) }
                try await begun.wait()
                call.cancel()
                let error = await callError { _ = try await call.value }
                #expect(error?.kind == .cancelled)
            }
            #expect(server.requests.isEmpty)
            await client.close()
        }
    }

    /// Says when the engine's exchange begins.
    private struct Announced: Transport {
        let begun: Gate
        let engine = Engine()

        func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
            begun.open()
            return try await engine.send(request, exchange: exchange)
        }
    }

    /// Cancels the engine's exchange, and nothing else of the call.
    private struct Impatient: Transport {
        let engine = Engine()

        func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
            let task = Task { () async -> Result<Response, CallError> in
                do throws(CallError) {
                    return .success(try await engine.send(request, exchange: exchange))
                } catch {
                    return .failure(error)
                }
            }
            task.cancel()
            return try await task.value.get()
        }
    }

    @Test func `an exchange whose task is cancelled ends at once, too`() async throws {
        let server = try await ScriptedServer.start()
        try await server.use { server in
            let client = Client(server.url, transport: Impatient()) { $0.retry = .off }
            try await withoutFiles { file in
                let error = await callError { _ = try await client.post("x", body: .file(file)) }
                #expect(error?.kind == .cancelled, "\(String(describing: error))")
            }
            #expect(server.requests.isEmpty)
            await client.close()
        }
    }

    @Test func `a file is sent from its beginning again`() async throws {
        // The reused connection ends without a response, so the engine sends the request again by itself.
        let server = try await ScriptedServer.start { request in
            request.index == 1 ? [.close] : .ok("\(request.text) on \(request.connection)")
        }
        try await serving(server) { _, client in
            try await withTemporaryFolder { folder in
                let file = folder.appending(path: "body")
                try Data("hello".utf8).write(to: file)
                _ = try await client.get("x")
                #expect(try await client.put("x", body: .file(file)).text() == "hello on 1")
            }
        }
    }
}
