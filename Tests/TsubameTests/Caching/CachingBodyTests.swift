// CachingBodyTests: bodies are stored while they are read: only complete bodies are kept, and none is held in memory as
// a whole.

import HTTPTypes
import Testing
@testable import Tsubame
import TsubameTesting

@Suite(.timeLimit(.minutes(1))) struct CachingBodyTests {
    private static let minute: HTTPFields = [.cacheControl: "max-age=60"]

    @Test(arguments: CachePlace.allCases)
    func `a long body is stored while it is read, and read from what is stored`(_ place: CachePlace) async throws {
        let length = 3 << 20
        try await cached(in: place, bytes: 4 << 20, { _ in .stream(length, headers: Self.minute) }) { cached in
            for _ in 0..<2 {
                let count = try await cached.client.stream(Request(.get, "a")) { response in
                    var count = 0
                    for try await piece in response.body {
                        #expect(piece.allSatisfy { $0 == 0x78 })
                        count += piece.count
                    }
                    return count
                }
                #expect(count == length)
            }
            let whole = try await cached.send("a")
            #expect(whole.bytes.count == length && cached.asked.count == 1)
            #expect(cached.cache.byteCount >= Int64(length))
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `BAD-INPUT 43: a reader who gives up leaves nothing`(_ place: CachePlace) async throws {
        try await cached(in: place, bytes: 4 << 20, { _ in .stream(2 << 20, headers: Self.minute) }) { cached in
            let first = try await cached.client.stream(Request(.get, "a")) { response in
                var pieces = response.body.makeAsyncIterator()
                return try await pieces.next()?.count ?? 0
            }
            #expect(first > 0)
            #expect(cached.cache.byteCount == 0)
            let again = try await cached.send("a")
            #expect(again.bytes.count == 2 << 20 && cached.asked.count == 2)
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `BAD-INPUT 43: a body that is cut off leaves nothing`(_ place: CachePlace) async throws {
        let half = [UInt8](repeating: 0x61, count: 500_000)
        try await cached(
            in: place, retry: .off,
            { request in
                request.index == 0
                    ? [
                        .bytes(Reply.head(.ok, [.cacheControl: "max-age=60", .contentLength: "1000000"])), .bytes(half),
                        .close,
                    ] : .ok("whole", headers: Self.minute)
            }
        ) { cached in
            let error = await callError { _ = try await cached.send("a") }
            #expect(error?.kind == .incompleteResponse)
            #expect(cached.cache.byteCount == 0)
            let again = try await cached.get("a")
            #expect(again.text == "whole")
        }
    }

    @Test(arguments: CachePlace.allCases)
    func `a call that is cancelled while its body comes leaves nothing`(_ place: CachePlace) async throws {
        let gate = Gate()
        try await cached(
            in: place,
            { request in
                request.index == 0
                    ? [
                        .bytes(Reply.head(.ok, [.cacheControl: "max-age=60", .contentLength: "1000000"])),
                        .bytes([UInt8](repeating: 0x61, count: 500_000)), .wait(for: gate),
                    ] : .ok("whole", headers: Self.minute)
            }
        ) { cached in
            let begun = Gate()
            let reading = Task {
                try await cached.client.stream(Request(.get, "a")) { response in
                    for try await _ in response.body { begun.open() }
                }
            }
            try await begun.wait()
            reading.cancel()
            let error = await callError { try await reading.value }
            #expect(error?.kind == .cancelled)
            #expect(cached.cache.byteCount == 0)
            gate.open()
            let again = try await cached.get("a")
            #expect(again.text == "whole")
        }
    }

    @Test func `a body that is longer than the cache passes it by`() async throws {
        try await cached(
            bytes: 100_000,
            { request in
                request.path == "/known"
                    ? .stream(1 << 20, headers: Self.minute)
                    : .chunked(
                        Array(repeating: String(repeating: "x", count: 8 << 10), count: 64), headers: Self.minute)
            }
        ) { cached in
            for path in ["known", "unknown"] {
                let response = try await cached.send(path)
                #expect(response.bytes.count >= 64 * 8 << 10)
                #expect(cached.cache.byteCount == 0)
            }
        }
    }

    @Test func `what was used longest ago goes first`() async throws {
        try await cached(
            bytes: 10_000,
            { request in
                .ok(String(repeating: "x", count: 2_000), headers: Self.minute)
            }
        ) { cached in
            for path in ["a", "b", "c", "a", "d"] { _ = try await cached.get(path) }
            #expect(cached.cache.byteCount <= 10_000)
            for path in ["a", "c", "d"] {
                let answer = try await cached.get(path)
                #expect(answer.status.hasPrefix("tsubame; hit"), "\(path)")
            }
            let answer = try await cached.get("b")
            #expect(answer.status == "tsubame; fwd=uri-miss; stored")
        }
    }

    @Test func `many at once read and store the same`() async throws {
        let length = 400_000
        try await cached(
            bytes: 1 << 20,
            { request in
                request.path == "/long" ? .stream(length, headers: Self.minute) : .ok("x", headers: Self.minute)
            }
        ) { cached in
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<60 {
                    group.addTask { try await cached.send(number % 2 == 0 ? "long" : "\(number % 7)").bytes.count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts.sorted() == Array(repeating: 1, count: 30) + Array(repeating: length, count: 30))
            #expect(cached.cache.byteCount <= 1 << 20)
        }
    }
}
