// OriginPool: the connections to one origin with one set of settings, on one loop, and who waits for one.

import DequeModule
import NIOCore
import TsubameCore

final class OriginPool {
    let key: ConnectionKey
    /// Those without an exchange, the newest last.
    @exclusivity(unchecked) var idle: [any Carrier] = []
    /// Those that carry exchanges and may carry more.
    @exclusivity(unchecked) var shared: [any Carrier] = []
    /// How many carry an exchange.
    @exclusivity(unchecked) var leased = 0
    @exclusivity(unchecked) var waiting = WaitingList()
    /// Waiting exchanges that no dial was made for, the longest waiting first, and some that wait no more.
    @exclusivity(unchecked) private var undialed = Deque<Exchange>()
    @exclusivity(unchecked) private(set) var dials: [Dial] = []
    /// How many of them are for nobody who waits.
    @exclusivity(unchecked) private var warmUps = 0
    /// One dial that fails at once must not begin the next inside itself: there may be thousands.
    @exclusivity(unchecked) var isDialing = false

    /// How many connections are made at once: one, if it may do for all because the origin speaks HTTP/2, or might.
    @exclusivity(unchecked) private var dialsAtOnce: Int
    /// Ends the patience with that one.
    var patience: Scheduled<Void>?
    /// Whoever waits is being sent out: connections that exchanges end on meanwhile wait until that is done.
    @exclusivity(unchecked) var isFilling = false
    @exclusivity(unchecked) var endedOn: [any Carrier] = []

    private let budget: ConnectionBudget

    /// - Parameter version: what the origin has spoken before, if that is known.
    init(_ key: ConnectionKey, _ budget: ConnectionBudget, version: HTTPVersion?) {
        self.key = key
        self.budget = budget
        dialsAtOnce = key.mayShare && version != .http11 ? 1 : .max
    }

    /// A connection stands, and speaks this version.
    func learn(_ version: HTTPVersion) { dialsAtOnce = version == .http2 ? 1 : .max }

    /// No connection could be made. Whoever waits does so no longer for one that would do for all.
    func learnFailure() { dialsAtOnce = .max }

    /// The one that was to do for all takes its time: there is one more.
    func learnDelay() { if dialsAtOnce < .max { dialsAtOnce += 1 } }

    var isEmpty: Bool { idle.isEmpty && leased == 0 && waiting.isEmpty && dials.isEmpty }

    /// Connections, and those that are being made.
    var total: Int { leased + idle.count + dials.count }

    func wait(_ exchange: Exchange) {
        waiting.append(exchange)
        undialed.append(exchange)
        // Those that have got a connection otherwise are swept out once they are the most.
        if undialed.count > 16, undialed.count > 2 * waiting.count {
            undialed.removeAll { !$0.isWaiting || $0.dial != nil }
        }
    }

    /// The one that is being made, while others wait for what it will speak.
    var hopeful: Dial? {
        dialsAtOnce < waiting.count && waiting.count > 1 ? dials.last { !$0.exchange.isWarmUp } : nil
    }

    /// Whether more wait than connections are being made for.
    var needsDial: Bool {
        let underWay = dials.count - warmUps
        return underWay < Swift.min(waiting.count, dialsAtOnce)
    }

    /// Whether connections are being made for more than wait.
    var hasSpareDial: Bool { dials.count - warmUps > waiting.count }

    /// The longest waiting exchange that no dial was made for.
    func nextUndialed() -> Exchange? {
        while let exchange = undialed.popFirst() {
            if exchange.isWaiting, exchange.dial == nil { return exchange }
        }
        return nil
    }

    func add(_ dial: Dial) {
        dial.index = dials.count
        dial.exchange.dial = dial
        if dial.exchange.isWarmUp { warmUps += 1 }
        dials.append(dial)
    }

    /// The last one moves into the gap.
    func remove(_ dial: Dial) {
        dial.exchange.dial = nil
        guard dial.index < dials.count, dials[dial.index] === dial else { return }
        if dial.exchange.isWarmUp { warmUps -= 1 }
        guard let last = dials.popLast(), last !== dial else { return }
        last.index = dial.index
        dials[dial.index] = last
    }

    /// One that carries exchanges and has room.
    func takeShared(for exchange: Exchange) -> (any Carrier)? {
        shared.first { $0.room > 0 && !isSpent($0) && $0.suits(exchange) }
    }

    /// Whether it carries exchanges, as far as the pool knows.
    func isLeased(_ carrier: any Carrier) -> Bool { shared.contains { $0 === carrier } }

    /// A connection that was idle carries exchanges again.
    func lease(idle carrier: any Carrier) {
        guard let index = idle.lastIndex(where: { $0 === carrier }) else { return }
        idle.remove(at: index)
        leased += 1
        shared.append(carrier)
    }

    func removeShared(_ carrier: any Carrier) { shared.removeAll { $0 === carrier } }

    /// The newest idle connection: the one least likely to have been closed by its server meanwhile.
    func takeIdle(for exchange: Exchange) -> (any Carrier)? {
        while let carrier = idle.popLast() {
            if carrier.room > 0, !isSpent(carrier), carrier.suits(exchange) { return carrier }
            // Nobody is to be told that it has gone: whoever asks for one is about to make another.
            carrier.isCounted = false
            carrier.close()
            budget.giveBack()
        }
        return nil
    }

    /// Whether it has carried, or lived, as much as it may.
    func isSpent(_ carrier: any Carrier) -> Bool {
        let settings = key.settings
        return carrier.exchanges >= settings.exchangesPerConnection
            || (settings.connectionLifetime != .max
                && MonotonicClock.now &- carrier.madeAt >= settings.connectionLifetime)
    }
}

extension ConnectionKey {
    /// Whether a connection may turn out to carry several exchanges at once.
    var mayShare: Bool {
        switch settings.settings.httpVersion {
        case .negotiated: origin.isSecure
        case .http11: false
        case .http2: true
        }
    }
}
