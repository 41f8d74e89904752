// DiskCacheTests: a cache's responses on disk, in an SQLite database and in a folder.
#if Store
import Foundation
import HTTPTypes
import Testing
import TsubameCore
import TsubameTesting
import TsubameWire

@testable import Tsubame
@testable import TsubameStore

/// The kind of place of a cache.
enum CachePlace: CaseIterable {
    case database, folder

    func storage(_ path: String, limit: Int64) throws -> any DiskCacheStorage {
        switch self {
        case .database: try DatabaseCacheStorage(path, limit: limit)
        case .folder: try FolderCacheStorage(path, limit: limit)
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct DiskCacheTests {
    static func head(
        _ fields: HTTPFields = [.eTag: "\"1\""], _ selecting: [String: String?] = [:], at time: Double = 1000
    ) -> StoredHead {
        StoredHead(status: 200, fields: fields, selecting: selecting, requestTime: time - 0.5, responseTime: time)
    }

    /// Bytes that differ at any two nearby positions.
    static func bytes(_ count: Int, seed: Int = 0) -> Bytes {
        let block = Data((0..<4099).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 ^ ($0 >> 8)) })
        var data = Data()
        while data.count < count { data.append(block) }
        return Bytes(data.prefix(count))
    }

    /// The name of a file that no process writes any more.
    static let leftover = "0123456789abcdef0123456789abcdef"

    func withPath(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tsubame-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "cache.sqlite").path)
    }

    func bodies(_ path: String) -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return (FileManager.default.subpaths(atPath: folder) ?? []).filter { $0.hasSuffix(".body") }.map {
            "\(folder)/\($0)"
        }
    }

    @discardableResult
    func store(
        _ body: Bytes, as head: StoredHead = head(), under key: String = "GET a", in storage: any DiskCacheStorage,
        pieces: Int = 10_000
    ) throws -> Bool {
        let writer = try #require(storage.store(head, under: key, length: nil))
        var offset = 0
        while offset < body.count {
            guard writer.write(body.slice(offset..<min(offset + pieces, body.count))) else { return false }
            offset += pieces
        }
        #expect(writer.finish())
        return true
    }

    func read(_ response: StoredResponse, from offset: Int64 = 0, _ storage: any DiskCacheStorage) async throws
        -> Bytes?
    {
        try await storage.body(of: response, from: offset)?.collect(upTo: .max)
    }

    // MARK: Kept

    @Test(arguments: CachePlace.allCases, [0, 1, 65_536, 65_537, 262_144, 262_145, 1_000_000])
    func `what is stored is there for the next one who opens the file, from any place on`(place: CachePlace, count: Int)
        async throws
    {
        try await withPath { path in
            let body = Self.bytes(count)
            let fields: HTTPFields = [
                .contentType: "text/plain; charset=\"ü\"", .eTag: "W/\"a:b\"", .vary: "Accept, X",
            ]
            let head = Self.head(fields, ["accept": "a, b:c", "x": nil, "y": ""])
            do {
                let storage = try place.storage(path, limit: 10_000_000)
                try store(body, as: head, in: storage)
            }
            let storage = try place.storage(path, limit: 10_000_000)
            let responses = storage.responses(to: "GET a")
            let response = try #require(responses.first)
            #expect(responses.count == 1 && response.head == head && response.bodyLength == count)
            for offset in [0, 1, 65_535, 65_536, 200_000, count - 1, count] where (0...count).contains(offset) {
                let read = try await read(response, from: Int64(offset), storage)
                #expect(read == body.slice(offset..<count))
            }
            #expect(storage.body(of: response, from: Int64(count) + 1) == nil)
            #expect(storage.body(of: response, from: -1) == nil)
            #expect(storage.responses(to: "GET b").isEmpty && storage.takeNotices().isEmpty)
            // Only large bodies have files, which no other user can read.
            #expect(bodies(path).count == (count > 65_536 ? 1 : 0))
            for name in bodies(path) + (place == .database ? [path] : []) {
                let mode = try FileManager.default.attributesOfItem(atPath: name)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `a response takes the place of the one with the same selecting fields, and of no other`(
        place: CachePlace
    ) async throws {
        try await withPath { path in
            let storage = try place.storage(path, limit: 10_000_000)
            for (number, value) in ["a", "b", "a", nil, "c"].enumerated() {
                try store(
                    Self.bytes(70_000, seed: number), as: Self.head([:], ["accept": value], at: Double(number)),
                    in: storage)
            }
            let responses = storage.responses(to: "GET a")
            #expect(responses.map { $0.head.selecting["accept"] } == ["c", .some(nil), "a", "b"])
            #expect(try await read(responses[2], storage) == Self.bytes(70_000, seed: 2))
            #expect(bodies(path).count == 4)
            // A server that varies its fields without end does not fill the cache.
            for number in 0..<(2 * CacheLimits.variants) {
                try store(
                    Self.bytes(1), as: Self.head([:], ["accept": "\(number)"], at: Double(100 + number)), in: storage)
            }
            #expect(storage.responses(to: "GET a").count == CacheLimits.variants)
            #expect(bodies(path).isEmpty)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `what was used longest ago is forgotten first, and the limit is kept`(
        place: CachePlace
    ) async throws {
        try await withPath { path in
            let storage = try place.storage(path, limit: 1_000_000)
            for number in 0..<4 {
                try store(Self.bytes(200_000), under: "GET \(number)", in: storage)
            }
            let first = try #require(storage.responses(to: "GET 0").first)
            #expect(try await read(first, storage) == Self.bytes(200_000))
            try store(Self.bytes(10), under: "GET small", in: storage)
            #expect(storage.byteCount > 800_000 && storage.byteCount < 810_000)
            try store(Self.bytes(600_000), under: "GET large", in: storage)
            #expect(storage.byteCount <= 1_000_000)
            let kept = ["0", "1", "2", "3", "small", "large"].filter { !storage.responses(to: "GET \($0)").isEmpty }
            #expect(kept == ["0", "small", "large"])
            #expect(bodies(path).count == 2)
            #expect(storage.store(Self.head(), under: "GET huge", length: 1_000_001) == nil)
            #expect(try store(Self.bytes(1_000_001), under: "GET huge", in: storage) == false)
            // The head of this one takes it above the limit.
            do {
                let writer = try #require(storage.store(Self.head(), under: "GET huge", length: 1_000_000))
                #expect(writer.write(Self.bytes(1_000_000)) && !writer.finish())
            }
            #expect(storage.responses(to: "GET huge").isEmpty && bodies(path).count == 2)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `what a dropped writer has taken is nowhere`(
        place: CachePlace
    ) async throws {
        try await withPath { path in
            let storage = try place.storage(path, limit: 10_000_000)
            for (written, announced) in [(10, nil), (100_000, nil), (100_000, Int64(100_001)), (10, 11)] {
                let writer = try #require(storage.store(Self.head(), under: "GET a", length: announced))
                #expect(writer.write(Self.bytes(written)))
                // A writer with another announced length has kept nothing either.
                if announced != nil { #expect(!writer.finish()) }
            }
            let writer = try #require(storage.store(Self.head(), under: "GET a", length: 5))
            #expect(writer.write(Self.bytes(6)) == false && writer.write(Bytes()) == false)
            #expect(storage.responses(to: "GET a").isEmpty && bodies(path).isEmpty && storage.byteCount == 0)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `a response that is updated keeps its body, and what is removed can be read to its end`(
        place: CachePlace
    ) async throws {
        try await withPath { path in
            let storage = try place.storage(path, limit: 10_000_000)
            let body = Self.bytes(900_000)
            try store(body, in: storage)
            var response = try #require(storage.responses(to: "GET a").first)
            response.head.fields[.age] = "7"
            response.head.responseTime = 2000
            storage.update(response)
            let updated = try #require(storage.responses(to: "GET a").first)
            #expect(updated.head == response.head && updated.id == response.id)
            // A stored response that the same fields select now is replaced.
            try store(Self.bytes(70_000), as: Self.head([:], ["accept": "x"]), in: storage)
            response.head.selecting = ["accept": "x"]
            storage.update(response)
            #expect(storage.responses(to: "GET a").map(\.id) == [response.id] && bodies(path).count == 1)
            let reading = try #require(storage.body(of: updated, from: 0))
            var iterator = reading.makeAsyncIterator()
            let first = try #require(try await iterator.next())
            #expect(storage.remove("GET a", isUrgent: true))
            #expect(storage.responses(to: "GET a").isEmpty && storage.byteCount == 0 && bodies(path).isEmpty)
            #expect(storage.body(of: updated, from: 0) == nil)
            var rest = [first]
            while let piece = try await iterator.next() { rest.append(piece) }
            #expect(Bytes(joining: rest) == body)
            storage.update(updated)
            #expect(storage.responses(to: "GET a").isEmpty)
            try store(body, in: storage)
            #expect(storage.remove(nil, isUrgent: true))
            #expect(storage.responses(to: "GET a").isEmpty && storage.byteCount == 0 && bodies(path).isEmpty)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `several storages of one file see what the others store and remove`(
        place: CachePlace
    ) async throws {
        try await withPath { path in
            let keepers = try (0..<3).map { _ in try place.storage(path, limit: 100_000_000) }
            await withTaskGroup { group in
                for (number, storage) in keepers.enumerated() {
                    group.addTask {
                        for key in 0..<20 {
                            let body = Self.bytes(key.isMultiple(of: 4) ? 70_000 : 100, seed: number)
                            _ = try? store(body, under: "GET \(number) \(key)", in: storage)
                        }
                    }
                }
            }
            for storage in keepers {
                for number in 0..<3 {
                    for key in 0..<20 {
                        let response = try #require(storage.responses(to: "GET \(number) \(key)").first)
                        let body = try await read(response, storage)
                        #expect(body == Self.bytes(key.isMultiple(of: 4) ? 70_000 : 100, seed: number))
                    }
                }
                #expect(storage.takeNotices().isEmpty)
            }
            #expect(keepers[0].remove(nil, isUrgent: true))
            #expect(keepers[1].byteCount == 0 && bodies(path).isEmpty)
        }
    }

    // MARK: A folder

    @Test func `what a killed process has left in a folder goes when room is made`() async throws {
        try await withPath { path in
            let storage = try FolderCacheStorage(path, limit: 1_000_000)
            let writer = try #require(storage.store(Self.head(), under: "GET a", length: nil))
            #expect(writer.write(Self.bytes(100_000)))
            let folder = storage.folder(of: "GET a").path
            for name in [".body", ".body.part", ".part"].map({ Self.leftover + $0 }) {
                try Data("left".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            #expect(storage.byteCount == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
            #expect(writer.finish())
            let response = try #require(storage.responses(to: "GET a").first)
            #expect(try await read(response, storage) == Self.bytes(100_000))
        }
    }

    @Test(arguments: [0, 8, 12, 44, 60, 300]) func `BAD-INPUT 43: a record that has changed is not given`(at place: Int)
        async throws
    {
        try await withPath { path in
            let storage = try FolderCacheStorage(path, limit: 1_000_000)
            try store(Bytes(String(repeating: "the small body", count: 30)), in: storage)
            let folder = storage.folder(of: "GET a").path
            let file = URL(filePath: "\(folder)/\(try FileManager.default.contentsOfDirectory(atPath: folder)[0])")
            var bytes = try Data(contentsOf: file)
            bytes[place] ^= 0x20
            try bytes.write(to: file)
            #expect(storage.responses(to: "GET a").isEmpty && storage.takeNotices().count == 1)
            try bytes.prefix(place).write(to: file)
            #expect(storage.responses(to: "GET a").isEmpty && storage.takeNotices().count == 1)
        }
    }

    @Test func `a place that is no folder is told`() throws {
        let error = #expect(throws: CallError.self) { try ResponseCache(folder: "/dev/null") }
        #expect(error?.kind == .file)
        #expect(throws: CallError.self) { try ResponseCache(folder: "/no/such/folder") }
    }
}
#endif
