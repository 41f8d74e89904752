// MemoryCacheStorageTests: the storage in memory, without a client.

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameCore
import TsubameWire

@Suite struct MemoryCacheStorageTests {
    private static func head(_ selecting: [String: String?] = [:]) -> StoredHead {
        StoredHead(status: 200, fields: [.eTag: "\"1\""], selecting: selecting, requestTime: 0, responseTime: 0)
    }

    @discardableResult
    private static func store(
        _ storage: MemoryCacheStorage, _ key: String, bytes: Int, _ selecting: [String: String?] = [:]
    ) -> Bool {
        guard let writer = storage.store(head(selecting), under: key, length: Int64(bytes)),
            writer.write(Bytes([UInt8](repeating: 7, count: bytes)))
        else { return false }
        #expect(writer.finish())
        return true
    }

    @Test func `no more is kept than the limit, and what is being written counts`() throws {
        let storage = MemoryCacheStorage(bytes: 100_000)
        for number in 0..<500 {
            Self.store(storage, "\(number)", bytes: 5_000)
            #expect(storage.byteCount <= 100_000)
        }
        #expect(!storage.responses(to: "499").isEmpty && storage.responses(to: "0").isEmpty)
        var writers: [any CacheWriter] = []
        for number in 0..<3 {
            let writer = try #require(storage.store(Self.head(), under: "w\(number)", length: nil))
            writers.append(writer)
        }
        let piece = Bytes([UInt8](repeating: 1, count: 45_000))
        #expect(writers[0].write(piece) && writers[1].write(piece))
        #expect(!writers[2].write(piece))
        #expect(storage.byteCount <= 10_000)
        #expect(!writers[2].finish())
        #expect(storage.responses(to: "w2").isEmpty)
        writers.removeAll()
        // The dropped writers have released their bytes.
        #expect(Self.store(storage, "after", bytes: 95_000))
    }

    @Test func `what is too long is refused at once, and so is everything where there is no room`() {
        #expect(MemoryCacheStorage(bytes: 100_000).store(Self.head(), under: "a", length: 100_000) == nil)
        #expect(MemoryCacheStorage(bytes: 0).store(Self.head(), under: "a", length: 0) == nil)
        #expect(MemoryCacheStorage(bytes: -1).store(Self.head(), under: "a", length: nil) == nil)
        #expect(MemoryCacheStorage(bytes: 100_000).store(Self.head(), under: "a", length: .max) == nil)
    }

    @Test func `the same selecting fields replace, others stand beside, the newest first and no more than a few`() {
        let storage = MemoryCacheStorage(bytes: 1 << 20)
        for number in 0..<100 { Self.store(storage, "a", bytes: 10, ["accept": "\(number)"]) }
        Self.store(storage, "a", bytes: 20, ["accept": "98"])
        let found = storage.responses(to: "a")
        #expect(found.count == CacheLimits.variants)
        #expect(found.prefix(3).map { $0.head.selecting["accept"] } == ["98", "99", "97"])
        #expect(found[0].bodyLength == 20 && Set(found.map(\.id)).count == found.count)
        _ = storage.remove("a", isUrgent: true)
        #expect(storage.responses(to: "a").isEmpty && storage.byteCount == 0)
    }

    @Test func `a body is read to its end from where it was asked for, although it is forgotten meanwhile`()
        async throws
    {
        let storage = MemoryCacheStorage(bytes: 4 << 20)
        let writer = try #require(storage.store(Self.head(), under: "a", length: nil))
        let whole = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for start in stride(from: 0, to: whole.count, by: 50_000) {
            #expect(writer.write(Bytes(whole[start..<min(start + 50_000, whole.count)])))
        }
        #expect(storage.responses(to: "a").isEmpty)
        #expect(writer.finish())
        let response = try #require(storage.responses(to: "a").first)
        for offset in [0, 1, 49_999, 50_000, 599_999, 600_000, 700_000] {
            let body = try #require(storage.body(of: response, from: Int64(offset)))
            if offset == 700_000 { _ = storage.remove(nil, isUrgent: true) }
            let read = try await body.collect(upTo: .max)
            #expect(read.elementsEqual(whole.dropFirst(offset)))
        }
        #expect(storage.body(of: response, from: 0) == nil)
    }

    @Test func `new fields change what is kept and what it counts`() throws {
        let storage = MemoryCacheStorage(bytes: 1 << 20)
        Self.store(storage, "a", bytes: 10)
        var response = try #require(storage.responses(to: "a").first)
        let before = storage.byteCount
        response.head.fields[.contentLanguage] = String(repeating: "x", count: 1_000)
        storage.update(response)
        #expect(storage.byteCount > before + 1_000)
        #expect(storage.responses(to: "a").first?.head.fields[.contentLanguage] != nil)
        let isEmpty = storage.remove(nil, isUrgent: true)
        storage.update(response)
        #expect(isEmpty)
        #expect(storage.byteCount == 0 && storage.responses(to: "a").isEmpty)
    }

    @Test func `what was forgotten stays forgotten for who began before`() {
        var removals = Removals()
        /// A removal that the storage carries out at once.
        func note(_ key: String?) {
            removals.note(key)
            removals.settle(key, upTo: removals.count)
        }
        note("a")
        let now = removals.count
        #expect(removals.contains("a", since: 0) && !removals.contains("a", since: now))
        #expect(!removals.contains("b", since: 0))
        note("b")
        #expect(removals.contains("b", since: now) && !removals.contains("a", since: now))
        for number in 0..<1_000 { note("\(number)") }
        #expect(removals.contains("a", since: now) && !removals.contains("a", since: removals.count))
        note(nil)
        #expect(removals.contains("anything", since: now))
    }
}
