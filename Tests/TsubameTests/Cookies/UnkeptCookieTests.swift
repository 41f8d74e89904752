// UnkeptCookieTests: cookies of a jar whose file cannot be written for a while.

import Foundation
import Testing
@testable import Tsubame
import TsubameCore
import TsubamePlatform
import TsubameTesting
import TsubameWire

@Suite(.timeLimit(.minutes(1))) struct UnkeptCookieTests {
    private let url = "https://www.example.com/"

    private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    @Test func `FAULT 14: a cookie that comes while the file is locked survives the next reading, and is written then`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "cookies.txt").path
            try CookieJar(file: file).set("old=1", from: url)
            let storage = CookieFile(file, timeout: 200_000_000)
            let jar = CookieJar(store: CookieStore(), storage: storage)
            let uri = try TargetURI(parsing: url)
            var lock: FileLock? = try FileLock.acquire(file, timeout: 1_000_000_000)
            // The first one waits without success, and the others find the pause.
            for field in ["a=1", "b=2", "old=; Max-Age=0"] {
                let (refused, notes) = jar.take([field], from: uri)
                #expect(refused.isEmpty && notes.joined().contains("locked"))
            }
            lock = nil
            #expect(lock == nil)
            try CookieJar(file: file).set("c=3", from: url)
            #expect(Set(jar.cookies.map(\.name)) == ["a", "b", "c"])
            try jar.set("d=4", from: url)
            #expect(try Set(CookieJar(file: file).cookies.map(\.name)) == ["a", "b", "c", "d"])
            #expect(jar.failure == nil)
        }
    }

    @Test func `FAULT 14: the next request writes a cookie that could not be kept`() async throws {
        try await withTemporaryFolder { folder in
            let place = folder.appending(path: "missing")
            let file = place.appending(path: "cookies.txt").path
            let jar = try CookieJar(file: file)
            let uri = try TargetURI(parsing: url)
            #expect(!jar.take(["a=1"], from: uri).notes.isEmpty)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
            #expect(jar.field(for: uri).text == "a=1")
            #expect(try text(file).contains("\ta\t1\n"))
            #expect(jar.failure == nil)
        }
    }

    @Test func `FAULT 14, FAULT 21: a jar that was cleared while the file is locked stays cleared`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "cookies.txt").path
            try CookieJar(file: file).set("user=alice", from: url)
            let jar = CookieJar(store: CookieStore(), storage: CookieFile(file, timeout: 200_000_000))
            #expect(jar.cookies.count == 1)
            let owner = jar.owner
            var lock: FileLock? = try FileLock.acquire(file, timeout: 1_000_000_000)
            #expect(throws: CallError.self) { try jar.clear() }
            lock = nil
            #expect(lock == nil && jar.owner != owner)
            try CookieJar(file: file).set("c=3", from: url)
            #expect(jar.cookies.map(\.name) == ["c"] && jar.owner != owner)
            try jar.set("d=4", from: url)
            let other = try CookieJar(file: file)
            #expect(other.cookies.map(\.name) == ["c", "d"] && other.owner == jar.owner)
        }
    }

    @Test func `FAULT 14: a jar whose changes cannot be kept stays bounded`() throws {
        let jar = CookieJar(store: CookieStore(), storage: CookieFile("/nonexistent/cookies.txt"))
        let uri = try TargetURI(parsing: url)
        for start in stride(from: 0, to: 7_000, by: 500) {
            _ = jar.take((start..<start + 500).map { "n\($0)=1" }, from: uri)
        }
        #expect(jar.cookies.count == 180)
    }

    @Test func `FAULT 14: changes that cannot be kept stay bounded, and those of living cookies stay`() throws {
        let uri = try TargetURI(parsing: url)
        var (store, unkept) = (CookieStore(), UnkeptCookies())
        var most = 0
        for start in stride(from: 0, to: 7_000, by: 500) {
            let changes = store.recording { store in
                _ = store.take((start..<start + 500).map { "n\($0)=1" }, from: uri, now: 1)
            }
            unkept.add(changes, owner: nil)
            most = max(most, unkept.changes.count)
        }
        #expect(most > 500 && most <= 2 * CookieStore.maximum)
        let living = Set(store.cookies.map { CookieKey($0) })
        #expect(living.count == 180)
        #expect(living.allSatisfy { unkept.changes[$0].flatMap(\.self) != nil })
    }
}
