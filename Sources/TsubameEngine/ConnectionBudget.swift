// ConnectionBudget: how many connections a client has, over all its loops.

import NIOCore
import Synchronization

/// Counts connections, made and being made, and tells the shards that wait for one to be given back.
final class ConnectionBudget: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [Shard] = []
    }

    private let state = Mutex(State())
    /// Read wherever a connection becomes idle, so it costs no lock.
    private let contended = Atomic(false)

    /// Whether a shard waits for a connection of somebody else's to be closed.
    var isContended: Bool { contended.load(ordering: .relaxed) }

    /// Takes one; false if there are `limit` already, and then `shard`, if there is one, is told
    /// when one is given back.
    func take(limit: Int?, for shard: Shard?) -> Bool {
        state.withLock { state in
            guard let limit, state.count >= Swift.max(limit, 1) else {
                state.count += 1
                return true
            }
            guard let shard else { return false }
            if !state.waiting.contains(where: { $0 === shard }) { state.waiting.append(shard) }
            contended.store(true, ordering: .relaxed)
            return false
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
        for shard in waiting { shard.loop.execute { shard.dialWaiting() } }
        return !waiting.isEmpty
    }
}
