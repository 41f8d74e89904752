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

    /// - Parameter version: the version that the origin has spoken before, if that is known.
    init(_ key: ConnectionKey, version: HTTPVersion?) {
        self.key = key
        let settings = key.settings.settings
        pool = Pool(
            PoolLimits(
                connections: Swift.max(settings.connectionsPerOrigin, 1),
                exchangesPerConnection: key.settings.exchangesPerConnection,
                connectionLifetime: key.settings.connectionLifetime,
                idleLifetime: settings.idleConnectionLifetime.nanosecondsClamped),
            mayShare: key.mayShare && version != .http11)
    }
}

/// The place of a connection in the pool that counts it.
struct PoolMembership {
    let origin: OriginPool
    let id: OriginPool.Pool.MemberID
}
