// LoopPool: what one event loop owns: its connections by origin, and the exchanges that wait for one.

import DequeModule
import NIOCore
import Synchronization
import TsubameCore
import TsubamePlatform
import TsubameSockets

/// The pools of one loop. An exchange that starts here stays here.
///
/// ``ConnectionPool`` decides; this class tells it the events and carries its actions out. An event that happens while
/// actions are carried out waits until they are done, so no action meets a pool in the middle of a decision.
// Everything but `arrivals` and `load` is confined to `loop`; no two accesses overlap there, so none is checked for it.
final class LoopPool: @unchecked Sendable {
    typealias Pool = OriginPool.Pool

    /// In milliseconds: how long calls wait for one connection that may do for all of them. One that takes longer may never
    /// come.
    private static let sharingDelay: Int64 = 500

    let loop: NIOLoop
    private let objects: ClientObjects
    /// Exchanges from other threads that are here and not over; read by callers that look for a loop with room.
    let load = Atomic(0)
    /// The number of sockets that are not closed yet.
    @exclusivity(unchecked) var openSockets = 0
    /// The pools of all loops of the client.
    @exclusivity(unchecked) var siblings: [LoopPool] = []
    /// Handed over from other threads. The thread that finds no task of the loop for them gives one to it, so that many at once
    /// cost few tasks.
    let arrivals = Mutex(Arrivals())
    @exclusivity(unchecked) var beginning = Beginning()
    @exclusivity(unchecked) private(set) var origins = OriginTable()
    @exclusivity(unchecked) var events = PoolEvents()
    @exclusivity(unchecked) var timers = PoolTimers()
    @exclusivity(unchecked) private(set) var isClosed = false

    init(_ loop: NIOLoop, _ objects: ClientObjects) {
        self.loop = loop
        self.objects = objects
    }

    var budget: SharedConnectionBudget { objects.budget }
    var proxies: ProxyMemory { objects.proxies }
    var callers: CallerLoops { objects.callers }

    private func origin(_ key: ConnectionKey) -> OriginPool {
        if let known = origins[key] { return known }
        let origin = OriginPool(key, version: key.mayShare ? objects.versions.version(of: key.origin) : nil)
        origins.add(origin)
        return origin
    }

    private func dropIfEmpty(_ origin: OriginPool) {
        guard origin.pool.isEmpty else { return }
        origins.remove(origin)
        origin.sharingDelay?.cancel()
        origin.yielding?.cancel()
    }

    // MARK: Exchanges

    /// Begins an exchange: on a connection that has room for it, or it waits for one.
    /// - Parameter isPutOff: whether it was put off until the loop has looked at its sockets, which happens once.
    func start(_ exchange: Exchange, isPutOff: Bool = false) {
        if events.isCarryingOut { return events.later.append { self.start(exchange, isPutOff: isPutOff) } }
        guard exchange.begin() else { return }
        guard !isClosed else { return exchange.fail(Self.closed) }
        noticeSleep(sinceCallAt: exchange.call.start)
        // After a lost connection no idle one will do.
        if !exchange.sendings.needsNewConnection {
            var isUnread = false
            if let connection = lease(for: exchange, &isUnread) { return connection.run(exchange) }
            // The loop reads what is there. Then the connection has gone, or serves.
            if isUnread, !isPutOff { return loop.loop.afterLook { self.start(exchange, isPutOff: true) } }
        }
        // The pool may have gone with its last connection.
        let origin = origin(exchange.key)
        // Before a connection is made for nothing. One that is there finds out as it writes the head.
        if let error = exchange.invalidity {
            exchange.fail(error)
            return dropIfEmpty(origin)
        }
        exchange.call.emit(.queued(why: origin.reasonToWait(isResent: exchange.sendings.needsNewConnection)))
        let waiter = exchange.startWaiting()
        let now = MonotonicClock.now
        waiter.stand(at: origin.pool.wait(waiter, since: exchange.waits(from: now), &events.actions), in: origin)
        carryOut(origin)
        setWaitDeadline(of: waiter, from: now)
    }

    /// Makes one more connection.
    func start(_ warmUp: WarmUp) {
        if events.isCarryingOut { return events.later.append { self.start(warmUp) } }
        guard !isClosed else { return warmUp.end(.failure(Self.closed)) }
        guard let waiter = warmUp.startWaiting() else { return }
        noticeSleep(at: MonotonicClock.now)
        let origin = origin(warmUp.key)
        origin.pool.warmUp(waiter, &events.actions)
        carryOut(origin)
    }

    static var closed: CallError {
        CallError(.cancelled, "the client is closed", phase: .waiting, advice: "make a new one")
    }

    /// - Parameter isUnread: set if there is an idle connection which the loop has to read first.
    @inline(__always)
    private func lease(for exchange: Exchange, _ isUnread: inout Bool) -> (any PooledConnection)? {
        let origin = origin(exchange.key)
        let lease = origin.pool.lease(at: MonotonicClock.now, &events.actions) { connection in
            guard connection.availableStreams > 0 else { return .no }
            let answer = connection.reusability(for: exchange)
            if answer == .unread { isUnread = true }
            return answer
        }
        // Connections that could not carry it are closed.
        if !events.actions.isEmpty { carryOut(origin) }
        guard let connection = lease?.connection, connection.availableStreams == 0 else { return lease?.connection }
        // Closing one of the others has ended it.
        exchangeEnded(on: connection)
        return nil
    }

    /// A waiter has ended.
    func leave(_ waiter: Waiter) {
        waiter.leave()
        giveUp(waiter)
    }

    private func giveUp(_ waiter: Waiter) {
        if events.isCarryingOut { return events.later.append { self.giveUp(waiter) } }
        guard let origin = origins[waiter.key] else { return }
        if let place = waiter.place {
            if place.origin === origin { origin.pool.leave(place.id, &events.actions) }
        } else {
            for (id, connector) in origin.connectors where connector.waiter === waiter {
                origin.pool.cancelWarmUp(id, &events.actions)
            }
        }
        carryOut(origin)
    }

    // MARK: Connections

    /// A connector has made its connection, or has failed.
    func finished(_ connector: Connector, _ result: Result<any PooledConnection, CallError>) {
        if events.isCarryingOut { return events.later.append { self.finished(connector, result) } }
        let id = connector.id
        noticeSleep(at: MonotonicClock.now)
        guard let origin = origins[connector.key], origin.connectors[id] === connector else {
            // The connector was cancelled meanwhile.
            if case .success(let connection) = result { connection.close() }
            return
        }
        origin.connectors[id] = nil
        switch result {
        case .success(let connection) where connection.availableStreams == 0:
            // Another connector might go the same way, without an end.
            connection.close()
            origin.pool.failed(id, &events.actions)
            carryOut(
                origin,
                failure: CallError(
                    .connectionLost, "the server closed the connection as soon as it stood", phase: .connecting))
        case .success(let connection):
            if origin.key.mayShare {
                objects.versions.note(connection.isShared ? .http2 : .http11, of: origin.key.origin)
            }
            connector.waiter.take(connector.facts)
            let member = origin.pool.connected(
                id, connection, isShared: connection.isShared, capacity: connection.availableStreams,
                at: MonotonicClock.now, &events.actions)
            if let member {
                connection.membership = PoolMembership(origin: origin, id: member)
            } else {
                connection.close()
            }
            carryOut(origin)
        case .failure(let error):
            origin.pool.failed(id, &events.actions)
            carryOut(origin, failure: error)
        }
    }

    /// An exchange has ended on a connection, which then goes to the next one, or becomes idle.
    func exchangeEnded(on connection: any PooledConnection) {
        if events.isCarryingOut { return events.later.append { self.exchangeEnded(on: connection) } }
        guard let membership = connection.membership else { return connection.close() }
        let (origin, now) = (membership.origin, MonotonicClock.now)
        noticeSleep(at: now)
        let owesPlace = budget.isContended && owesPlace(of: connection, membership, at: now)
        origin.pool.ended(
            on: membership.id, available: connection.availableStreams, owesPlace: owesPlace, at: now, &events.actions)
        carryOut(origin)
    }

    /// Whether an exchange of another pool has waited so long that it gets the place of the connection.
    private func owesPlace(
        of connection: any PooledConnection, _ membership: PoolMembership, at now: MonotonicTime
    ) -> Bool {
        let origin = membership.origin
        let isFree = origin.pool.carriesOne(membership.id)
        guard isFree || (connection.availableStreams > 0 && origin.pool.mayYield(membership.id, at: now)) else {
            return false
        }
        return budget.owesPlace(
            .init(loopPool: self, key: origin.key), waitingSince: origin.pool.longestWaitSince, isFree: isFree, at: now)
    }

    /// The server allows more streams than it did, or fewer, or the connection accepts no more.
    func availableStreamsChanged(on connection: any PooledConnection) {
        if events.isCarryingOut { return events.later.append { self.availableStreamsChanged(on: connection) } }
        guard let membership = connection.membership else { return }
        membership.origin.pool.availableChanged(
            on: membership.id, to: connection.acceptsNoMore ? nil : connection.availableStreams, at: MonotonicClock.now,
            &events.actions)
        carryOut(membership.origin)
    }

    /// A connection is gone.
    func removed(_ connection: any PooledConnection) {
        guard let membership = connection.membership else { return }
        connection.membership = nil
        closed(membership)
    }

    private func closed(_ membership: PoolMembership) {
        if events.isCarryingOut { return events.later.append { self.closed(membership) } }
        membership.origin.pool.closed(membership.id, &events.actions)
        carryOut(membership.origin)
    }

    /// The pool gets a place that another pool has given back.
    func grantPlace(_ key: ConnectionKey) {
        guard let origin = origins[key] else { return budget.giveBack() }
        origin.pool.grantPlace(&events.actions)
        carryOut(origin)
    }

    // MARK: Actions

    /// Carries out the actions of an event, and then handles the events that have happened meanwhile.
    /// - Parameter failure: why the connector of the event has failed.
    func carryOut(_ origin: OriginPool, failure: CallError? = nil) {
        events.isCarryingOut = true
        var index = 0
        while index < events.actions.count {
            carryOut(events.actions[index], of: origin, failure)
            index += 1
        }
        events.actions.removeAll(keepingCapacity: true)
        events.isCarryingOut = false
        if budget.isContended {
            budget.update(.init(loopPool: self, key: origin.key), claim(of: origin))
        }
        if origin.pool.isEmpty { dropIfEmpty(origin) }
        if isClosed { endWaiting() }
        // Each of these may bring further events. Only one loop handles them, so their number takes no stack.
        guard !events.isHandlingLater, !events.later.isEmpty else { return }
        events.isHandlingLater = true
        while let event = events.later.popFirst() { event() }
        events.isHandlingLater = false
    }

    private func carryOut(_ action: Pool.Action, of origin: OriginPool, _ failure: CallError?) {
        switch action {
        case .run(let waiter, let connection): run(waiter, on: connection)
        case .becameIdle:
            // Another pool may wait for a place. The claim of this one is up to date when the event comes.
            if budget.isContended {
                events.later.append { if self.budget.isContended { self.closeLongestIdle() } }
            }
            startIdleSweep()
        case .takePlace: takePlace(for: origin)
        case .returnPlace: budget.giveBack()
        case .connect(let id, let waiter):
            waiter.connectorBegins()
            let connector = Connector(waiter, id)
            origin.connectors[id] = connector
            connector.start()
        case .detach(let id): origin.connectors[id]?.loseWaiter()
        case .cancel(let id): origin.connectors.removeValue(forKey: id)?.cancel()
        case .close(let connection):
            connection.membership = nil
            connection.close()
        case .stopAccepting(let connection): connection.stopAccepting()
        case .warmedUp(let waiter):
            if case .warmUp(let warmUp) = waiter.purpose { warmUp.end(.success(())) }
        case .fail(let waiter):
            if let failure { waiter.fail(failure) }
        case .startSharingDelay(let id): startSharingDelay(id, of: origin)
        case .startYielding(let id): startYielding(id, of: origin)
        }
    }

    private func run(_ waiter: Waiter, on connection: any PooledConnection, isPutOff: Bool = false) {
        guard let exchange = waiter.exchange else { return exchangeEnded(on: connection) }
        if connection.availableStreams > 0, !exchange.isCancelled {
            let answer = connection.exchangeCount == 0 ? .yes : connection.reusability(for: exchange)
            if answer == .unread, !isPutOff {
                return loop.loop.afterLook { self.run(waiter, on: connection, isPutOff: true) }
            }
            // Others may run on one that is not reusable, and their responses may have come.
            if answer != .yes {
                connection.stopAccepting()
                availableStreamsChanged(on: connection)
            }
        }
        waiter.leave()
        exchange.endWaiting()
        if connection.availableStreams > 0, !exchange.isCancelled { return connection.run(exchange) }
        // The connection has ended since the pool decided, or the exchange was cancelled and leaves it to the next one.
        exchangeEnded(on: connection)
        start(exchange)
    }

    /// The claim of the pool on the budget; nil if none of its requests waits, or if it yields.
    private func claim(of origin: OriginPool) -> SharedConnectionBudget.Budget.Claim? {
        if origin.pool.isYielding { return nil }
        return origin.pool.longestWaitSince.map { since in
            .init(
                pool: .init(loopPool: self, key: origin.key), since: since, hasNone: origin.pool.total == 0,
                limit: origin.key.settings.settings.connections)
        }
    }

    private func takePlace(for origin: OriginPool) {
        let claim = claim(of: origin)
        if budget.take(limit: origin.key.settings.settings.connections, orKeep: claim) {
            origin.pool.grantPlace(&events.actions)
        } else {
            origin.pool.refusePlace(&events.actions)
            if claim != nil { events.later.append { self.makeRoom() } }
        }
    }

    private func startSharingDelay(_ id: Pool.ConnectorID, of origin: OriginPool) {
        // Cancelled with the pool.
        origin.sharingDelay = loop.assumeIsolated().scheduleTask(in: .milliseconds(Self.sharingDelay)) {
            origin.sharingDelay = nil
            let isKnown = self.objects.versions.version(of: origin.key.origin) == .http2
            origin.pool.sharingDelayPassed(id, isKnownToShare: isKnown, &self.events.actions)
            self.carryOut(origin)
        }
    }

    private func startYielding(_ id: Pool.MemberID, of origin: OriginPool) {
        let time = TimeAmount.nanoseconds(Int64(SharedConnectionBudget.Budget.yieldingTime))
        origin.yielding?.cancel()
        // Cancelled with the pool.
        origin.yielding = loop.assumeIsolated().scheduleTask(in: time) {
            origin.pool.yieldingPassed(on: id, at: MonotonicClock.now, &self.events.actions)
            self.carryOut(origin)
        }
    }

    // MARK: The client

    func close() {
        isClosed = true
        timers.idleSweep?.cancel()
        timers.idleSweep = nil
        for origin in Array(origins.all.values) {
            origin.pool.close(&events.actions)
            carryOut(origin)
        }
        endWaiting()
    }

    /// Nothing may hold the pool after the client has gone and its last call has ended.
    private func endWaiting() {
        if origins.all.values.allSatisfy({ $0.pool.waitingCount == 0 }) { endWaitDeadline() }
    }
}
