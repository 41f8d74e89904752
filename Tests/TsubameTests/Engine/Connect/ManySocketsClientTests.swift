// ManySocketsClientTests: a client in a process that has no descriptor left. Runs alone, since the limit is the process's.

import Testing
import Tsubame
import TsubameCore
import TsubamePlatform
import TsubameTesting

@testable import TsubameEngine

@Suite(.serialized, .timeLimit(.minutes(1))) struct ManySocketsClientTests {
    /// Lets the process open nothing more while `body` runs.
    private static func withoutDescriptors<T>(_ body: () async throws -> T) async throws -> T {
        let lowest = dup(0)
        #expect(lowest > 0)
        close(lowest)
        var limit = rlimit()
        getrlimit(.init(RLIMIT_NOFILE.rawValue), &limit)
        let before = limit
        limit.rlim_cur = rlim_t(lowest)
        #expect(setrlimit(.init(RLIMIT_NOFILE.rawValue), &limit) == 0)
        defer { _ = withUnsafePointer(to: before) { setrlimit(.init(RLIMIT_NOFILE.rawValue), $0) } }
        #expect(dup(0) < 0)
        return try await body()
    }

    @Test func `without a free descriptor an idle connection makes room for a new one`() async throws {
        let (first, second) = (try await ScriptedServer.start(), try await ScriptedServer.start())
        try await withClient { client in
            _ = try await client.get(url: first.url)
            let response = try await Self.withoutDescriptors { try await client.get(url: second.url) }
            #expect(response.status == .ok && response.connection?.isReused == false)
            try await client.waitUntil { $0.idle == 1 && $0.sockets == 1 }
        }
        await first.stop()
        await second.stop()
    }

    @Test func `without a free descriptor a look-up says what is missing`() async throws {
        let error = try await Self.withoutDescriptors {
            #expect(throws: CallError.self) { try SystemLookUps.resolve("name.invalid") }
        }
        #expect(error?.kind == .nameResolution && error?.reason.contains("Too many open files") == true)
        let cause = try #require(error?.underlying as? FailureCause)
        #expect(cause.isShortOfDescriptors && cause.isTransient)
    }

    @Test func `without a free descriptor and an idle connection the error says so`() async throws {
        let server = try await ScriptedServer.start()
        try await withClient { client in
            let error = try await Self.withoutDescriptors {
                try await failure { try await client.get(url: server.url) }
            }
            #expect(error.kind == .connectionFailed && error.reason.contains("too many open files"), "\(error)")
            #expect(try await client.get(url: server.url).status == .ok)
        }
        await server.stop()
    }
}
