// ResponseCache: the responses that a client keeps, to look into and to empty.

import Dispatch
import Synchronization
public import TsubameCore
import TsubameWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A private cache (RFC 9111): what a client, or several, keep of responses to use them again. Safe to use from anywhere.
///
/// ```swift
/// let api = Client("https://api.example.com") { $0.cache = .memory() }
/// let users = try await api.get("users")              // asked for
/// let again = try await api.get("users")              // from memory, if the server allows it
/// print(again.headers[.cacheStatus] ?? "")            // tsubame; hit; ttl=59
/// ```
/// Answers to GET are kept, and to QUERY whose body is bytes: whole ones only, as they came, with their content codings.
/// A request with other credentials
/// (Authorization, a Cookie set by hand, or a field whose name is one of the client's secrets), or of a client with other
/// ``Configuration/connection`` settings, is never answered by what was for another one. A response that was got with cookies
/// of a jar, or set some, is used for that jar only. It stays in use when the jar's cookies change, unless it says
/// `Vary: Cookie`.
///
/// Processes that share a cache on disk share the responses that they got by default settings. The proxy, the HTTP version,
/// the address family and the interface may be set as well, if they are the same. Responses that were got by other settings,
/// such as TLS or a resolver of one's own, are for one process. So are those that were got with cookies of a jar in memory.
///
/// It is in memory unless it was made for another place. What goes wrong there fails no call; it may cost one some of the
/// time that it has. ``byteCount``, ``remove(_:)``, ``removeAll()`` and ``description`` read and write there, and wait for
/// it.
public final class ResponseCache: Sendable {
    let keeper: any CacheKeeper
    /// Seconds since 1970.
    let now: @Sendable () -> Double
    /// The stored responses that are being brought up to date.
    private let refreshing = Mutex<Set<Int64>>([])
    private let removals = Mutex(Removals())

    /// A cache in memory.
    /// - Parameter bytes: how much it keeps, bodies and fields; what was used longest ago goes first.
    public convenience init(bytes: Int = 64 << 20) {
        self.init(keeper: MemoryKeeper(bytes: bytes))
    }

    package init(
        keeper: any CacheKeeper, now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) {
        self.keeper = keeper
        self.now = now
    }

    /// How many bytes are kept, bodies and fields.
    public var byteCount: Int64 { keeper.byteCount }

    /// Forgets everything.
    public func removeAll() {
        removals.withLock { $0.note(nil) }
        keeper.removeAll()
    }

    /// Forgets what is kept of this URL.
    /// - Throws: ``CallError/Kind/invalidRequest`` if that is no URL.
    public func remove(_ url: String) throws(CallError) { remove(key: CacheKey.of(try TargetURI(parsing: url))) }

    func remove(key: String) {
        removals.withLock { $0.note(key) }
        keeper.remove(key)
    }

    /// Where the list of what was forgotten ends now.
    var removalCount: UInt64 { removals.withLock { $0.count } }

    /// Whether this was forgotten since then: an answer that was asked for before is not to bring it back.
    func hasRemoved(_ key: String, since count: UInt64) -> Bool { removals.withLock { $0.contains(key, since: count) } }

    /// Whether this one may be brought up to date now: nobody else does so.
    func beginRefresh(_ response: StoredResponse) -> Bool { refreshing.withLock { $0.insert(response.id).inserted } }

    func endRefresh(_ response: StoredResponse) { refreshing.withLock { _ = $0.remove(response.id) } }
}

extension ResponseCache: CustomStringConvertible, CustomReflectable {
    /// Where it is, and how much it keeps; not what.
    public var description: String { "cache of \(byteCount) bytes in \(keeper.name)" }

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["cache": description], displayStyle: .class) }
}
