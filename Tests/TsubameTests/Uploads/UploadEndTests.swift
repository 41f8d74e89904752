// UploadEndTests: uploads that end early: the file changes, the caller cancels, or the time is up.

import Foundation
import HTTPTypes
import Testing
import Tsubame
import TsubameCore
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct UploadEndTests {
    private static let content = ServedFile(count: 300_000).content

    @Test(arguments: [false, true]) func `a file that has changed is not gone on with`(isReplaced: Bool) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a")
            try Data(Self.content).write(to: file)
            let seen = SeenOffers()
            let server = try await ScriptedServer.start { request in
                guard request.method == "HEAD" else { return .status(.noContent) }
                // The same length, but another modification time or another file.
                var other = Self.content
                other[299_999] &+= 1
                try? Data(other).write(to: file, options: isReplaced ? .atomic : [])
                return UploadScript.has("100000")
            } onHead: {
                $0.index == 0 ? UploadScript.broken(UploadScript.offer(), seen[0]) : nil
            }
            try await serving(server, { $0.retry = .prompt }) { server, client in
                let observation = client.observe { seen.take($0) }
                let error = try await failure { try await client.upload(file, to: "a", resume: true) }
                #expect(error.kind == .requestBody && error.reason.contains("has changed"), "\(error)")
                // Not everything was sent, and the client tells the server that no more bytes will come.
                let rest = try await server.request(2)
                #expect(rest.method == "PATCH" && !rest.isComplete && rest.bodyByteCount == 0)
                let last = try await server.request(3)
                #expect(last.method == "DELETE" && last.target == "/u/1")
                withExtendedLifetime(observation) {}
            }
        }
    }

    @Test func `a cancelled upload ends at once, and its server may forget it`() async throws {
        // The end of the connection lies after the unread bytes.
        let end = Gate()
        let server = try await ScriptedServer.start { _ in
            .status(.noContent)
        } onHead: { request in
            let held: Reply = [.stopReading, UploadScript.offer(), .wait(for: end), .resumeReading, .stall]
            return request.index == 0 ? held : nil
        }
        try await serving(server, { $0.retry = .prompt }) { server, client in
            defer { end.open() }
            let seen = SeenOffers()
            let observation = client.observe { seen.take($0) }
            let body = RequestBody.bytes([UInt8](repeating: 7, count: 20 << 20))
            let call = Task { try await client.upload(Request(.post, "a", body: body), resume: true) }
            try await seen[0].wait()
            call.cancel()
            let error = try await failure { try await call.value }
            #expect(error.kind == .cancelled)
            let last = try await server.request(1)
            #expect(last.method == "DELETE" && last.target == "/u/1")
            try await LeakCheck.verify(client)
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `one that waits to go on can be cancelled, too`() async throws {
        let clock = ManualClock()
        let server = try await ScriptedServer.start { request in
            request.method == "POST" ? [UploadScript.offer()] + .status(.badGateway) : .status(.noContent)
        }
        try await serving(server) {
            $0.retry = .standard
            $0.clock = clock
        } _: { server, client in
            let call = Task { try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true) }
            try await clock.waitForSleepers(1)
            call.cancel()
            let error = try await failure { try await call.value }
            #expect(error.kind == .cancelled && error.phase == .backingOff)
            #expect(try await server.request(1).method == "DELETE")
        }
    }

    @Test func `the total time is that of all its requests`() async throws {
        let started = ContinuousClock.now
        let server = try await ScriptedServer.start { request in
            request.method == "POST" ? [UploadScript.offer()] + .status(.badGateway) : .stall
        }
        try await serving(server) {
            $0.retry = .prompt
            // Long enough that the second request leaves in time on a busy machine.
            $0.timeouts.total = .seconds(2)
        } _: { server, client in
            let error = try await failure {
                try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            }
            #expect(error.kind == .timeout && error.timeout == .total)
            #expect(ContinuousClock.now - started >= .seconds(2))
            #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        }
    }

    @Test func `a wait that the total time would not outlive is not begun`() async throws {
        let server = try await ScriptedServer.start { request in
            [UploadScript.offer()] + .status(.serviceUnavailable, headers: [.retryAfter: "100"])
        }
        try await serving(server) {
            $0.retry = .standard
            $0.timeouts.total = .seconds(50)
        } _: { server, client in
            let response = try await client.upload(Request(.post, "a", body: .bytes(Self.content)), resume: true)
            #expect(response.statusCode == 503 && server.requests.count == 1)
        }
    }
}
