// DiskCacheTests: damage to a cache's stored responses by disks, other programs and killed processes.
#if Store
import Foundation
import GRDB
import HTTPTypes
import Testing
import TsubameCore
import TsubameTesting
import TsubameWire

@testable import Tsubame
@testable import TsubameStore

extension DiskCacheTests {
    @Test(arguments: ["not a database", "SQLite format 3\u{0} and then nothing of the kind", ""])
    func `BAD-INPUT 43: a file that is no database is set aside, and a new one is begun`(text: String) async throws {
        try await withPath { path in
            try String(repeating: text, count: 300).write(toFile: path, atomically: false, encoding: .utf8)
            let storage = try DatabaseCacheStorage(path, limit: 1_000_000)
            #expect(storage.takeNotices().count == (text.isEmpty ? 0 : 1))
            try store(Self.bytes(100), in: storage)
            #expect(storage.responses(to: "GET a").count == 1)
            let folder = URL(filePath: path).deletingLastPathComponent().path
            let aside = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains(".damaged-") }
            #expect(aside.count == (text.isEmpty ? 0 : 1))
        }
    }

    @Test func `of the databases that are set aside the last four are kept`() async throws {
        try await withPath { path in
            let folder = URL(filePath: path).deletingLastPathComponent().path
            // Files of another program.
            let others = ["damaged-1-wal", "damaged-x", "damaged-", "damaged-1-2-3"].map { "\(path).\($0)" }
            for other in others { try Data("other".utf8).write(to: URL(filePath: other)) }
            for time in [1, 2, 3, 4, 5, 5] {
                try Data("no database".utf8).write(to: URL(filePath: path))
                let identity = try #require(DatabaseFile.Identity(path))
                #expect(try DatabaseFile.setAside(path, identity, now: Int64(time)) != nil)
            }
            let name = URL(filePath: path).lastPathComponent
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(name) })
            let kept = ["damaged-3", "damaged-4", "damaged-5", "damaged-5-2", "damaged-x", "damaged-", "damaged-1-2-3"]
            #expect(left.subtracting(["\(name)-lock"]) == Set(kept.map { "\(name).\($0)" }))
        }
    }

    @Test func `another program's database is left alone`() async throws {
        try await withPath { path in
            _ = try CookieJar(sqlite: path)
            let before = try Data(contentsOf: URL(filePath: path))
            let error = #expect(throws: CallError.self) { try DatabaseCacheStorage(path, limit: 1000) }
            #expect(error?.kind == .file && error?.reason.contains("another program") == true)
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    /// The harm to the file of a large body.
    enum Harm: CaseIterable {
        case removed, shortened, first, last

        func apply(_ file: String) throws {
            let handle = try FileHandle(forUpdating: URL(filePath: file))
            defer { try? handle.close() }
            switch self {
            case .removed: try FileManager.default.removeItem(atPath: file)
            case .shortened: try handle.truncate(atOffset: 400_000)
            case .first: try handle.write(contentsOf: Data([1, 2, 3]))
            case .last:
                try handle.seek(toOffset: 490_000)
                try handle.write(contentsOf: Data([1, 2, 3]))
            }
        }
    }

    @Test(arguments: CachePlace.allCases, Harm.allCases)
    func `BAD-INPUT 43: no damaged byte of a body is given`(place: CachePlace, _ harm: Harm) async throws {
        try await withPath { path in
            let storage = try place.storage(path, limit: 1_000_000)
            let body = Self.bytes(500_000)
            try store(body, in: storage)
            let response = try #require(storage.responses(to: "GET a").first)
            try harm.apply(bodies(path)[0])
            if let damaged = storage.body(of: response, from: 0) {
                #expect(harm == .first || harm == .last)
                var iterator = damaged.makeAsyncIterator()
                var count = 0
                let error = await #expect(throws: CallError.self) {
                    while let piece = try await iterator.next() {
                        #expect(piece == body.slice(count..<(count + piece.count)))
                        count += piece.count
                    }
                }
                #expect(error?.kind == .file && error?.reason.contains("damaged") == true)
                #expect(harm == .first ? count == 0 : count > 0)
            } else {
                #expect(harm == .removed || harm == .shortened)
            }
            // The response is forgotten, and a new one can be stored.
            #expect(storage.responses(to: "GET a").isEmpty && storage.takeNotices().count == 1)
            try store(body, in: storage)
            let again = try #require(storage.responses(to: "GET a").first)
            #expect(try await read(again, storage) == body)
        }
    }

    @Test(arguments: ["the small body", "text/x-marked"])
    func `BAD-INPUT 43: what has changed in the database is not given`(mark: String) async throws {
        try await withPath { path in
            do {
                let storage = try DatabaseCacheStorage(path, limit: 1_000_000)
                // Waits for the queue, which would otherwise close the storage after the file is read here.
                storage.queue?.sync {}
                try store(Bytes("the small body"), as: Self.head([.contentType: "text/x-marked"]), in: storage)
            }
            var file = try Data(contentsOf: URL(filePath: path))
            let place = try #require(file.firstRange(of: Data(mark.utf8)))
            file.replaceSubrange(place.lowerBound..<(place.lowerBound + 1), with: [0x58])
            try file.write(to: URL(filePath: path))
            let storage = try DatabaseCacheStorage(path, limit: 1_000_000)
            let responses = storage.responses(to: "GET a")
            for response in responses { #expect(storage.body(of: response, from: 0) == nil) }
            #expect(storage.takeNotices().count == 1 && storage.byteCount == 0)
        }
    }

    private func files(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "-bodies")
    }

    @Test func `files that a killed process has left are removed, those that are being written are not`() async throws {
        try await withPath { path in
            let storage = try DatabaseCacheStorage(path, limit: 10_000_000)
            // Waits for the background work, which also looks for such files.
            storage.queue?.sync {}
            let writer = try #require(storage.store(Self.head(), under: "GET writing", length: nil))
            #expect(writer.write(Self.bytes(100_000)))
            try store(Self.bytes(100_000), under: "GET kept", in: storage)
            for name in [".body", ".body.part"].map({ Self.leftover + $0 }) {
                try Data("left".utf8).write(to: URL(filePath: "\(path)-bodies/\(name)"))
            }
            #expect(try files(path).count == 4)
            let other = try DatabaseCacheStorage(path, limit: 10_000_000)
            other.queue?.sync {}
            #expect(try files(path).count == 2)
            #expect(writer.finish())
            for key in ["GET writing", "GET kept"] {
                let response = try #require(other.responses(to: key).first)
                #expect(try await read(response, other) == Self.bytes(100_000))
            }
        }
    }

    @Test func `what a locked database cannot remove is not used, and is removed later`() async throws {
        try await withPath { path in
            let (storage, other) = (try DatabaseCacheStorage(path, limit: 10_000_000), try DatabaseQueue(path: path))
            let cache = ResponseCache(storage: storage)
            for key in ["GET a", "GET b"] { try store(Self.bytes(10), under: key, in: storage) }
            try await other.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN IMMEDIATE")
                cache.remove(key: "GET a")
                try db.execute(sql: "ROLLBACK")
            }
            let neighbour = try DatabaseCacheStorage(path, limit: 10_000_000)
            #expect(neighbour.responses(to: "GET a").count == 1)
            // The storage leaves the file alone for a second after the failure, and finds nothing meanwhile.
            while storage.responses(to: "GET b").isEmpty { await Task.yield() }
            #expect(cache.responses(to: "GET a").isEmpty && cache.responses(to: "GET b").count == 1)
            #expect(neighbour.responses(to: "GET a").isEmpty && neighbour.responses(to: "GET b").count == 1)
            #expect(storage.takeNotices().count == 1)
        }
    }

    @Test func `FAULT 8: a database leaves files alone that it did not make`() async throws {
        try await withPath { path in
            let names: Set = ["notes.txt", "notes.part", Self.leftover]
            try FileManager.default.createDirectory(atPath: path + "-bodies", withIntermediateDirectories: false)
            for name in names { try Data(name.utf8).write(to: URL(filePath: "\(path)-bodies/\(name)")) }
            let storage = try DatabaseCacheStorage(path, limit: 1_000_000)
            try store(Self.bytes(100_000), in: storage)
            #expect(try files(path).count == names.count + 1)
            #expect(storage.remove(nil, isUrgent: true))
            storage.queue?.sync {}
            #expect(try Set(files(path)) == names)
        }
    }
}
#endif
