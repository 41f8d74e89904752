// ConnectionPool.Member: what a pool knows of one connection, and which limits it keeps.

import TsubamePlatform

extension ConnectionPool {
    /// A connection for a request that need not wait.
    struct Lease {
        let id: MemberID
        let connection: Connection
    }

    /// Limits that do not change during the life of a pool. Times are in nanoseconds.
    struct Limits {
        /// The number of connections, those that are being made included.
        var connections = 1
        var exchangesPerConnection = Int.max
        /// How long after it was made a connection may begin an exchange.
        var connectionLifetime = MonotonicTime.max
        /// How long a connection may be idle.
        var idleLifetime = MonotonicTime.max
    }

    /// One connection.
    struct Member {
        let connection: Connection
        /// Whether it carries several exchanges at once.
        let isShared: Bool
        let madeAt: MonotonicTime
        /// How many exchanges it may carry at once; 0 after it accepts no more.
        var capacity: Int
        /// The number of exchanges that run on it.
        var running = 0
        /// The number of exchanges that it has begun.
        var exchanges = 0
        /// Whether it carries no exchange, and is kept for the next request.
        var isIdle = false
        /// When its last exchange ended.
        var idleSince: MonotonicTime = 0

        var hasRoom: Bool { running < capacity }
    }
}
