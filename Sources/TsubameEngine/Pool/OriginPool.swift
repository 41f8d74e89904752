// OriginPool: the connections to one origin with one set of settings, on one loop, and who waits for one.

import DequeModule
import NIOCore
import TsubameCore
import TsubamePlatform

final class OriginPool {
    let key: ConnectionKey
    /// Those without an exchange, the newest last.
    @exclusivity(unchecked) var idle: [any PooledConnection] = []
    /// Those that carry exchanges and may carry more.
    @exclusivity(unchecked) var shared: [any PooledConnection] = []
    /// How many carry an exchange.
    @exclusivity(unchecked) var leased = 0
    @exclusivity(unchecked) var waiting = WaitingList()
    /// Waiting exchanges that no connector was made for, the longest waiting first, and some that wait no more.
    @exclusivity(unchecked) private var unconnected = Deque<Exchange>()
    @exclusivity(unchecked) private(set) var connectors: [Connector] = []
    /// How many of them are for nobody who waits.
    @exclusivity(unchecked) private var warmUps = 0
    /// One connector that fails at once must not begin the next inside itself: there may be thousands.
    @exclusivity(unchecked) var isConnecting = false

    /// How many connections are made at once: one, if it may do for all because the origin speaks HTTP/2, or might.
    @exclusivity(unchecked) private var connectorsAtOnce: Int
    /// Ends the wait for that one.
    var sharingTimeout: Scheduled<Void>?
    /// Whoever waits is being sent out: connections that exchanges end on meanwhile wait until that is done.
    @exclusivity(unchecked) var isFilling = false
    @exclusivity(unchecked) var endedOn: [any PooledConnection] = []

    private let budget: ConnectionBudget

    /// - Parameter version: what the origin has spoken before, if that is known.
    init(_ key: ConnectionKey, _ budget: ConnectionBudget, version: HTTPVersion?) {
        self.key = key
        self.budget = budget
        connectorsAtOnce = key.mayShare && version != .http11 ? 1 : .max
    }

    /// A connection stands, and speaks this version.
    func learn(_ version: HTTPVersion) { connectorsAtOnce = version == .http2 ? 1 : .max }

    /// No connection could be made. Whoever waits does so no longer for one that would do for all.
    func learnFailure() { connectorsAtOnce = .max }

    /// The one that was to do for all takes its time: there is one more.
    func learnDelay() { if connectorsAtOnce < .max { connectorsAtOnce += 1 } }

    var isEmpty: Bool { idle.isEmpty && leased == 0 && waiting.isEmpty && connectors.isEmpty }

    /// Connections, and those that are being made.
    var total: Int { leased + idle.count + connectors.count }

    func wait(_ exchange: Exchange) {
        waiting.append(exchange)
        unconnected.append(exchange)
        // Those that have got a connection otherwise are swept out once they are the most.
        if unconnected.count > 16, unconnected.count > 2 * waiting.count {
            unconnected.removeAll { !$0.isWaiting || $0.connector != nil }
        }
    }

    /// The one that is being made, while others wait for what it will speak.
    var sharedCandidate: Connector? {
        connectorsAtOnce < waiting.count && waiting.count > 1 ? connectors.last { !$0.exchange.isWarmUp } : nil
    }

    /// Whether more wait than connections are being made for.
    var needsConnector: Bool {
        let underWay = connectors.count - warmUps
        return underWay < Swift.min(waiting.count, connectorsAtOnce)
    }

    /// Whether connections are being made for more than wait.
    var hasSpareConnector: Bool { connectors.count - warmUps > waiting.count }

    /// The longest waiting exchange that no connector was made for.
    func nextUnconnected() -> Exchange? {
        while let exchange = unconnected.popFirst() {
            if exchange.isWaiting, exchange.connector == nil { return exchange }
        }
        return nil
    }

    func add(_ connector: Connector) {
        connector.index = connectors.count
        connector.exchange.connector = connector
        if connector.exchange.isWarmUp { warmUps += 1 }
        connectors.append(connector)
    }

    /// The last one moves into the gap.
    func remove(_ connector: Connector) {
        connector.exchange.connector = nil
        guard connector.index < connectors.count, connectors[connector.index] === connector else { return }
        if connector.exchange.isWarmUp { warmUps -= 1 }
        guard let last = connectors.popLast(), last !== connector else { return }
        last.index = connector.index
        connectors[connector.index] = last
    }

    /// One that carries exchanges and has room.
    func takeShared(for exchange: Exchange) -> (any PooledConnection)? {
        shared.first { $0.availableStreams > 0 && !isSpent($0) && $0.canCarry(exchange) }
    }

    /// Whether it carries exchanges, as far as the pool knows.
    func isLeased(_ connection: any PooledConnection) -> Bool { shared.contains { $0 === connection } }

    /// A connection that was idle carries exchanges again.
    func lease(idle connection: any PooledConnection) {
        guard let index = idle.lastIndex(where: { $0 === connection }) else { return }
        idle.remove(at: index)
        leased += 1
        shared.append(connection)
    }

    func removeShared(_ connection: any PooledConnection) { shared.removeAll { $0 === connection } }

    /// The newest idle connection: the one least likely to have been closed by its server meanwhile.
    func takeIdle(for exchange: Exchange) -> (any PooledConnection)? {
        while let connection = idle.popLast() {
            if connection.availableStreams > 0, !isSpent(connection), connection.canCarry(exchange) {
                return connection
            }
            // Nobody is to be told that it has gone: whoever asks for one is about to make another.
            connection.pool = nil
            connection.close()
            budget.giveBack()
        }
        return nil
    }

    /// Whether it has carried, or lived, as much as it may.
    func isSpent(_ connection: any PooledConnection) -> Bool {
        let settings = key.settings
        return connection.exchanges >= settings.exchangesPerConnection
            || (settings.connectionLifetime != .max
                && MonotonicClock.now &- connection.madeAt >= settings.connectionLifetime)
    }
}
