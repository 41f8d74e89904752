// CachedServer: a server, a client with a cache, and a clock that tests turn by hand.

import Dispatch
import HTTPTypes
import Synchronization
@testable import Tsubame
import TsubameCore
import TsubameTesting
import TsubameWire

/// Seconds since 1970, turned by hand.
final class WallClock: Sendable {
    private let time = Mutex(1_000_000_000.0)

    var now: Double { time.withLock { $0 } }

    func pass(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// The kind of place of a test's cache.
enum CachePlace: String, CaseIterable, Sendable {
    case memory
    /// In memory, but with a queue as for a storage that blocks.
    case queue
}

/// A storage that asks for a queue.
final class QueuedKeeper: CacheStorage {
    let kept: MemoryCacheStorage
    /// Opened by a removal.
    let tried = Gate()
    /// How many removals fail from now on.
    let refusals = Mutex(0)
    private let own = DispatchQueue(label: "tsubame.tests.cache")

    init(bytes: Int) { kept = MemoryCacheStorage(bytes: bytes) }

    var name: String { "a queue" }
    var queue: DispatchQueue? { own }
    var byteCount: Int64 { kept.byteCount }

    func responses(to key: String) -> [StoredResponse] {
        dispatchPrecondition(condition: .onQueue(own))
        return kept.responses(to: key)
    }

    func body(of response: StoredResponse, from offset: Int64) -> ResponseBody? {
        dispatchPrecondition(condition: .onQueue(own))
        return kept.body(of: response, from: offset)
    }

    func store(_ head: StoredHead, under key: String, length: Int64?) -> (any CacheWriter)? {
        dispatchPrecondition(condition: .onQueue(own))
        return kept.store(head, under: key, length: length)
    }

    func update(_ response: StoredResponse) {
        dispatchPrecondition(condition: .onQueue(own))
        kept.update(response)
    }

    func remove(_ key: String?, isUrgent: Bool) -> Bool {
        defer { tried.open() }
        return !refuses() && kept.remove(key, isUrgent: isUrgent)
    }

    private func refuses() -> Bool {
        refusals.withLock { refusals in
            defer { refusals = max(refusals - 1, 0) }
            return refusals > 0
        }
    }

    func takeNotices() -> [String] { [] }
}

/// The objects that a test of a cache needs.
struct CachedServer: Sendable {
    let server: ScriptedServer
    let client: Client
    let cache: ResponseCache
    let clock: WallClock
    let events: Log<CallEvent>

    /// The paths that the server received.
    var asked: [String] { server.requests.map(\.target) }

    /// The text of the response, and the cache's decision.
    func get(_ path: String, _ change: (inout Request) -> Void = { _ in }) async throws -> (
        text: String, status: String
    ) {
        let response = try await send(path, change)
        return (String(decoding: response.bytes, as: UTF8.self), response.cacheStatus ?? "")
    }

    func send(_ path: String, _ change: (inout Request) -> Void = { _ in }) async throws -> Response {
        var request = Request(.get, RequestPath(encoded: path))
        change(&request)
        return try await client.send(request)
    }
}

/// Runs `body` with a server, a client with a cache, and their clock.
func cached(
    in place: CachePlace = .memory, bytes: Int = 1 << 20, retry: RetryPolicy = .connectionFailures,
    wireInterceptors: [any Interceptor] = [],
    _ respond: @escaping @Sendable (ReceivedRequest) -> Reply, _ body: (CachedServer) async throws -> Void
) async throws {
    let clock = WallClock()
    let storage: any CacheStorage = place == .memory ? MemoryCacheStorage(bytes: bytes) : QueuedKeeper(bytes: bytes)
    let cache = ResponseCache(storage: storage) { clock.now }
    let server = try await ScriptedServer.start(respond)
    try await serving(server) {
        $0.cache = .cache(cache)
        $0.retry = retry
        $0.wireInterceptors = wireInterceptors
    } _: { server, client in
        let events = Log<CallEvent>()
        let observation = client.observe { events.add($0) }
        try await body(CachedServer(server: server, client: client, cache: cache, clock: clock, events: events))
        withExtendedLifetime(observation) {}
    }
}
