// ConnectionPoolTests: the decisions of the pool, on integers. See PoolSimulation for the rules that hold after each event.

import Testing
import TsubamePlatform
import TsubameTesting

@testable import TsubameEngine

@Suite struct ConnectionPoolTests {
    private typealias Pool = ConnectionPool<Int, Int>

    private static func simulation(
        limit: Int = 2, pools: Int = 1, budget: Int? = nil, mayShare: Bool = false,
        _ change: (inout PoolLimits) -> Void = { _ in }
    ) -> PoolSimulation {
        var limits = PoolLimits(connections: limit)
        change(&limits)
        return PoolSimulation(Array(repeating: limits, count: pools), budget: budget, mayShare: mayShare)
    }

    // MARK: Any order of events

    /// 100 seeds of 1,500 events each.
    @Test(arguments: 0..<100) func `the rules hold after any event`(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let count = Int.random(in: 1...4, using: &random)
        let limits = (0..<count).map { _ in
            PoolLimits(
                connections: Int.random(in: 1...6, using: &random),
                exchangesPerConnection: Bool.random(using: &random) ? .max : Int.random(in: 1...5, using: &random),
                connectionLifetime: Bool.random(using: &random) ? .max : 2_000_000_000, idleLifetime: 1_000_000_000)
        }
        let budget = Bool.random(using: &random) ? nil : Int.random(in: 1...6, using: &random)
        var simulation = PoolSimulation(limits, budget: budget, mayShare: Bool.random(using: &random))
        for _ in 0..<1_500 { try simulation.step(using: &random) }
        if Bool.random(using: &random) {
            for pool in 0..<count { try simulation.close(pool) }
        }
        // Connections are made, and exchanges end. Then each request has had its connection.
        try simulation.finish()
        #expect(simulation.waiting.isEmpty && simulation.warmUps.isEmpty)
    }

    // MARK: Requests

    @Test func `the newest idle connection is used first`() throws {
        var simulation = Self.simulation()
        let first = try simulation.request(0)
        let second = try simulation.request(0)
        let connections = try (0..<2).map { _ in try simulation.connectNext() }
        try simulation.end(first, on: connections[0])
        simulation.now += 1
        try simulation.end(second, on: connections[1])
        let third = try simulation.request(0)
        #expect(simulation.connections[connections[1]]?.running == [third])
    }

    @Test func `requests that wait are served in order`() throws {
        var simulation = Self.simulation(limit: 1)
        let requests = try (0..<4).map { _ in try simulation.request(0) }
        let connection = try simulation.connectNext()
        for request in requests {
            #expect(simulation.connections[connection]?.running == [request])
            try simulation.end(request, on: connection)
        }
    }

    @Test func `a request that has gone leaves its connector to the next`() throws {
        var simulation = Self.simulation(limit: 1)
        let first = try simulation.request(0)
        let second = try simulation.request(0)
        try simulation.cancel(first)
        #expect(simulation.connectors.count == 1)
        let connection = try simulation.connectNext()
        #expect(simulation.connections[connection]?.running == [second])
    }

    @Test func `the last request that goes ends its connector`() throws {
        var simulation = Self.simulation()
        try simulation.cancel(try simulation.request(0))
        #expect(simulation.connectors.isEmpty && simulation.budget.count == 0 && simulation.pools[0].isEmpty)
    }

    @Test func `a connection carries no more exchanges than it may`() throws {
        var simulation = Self.simulation(limit: 1) { $0.exchangesPerConnection = 2 }
        let requests = try (0..<3).map { _ in try simulation.request(0) }
        let first = try simulation.connectNext()
        try simulation.end(requests[0], on: first)
        try simulation.end(requests[1], on: first)
        #expect(simulation.connections[first] == nil)
        let second = try simulation.connectNext()
        #expect(simulation.connections[second]?.running == [requests[2]])
    }

    @Test func `an idle connection makes room for a request that wants a new one`() throws {
        var simulation = Self.simulation(limit: 1)
        let first = try simulation.request(0)
        let connection = try simulation.connectNext()
        try simulation.end(first, on: connection)
        try simulation.request(0, onlyNew: true)
        #expect(simulation.connections[connection] == nil && simulation.connectors.count == 1)
    }

    @Test func `a connection that is too old begins no exchange`() throws {
        var simulation = Self.simulation { $0.connectionLifetime = 100 }
        let first = try simulation.request(0)
        let old = try simulation.connectNext()
        try simulation.end(first, on: old)
        simulation.now += 100
        try simulation.request(0)
        #expect(simulation.connections[old] == nil && simulation.connectors.count == 1)
    }

    // MARK: Sharing

    @Test func `one connection that is shared serves all who wait, up to its capacity`() throws {
        var simulation = Self.simulation(limit: 4, mayShare: true)
        for _ in 0..<5 { try simulation.request(0) }
        #expect(simulation.connectors.count == 1 && simulation.delays.count == 1)
        let connection = try simulation.connectNext(isShared: true, capacity: 3)
        #expect(simulation.connections[connection]?.running.count == 3)
        #expect(simulation.connectors.count == 1)
        try simulation.changeCapacity(of: connection, to: 5)
        #expect(simulation.connections[connection]?.running.count == 5)
        // The connector for the others is not needed any more.
        #expect(simulation.connectors.isEmpty)
    }

    @Test(arguments: [true, false]) func `after the sharing delay there are more connectors`(isKnown: Bool) throws {
        var simulation = Self.simulation(limit: 4, mayShare: true)
        for _ in 0..<4 { try simulation.request(0) }
        try simulation.passDelay(0, isKnownToShare: isKnown)
        #expect(simulation.connectors.count == (isKnown ? 2 : 4))
    }

    @Test func `a connector that has lost its request goes on for another one`() throws {
        var simulation = Self.simulation(limit: 4, mayShare: true)
        let first = try simulation.request(0)
        let plain = try simulation.connectNext()
        try simulation.request(0)
        let shared = try simulation.connectNext(isShared: true, capacity: 1)
        let third = try simulation.request(0)
        let fourth = try simulation.request(0)
        try simulation.passDelay(0, isKnownToShare: false)
        try simulation.end(first, on: plain)
        #expect(simulation.connections[plain]?.running == [third])
        // The connection takes no request, so no connector is spare.
        try simulation.changeCapacity(of: shared, to: 0)
        #expect(simulation.connectors.count == 2)
        let connection = try simulation.connectNext()
        #expect(simulation.connections[connection]?.running == [fourth])
    }

    @Test func `no sharing delay begins while every request has a connector`() throws {
        var simulation = Self.simulation(limit: 4, mayShare: true)
        let requests = try (0..<3).map { _ in try simulation.request(0) }
        try simulation.passDelay(0, isKnownToShare: true)
        try simulation.cancel(requests[2])
        // Two requests have two connectors. The delay that was begun for three adds none.
        try simulation.passDelay(0, isKnownToShare: true)
        try simulation.request(0)
        #expect(simulation.connectors.count == 2 && simulation.delays.count == 1)
    }

    @Test func `an idle connection that shows life serves a request that wanted a new one`() throws {
        var simulation = Self.simulation(mayShare: true)
        let first = try simulation.request(0)
        let connection = try simulation.connectNext(isShared: true, capacity: 1)
        try simulation.end(first, on: connection)
        let second = try simulation.request(0, onlyNew: true)
        #expect(simulation.waiting.count == 1)
        try simulation.changeCapacity(of: connection, to: 3)
        let third = try simulation.request(0)
        #expect(simulation.connections[connection]?.running == [second, third])
        #expect(simulation.connectors.isEmpty)
        for request in [second, third] { try simulation.end(request, on: connection) }
        #expect(simulation.pools[0].idleCount == 1)
    }

    @Test func `a connector that fails ends the wait for one that serves all`() throws {
        var simulation = Self.simulation(limit: 4, mayShare: true)
        for _ in 0..<4 { try simulation.request(0) }
        try simulation.failConnector(0)
        #expect(simulation.waiting.count == 3 && simulation.connectors.count == 3)
    }

    @Test func `a connection that accepts no more is closed after its last exchange`() throws {
        var simulation = Self.simulation(mayShare: true)
        let request = try simulation.request(0)
        let connection = try simulation.connectNext(isShared: true, capacity: 8)
        try simulation.changeCapacity(of: connection, to: 0)
        try simulation.request(0)
        #expect(simulation.connectors.count == 1)
        try simulation.end(request, on: connection)
        #expect(simulation.connections[connection] == nil)
    }

    @Test func `a shared connection that is spent accepts no more, and ends with its last exchange`() throws {
        var simulation = Self.simulation(limit: 1, mayShare: true) { $0.exchangesPerConnection = 2 }
        let requests = try (0..<2).map { _ in try simulation.request(0) }
        let connection = try simulation.connectNext(isShared: true, capacity: 8)
        try simulation.end(requests[0], on: connection)
        #expect(simulation.connections[connection]?.isStopping == true)
        try simulation.end(requests[1], on: connection)
        #expect(simulation.connections.isEmpty)
    }

    @Test func `a shared connection whose lifetime passes while it is in use makes room for another`() throws {
        var simulation = Self.simulation(limit: 1, mayShare: true) { $0.connectionLifetime = 10 }
        let first = try simulation.request(0)
        let old = try simulation.connectNext(isShared: true, capacity: 8)
        simulation.now += 11
        let second = try simulation.request(0)
        #expect(simulation.connections[old]?.isStopping == true && simulation.connectors.count == 1)
        let new = try simulation.connectNext(isShared: true, capacity: 8)
        #expect(simulation.connections[new]?.running == [second])
        try simulation.end(first, on: old)
        #expect(simulation.connections[old] == nil)
    }

    // MARK: Several pools

    @Test func `an idle connection makes room for another pool`() throws {
        var simulation = Self.simulation(pools: 2, budget: 1)
        let first = try simulation.request(0)
        let connection = try simulation.connectNext()
        try simulation.end(first, on: connection)
        try simulation.request(1)
        #expect(simulation.connections.isEmpty)
        #expect(simulation.connectors.map(\.pool) == [1])
    }

    /// Whether a connection that becomes free goes to the request of its own pool, or is closed for one that waits longer.
    @Test(arguments: [(false, 1 as MonotonicTime, true), (true, 1, false), (true, 250_000_001, true)])
    func `a pool without connections, or one that has waited long, gets the place`(
        _ hasOne: Bool, _ time: MonotonicTime, _ getsPlace: Bool
    ) throws {
        var simulation = Self.simulation(pools: 2, budget: hasOne ? 2 : 1)
        if hasOne {
            try simulation.request(1)
            _ = try simulation.connectNext()
        }
        let first = try simulation.request(0)
        let connection = try simulation.connectNext()
        try simulation.request(1)
        simulation.now += time
        let own = try simulation.request(0)
        try simulation.end(first, on: connection)
        #expect((simulation.connections[connection] == nil) == getsPlace)
        #expect(simulation.connections[connection]?.running == (getsPlace ? nil : [own]))
        #expect(simulation.connectors.map(\.pool) == (getsPlace ? [1] : []))
    }

    /// A pool with a busy shared connection, and requests of two others that wait for a place.
    private static func contended() throws -> (simulation: PoolSimulation, exchanges: [Int], connection: Int) {
        var simulation = simulation(pools: 3, budget: 1)
        let first = try simulation.request(0)
        let connection = try simulation.connectNext(isShared: true, capacity: 4)
        let more = try (0..<2).map { _ in try simulation.request(0) }
        try simulation.request(1)
        return (simulation, [first] + more, connection)
    }

    @Test func `a busy shared connection yields to a pool that has waited for the fairness delay`() throws {
        var (simulation, exchanges, connection) = try Self.contended()
        simulation.now += 250_000_000
        try simulation.end(exchanges[0], on: connection)
        #expect(simulation.yielding.isEmpty)
        simulation.now += 1
        try simulation.end(exchanges[1], on: connection)
        #expect(simulation.yielding.count == 1)
        let own = try simulation.request(0)
        #expect(simulation.waiting[own] != nil)
        try simulation.end(exchanges[2], on: connection)
        #expect(simulation.connections.isEmpty && simulation.connectors.map(\.pool) == [1])
    }

    /// An exchange may last for hours.
    @Test func `a connection that does not become free yields for a second, and pauses`() throws {
        var (simulation, exchanges, connection) = try Self.contended()
        simulation.now += 250_000_001
        try simulation.end(exchanges[0], on: connection)
        let own = try simulation.request(0)
        simulation.now += 999_999_999
        try simulation.passYielding()
        #expect(simulation.waiting[own] != nil)
        simulation.now += 1
        try simulation.passYielding()
        #expect(simulation.connections[connection]?.running == [exchanges[1], exchanges[2], own])
        try simulation.end(own, on: connection)
        #expect(simulation.yielding.isEmpty)
        // A free connection goes to the pool all the same.
        for exchange in exchanges[1...] { try simulation.end(exchange, on: connection) }
        #expect(simulation.connectors.map(\.pool) == [1])
    }

    @Test func `a connection that yields to a request that is gone serves its own pool again`() throws {
        var (simulation, exchanges, connection) = try Self.contended()
        simulation.now += 250_000_001
        try simulation.end(exchanges[0], on: connection)
        let other = try #require(simulation.waiting.first { $0.value.pool == 1 }?.key)
        try simulation.cancel(other)
        for exchange in exchanges[1...] { try simulation.end(exchange, on: connection) }
        let own = try simulation.request(0)
        #expect(simulation.connections[connection]?.running == [own])
    }

    @Test func `two busy pools do not yield to each other`() throws {
        var simulation = Self.simulation(pools: 3, budget: 2)
        let (first, second) = (try simulation.request(0), try simulation.request(1))
        let connections = try (0..<2).map { _ in try simulation.connectNext(isShared: true, capacity: 4) }
        let more = try (0..<2).map { _ in try simulation.request(1) }
        let other = try simulation.request(0)
        let waiting = try simulation.request(2)
        simulation.now += 250_000_001
        try simulation.end(other, on: connections[0])
        #expect(simulation.yielding.map(\.pool) == [0])
        let own = try simulation.request(0)
        try simulation.cancel(waiting)
        #expect(!simulation.budget.isContended)
        simulation.now += 500_000_000
        try simulation.end(more[0], on: connections[1])
        #expect(simulation.yielding.map(\.pool) == [0])
        simulation.now += 500_000_000
        try simulation.passYielding()
        #expect(simulation.connections[connections[0]]?.running == [first, own])
        #expect(simulation.connections[connections[1]]?.running == [second, more[1]])
    }

    @Test func `one connection at a time yields to a claim`() throws {
        var budget = ConnectionBudget<Int>()
        let claim = ConnectionBudget<Int>.Claim(pool: 2, since: 1, hasNone: false, limit: 2)
        let takes = [nil, nil, claim].map { budget.take(limit: 2, orKeep: $0) }
        #expect(takes == [true, true, false])
        let asked = [(0, 1), (1, 1), (0, 1_000_000_001), (1, 1_000_000_001), (0, 9_000_000_000)].map { pool, after in
            budget.owesPlace(pool, waitingSince: nil, isFree: false, at: 300_000_000 + after)
        }
        #expect(asked == [true, false, false, true, false])
        // A renewed claim is the same one.
        budget.update(2, claim)
        let again = [false, true].map { budget.owesPlace(0, waitingSince: nil, isFree: $0, at: 9_000_000_000) }
        #expect(again == [false, true])
        let afterPause = [10_300_000_000, 11_300_000_001].map {
            budget.owesPlace(0, waitingSince: nil, isFree: false, at: $0)
        }
        #expect(afterPause == [false, true])
    }

    /// No connection of another pool is closed for a request that is gone.
    @Test func `a pool whose requests are gone claims no place`() throws {
        var simulation = Self.simulation(limit: 1, pools: 2, budget: 1)
        let running = try simulation.request(0)
        let connection = try simulation.connectNext()
        let first = try simulation.request(1)
        let second = try simulation.request(1)
        try simulation.cancel(first)
        #expect(simulation.budget.isContended)
        try simulation.cancel(second)
        #expect(!simulation.budget.isContended)
        try simulation.end(running, on: connection)
        #expect(simulation.connections[connection] != nil)
    }

    @Test func `a claim is as old as the request that waits longest now`() throws {
        var budget = ConnectionBudget<Int>()
        let takes = [
            budget.take(limit: 1, orKeep: nil),
            budget.take(limit: 1, orKeep: .init(pool: 1, since: 10, hasNone: true)),
        ]
        #expect(takes == [true, false])
        budget.update(1, .init(pool: 1, since: 30, hasNone: true))
        budget.update(2, .init(pool: 2, since: 5, hasNone: true))
        let owes = [20, 31].map { budget.owesPlace(0, waitingSince: $0, isFree: true, at: 40) }
        #expect(owes == [false, true])
        let next = [budget.giveBack(), budget.giveBack()]
        #expect(next == [1, nil])
        #expect(budget.count == 0)
    }

    @Test func `a place goes to the oldest claim whose limit allows it`() throws {
        var budget = ConnectionBudget<Int>()
        for _ in 0..<4 {
            let isTaken = budget.take(limit: 4, orKeep: nil)
            #expect(isTaken)
        }
        let isTaken = [
            budget.take(limit: 2, orKeep: .init(pool: 1, since: 10, hasNone: true, limit: 2)),
            budget.take(limit: 4, orKeep: .init(pool: 2, since: 20, hasNone: true, limit: 4)),
        ]
        #expect(isTaken == [false, false])
        // No connection is closed for a pool that could not have its place.
        let owes = [15, 25].map { budget.owesPlace(0, waitingSince: $0, isFree: true, at: 40) }
        #expect(owes == [false, true])
        let next = (0..<4).map { _ in budget.giveBack() }
        #expect(next == [2, nil, nil, 1])
        #expect(budget.count == 2)
    }

    // MARK: Warming up

    @Test func `warming up makes a connection that waits for the first request`() throws {
        var simulation = Self.simulation()
        try simulation.warmUp(0)
        let connection = try simulation.connectNext()
        #expect(simulation.warmUps.isEmpty && simulation.pools[0].idleCount == 1)
        let request = try simulation.request(0)
        #expect(simulation.connections[connection]?.running == [request])
    }

    @Test func `warming up a pool that is full takes no connection of another pool`() throws {
        var simulation = Self.simulation(limit: 1, pools: 2, budget: 2)
        let other = try simulation.request(1)
        let idle = try simulation.connectNext()
        try simulation.end(other, on: idle)
        try simulation.request(0)
        _ = try simulation.connectNext()
        try simulation.request(0)
        try simulation.warmUp(0)
        #expect(simulation.warmUps.isEmpty && simulation.connections[idle] != nil)
    }

    @Test func `warming up beyond a limit makes none, and takes no turn`() throws {
        var simulation = Self.simulation(limit: 2, pools: 2, budget: 1)
        try simulation.warmUp(0)
        try simulation.warmUp(0)
        #expect(simulation.connectors.count == 1 && simulation.warmUps.count == 1)
        #expect(!simulation.budget.isContended)
    }

    // MARK: Idle connections

    @Test func `a connection that is idle for too long is closed`() throws {
        var simulation = Self.simulation { $0.idleLifetime = 100 }
        let first = try simulation.request(0)
        let connection = try simulation.connectNext()
        try simulation.end(first, on: connection)
        simulation.now += 99
        try simulation.closeExpired(0)
        #expect(simulation.connections[connection] != nil)
        simulation.now += 1
        try simulation.closeExpired(0)
        #expect(simulation.connections.isEmpty && simulation.pools[0].isEmpty)
    }

    @Test func `the time in which the machine slept makes idle connections older`() throws {
        var simulation = Self.simulation { $0.idleLifetime = 100 }
        let first = try simulation.request(0)
        let connection = try simulation.connectNext()
        try simulation.end(first, on: connection)
        try simulation.closeExpired(0, slept: 60)
        simulation.now += 39
        try simulation.closeExpired(0)
        #expect(simulation.connections[connection] != nil)
        simulation.now += 1
        try simulation.closeExpired(0)
        #expect(simulation.connections.isEmpty && simulation.pools[0].isEmpty)
    }

    @Test func `a closed pool keeps no connection, and serves those who wait`() throws {
        var simulation = Self.simulation(limit: 1)
        let requests = try (0..<2).map { _ in try simulation.request(0) }
        let connection = try simulation.connectNext()
        try simulation.close(0)
        try simulation.end(requests[0], on: connection)
        #expect(simulation.connections[connection]?.running == [requests[1]])
        try simulation.end(requests[1], on: connection)
        #expect(simulation.connections.isEmpty)
    }
}
