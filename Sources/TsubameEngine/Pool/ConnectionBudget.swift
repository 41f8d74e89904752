// ConnectionBudget: how many connections a client has, over all its loops.

import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform

/// Counts connections, made and being made; one that is given back goes to the pool that has waited longest.
final class ConnectionBudget: Sendable {
    /// A pool that may make no connection, and wants one.
    private struct Waiting: Sendable {
        let loopPool: LoopPool
        let key: ConnectionKey
        let since: MonotonicTime
        /// It has none at all: who waits there is not served by an answer that is still to come.
        let hasNone: Bool
    }

    private struct State: Sendable {
        var count = 0
        var waiting: [Waiting] = []
    }

    /// In nanoseconds: how long a pool that has connections waits before those of others are closed for it.
    private static let fairnessTimeout: UInt64 = 250_000_000

    private let state = Mutex(State())
    /// Read wherever a connection becomes idle, so it costs no lock.
    private let contended = Atomic(false)

    /// Whether a pool waits for a connection of somebody else's to be closed.
    var isContended: Bool { contended.load(ordering: .relaxed) }

    /// Takes one; false if there are `limit` already, and then the pool, if there is one, gets the next that is given
    /// back once it has waited longest.
    func take(limit: Int?, for pool: OriginPool?, of loopPool: LoopPool) -> Bool {
        state.withLock { state in
            guard let limit, state.count >= Swift.max(limit, 1) else {
                state.count += 1
                return true
            }
            guard let pool, let first = pool.waiting.first else { return false }
            state.waiting.removeAll { $0.loopPool === loopPool && $0.key == pool.key }
            state.waiting.append(
                Waiting(loopPool: loopPool, key: pool.key, since: first.call.start, hasNone: pool.total == 0))
            contended.store(true, ordering: .relaxed)
            return false
        }
    }

    /// Whether a connection that has just become free, and for which somebody of its own pool waits, must be closed for
    /// another pool. A handshake is dear: only for one that waits longer, and that has no connection, or has waited long.
    func mustGiveUp(of pool: OriginPool, on loopPool: LoopPool) -> Bool {
        guard isContended, let first = pool.waiting.first else { return false }
        let (start, now) = (first.call.start, MonotonicClock.now)
        return state.withLock { state in
            state.waiting.contains { other in
                guard other.since < start, other.loopPool !== loopPool || other.key != pool.key else { return false }
                return other.hasNone || now &- other.since > Self.fairnessTimeout
            }
        }
    }

    /// Those who waited in the pool have been served by the connections that it has: none need be closed for it any more.
    func withdraw(_ pool: OriginPool, of loopPool: LoopPool) {
        guard isContended else { return }
        state.withLock { state in
            state.waiting.removeAll { $0.loopPool === loopPool && $0.key == pool.key }
            contended.store(!state.waiting.isEmpty, ordering: .relaxed)
        }
    }

    /// Gives one back, or on to the pool that has waited longest: whoever gave it back would always be faster than one on
    /// another loop.
    func giveBack() {
        let next = state.withLock { state -> Waiting? in
            guard let index = state.waiting.indices.min(by: { state.waiting[$0].since < state.waiting[$1].since })
            else {
                state.count -= 1
                return nil
            }
            contended.store(state.waiting.count > 1, ordering: .relaxed)
            return state.waiting.remove(at: index)
        }
        if let next { next.loopPool.loop.execute { next.loopPool.useGranted(next.key) } }
    }
}
