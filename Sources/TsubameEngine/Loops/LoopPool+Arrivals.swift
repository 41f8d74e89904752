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
        let isFirst = arrivals.withLock { arrivals in
            arrivals.append(exchange)
            return arrivals.count == 1
        }
        if isFirst { loop.execute { self.startArrivals() } }
    }

    /// How many were handed over and have not begun; read by callers that look for a loop with room.
    var backlog: Int { arrivals.withLock { $0.count } }

    private func startArrivals() {
        let hadMore = !beginning.exchanges.isEmpty
        // The two arrays change places, so that neither gives its memory back.
        if !hadMore { arrivals.withLock { swap(&$0, &beginning.exchanges) } }
        beginning.isUnderWay = true
        let count = min(beginning.exchanges.count, Self.arrivalsPerTurn)
        for exchange in beginning.exchanges[..<count] { start(exchange) }
        beginning.isUnderWay = false
        if count == beginning.exchanges.count {
            beginning.exchanges.removeAll(keepingCapacity: true)
        } else {
            beginning.exchanges.removeFirst(count)
        }
        // Those that came meanwhile have announced themselves, or the call that they announced has begun others.
        if !beginning.exchanges.isEmpty || hadMore && backlog > 0 { loop.execute { self.startArrivals() } }
        while let connection = beginning.unflushed.popLast() { connection.flush() }
    }

    /// Whether a connection is to write later, when all that have arrived were begun: it is told by
    /// ``PooledConnection/flush()``.
    func delaysFlush(of connection: any PooledConnection) -> Bool {
        guard beginning.isUnderWay else { return false }
        if beginning.unflushed.last !== connection { beginning.unflushed.append(connection) }
        return true
    }
}
