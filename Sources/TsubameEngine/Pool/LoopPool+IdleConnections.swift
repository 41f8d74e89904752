// Closing idle connections: after their lifetime, and when the client needs room for another one.

import NIOCore
import TsubameCore
import TsubamePlatform

extension LoopPool {
    /// Has an idle connection closed: the longest idle one of this loop or, if there is none here, of another.
    func makeRoom() {
        if closeLongestIdle() { return }
        for loopPool in siblings where loopPool !== self { loopPool.loop.execute { _ = loopPool.closeLongestIdle() } }
    }

    func closeLongestIdle() -> Bool {
        let oldest = pools.values.compactMap(\.idle.first).min { $0.idleSince < $1.idleSince }
        oldest?.close()
        return oldest != nil
    }

    func startIdleSweep() {
        guard idleSweep == nil else { return }
        idleSweep = loop.scheduleTask(in: .seconds(1)) { [weak self] in self?.closeExpiredIdle() }
    }

    private func closeExpiredIdle() {
        idleSweep = nil
        let now = MonotonicClock.now
        for pool in Array(pools.values) {
            let lifetime = pool.key.settings.settings.idleConnectionLifetime.nanosecondsClamped
            for connection in pool.idle where now &- connection.idleSince >= lifetime || pool.isSpent(connection) {
                connection.close()
            }
        }
        if pools.values.contains(where: { !$0.idle.isEmpty }) { startIdleSweep() }
    }
}
