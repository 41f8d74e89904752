// ConnectionPool+Facts: the counts and the members of a pool.

import TsubamePlatform

extension ConnectionPool {
    /// Whether the connection carries one exchange, and is free when that ends.
    func carriesOne(_ id: MemberID) -> Bool { members[id]?.running == 1 }
    /// Whether a connection yields to another pool. Meanwhile this pool claims no place: it needs none if the connection does
    /// not become free, and two pools must not yield to each other.
    var isYielding: Bool { shared.contains { members[$0]?.isYielding == true } }
    /// Whether the connection, which is in use, could yield.
    func mayYield(_ id: MemberID, at now: MonotonicTime) -> Bool {
        guard !isYielding, let member = members[id] else { return false }
        return !member.acceptsNoMore && !limits.isSpent(member, at: now)
    }
    var isEmpty: Bool { members.isEmpty && waiting.isEmpty && connectors.isEmpty }
    /// Connections, and those that are being made.
    var total: Int { members.count + connectors.count }
    /// Whether no further connection may be made. Connections that only end their exchanges do not count: these may take hours,
    /// and other requests must not wait for them.
    var isFull: Bool {
        total >= limits.connections && total - shared.count { members[$0]?.acceptsNoMore == true } >= limits.connections
    }
    var idleCount: Int { idle.count }
    /// The connections in use that can carry several exchanges.
    var sharedCount: Int { shared.count }
    var leasedCount: Int { members.count - idle.count }
    var waitingCount: Int { waiting.count }
    var connectingCount: Int { connectors.count }
    /// The requests that wait, in no order.
    var waiters: [Waiter] { waiting.all }
    /// All connections, in no order.
    var connections: [Connection] { links.compactMap { $0 } }
    /// When the connection that is idle for the longest time became idle; nil if none is idle.
    var longestIdleSince: MonotonicTime? { idle.first.flatMap { members[$0]?.idleSince } }
    /// Since when the request waits that waits for the longest time.
    var longestWaitSince: MonotonicTime? { waiting.first?.since }
}
