// LoopPool+Arrivals: exchanges that come from other threads.

import Synchronization
import TsubameCore

extension LoopPool {
    /// How many begin in one turn of the loop.
    private static let arrivalsPerTurn = 256

    /// Begins an exchange, from any thread.
    func handOver(_ exchange: Exchange) {
        load.wrappingAdd(1, ordering: .relaxed)
        if !exchange.isCancelled, !exchange.listen() { return exchange.cancel() }
        let isNews = arrivals.withLock { arrivals in
            arrivals.exchanges.append(exchange)
            defer { arrivals.isAnnounced = true }
            return !arrivals.isAnnounced
        }
        if isNews { loop.execute { self.startArrivals() } }
    }

    /// How many the loop has not taken over yet; read by callers that look for a loop with room.
    var backlog: Int { arrivals.withLock { $0.exchanges.count } }

    private func startArrivals() {
        let isLast = arrivals.withLock { arrivals in
            // The two arrays change places, so that neither gives its memory back.
            if beginning.exchanges.isEmpty { swap(&arrivals.exchanges, &beginning.exchanges) }
            arrivals.isAnnounced =
                !arrivals.exchanges.isEmpty || beginning.exchanges.count > Self.arrivalsPerTurn
            return !arrivals.isAnnounced
        }
        beginning.isUnderWay = true
        let count = min(beginning.exchanges.count, Self.arrivalsPerTurn)
        for exchange in beginning.exchanges[..<count] { start(exchange) }
        beginning.isUnderWay = false
        if count == beginning.exchanges.count {
            beginning.exchanges.removeAll(keepingCapacity: true)
        } else {
            beginning.exchanges.removeFirst(count)
        }
        if !isLast { loop.execute { self.startArrivals() } }
        while let connection = beginning.unflushed.popLast() { connection.flush() }
    }

    /// Whether a connection is to write later, when all that begin in this turn were begun: it is told by
    /// ``PooledConnection/flush()``.
    func delaysFlush(of connection: any PooledConnection) -> Bool {
        guard beginning.isUnderWay else { return false }
        if beginning.unflushed.last !== connection { beginning.unflushed.append(connection) }
        return true
    }
}
