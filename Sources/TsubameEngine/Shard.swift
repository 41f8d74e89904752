// Shard: what one event loop owns: its connections by origin, and the exchanges that wait for one.

import NIOCore
import Synchronization
import TsubameCore

/// The pool of one loop. An exchange that starts here stays here.
// Everything but `arrivals` is confined to `loop`; no two accesses overlap there, so none is checked for it.
final class Shard: @unchecked Sendable {
    let loop: any EventLoop
    /// Handed over from other threads and not yet begun. Whoever finds it empty wakes the loop, so that many at once cost
    /// one task of the loop.
    private let arrivals = Mutex<[Exchange]>([])
    @exclusivity(unchecked) private var arrived: [Exchange] = []
    @exclusivity(unchecked) private var pools: [ConnectionKey: OriginPool] = [:]
    @exclusivity(unchecked) private var lastPool: OriginPool?
    @exclusivity(unchecked) private var waitDeadline = Deadline()
    @exclusivity(unchecked) private var sweep: Scheduled<Void>?
    @exclusivity(unchecked) private var isClosed = false
    private static let connectionCount = Atomic<UInt64>(0)

    init(_ loop: any EventLoop) { self.loop = loop }

    func nextConnectionID() -> UInt64 { Self.connectionCount.wrappingAdd(1, ordering: .relaxed).newValue }

    private func pool(_ key: ConnectionKey) -> OriginPool {
        if let lastPool, lastPool.key == key { return lastPool }
        let pool: OriginPool
        if let known = pools[key] {
            pool = known
        } else {
            pool = OriginPool(key)
            pools[key] = pool
        }
        lastPool = pool
        return pool
    }

    // MARK: Exchanges

    /// Begins an exchange, from any thread.
    func handOver(_ exchange: Exchange) {
        let isFirst = arrivals.withLock { arrivals in
            arrivals.append(exchange)
            return arrivals.count == 1
        }
        if isFirst { loop.execute { self.startArrivals() } }
    }

    /// How many were handed over and have not begun; read by callers that look for a loop with room.
    var backlog: Int { arrivals.withLock { $0.count } }

    private func startArrivals() {
        // The two arrays change places, so that neither gives its memory back.
        arrivals.withLock { swap(&$0, &arrived) }
        for exchange in arrived { start(exchange) }
        arrived.removeAll(keepingCapacity: true)
    }

    /// Begins an exchange: on the newest idle connection, or else it waits, and a connection is made if there may be
    /// one more.
    func start(_ exchange: Exchange) {
        guard exchange.begin() else { return }
        guard !isClosed else {
            return exchange.fail(CallError(.cancelled, "the client is closed", phase: .waiting))
        }
        if case .file(let path) = exchange.upload { return exchange.openFile(path) }
        let pool = pool(exchange.key)
        if pool.waiting.isEmpty, exchange.sendings == 0, let connection = pool.takeIdle(for: exchange) {
            pool.leased += 1
            return connection.run(exchange)
        }
        // Before a connection is made for nothing; one that is there finds out as it writes the head.
        if let error = exchange.invalidity { return exchange.fail(error) }
        pool.waiting.append(exchange)
        exchange.call.emit(.queued)
        // Whoever was told may have cancelled the call.
        guard exchange.isWaiting else { return }
        dialIfNeeded(pool)
        setWaitDeadline(of: exchange)
    }

    private func dialIfNeeded(_ pool: OriginPool) {
        let limit = Swift.max(pool.key.settings.settings.connectionsPerOrigin, 1)
        while pool.dials.count < pool.waiting.count, pool.leased + pool.idle.count + pool.dials.count < limit {
            // The oldest waiting exchange that no dial was made for yet.
            guard let next = pool.waiting.first(where: { waiting in !pool.dials.contains { $0.exchange === waiting } })
            else { return }
            // From here on the dial's own deadlines run, and the total time as ever.
            next.waitLimit = .total
            next.waitDeadline = next.call.deadline
            let dial = Dial(next)
            pool.dials.append(dial)
            dial.start()
        }
    }

    /// Taken out of the queue because it has ended otherwise.
    func forget(_ exchange: Exchange) {
        guard exchange.isWaiting, let pool = pools[exchange.key] else { return }
        pool.waiting.remove(exchange)
        // A dial that was made for it goes on only if someone else is waiting.
        if let index = pool.dials.firstIndex(where: { $0.exchange === exchange }), pool.waiting.count < pool.dials.count
        {
            pool.dials.remove(at: index).cancel()
        }
        dropIfEmpty(pool)
    }

    // MARK: Connections

    func finished(_ dial: Dial, _ result: Result<Connection, CallError>) {
        guard let pool = pools[dial.key] else { return }
        pool.dials.removeAll { $0 === dial }
        switch result {
        case .success(let connection):
            pool.leased += 1
            connection.isCounted = true
            // Who waits longer has a dial of its own, with deadlines of its own, or is queued behind the limit.
            guard dial.exchange.isWaiting else { return release(connection) }
            pool.waiting.remove(dial.exchange)
            dial.exchange.take(dial.facts)
            connection.run(dial.exchange)
        case .failure(let error):
            // If the exchange found another connection meanwhile, the failure concerns nobody.
            if dial.exchange.isWaiting { dial.exchange.fail(error) }
            dialIfNeeded(pool)
        }
    }

    /// A leased connection is free: the longest waiting exchange gets it, or it becomes idle.
    func release(_ connection: Connection) {
        let pool = pool(connection.key)
        while let next = pool.waiting.popFirst() {
            if next.isDone { continue }
            if !pool.dials.isEmpty { pool.dials.first { $0.exchange === next }?.loseExchange() }
            return connection.run(next)
        }
        guard !isClosed else { return connection.close() }
        pool.leased -= 1
        connection.idleSince = MonotonicClock.now
        pool.idle.append(connection)
        startSweep()
    }

    /// A connection is gone.
    func removed(_ connection: Connection) {
        guard connection.isCounted, let pool = pools[connection.key] else { return }
        connection.isCounted = false
        if let index = pool.idle.lastIndex(where: { $0 === connection }) {
            pool.idle.remove(at: index)
        } else {
            pool.leased -= 1
        }
        dialIfNeeded(pool)
        dropIfEmpty(pool)
    }

    private func dropIfEmpty(_ pool: OriginPool) {
        guard pool.isEmpty else { return }
        pools[pool.key] = nil
        if lastPool === pool { lastPool = nil }
    }

    // MARK: Waiting and idling

    private func setWaitDeadline(of exchange: Exchange) {
        guard exchange.isWaiting else { return }
        let call = exchange.call
        let poolTime = call.timeouts.nanoseconds(.pool)
        let (limit, overflow) = MonotonicClock.now.addingReportingOverflow(poolTime)
        // While a connection is being made, its own deadlines run.
        let isDialing = exchange.phase != .waiting
        let due = isDialing || overflow ? MonotonicClock.never : limit
        exchange.waitLimit = call.deadline <= due ? .total : .pool
        exchange.waitDeadline = Swift.min(due, call.deadline)
        if exchange.waitDeadline < waitDeadline.due {
            waitDeadline.set(exchange.waitDeadline, on: loop, self.waitFires)
        }
    }

    private var waitFires: @Sendable () -> Void { { [weak self] in self?.waitFired() } }

    private func waitFired() {
        guard waitDeadline.hasPassed(on: loop, waitFires) else { return }
        waitDeadline.clear()
        let now = MonotonicClock.now
        var next = MonotonicClock.never
        for exchange in pools.values.flatMap(\.waiting.all) {
            if exchange.waitDeadline > now {
                next = Swift.min(next, exchange.waitDeadline)
            } else if exchange.waitLimit == .total {
                exchange.fail(exchange.call.expired(exchange.phase))
            } else {
                let time = Duration.nanoseconds(clamping: exchange.call.timeouts.nanoseconds(.pool)).inSeconds
                exchange.timedOut(.pool, "no connection to \(exchange.key.origin.authority) was free within \(time)")
            }
        }
        if next != MonotonicClock.never { waitDeadline.set(next, on: loop, self.waitFires) }
    }

    private func startSweep() {
        guard sweep == nil else { return }
        sweep = loop.scheduleTask(in: .seconds(1)) { [weak self] in self?.sweepIdle() }
    }

    private func sweepIdle() {
        sweep = nil
        let now = MonotonicClock.now
        for pool in pools.values {
            let lifetime = pool.key.settings.settings.idleConnectionLifetime.nanosecondsClamped
            for connection in pool.idle where now &- connection.idleSince >= lifetime { connection.close() }
        }
        if pools.values.contains(where: { !$0.idle.isEmpty }) { startSweep() }
    }

    func close() {
        isClosed = true
        sweep?.cancel()
        sweep = nil
        for pool in pools.values {
            for connection in pool.idle { connection.close() }
            for dial in pool.dials where !dial.exchange.isWaiting {
                dial.cancel()
                pool.dials.removeAll { $0 === dial }
            }
        }
    }

    var statistics: EngineStatistics {
        pools.values.reduce(into: EngineStatistics()) { sum, pool in
            sum.leased += pool.leased
            sum.idle += pool.idle.count
            sum.waiting += pool.waiting.count
            sum.dialing += pool.dials.count
        }
    }
}

/// The connections to one origin with one set of settings, on one loop.
final class OriginPool {
    let key: ConnectionKey
    /// The newest last.
    @exclusivity(unchecked) var idle: [Connection] = []
    @exclusivity(unchecked) var leased = 0
    @exclusivity(unchecked) var waiting = WaitingList()
    @exclusivity(unchecked) var dials: [Dial] = []

    init(_ key: ConnectionKey) { self.key = key }

    var isEmpty: Bool { idle.isEmpty && leased == 0 && waiting.isEmpty && dials.isEmpty }

    /// The newest idle connection: the one least likely to have been closed by its server meanwhile.
    func takeIdle(for exchange: Exchange) -> Connection? {
        while let connection = idle.popLast() {
            guard connection.isUsable else { continue }
            if connection.mayBeStale(for: exchange), connection.hasUnreadInput {
                connection.isCounted = false
                connection.close()
                continue
            }
            return connection
        }
        return nil
    }
}

/// How many connections and exchanges there are, for tests and for the curious.
package struct EngineStatistics: Sendable, Hashable {
    package var leased = 0
    package var idle = 0
    package var waiting = 0
    package var dialing = 0

    package init() {}
}
