// DownloadPartTests: the partial file of a download and its record, as the next process finds them.

import Foundation
import Testing
@testable import Tsubame
import TsubameCore
import TsubamePlatform
import TsubameTesting

@Suite(.timeLimit(.minutes(1)))
struct DownloadPartTests {
    private static let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
        .trimmingCharacters(in: .whitespacesAndNewlines)

    /// Writes a record beside a target, as another process would have done.
    private static func leave(_ fields: String, for target: URL) throws -> URL {
        let url = target.deletingLastPathComponent().appending(path: ".\(target.lastPathComponent).tsubame-info")
        let record = """
            {"url": "http://a.test/a", "resource": "r", "validators": {"etag": "\\"one\\""}, "total": 1000000, \(fields)}
            """
        try Data(record.utf8).write(to: url)
        return url
    }

    private static func open(_ target: URL, permissions: UInt32? = nil) throws -> DownloadPart {
        let part = try DownloadPart.open(for: target.path, permissions: permissions, syncingEvery: 4096)
        return try #require(part)
    }

    private static func permissions(_ url: URL) -> UInt32? { FileStatus(of: url.path)?.permissions }

    @Test func `a record is never replaced by an older one, however many write at once`() async throws {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let info = try Self.leave(#""synced": [], "boot": "\#(Self.boot ?? "")""#, for: target)
            let part = try Self.open(target)
            try part.restart(part.record, isKept: true)
            try part.scatter()
            let isOver = Gate()
            let reader = Task.detached {
                var (last, synced): (Int64, Int64) = (0, 0)
                while !isOver.isOpen {
                    let record = try #require(DownloadRecord(path: info.path))
                    let (now, onDisk) = (record.done?.count ?? -1, record.synced.count)
                    #expect(now >= last && onDisk >= synced && onDisk <= now)
                    (last, synced) = (now, onDisk)
                    await Task.yield()
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for piece in 0..<4 {
                    group.addTask { @concurrent in
                        for index in 0..<100 {
                            let offset = Int64(piece) * 250_000 + Int64(index) * 1000
                            try part.write(Bytes([UInt8](repeating: 1, count: 1000)), at: offset)
                            try part.save()
                        }
                    }
                }
                try await group.waitForAll()
            }
            isOver.open()
            try await reader.value
            #expect(DownloadRecord(path: info.path)?.done?.count == 400_000)
        }
    }

    @Test func `after a start of the machine only what was on the disk counts, and what follows counts again`()
        async throws
    {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let hidden = folder.appending(path: ".a.tsubame-part")
            for (done, synced, end) in [("", "0, 4000", 4000), (#""done": [0, 9000], "#, "0, 10, 20, 30", 30)] {
                let info = try Self.leave(#"\#(done)"synced": [\#(synced)], "boot": "another""#, for: target)
                try Data(repeating: 1, count: 9000).write(to: hidden)
                var part: DownloadPart? = try Self.open(target)
                let received = try #require(part?.received)
                #expect(received == (end == 30 ? 20 : 4000) && FileStatus(of: hidden.path)?.size == Int64(end))
                let record = try #require(DownloadRecord(path: info.path))
                #expect(record.isOfThisStart && record.synced.count == received)
                try part?.write(Bytes([UInt8](repeating: 2, count: 500)), at: Int64(end))
                try part?.save()
                part = nil
                #expect(try Self.open(target).received == received + 500)
            }
        }
    }

    @Test func `what will be read-only can be gone on with, and becomes that with its name`() async throws {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let hidden = folder.appending(path: ".a.tsubame-part")
            let part = try Self.open(target, permissions: 0o444)
            #expect(Self.permissions(hidden) == 0o644)
            try part.write(Bytes([1, 2, 3]), at: 0)
            #expect(try part.finish(as: target.path, replacing: true))
            #expect(Self.permissions(target) == 0o444 && folder.names == ["a"])
        }
    }

    @Test func `what cannot get its name keeps its record, and can be written to`() async throws {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let hidden = folder.appending(path: ".a.tsubame-part")
            _ = try Self.leave(#""synced": [], "boot": "\#(Self.boot ?? "")""#, for: target)
            try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
            let part = try Self.open(target, permissions: 0o400)
            #expect(throws: CallError.self) { try part.finish(as: target.path, replacing: true) }
            #expect(Self.permissions(hidden) == 0o600)
            #expect(folder.names == [".a.tsubame-info", ".a.tsubame-part", "a"])
        }
    }

    @Test func `the record is gone before the file has its name, and another download may put its own there`()
        async throws
    {
        try await withFolder { folder in
            let target = folder.appending(path: "a")
            let fields = #""synced": [], "boot": "\#(Self.boot ?? "")""#
            for _ in 0..<60 {
                let info = try Self.leave(fields, for: target)
                let part = try Self.open(target)
                let (path, record) = (target.path, info.path)
                let isWatching = Gate()
                // On a separate thread, because the task threads are as many as the cores and other tests need them.
                async let watched = withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        isWatching.open()
                        while FileStatus(of: path) == nil { sched_yield() }
                        continuation.resume(returning: FileStatus(of: record) == nil)
                    }
                }
                try await isWatching.wait()
                #expect(try part.finish(as: target.path, replacing: true))
                let isGone = await watched
                #expect(isGone)
                try FileManager.default.removeItem(at: target)
            }
            #expect(folder.names.isEmpty)
        }
    }
}
