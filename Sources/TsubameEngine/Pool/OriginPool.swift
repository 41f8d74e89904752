// OriginPool: the pool of one origin on one loop, with the objects that its actions mean.

import NIOCore
import TsubameCore
import TsubamePlatform

/// Holds the pool of one ``ConnectionKey``, its connectors, and its timer.
// Confined to the loop of its loop pool.
final class OriginPool {
    typealias Pool = ConnectionPool<any PooledConnection, Waiter>

    let key: ConnectionKey
    @exclusivity(unchecked) var pool: Pool
    /// The connectors that are at work, by the names that the pool gave them.
    @exclusivity(unchecked) var connectors: [Pool.ConnectorID: Connector] = [:]
    /// The sharing delay, while it runs.
    var sharingDelay: Scheduled<Void>?
    /// The end of the yielding time, while a connection yields.
    var yielding: Scheduled<Void>?

    /// - Parameter version: the version that the origin has spoken before, if that is known.
    init(_ key: ConnectionKey, version: HTTPVersion?) {
        self.key = key
        let settings = key.settings.settings
        pool = Pool(
            PoolLimits(
                connections: key.settings.connectionLimit,
                exchangesPerConnection: key.settings.exchangesPerConnection,
                connectionLifetime: key.settings.connectionLifetime,
                idleLifetime: settings.idleConnectionLifetime.nanosecondsClamped),
            mayShare: key.mayShare && version != .http11)
    }

    /// Why no open connection carries a request, for observers.
    func reasonToWait(isResent: Bool) -> String {
        let open = pool.leasedCount + pool.idleCount
        if isResent { return "the last connection could not be used" }
        if open == 0 {
            return connectors.isEmpty ? "none is open" : "none is open, and \(connectors.count) are being made"
        }
        if pool.idleCount > 0 { return "the idle ones are for earlier calls, or have to be read first" }
        let full = pool.isFull ? ", and no more are allowed (connectionsPerOrigin)" : ""
        if pool.isYielding { return "the open connection makes room for another origin for up to a second" }
        if pool.sharedCount > 0 {
            return
                "all streams of \(open == 1 ? "the open connection" : "the \(open) open connections") are in use\(full)"
        }
        return "\(open == 1 ? "the open connection is" : "all \(open) open connections are") in use\(full)"
    }
}

/// The place of a connection in the pool that counts it.
struct PoolMembership {
    let origin: OriginPool
    let id: OriginPool.Pool.MemberID
}
