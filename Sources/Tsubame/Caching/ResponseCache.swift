// ResponseCache: the responses that a client keeps, to query and to empty.

import Dispatch
import Synchronization
public import TsubameCore
import TsubameWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A private cache (RFC 9111): the responses that one client, or several, keep to use again. A cache is safe to use
/// from any thread.
///
/// ```swift
/// let api = Client("https://api.example.com") { $0.cache = .memory() }
/// let users = try await api.get("users")              // asked for
/// let again = try await api.get("users")              // from memory, if the server allows it
/// print(again.cacheStatus ?? "")                      // tsubame; hit; ttl=59
/// ```
/// The cache keeps responses to GET, and to QUERY if the request's body is bytes. It keeps only complete responses, as
/// they came, with their content codings.
///
/// The caller's identity is part of the cache key. A stored response never answers a request with other credentials,
/// or of a client with other ``Configuration/connection`` settings. Credentials are Authorization, a Cookie that the
/// caller set, and fields whose names contain a secret of the client (``Configuration/secrets``).
///
/// A response that was received with cookies of a jar, or that set some, is used for that jar only. It stays in use
/// when the jar's cookies change, unless it says `Vary: Cookie`.
///
/// Processes that share a cache on disk share the responses that they received with default settings. The proxy, the
/// HTTP version, the address family and the interface may differ from the defaults, if they are the same in these
/// processes. Responses that were received with other settings, such as TLS or your own resolver, are for one process.
/// So are those that were received with cookies of a jar in memory.
///
/// A cache is in memory unless it was created for another place. Failures there fail no call, but may take some of a
/// call's time. ``byteCount``, ``remove(_:)``, ``removeAll()`` and ``description`` read and write there, and wait for
/// it.
public final class ResponseCache: Sendable {
    let storage: any CacheStorage
    /// The time in seconds since 1970.
    let now: @Sendable () -> Double
    /// The stored responses that are being revalidated.
    private let refreshing = Mutex<Set<Int64>>([])
    private let removals = Mutex(Removals())

    /// Creates a cache in memory.
    /// - Parameter bytes: the most bytes to keep, bodies and fields. The least recently used responses are removed
    ///   first.
    public convenience init(bytes: Int = 64 << 20) {
        self.init(storage: MemoryCacheStorage(bytes: bytes))
    }

    package init(
        storage: any CacheStorage, now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.storage = storage
        self.now = now
    }

    /// The number of stored bytes, bodies and fields.
    public var byteCount: Int64 { storage.byteCount }

    /// Removes all responses.
    public func removeAll() { remove(key: nil) }

    /// Removes the responses of this URL.
    /// - Throws: ``CallError/Kind/invalidRequest`` if the URL is invalid.
    public func remove(_ url: String) throws(CallError) { remove(key: CacheKey.of(try TargetURI(parsing: url))) }

    /// - Parameters:
    ///   - key: nil for all responses.
    ///   - isUrgent: whether to try it even soon after a failure of the storage.
    func remove(key: String?, isUrgent: Bool = true) {
        removals.withLock { $0.note(key) }
        if let key { carryOut(key, isUrgent: isUrgent) } else { _ = tries(nil, isUrgent: isUrgent) }
    }

    /// Removes what is owed for a key. Where all cannot be removed, such as a folder of another user, this key's can.
    private func carryOut(_ key: String, isUrgent: Bool) {
        if removals.withLock({ $0.takesAll() }), tries(nil, isUrgent: isUrgent) { return }
        _ = tries(key, isUrgent: isUrgent)
    }

    /// Lets the storage remove a key's responses, or all. If it fails, the removal stays owed.
    /// - Returns: whether none is left.
    private func tries(_ key: String?, isUrgent: Bool) -> Bool {
        let number = removals.withLock { $0.count }
        let isDone = storage.remove(key, isUrgent: isUrgent)
        if isDone { removals.withLock { $0.settle(key, upTo: number) } }
        return isDone
    }

    /// The complete responses to a key, the newest first. Those whose removal failed do not count, and the removal is
    /// tried again.
    func responses(to key: String) -> [StoredResponse] {
        let responses = storage.responses(to: key)
        guard removals.withLock({ $0.owes(key) }) else { return responses }
        carryOut(key, isUrgent: false)
        return []
    }

    /// The current end of the list of removals.
    var removalCount: UInt64 { removals.withLock { $0.count } }

    /// Whether this key was removed after that point, or is still to be removed. The response to an earlier request must
    /// not bring it back.
    func hasRemoved(_ key: String, since count: UInt64) -> Bool { removals.withLock { $0.contains(key, since: count) } }

    /// Claims the revalidation of a response. Returns false if another call is revalidating it.
    func beginRefresh(_ response: StoredResponse) -> Bool { refreshing.withLock { $0.insert(response.id).inserted } }

    func endRefresh(_ response: StoredResponse) { refreshing.withLock { _ = $0.remove(response.id) } }
}

extension ResponseCache: CustomStringConvertible, CustomReflectable {
    /// Where the cache is, and how many bytes it keeps, without their contents.
    public var description: String { "cache of \(byteCount) bytes in \(storage.name)" }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["cache": description], displayStyle: .class) }
}
