// PoolMember: what a pool counts of one connection.

import TsubamePlatform

/// The counts of one connection. They hold no reference, so a pool changes them without counting references.
struct PoolMember {
    /// Whether the connection carries several exchanges at once.
    let isShared: Bool
    private(set) var madeAt: MonotonicTime
    /// How many exchanges it may carry at once; 0 for good after it accepts no more.
    var capacity: Int
    /// The number of exchanges that run on it.
    var running = 0
    /// The number of exchanges that it has begun.
    var exchanges = 0
    /// Whether it carries no exchange, and is kept for the next request.
    var isIdle = false
    /// Whether it begins no exchange for a while, so that its place may go to another pool.
    var isYielding = false
    /// When its last exchange ended.
    var idleSince: MonotonicTime = 0

    var hasRoom: Bool { running < capacity && !isYielding }
    var acceptsNoMore: Bool { capacity == 0 }

    /// The idle connection is older than the clock says.
    mutating func age(by time: MonotonicTime) {
        madeAt &-= time
        idleSince &-= time
    }

    mutating func begin() {
        running += 1
        exchanges += 1
    }
}
