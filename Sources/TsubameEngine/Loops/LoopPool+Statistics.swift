// LoopPool+Statistics: the numbers of connections and exchanges of one loop.

import TsubameCore
import TsubamePlatform

extension LoopPool {
    /// How many connections there are for a key, idle, in use, or being made.
    func connections(for key: ConnectionKey) -> Int {
        noticeSleep(at: MonotonicClock.now)
        return origins.all[key]?.pool.total ?? 0
    }

    var statistics: TransportStatistics {
        var sum = TransportStatistics()
        sum.sockets = openSockets
        return origins.all.values.reduce(into: sum) { sum, origin in
            sum.leased += origin.pool.leasedCount
            sum.idle += origin.pool.idleCount
            sum.waiting += origin.pool.waitingCount
            sum.connecting += origin.pool.connectingCount
            sum.unconsumedBytes += origin.pool.connections.reduce(0) { $0 + $1.unconsumedBytes }
        }
    }
}
