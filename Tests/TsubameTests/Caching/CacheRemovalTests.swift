// CacheRemovalTests: what is removed from a cache is not used again, even if the storage or the call fails meanwhile.

import Dispatch
import Foundation
import HTTPTypes
import Synchronization
import Testing
@testable import Tsubame
import TsubameCore
import TsubamePlatform
import TsubameTesting
import TsubameWire

/// Cancels the task that sends a POST, when its response is there.
private final class Withdrawing: Interceptor {
    let task = Mutex<Task<Void, any Error>?>(nil)

    func intercept(_ request: Request, next: Next) async throws -> Response {
        let response = try await next(request)
        if request.method == .post { task.withLock { $0 }?.cancel() }
        return response
    }
}

/// A storage in memory that cannot remove all responses at once.
private final class StubbornKeeper: CacheStorage {
    let kept = MemoryCacheStorage(bytes: 1 << 20)
    let isStubborn = Mutex(true)
    /// How often the removal of all was tried.
    let attempts = Mutex(0)

    var name: String { kept.name }
    var queue: DispatchQueue? { nil }
    var byteCount: Int64 { kept.byteCount }
    func responses(to key: String) -> [StoredResponse] { kept.responses(to: key) }
    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody? {
        kept.body(of: response, from: offset)
    }
    func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)? {
        kept.store(head, under: key, length: length)
    }
    func update(_ response: StoredResponse) { kept.update(response) }
    func takeNotices() -> [String] { [] }

    func remove(_ key: String?, isUrgent: Bool) -> Bool {
        if key == nil { attempts.withLock { $0 += 1 } }
        return (key != nil || !isStubborn.withLock { $0 }) && kept.remove(key, isUrgent: isUrgent)
    }
}

@Suite(.timeLimit(.minutes(1))) struct CacheRemovalTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    private static func counting(_ request: ReceivedRequest) -> Reply { .ok("\(request.index)", headers: fresh) }

    @Test func `a response whose removal fails is not used, and is removed later`() async throws {
        try await cached(in: .queue, Self.counting) { cached in
            let storage = try #require(cached.cache.storage as? QueuedKeeper)
            _ = try await cached.get("a")
            _ = try await cached.get("b")
            storage.refusals.withLock { $0 = 2 }
            _ = try await cached.client.send(Request(.post, "a"))
            #expect(storage.kept.byteCount > 0 && storage.refusals.withLock { $0 } == 1)
            // The removal fails again. The new response is not stored, because it would be removed with the old one.
            let second = try await cached.get("a")
            #expect(second == ("3", "tsubame; fwd=uri-miss"))
            // This time it succeeds.
            let third = try await cached.get("a")
            #expect(third == ("4", "tsubame; fwd=uri-miss; stored"))
            let (fourth, other) = (try await cached.get("a"), try await cached.get("b"))
            #expect(fourth.text == "4" && other.text == "1")
        }
    }

    @Test func `when all responses are to be removed and that fails, none is used`() async throws {
        try await cached(in: .queue, Self.counting) { cached in
            let storage = try #require(cached.cache.storage as? QueuedKeeper)
            for path in ["a", "b", "c"] { _ = try await cached.get(path) }
            storage.refusals.withLock { $0 = 3 }
            cached.cache.removeAll()
            let answer = try await cached.get("b")
            #expect(answer == ("3", "tsubame; fwd=uri-miss"))
            let again = try await cached.get("b")
            #expect(again == ("4", "tsubame; fwd=uri-miss; stored"))
            // The responses of other keys went at the same time.
            let other = try await cached.get("c")
            #expect(other == ("5", "tsubame; fwd=uri-miss; stored"))
        }
    }

    @Test func `a POST that is cancelled after its response still removes what is stored`() async throws {
        let withdrawing = Withdrawing()
        try await cached(in: .queue, wireInterceptors: [withdrawing], Self.counting) { cached in
            _ = try await cached.get("a")
            let begin = Gate()
            let post = Task {
                try await begin.wait()
                _ = try await cached.client.send(Request(.post, "a"))
            }
            withdrawing.task.withLock { $0 = post }
            begin.open()
            let error = await callError { try await post.value }
            #expect(error?.kind == .cancelled)
            // The call has ended, and its step goes on without it.
            try await #require(cached.cache.storage as? QueuedKeeper).tried.wait()
            let answer = try await cached.get("a")
            #expect(answer == ("2", "tsubame; fwd=uri-miss; stored"))
        }
    }

    @Test func `a removal that fails where nothing is stored does not make the cache useless`() async throws {
        for removesAll in [false, true] {
            try await cached(in: .queue, Self.counting) { cached in
                let storage = try #require(cached.cache.storage as? QueuedKeeper)
                storage.refusals.withLock { $0 = 1 }
                if removesAll {
                    cached.cache.removeAll()
                } else {
                    _ = try await cached.client.send(Request(.post, "a"))
                }
                for path in ["a", "b"] { _ = try await cached.get(path) }
                let (one, two) = (try await cached.get("a"), try await cached.get("b"))
                #expect(one.status.hasPrefix("tsubame; hit") && two.status.hasPrefix("tsubame; hit"))
            }
        }
    }

    @Test func `where all responses cannot be removed at once, each key works again by itself`() async throws {
        try await withTemporaryFolder { folder in
            let storage = StubbornKeeper()
            let cache = ResponseCache(storage: storage)
            let head = StoredHead(status: 200, fields: Self.fresh, selecting: [:], requestTime: 1, responseTime: 1)
            func store(_ key: String) throws {
                let writer = try #require(storage.store(head, under: key, length: 0))
                #expect(writer.finish())
            }
            for key in ["a", "b"] { try store(key) }
            cache.removeAll()
            #expect(cache.responses(to: "a").isEmpty && !cache.hasRemoved("a", since: cache.removalCount))
            try store("a")
            #expect(cache.responses(to: "a").count == 1)
            #expect(cache.responses(to: "b").isEmpty && storage.kept.responses(to: "b").isEmpty)
            // The removal of another key takes nothing of this one.
            #expect(cache.responses(to: "a").count == 1 && storage.attempts.withLock { $0 } == 3)
            // All is tried again, ever more seldom, and succeeds some time.
            for key in 0..<300 { try store("\(key)") }
            storage.isStubborn.withLock { $0 = false }
            cache.remove(key: "other")
            for key in 0..<10 { _ = cache.responses(to: "\(key)") }
            #expect(storage.kept.byteCount == 0)
            try store("299")
            #expect(cache.responses(to: "299").count == 1)
        }
    }

    @Test(arguments: CachePlace.allCases, [true, false])
    func `a newer response that has no room removes the older one`(_ place: CachePlace, _ hasLength: Bool) async throws
    {
        let long = String(repeating: "x", count: 10_000)
        try await cached(in: place, bytes: 4_096) { request in
            guard request.index == 1 else { return .ok("\(request.index)", headers: Self.fresh) }
            if hasLength { return .ok(long, headers: Self.fresh) }
            // Without a length, the cache finds out while it stores.
            let head = Reply.head(.ok, [.cacheControl: "max-age=60", .connection: "close"])
            return [.bytes(head), .bytes(Array(long.utf8)), .close]
        } _: { cached in
            _ = try await cached.get("a")
            let second = try await cached.get("a") { $0.cachePolicy = .reload }
            #expect(second.text.count == 10_000)
            let third = try await cached.get("a")
            #expect(third == ("2", "tsubame; fwd=uri-miss; stored"))
        }
    }

    @Test func `an older response that comes late removes nothing newer`() async throws {
        let gate = Gate()
        try await cached(in: .queue) { request in
            request.index == 1
                ? Reply([.wait(for: gate)] + Reply.ok("old", headers: Self.fresh).steps)
                : .ok("\(request.index)", headers: [.cacheControl: "max-age=60", .eTag: "\"1\""])
        } _: { cached in
            _ = try await cached.get("a")
            cached.clock.pass(61)
            let late = Task { try await cached.get("a") }
            try await gate.waitForArrivals(1)
            _ = try await cached.client.send(Request(.post, "a"))
            let newer = try await cached.get("a")
            #expect(newer == ("3", "tsubame; fwd=uri-miss; stored"))
            gate.open()
            #expect(try await late.value.text == "old")
            let after = try await cached.get("a")
            #expect(after.text == "3" && after.status.hasPrefix("tsubame; hit"))
        }
    }

    @Test func `a response in a folder is removed even while its writer holds it`() async throws {
        try await withTemporaryFolder { folder in
            let storage = try FolderCacheStorage(folder.path, limit: 1_000_000)
            let head = StoredHead(status: 200, fields: Self.fresh, selecting: [:], requestTime: 1, responseTime: 1)
            let writer = try #require(storage.store(head, under: "GET a", length: 1))
            #expect(writer.write(Bytes("a")) && writer.finish())
            let name = try #require(storage.folder(of: "GET a").files.first?.name)
            let descriptor = open("\(storage.folder(of: "GET a").path)/\(name)", O_RDONLY | O_CLOEXEC)
            #expect(descriptor >= 0 && FileHold.take(descriptor) == 0)
            defer { FileHold.close(descriptor) }
            let isDone = storage.remove("GET a", isUrgent: true)
            #expect(isDone && storage.responses(to: "GET a").isEmpty && storage.takeNotices().isEmpty)
        }
    }

    @Test func `a removal is owed until it is carried out, and too many are one of all`() {
        var removals = Removals()
        removals.note("a")
        removals.note("b")
        let number = removals.count
        #expect(removals.owes("a") && removals.owes("b") && !removals.owes("c") && !removals.owesAll)
        #expect(removals.contains("a", since: number))
        removals.note("b")
        removals.settle("a", upTo: number)
        removals.settle("b", upTo: number)
        // A removal that was noted after the beginning of the work is still owed.
        #expect(!removals.owes("a") && removals.owes("b"))
        #expect(!removals.contains("a", since: number) && removals.contains("a", since: 0))
        removals.note(nil)
        #expect(removals.owes("a") && removals.owesAll)
        let all = removals.count
        removals.note("c")
        removals.settle(nil, upTo: all)
        #expect(!removals.owes("a") && !removals.owes("b") && removals.owes("c") && !removals.owesAll)
        for key in 0..<300 { removals.note("\(key)") }
        #expect(removals.owesAll && removals.owes("z"))
        // One key after the other, if they cannot be removed together.
        let first = (0..<3).map { _ in removals.takesAll() }
        #expect(first == [true, true, true])
        removals.settle("z", upTo: removals.count)
        let tries = (0..<7).map { _ in removals.takesAll() }
        #expect(tries == [true, false, true, false, false, true, false])
        #expect(!removals.owes("z") && removals.owes("y"))
        removals.note("z")
        #expect(removals.owes("z"))
        removals.settle(nil, upTo: removals.count)
        #expect(!removals.owesAll && !removals.owes("c") && !removals.owes("299") && !removals.owes("z"))
    }
}
