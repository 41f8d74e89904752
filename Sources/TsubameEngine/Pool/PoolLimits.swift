// PoolLimits: how many connections a pool may have, and for how long.

import TsubamePlatform

/// The limits of a pool. Times are in nanoseconds.
struct PoolLimits {
    /// The number of connections, those that are being made included.
    var connections = 1
    var exchangesPerConnection = Int.max
    /// How long after it was made a connection may begin an exchange.
    var connectionLifetime = MonotonicTime.max
    /// How long a connection may be idle.
    var idleLifetime = MonotonicTime.max

    /// Whether a connection begins no further exchange.
    @inline(__always)
    func isSpent(_ member: PoolMember, at now: @autoclosure () -> MonotonicTime) -> Bool {
        member.exchanges >= exchangesPerConnection
            || (connectionLifetime != .max && now() &- member.madeAt >= connectionLifetime)
    }

    /// Whether an idle connection is kept no longer.
    func isOver(_ member: PoolMember, at now: MonotonicTime) -> Bool {
        now &- member.idleSince >= idleLifetime || isSpent(member, at: now)
    }
}
