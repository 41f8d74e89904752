// PoolSimulation: several pools against one budget, with connections and requests that are integers.

import TsubamePlatform

@testable import TsubameEngine

/// Carries out the actions of pools like the engine, but at once and without I/O, and checks the rules after each event.
struct PoolSimulation {
    typealias Pool = ConnectionPool<Int, Int>

    enum Fault: Error { case broken(String) }

    struct Connection {
        let pool: Int
        var id: Pool.MemberID?
        var running: Set<Int> = []
        var capacity: Int
        let isShared: Bool
        var isStopping = false
    }

    let limits: [PoolLimits]
    let budgetLimit: Int?
    var now: MonotonicTime = 1
    private(set) var pools: [Pool]
    private(set) var budget = ConnectionBudget<Int>()
    private(set) var connections: [Int: Connection] = [:]
    /// The connectors under way, with their pools.
    private(set) var connectors: [(pool: Int, id: Pool.ConnectorID, isWarmUp: Bool)] = []
    /// The requests that the connectors are made for.
    private var purposes: [(pool: Int, id: Pool.ConnectorID, waiter: Int)] = []
    /// The request whose own connection has just been made. It alone may go before older ones.
    private var favoured: Int?
    private(set) var delays: [(pool: Int, id: Pool.ConnectorID)] = []
    /// The connections that yield, and until when.
    private(set) var yielding: [(pool: Int, id: Pool.MemberID, until: MonotonicTime)] = []
    /// The waiting requests: pool, identifier and arrival.
    private(set) var waiting: [Int: (pool: Int, id: Pool.WaiterID, since: MonotonicTime)] = [:]
    private(set) var warmUps: Set<Int> = []
    /// The pools in which a request has waited for a new connection since none waited. Others wait behind it.
    private var poolsWithReplays: Set<Int> = []
    private(set) var log: [String] = []
    private var nextNumber = 0
    private var grants: [Int] = []

    init(_ limits: [PoolLimits], budget: Int?, mayShare: Bool) {
        self.limits = limits
        budgetLimit = budget
        pools = limits.map { Pool($0, mayShare: mayShare) }
    }

    private mutating func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    private func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
        if !holds { throw Fault.broken(rule() + "\n" + log.suffix(30).joined(separator: "\n")) }
    }

    // MARK: Events

    /// A new request. Returns its number.
    /// - Parameters:
    ///   - onlyNew: whether the request wants a new connection, as after one that was lost.
    ///   - isUnread: whether an idle connection has to be read before the request may go out on it.
    @discardableResult
    mutating func request(_ pool: Int, onlyNew: Bool = false, isUnread: Bool = false) throws -> Int {
        let waiter = number()
        var actions: [Pool.Action] = []
        log.append("request \(waiter) in pool \(pool)")
        let mayTakeIdle = pools[pool].waitingCount == 0
        if isUnread, !onlyNew { try askUnread(pool) }
        let lease = onlyNew ? nil : pools[pool].lease(at: now, &actions) { _ in .yes }
        try perform(actions, of: pool)
        if let lease {
            let connection = connections[lease.connection]
            try require(
                connection?.running.isEmpty == false || mayTakeIdle, "an idle connection overtook a waiting request")
            // Those that want a new connection have no use for a stream that is free.
            try require(mayTakeIdle || poolsWithReplays.contains(pool), "a stream overtook a waiting request")
            try begin(waiter, on: lease.connection)
        } else {
            var actions: [Pool.Action] = []
            let id = pools[pool].wait(waiter, since: now, &actions)
            waiting[waiter] = (pool, id, now)
            if onlyNew { poolsWithReplays.insert(pool) }
            try perform(actions, of: pool)
        }
        try check()
        return waiter
    }

    /// A request does not get an idle connection that has to be read, and the connection stays where it is.
    private mutating func askUnread(_ pool: Int) throws {
        var actions: [Pool.Action] = []
        var asked: Int?
        let lease = pools[pool].lease(at: now, &actions) { connection in
            guard connections[connection]?.running.isEmpty == true else { return .no }
            asked = connection
            return .unread
        }
        try require(lease == nil, "an unread connection was leased")
        if let asked {
            try require(pools[pool].connections.contains(asked), "an unread connection was lost")
            try require(pools[pool].idleCount > 0, "an unread connection is idle no longer")
        }
        try perform(actions, of: pool)
    }

    mutating func cancel(_ waiter: Int) throws {
        guard let entry = waiting.removeValue(forKey: waiter) else { return }
        log.append("cancel \(waiter)")
        try change(entry.pool) { $0.leave(entry.id, &$1) }
    }

    mutating func warmUp(_ pool: Int) throws {
        let waiter = number()
        log.append("warm up \(waiter) in pool \(pool)")
        warmUps.insert(waiter)
        try change(pool) { $0.warmUp(waiter, &$1) }
    }

    /// A connector has made its connection.
    mutating func connect(_ index: Int, isShared: Bool, capacity: Int) throws {
        let (pool, connector, _) = connectors.remove(at: index)
        let connection = number()
        log.append("connected \(connection) in pool \(pool), shared \(isShared), capacity \(capacity)")
        connections[connection] = Connection(pool: pool, capacity: capacity, isShared: isShared)
        var actions: [Pool.Action] = []
        let id = pools[pool].connected(
            connector, connection, isShared: isShared, capacity: capacity, at: now, &actions)
        try require(id != nil, "a connector was lost")
        connections[connection]?.id = id
        favoured = purposes.first { $0.pool == pool && $0.id == connector }?.waiter
        purposes.removeAll { $0.pool == pool && $0.id == connector }
        try perform(actions, of: pool)
        favoured = nil
        try check()
    }

    mutating func failConnector(_ index: Int) throws {
        let (pool, connector, _) = connectors.remove(at: index)
        log.append("a connector of pool \(pool) fails")
        try change(pool) { $0.failed(connector, &$1) }
    }

    /// One of the exchanges of a connection ends.
    mutating func end(_ exchange: Int, on number: Int) throws {
        guard let connection = connections[number], let id = connection.id else { return }
        log.append("\(exchange) ends on \(number)")
        connections[number]?.running.remove(exchange)
        let pool = connection.pool
        let now = now
        let isFree = pools[pool].carriesOne(id)
        let mayYield = !connection.isStopping && pools[pool].mayYield(id, at: now)
        let owes =
            (isFree || mayYield)
            && budget.owesPlace(pool, waitingSince: pools[pool].longestWaitSince, isFree: isFree, at: now)
        let available = connection.isStopping ? 0 : max(connection.capacity - connection.running.count + 1, 0)
        try change(pool) { $0.ended(on: id, available: available, owesPlace: owes, at: now, &$1) }
    }

    mutating func changeCapacity(of number: Int, to capacity: Int) throws {
        guard let connection = connections[number], let id = connection.id, !connection.isStopping else { return }
        log.append("capacity of \(number) is \(capacity)")
        connections[number]?.capacity = capacity
        if capacity == 0 { connections[number]?.isStopping = true }
        let now = now
        let available = capacity == 0 ? nil : max(capacity - connection.running.count, 0)
        try change(connection.pool) { $0.availableChanged(on: id, to: available, at: now, &$1) }
    }

    /// The connection closes by itself; its exchanges fail.
    mutating func lose(_ number: Int) throws {
        guard let connection = connections.removeValue(forKey: number), let id = connection.id else { return }
        log.append("\(number) is lost")
        try change(connection.pool) { $0.closed(id, &$1) }
    }

    mutating func passDelay(_ index: Int, isKnownToShare: Bool) throws {
        let (pool, id) = delays.remove(at: index)
        log.append("the sharing delay of pool \(pool) passes, known \(isKnownToShare)")
        try change(pool) { $0.sharingDelayPassed(id, isKnownToShare: isKnownToShare, &$1) }
    }

    /// The connections that have yielded long enough begin exchanges again.
    mutating func passYielding() throws {
        let now = now
        for entry in yielding where entry.until <= now {
            log.append("a connection of pool \(entry.pool) has yielded")
            try change(entry.pool) { $0.yieldingPassed(on: entry.id, at: now, &$1) }
        }
        yielding.removeAll { $0.until <= now }
    }

    mutating func closeExpired(_ pool: Int, slept: UInt64 = 0) throws {
        let now = now
        try change(pool) { $0.closeExpired(at: now, slept: slept, &$1) }
    }

    mutating func close(_ pool: Int) throws {
        log.append("pool \(pool) closes")
        try change(pool) { $0.close(&$1) }
    }

    private mutating func change(_ pool: Int, _ event: (inout Pool, inout [Pool.Action]) -> Void) throws {
        var actions: [Pool.Action] = []
        event(&pools[pool], &actions)
        try perform(actions, of: pool)
        try check()
    }

    // MARK: Series of events

    /// Makes the connection of the oldest connector. Returns its number.
    mutating func connectNext(isShared: Bool = false, capacity: Int = 1) throws -> Int {
        try connect(0, isShared: isShared, capacity: capacity)
        return connections.keys.max() ?? 0
    }

    /// A random event, of the kinds that have something to happen to.
    mutating func step(using random: inout some RandomNumberGenerator) throws {
        now += UInt64.random(in: 0...50_000_000, using: &random)
        try passYielding()
        let pool = Int.random(in: pools.indices, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...5:
            try request(
                pool, onlyNew: Int.random(in: 0..<10, using: &random) == 0,
                isUnread: Int.random(in: 0..<4, using: &random) == 0)
        case 6: if let waiter = waiting.keys.sorted().randomElement(using: &random) { try cancel(waiter) }
        case 7...9:
            guard let index = connectors.indices.randomElement(using: &random) else { return }
            let isShared = Int.random(in: 0..<3, using: &random) == 0
            try connect(index, isShared: isShared, capacity: isShared ? Int.random(in: 0...5, using: &random) : 1)
        case 10: if let index = connectors.indices.randomElement(using: &random) { try failConnector(index) }
        case 11...15:
            let busy = connections.filter { !$0.value.running.isEmpty }.keys.sorted()
            guard let number = busy.randomElement(using: &random),
                let exchange = connections[number]?.running.sorted().randomElement(using: &random)
            else { return }
            try end(exchange, on: number)
        case 16:
            let shared = connections.filter(\.value.isShared).keys.sorted()
            guard let number = shared.randomElement(using: &random) else { return }
            try changeCapacity(of: number, to: Int.random(in: 0...6, using: &random))
        case 17: if let number = connections.keys.sorted().randomElement(using: &random) { try lose(number) }
        case 18:
            guard let index = delays.indices.randomElement(using: &random) else { return }
            try passDelay(index, isKnownToShare: Bool.random(using: &random))
        default: if Bool.random(using: &random) { try warmUp(pool) } else { try closeExpired(pool) }
        }
    }

    /// Makes every connection and ends every exchange, until no request waits.
    mutating func finish() throws {
        for _ in 0..<20_000 {
            now += 10_000_000
            try passYielding()
            if !connectors.isEmpty {
                try connect(0, isShared: false, capacity: 1)
            } else if let (number, connection) = connections.filter({ !$0.value.running.isEmpty }).min(by: {
                $0.key < $1.key
            }),
                let exchange = connection.running.min()
            {
                try end(exchange, on: number)
            } else {
                return
            }
        }
        throw Fault.broken("the pool does not come to rest")
    }

    // MARK: Actions

    private mutating func perform(_ actions: [Pool.Action], of pool: Int) throws {
        for action in actions { try perform(action, of: pool) }
        budget.update(pool, claim(of: pool))
        while let granted = grants.popLast() {
            log.append("pool \(granted) is granted a place")
            var more: [Pool.Action] = []
            pools[granted].grantPlace(&more)
            try perform(more, of: granted)
        }
    }

    private func claim(of pool: Int) -> ConnectionBudget<Int>.Claim? {
        if pools[pool].isYielding { return nil }
        return pools[pool].longestWaitSince.map { .init(pool: pool, since: $0, hasNone: pools[pool].total == 0) }
    }

    private mutating func perform(_ action: Pool.Action, of pool: Int) throws {
        log.append("  \(pool): \(action)")
        var more: [Pool.Action] = []
        switch action {
        case .run(let waiter, let connection):
            let oldest = waiting.filter { $0.value.pool == pool }.keys.min()
            try require(waiter == oldest || waiter == favoured, "\(waiter) overtook \(oldest ?? 0)")
            try require(waiting.removeValue(forKey: waiter) != nil, "\(waiter) ran although it did not wait")
            try begin(waiter, on: connection)
        case .takePlace:
            let claim = claim(of: pool)
            if budget.take(limit: budgetLimit, orKeep: claim) {
                pools[pool].grantPlace(&more)
            } else {
                if claim != nil {
                    let idle = pools.indices.filter { pools[$0].idleCount > 0 }
                    if let other = idle.min(by: { pools[$0].longestIdleSince ?? 0 < pools[$1].longestIdleSince ?? 0 }) {
                        var closing: [Pool.Action] = []
                        pools[other].closeLongestIdle(&closing)
                        for action in closing { try perform(action, of: other) }
                    }
                }
                pools[pool].refusePlace(&more)
            }
        case .returnPlace: if let next = budget.giveBack() { grants.insert(next, at: 0) }
        case .connect(let id, let waiter):
            try require(
                waiting[waiter] != nil || warmUps.contains(waiter), "a connection is made for a request that is gone")
            connectors.append((pool, id, warmUps.contains(waiter)))
            purposes.append((pool, id, waiter))
            let forRequests = connectors.filter { $0.pool == pool && !$0.isWarmUp }.count
            try require(
                warmUps.contains(waiter) || forRequests <= pools[pool].waitingCount,
                "\(forRequests) connections are made for fewer requests")
        case .detach(let id): purposes.removeAll { $0.pool == pool && $0.id == id }
        case .cancel(let id):
            let count = connectors.count
            connectors.removeAll { $0.pool == pool && $0.id == id }
            try require(connectors.count == count - 1, "a connector that does not run was cancelled")
        case .close(let number):
            try require(connections[number]?.running.isEmpty == true, "a connection in use was closed")
            connections[number] = nil
        case .stopAccepting(let number): connections[number]?.isStopping = true
        case .becameIdle:
            budget.update(pool, claim(of: pool))
            if budget.isContended { pools[pool].closeLongestIdle(&more) }
        case .warmedUp(let waiter): try require(warmUps.remove(waiter) != nil, "a call was warmed up twice")
        case .fail(let waiter):
            try require(
                waiting.removeValue(forKey: waiter) != nil || warmUps.remove(waiter) != nil, "a request failed twice")
        case .startSharingDelay(let id): delays.append((pool, id))
        case .startYielding(let id): yielding.append((pool, id, now + ConnectionBudget<Int>.yieldingTime))
        }
        for action in more { try perform(action, of: pool) }
    }

    private mutating func begin(_ waiter: Int, on number: Int) throws {
        guard let connection = connections[number] else { throw Fault.broken("\(number) does not exist") }
        try require(connection.running.count < connection.capacity, "\(number) carries more than it may")
        try require(!connection.isStopping, "\(number) accepts no more")
        connections[number]?.running.insert(waiter)
    }

    // MARK: Rules

    private mutating func check() throws {
        for (index, pool) in pools.enumerated() {
            let own = connections.values.filter { $0.pool == index }
            let making = connectors.filter { $0.pool == index }.count
            try require(
                pool.connectingCount == making, "pool \(index) counts \(pool.connectingCount) connectors, not \(making)"
            )
            try require(
                pool.total == own.count + making, "pool \(index) counts \(pool.total) places, not \(own.count + making)"
            )
            let ending = own.filter { $0.isStopping && $0.isShared }.count
            try require(pool.total - ending <= limits[index].connections, "pool \(index) exceeds its limit")
            let idle = own.filter { $0.running.isEmpty }.count
            try require(pool.idleCount == idle, "pool \(index) counts \(pool.idleCount) idle, not \(idle)")
            let shared = own.filter { $0.isShared && !$0.running.isEmpty }.count
            try require(pool.sharedCount == shared, "pool \(index) counts \(pool.sharedCount) shared, not \(shared)")
            let waiting = waiting.values.filter { $0.pool == index }.count
            try require(
                pool.waitingCount == waiting, "pool \(index) counts \(pool.waitingCount) waiting, not \(waiting)")
            let isEmpty = own.isEmpty && making == 0 && waiting == 0
            try require(pool.isEmpty == isEmpty, "pool \(index) is empty: \(pool.isEmpty), and not \(isEmpty)")
            // A request never waits beside a connection that could carry it.
            if waiting == 0 { poolsWithReplays.remove(index) }
            if waiting > 0, !pool.isClosed, !poolsWithReplays.contains(index) {
                try require(idle == 0, "a request waits beside an idle connection")
            }
        }
        if waiting.isEmpty { try require(!budget.isContended, "a place is claimed although no request waits") }
        let places = connections.count + connectors.count
        try require(budget.count == places, "the budget counts \(budget.count) places, not \(places)")
        if let budgetLimit { try require(places <= budgetLimit, "the budget is exceeded") }
        // A request that waits can rely on something that will happen.
        if let entry = waiting.first(where: { entry in
            !connectors.contains { $0.pool == entry.value.pool } && !connections.values.contains { !$0.running.isEmpty }
                && connectors.isEmpty
        }) {
            throw Fault.broken("\(entry) is forgotten\n" + log.suffix(30).joined(separator: "\n"))
        }
    }
}
