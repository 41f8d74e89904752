// ConnectionBudget: how many connections a client has, over all its loops.

import NIOCore
import Synchronization
import TsubameCore

/// Counts connections, made and being made, and tells the shards that wait for one to be given back.
final class ConnectionBudget: Sendable {
    /// A pool that may make no connection, and wants one.
    private struct Waiting: Sendable {
        let shard: Shard
        let pool: ObjectIdentifier
        let since: MonotonicTime
        /// It has none at all: who waits there is not served by an answer that is still to come.
        let hasNone: Bool
    }

    private struct State: Sendable {
        var count = 0
        var waiting: [Waiting] = []
    }

    /// In nanoseconds: how long a pool that has connections waits before those of others are closed for it.
    private static let patience: UInt64 = 250_000_000

    private let state = Mutex(State())
    /// Read wherever a connection becomes idle, so it costs no lock.
    private let contended = Atomic(false)

    /// Whether a pool waits for a connection of somebody else's to be closed.
    var isContended: Bool { contended.load(ordering: .relaxed) }

    /// Takes one; false if there are `limit` already, and then the pool's shard is told when one is given back.
    func take(limit: Int?, for pool: OriginPool?, of shard: Shard) -> Bool {
        state.withLock { state in
            guard let limit, state.count >= Swift.max(limit, 1) else {
                state.count += 1
                return true
            }
            guard let pool, let first = pool.waiting.first else { return false }
            let id = ObjectIdentifier(pool)
            state.waiting.removeAll { $0.pool == id }
            state.waiting.append(
                Waiting(shard: shard, pool: id, since: first.call.start, hasNone: pool.total == 0))
            contended.store(true, ordering: .relaxed)
            return false
        }
    }

    /// Whether a connection that has just become free, and for which somebody of its own pool waits, must be closed for
    /// another pool. A handshake is dear: only for one that waits longer, and that has no connection, or has waited long.
    func mustGiveUp(of pool: OriginPool) -> Bool {
        guard isContended, let first = pool.waiting.first else { return false }
        let (start, now) = (first.call.start, MonotonicClock.now)
        return state.withLock { state in
            state.waiting.contains { other in
                guard other.pool != ObjectIdentifier(pool), other.since < start else { return false }
                return other.hasNone || now &- other.since > Self.patience
            }
        }
    }

    /// - Returns: whether others wait, and are told now: whoever gave it back waits his turn behind them.
    @discardableResult
    func giveBack() -> Bool {
        let waiting = state.withLock { state in
            state.count -= 1
            defer { state.waiting = [] }
            contended.store(false, ordering: .relaxed)
            return state.waiting
        }
        var told: [ObjectIdentifier] = []
        for shard in waiting.map(\.shard) where !told.contains(ObjectIdentifier(shard)) {
            told.append(ObjectIdentifier(shard))
            shard.loop.execute { shard.dialWaiting() }
        }
        return !waiting.isEmpty
    }
}
