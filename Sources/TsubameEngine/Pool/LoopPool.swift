// LoopPool: what one event loop owns: its connections by origin, and the exchanges that wait for one.

import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform

/// The pool of one loop. An exchange that starts here stays here.
// Everything but `arrivals` and `load` is confined to `loop`; no two accesses overlap there, so none is checked for it.
final class LoopPool: @unchecked Sendable {
    let loop: any EventLoop
    let budget: ConnectionBudget
    let proxies: ProxyMemory
    let versions: ProtocolMemory
    /// Exchanges from other threads that are here and not over; read by callers that look for a loop with room.
    let load = Atomic(0)
    /// The number of sockets that are not closed yet.
    @exclusivity(unchecked) var openSockets = 0
    /// Handed over from other threads and not yet begun. Whoever finds it empty wakes the loop, so that many at once cost
    /// one task of the loop.
    private let arrivals = Mutex<[Exchange]>([])
    @exclusivity(unchecked) private var arrived: [Exchange] = []
    @exclusivity(unchecked) private(set) var pools: [ConnectionKey: OriginPool] = [:]
    @exclusivity(unchecked) private var lastPool: OriginPool?
    @exclusivity(unchecked) private var waitDeadline = Deadline()
    @exclusivity(unchecked) var idleSweep: Scheduled<Void>?
    @exclusivity(unchecked) private(set) var isClosed = false
    /// Those that have arrived are being begun; the connections that write when they all have been.
    @exclusivity(unchecked) private var isStarting = false
    @exclusivity(unchecked) private var unflushed: [any PooledConnection] = []

    init(
        _ loop: any EventLoop, _ budget: ConnectionBudget, _ proxies: ProxyMemory, _ versions: ProtocolMemory
    ) {
        self.loop = loop
        self.budget = budget
        self.proxies = proxies
        self.versions = versions
    }

    private func pool(_ key: ConnectionKey) -> OriginPool {
        if let lastPool, lastPool.key == key { return lastPool }
        let pool: OriginPool
        if let known = pools[key] {
            pool = known
        } else {
            pool = OriginPool(key, budget, version: key.mayShare ? versions.version(of: key.origin) : nil)
            pools[key] = pool
        }
        lastPool = pool
        return pool
    }

    // MARK: Exchanges

    /// Begins an exchange, from any thread.
    func handOver(_ exchange: Exchange) {
        load.wrappingAdd(1, ordering: .relaxed)
        exchange.isFromElsewhere = true
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
        isStarting = true
        for exchange in arrived { start(exchange) }
        isStarting = false
        arrived.removeAll(keepingCapacity: true)
        while let connection = unflushed.popLast() { connection.flush() }
    }

    /// Whether a connection is to write later, when all that have arrived were begun: it is told by ``PooledConnection/flush()``.
    func delaysFlush(of connection: any PooledConnection) -> Bool {
        guard isStarting else { return false }
        if unflushed.last !== connection { unflushed.append(connection) }
        return true
    }

    /// Begins an exchange: on a connection that carries several, on the newest idle one, or else it waits, and a connection is made if there may be
    /// one more.
    func start(_ exchange: Exchange) {
        guard exchange.begin() else { return }
        guard !isClosed else {
            return exchange.fail(
                CallError(.cancelled, "the client is closed", phase: .waiting, advice: "make a new one"))
        }
        if case .file(let path) = exchange.upload { return exchange.openFile(path) }
        let pool = pool(exchange.key)
        if exchange.isWarmUp { return warmUp(pool, exchange) }
        if exchange.sendings == 0 {
            // Whoever waits although there is room waits for a new connection.
            if !pool.shared.isEmpty, let connection = pool.takeShared(for: exchange) { return connection.run(exchange) }
            if pool.waiting.isEmpty, let connection = pool.takeIdle(for: exchange) {
                lease(connection, of: pool)
                return connection.run(exchange)
            }
        }
        // Before a connection is made for nothing; one that is there finds out as it writes the head.
        if let error = exchange.invalidity { return exchange.fail(error) }
        pool.wait(exchange)
        exchange.call.emit(.queued)
        // Whoever was told may have cancelled the call.
        guard exchange.isWaiting else { return }
        connectIfNeeded(pool)
        setWaitDeadline(of: exchange)
    }

    @inline(__always)
    private func lease(_ connection: any PooledConnection, of pool: OriginPool) {
        pool.leased += 1
        if connection.isShared { pool.shared.append(connection) }
    }

    /// - Parameter isGranted: one connection has been given on to the pool: it is used, or given back.
    func connectIfNeeded(_ pool: OriginPool, isGranted: Bool = false) {
        var isGranted = isGranted
        defer { if isGranted { budget.giveBack() } }
        guard !pool.isConnecting else { return }
        pool.isConnecting = true
        defer {
            pool.isConnecting = false
            if pool.sharingTimeout == nil, let connector = pool.sharedCandidate {
                limitSharingWait(with: connector, of: pool)
            }
        }
        let settings = pool.key.settings.settings
        let limit = Swift.max(settings.connectionsPerOrigin, 1)
        while pool.needsConnector, pool.total < limit {
            // The longest idle connection makes room; whoever waits is told when it has gone.
            guard isGranted || budget.take(limit: settings.connections, for: pool, of: self) else { return makeRoom() }
            isGranted = false
            guard let next = pool.nextUnconnected() else {
                budget.giveBack()
                return
            }
            // From here on the connector's own deadlines run, and the total time as ever.
            next.waitLimit = .total
            next.waitDeadline = next.call.deadline
            let connector = Connector(next)
            pool.add(connector)
            connector.start()
        }
    }

    /// A connection was closed somewhere, and may be made here.
    func useGranted(_ key: ConnectionKey) {
        guard !isClosed, let pool = pools[key] else { return budget.giveBack() }
        connectIfNeeded(pool, isGranted: true)
    }

    /// Makes a connection that nobody waits for yet, unless a limit has been reached: then there are as many as there
    /// may be.
    private func warmUp(_ pool: OriginPool, _ exchange: Exchange) {
        let settings = pool.key.settings.settings
        guard pool.total < Swift.max(settings.connectionsPerOrigin, 1),
            budget.take(limit: settings.connections, for: nil, of: self)
        else { return exchange.warmedUp() }
        exchange.isWaiting = true
        let connector = Connector(exchange)
        pool.add(connector)
        connector.start()
    }

    /// The pools of all loops of the client.
    @exclusivity(unchecked) var siblings: [LoopPool] = []

    /// Taken out of the queue because it has ended otherwise.
    func forget(_ exchange: Exchange) {
        guard exchange.isWaiting, let pool = pools[exchange.key] else { return }
        if exchange.isWarmUp {
            exchange.isWaiting = false
            if let connector = exchange.connector { cancel(connector, of: pool) }
            return dropIfEmpty(pool)
        }
        pool.waiting.remove(exchange)
        // A connector goes on for someone else who is waiting; one is given up for each who is not.
        let orphan = exchange.connector ?? pool.connectors.first { !$0.exchange.isWaiting }
        if let orphan {
            if pool.hasSpareConnector { cancel(orphan, of: pool) } else { orphan.loseExchange() }
        }
        dropIfEmpty(pool)
    }

    /// Gives up what is being made for nobody who waits.
    func cancelSpareConnectors(of pool: OriginPool) {
        for connector in pool.connectors
        where !connector.exchange.isWaiting && !connector.exchange.isWarmUp && pool.hasSpareConnector {
            cancel(connector, of: pool)
        }
    }

    private func cancel(_ connector: Connector, of pool: OriginPool) {
        pool.remove(connector)
        connector.cancel()
        budget.giveBack()
    }

    // MARK: Connections

    func finished(_ connector: Connector, _ result: Result<any PooledConnection, CallError>) {
        guard let pool = pools[connector.key] else {
            budget.giveBack()
            return
        }
        pool.remove(connector)
        switch result {
        case .success(let connection):
            lease(connection, of: pool)
            connection.pool = pool
            learn(connection, of: pool)
            // Who waits longer has a connector of its own, with deadlines of its own, or is queued behind the limit.
            guard connector.exchange.isWaiting, !connector.exchange.isWarmUp else {
                connector.exchange.warmedUp()
                return connection.isShared ? exchangeEnded(on: connection) : release(connection)
            }
            pool.waiting.remove(connector.exchange)
            connector.exchange.take(connector.facts)
            connection.run(connector.exchange)
            if connection.isShared { fill(connection, of: pool) }
            // What it speaks may have been all that others waited for.
            connectIfNeeded(pool)
        case .failure(let error):
            budget.giveBack()
            pool.learnFailure()
            // If the exchange found another connection meanwhile, the failure concerns nobody.
            if connector.exchange.isWaiting { connector.exchange.fail(error) }
            connectIfNeeded(pool)
            dropIfEmpty(pool)
        }
    }

    /// An exchange has ended on a connection: the longest waiting exchange gets it, or it becomes idle.
    func release(_ connection: any PooledConnection) {
        guard let pool = connection.pool else { return connection.close() }
        // Somebody else may wait longer for a connection than whoever is next here.
        guard !pool.isSpent(connection), !budget.mustGiveUp(of: pool, on: self) else { return connection.close() }
        while let next = pool.waiting.popFirst() {
            if next.isDone { continue }
            next.connector?.loseExchange()
            return connection.run(next)
        }
        guard !isClosed else { return connection.close() }
        budget.withdraw(pool, of: self)
        pool.leased -= 1
        connection.idleSince = MonotonicClock.now
        pool.idle.append(connection)
        if budget.isContended { _ = closeLongestIdle() }
        startIdleSweep()
    }

    /// A connection is gone.
    func removed(_ connection: any PooledConnection) {
        guard let pool = connection.pool else { return }
        connection.pool = nil
        if let index = pool.idle.lastIndex(where: { $0 === connection }) {
            pool.idle.remove(at: index)
        } else {
            pool.leased -= 1
            if connection.isShared { pool.removeShared(connection) }
        }
        budget.giveBack()
        connectIfNeeded(pool)
        dropIfEmpty(pool)
    }

    private func dropIfEmpty(_ pool: OriginPool) {
        guard pool.isEmpty, pools[pool.key] === pool else { return }
        pools[pool.key] = nil
        pool.sharingTimeout?.cancel()
        if lastPool === pool { lastPool = nil }
    }

    /// How many connections there are for a key, idle, in use, or being made.
    func connections(for key: ConnectionKey) -> Int { pools[key]?.total ?? 0 }

    // MARK: Waiting and idling

    private func setWaitDeadline(of exchange: Exchange) {
        guard exchange.isWaiting else { return }
        let call = exchange.call
        let poolTime = call.timeouts.nanoseconds(.pool)
        let (limit, overflow) = MonotonicClock.now.addingReportingOverflow(poolTime)
        // While a connection is being made, its own deadlines run.
        let isConnecting = exchange.phase != .waiting
        let due = isConnecting || overflow ? MonotonicClock.never : limit
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

    func close() {
        isClosed = true
        idleSweep?.cancel()
        idleSweep = nil
        for pool in Array(pools.values) {
            for connection in pool.idle { connection.close() }
            for connector in pool.connectors where connector.exchange.isWarmUp {
                connector.exchange.warmedUp()
                cancel(connector, of: pool)
            }
            cancelSpareConnectors(of: pool)
        }
    }

    var statistics: EngineStatistics {
        var sum = EngineStatistics()
        sum.sockets = openSockets
        return pools.values.reduce(into: sum) { sum, pool in
            sum.leased += pool.leased
            sum.idle += pool.idle.count
            sum.waiting += pool.waiting.count
            sum.connecting += pool.connectors.count
            sum.unconsumedBytes += (pool.idle + pool.shared).reduce(0) { $0 + $1.unconsumedBytes }
        }
    }
}
