// CookieFileTests: a jar that is kept in a `cookies.txt`.

import Foundation
import Testing
@testable import Tsubame
import TsubamePlatform
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CookieFileTests {
    private let url = "https://www.example.com/"

    private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    private func withFile(_ body: (String) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body($0.appending(path: "cookies.txt").path) }
    }

    @Test func `what servers set is in the file when the call is over, and in the next jar`() async throws {
        try await withFile { file in
            let server = try await ScriptedServer.start { _ in .ok("", headers: [.setCookie: "a=1"]) }
            try await serving(server) {
                $0.cookies = .memory
            } _: { server, client in
                let first = client.with { $0.cookies = (try? CookieJar(file: file)).map { .jar($0) } ?? .off }
                _ = try await first.get("x")
                #expect(try text(file).contains("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n"))
                let second = client.with { $0.cookies = (try? CookieJar(file: file)).map { .jar($0) } ?? .off }
                _ = try await second.get("x")
                #expect(server.requests.map { $0["cookie"] } == [nil, "a=1"])
            }
        }
    }

    @Test func `nobody but its owner can read it`() async throws {
        try await withFile { file in
            let jar = try CookieJar(file: file)
            #expect(!FileManager.default.fileExists(atPath: file))
            try jar.set("a=1", from: url)
            for _ in 0..<2 {
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
                try jar.set("b=2", from: url)
            }
        }
    }

    @Test func `jars of one file see each other's changes`() async throws {
        try await withFile { file in
            let (first, second) = (try CookieJar(file: file), try CookieJar(file: file))
            try first.set("a=1", from: url)
            #expect(second.cookies.map(\.name) == ["a"])
            try second.set("b=2", from: url)
            try first.set("c=3", from: url)
            #expect(try second.cookies(for: url).map(\.name) == ["a", "b", "c"])
            try second.delete { $0.name == "a" }
            #expect(first.cookies.map(\.name) == ["b", "c"])
            try first.clear()
            #expect(second.cookies.isEmpty)
        }
    }

    @Test func `many jars that change the file at once lose nothing`() async throws {
        try await withFile { file in
            let url = url
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        let jar = try CookieJar(file: file)
                        for number in 0..<20 { try jar.set("c\(writer)-\(number)=1", from: url) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try CookieJar(file: file).cookies.count == 120)
        }
    }

    @Test func `a file that others have changed is read again`() async throws {
        try await withFile { file in
            let jar = try CookieJar(file: file)
            try jar.set("a=1", from: url)
            let other = "# Netscape HTTP Cookie File\nwww.example.com\tFALSE\t/\tFALSE\t0\tother\t2\n"
            try other.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(jar.cookies.map(\.name) == ["other"])
            try FileManager.default.removeItem(atPath: file)
            #expect(jar.cookies.isEmpty)
            #expect(jar.failure == nil)
        }
    }

    @Test func `bad lines are told`() async throws {
        try await withFile { file in
            let written = "# Netscape HTTP Cookie File\nnonsense\nwww.example.com\tFALSE\t/\tFALSE\t0\ta\t1\n"
            try written.write(toFile: file, atomically: true, encoding: .utf8)
            var problems: [CookieLineProblem] = []
            let jar = try CookieJar(file: file) { problems.append($0) }
            #expect(problems.map(\.line) == [2])
            #expect(jar.cookies.count == 1)
        }
    }

    @Test func `FAULT 24: a cookie that the file cannot hold is told once, and stays in memory`() async throws {
        try await withFile { file in
            let jar = try CookieJar(file: file)
            for _ in 0..<2 { try jar.set("a\tb=geheim", from: url) }
            try jar.set("c=1; Path=/", from: url)
            let notice = try #require(jar.notices.first)
            #expect(notice.contains("“a\\u{9}b” of www.example.com is not kept in \(file)"), "\(notice)")
            #expect(jar.notices.count == 1 && !notice.contains("geheim"))
            #expect(jar.failure == nil && jar.cookies.map(\.name) == ["a\tb", "c"])
            #expect(try !text(file).contains("geheim"))
            for number in 0..<120 { try jar.set("n\t\(number)=1", from: url) }
            #expect(jar.notices.count == 100)
        }
    }

    @Test(arguments: ["#!/bin/sh\nrm cookies\n", "{\"a\": 1}", "SQLite format 3\0", "\u{FFFD}\u{1}"])
    func `a file that is something else is left alone`(_ content: String) async throws {
        try await withFile { file in
            try content.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: CallError.self) { try CookieJar(file: file) }
            #expect(try text(file) == content)

            // A file that another kind of file replaces later is left alone, too.
            try FileManager.default.removeItem(atPath: file)
            let jar = try CookieJar(file: file)
            try content.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(throws: CallError.self) { try jar.set("a=1", from: url) }
            #expect(jar.failure?.kind == .file)
            #expect(jar.cookies.map(\.name) == ["a"])
            #expect(try text(file) == content)
        }
    }

    @Test func `a folder, or a place that cannot be written, is an error that says so`() async throws {
        try await withTemporaryFolder { folder in
            #expect(throws: CallError.self) { try CookieJar(file: folder.path) }
            let missing = try CookieJar(file: folder.appending(path: "missing/cookies.txt").path)
            #expect(throws: CallError.self) { try missing.set("a=1", from: url) }
        }
    }

    @Test func `a cookie that cannot be kept does not end the call, whose events say why`() async throws {
        try await withTemporaryFolder { folder in
            let jar = try CookieJar(file: folder.appending(path: "missing/cookies.txt").path)
            let server = try await ScriptedServer.start { _ in .ok("", headers: [.setCookie: "a=geheim"]) }
            let log = Log<CallEvent>()
            try await serving(server) {
                $0.cookies = .jar(jar)
            } _: { server, client in
                let observation = client.observe { log.add($0) }
                _ = try await client.get("x").accepted()
                // This process continues with the cookies in memory.
                _ = try await client.get("x").accepted()
                observation.cancel()
                #expect(server.requests.map { $0["cookie"] } == [nil, "a=geheim"])
                #expect(log.decisions.first?.contains("missing/cookies.txt") == true)
                #expect(!log.decisions.joined().contains("geheim"))
            }
        }
    }

    @Test func `a link to a file stays a link`() async throws {
        try await withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "file"), folder.appending(path: "link"))
            try Data().write(to: file)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            try CookieJar(file: link.path).set("a=1", from: url)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            #expect(try text(file.path).contains("\ta\t1\n"))
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) == ["file", "link"])
        }
    }

    // MARK: Another process has the lock

    private static func cookieServer() async throws -> ScriptedServer {
        try await ScriptedServer.start { _ in .ok("", headers: [.setCookie: "a=1"]) }
    }

    @Test func `a call that waits for a lock holds up no other on its thread, and goes on when the lock is free`()
        async throws
    {
        try await withFile { file in
            let jar = try CookieJar(file: file)
            try await serving(try await Self.cookieServer()) { _, plain in
                let client = plain.with { $0.cookies = .jar(jar) }
                var lock: FileLock? = try FileLock.acquire(file, timeout: 1_000_000_000)
                try await withTaskExecutorPreference(client.executor) {
                    async let waiting = client.get("x")
                    for _ in 0..<20 { _ = try await plain.get("y") }
                    #expect(try text(file).isEmpty)
                    lock = nil
                    _ = try await waiting
                }
                #expect(lock == nil)
                #expect(try text(file).contains("\ta\t1\n"))
            }
        }
    }

    /// Counts how often it is asked to keep a change.
    private struct CountingKeeper: CookieStorage {
        let file: CookieFile
        let changes = Log<Int64>()

        var name: String { file.name }

        func refresh(_ store: inout CookieStore, now: Int64) throws(CallError) {
            try file.refresh(&store, now: now)
        }

        func update(_ store: inout CookieStore, now: Int64, _ change: (inout CookieStore) -> Void) throws(CallError) {
            changes.add(now)
            try file.update(&store, now: now, change)
        }
    }

    @Test func `FAULT 14: calls that find a jar locked wait once, and not one after the other`() async throws {
        try await withFile { file in
            let storage = CountingKeeper(file: CookieFile(file, timeout: 400_000_000))
            let jar = CookieJar(store: CookieStore(), storage: storage)
            let log = Log<CallEvent>()
            try await serving(try await Self.cookieServer()) { server, plain in
                let client = plain.with { $0.cookies = .jar(jar) }
                let observation = client.observe { log.add($0) }
                var lock: FileLock? = try FileLock.acquire(file, timeout: 1_000_000_000)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { _ = try await client.get("x").accepted() } }
                    try await group.waitForAll()
                }
                _ = try await client.get("y").accepted()
                // Each wait is nearly half as long as a pause.
                #expect(storage.changes.all.count < 5)
                #expect(log.decisions.count { $0.contains("locked by another process") } == 9)
                // The process continues with the cookies in memory.
                #expect(server.requests.last?["cookie"] == "a=1")
                #expect(jar.failure?.reason.contains("locked") == true)
                lock = nil
                // The owner's own change tries the file at once.
                try jar.set("b=2", from: url)
                #expect(lock == nil && jar.failure == nil)
                let kept = try text(file)
                #expect(kept.contains("\ta\t1\n") && kept.contains("\tb\t2\n"))
                observation.cancel()
            }
        }
    }

    @Test func `a lock that nobody lets go ends with the call's deadline, or when the call is cancelled`() async throws
    {
        try await withFile { file in
            let (first, second) = (try CookieJar(file: file), try CookieJar(file: file))
            try await serving(try await Self.cookieServer()) { server, plain in
                let lock = try FileLock.acquire(file, timeout: 1_000_000_000)
                let start = ContinuousClock.now
                let error = await callError {
                    let client = plain.with {
                        $0.cookies = .jar(first)
                        $0.timeouts.total = .milliseconds(300)
                    }
                    _ = try await client.get("x")
                }
                #expect(error?.kind == .timeout && error?.timeout == .total, "\(String(describing: error))")
                #expect(ContinuousClock.now - start >= .milliseconds(300))

                let sent = server.requests.count
                let client = plain.with { $0.cookies = .jar(second) }
                let call = Task { try await client.get("y") }
                _ = try await server.request(sent)
                call.cancel()
                let cancelled = await callError { _ = try await call.value }
                #expect(cancelled?.kind == .cancelled)
                withExtendedLifetime(lock) {}
            }
        }
    }
}
