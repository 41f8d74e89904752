// ConnectionPool: which request gets which connection, and when connections are made and closed. A pure value.

import TsubamePlatform

/// The connections to one origin on one event loop, and the requests that wait for one.
///
/// The pool takes events and appends actions, which its owner carries out in order. It does no I/O and reads no clock. It is
/// generic over the connection and the waiting request, so its tests run on integers.
///
/// Each connection, and each one that is being made, holds one *place* of a budget that several pools share. The pool asks
/// for a place by ``Action/takePlace``, and the owner answers by ``grantPlace(_:)`` or ``refusePlace(_:)``.
struct ConnectionPool<Connection, Waiter> {
    typealias ConnectorID = ConnectorTable<Waiter, WaiterID>.ID
    typealias WaiterID = WaitingRequests<Waiter>.ID
    typealias MemberID = SlotTable<PoolMember>.ID

    let limits: PoolLimits
    private(set) var members = SlotTable<PoolMember>()
    /// The connections, by the index of their identifiers.
    private(set) var links: [Connection?] = []
    /// Connections without an exchange, the newest last.
    private(set) var idle: [MemberID] = []
    /// Connections in use that can carry several exchanges.
    private(set) var shared: [MemberID] = []
    private(set) var waiting = WaitingRequests<Waiter>()
    private(set) var connectors = ConnectorTable<Waiter, WaiterID>()
    /// Calls that want a connection made and have no place yet.
    private var unplacedWarmUps: [Waiter] = []
    /// Whether the budget has been asked and has not answered.
    private var isAsking = false
    /// The number of connections that are made at once: one while it may serve all waiting requests.
    private var connectorsAtOnce: Int
    private var hasSharingDelay = false
    private(set) var isClosed = false

    /// - Parameter mayShare: whether one connection may serve many requests, as far as is known.
    init(_ limits: PoolLimits, mayShare: Bool) {
        self.limits = limits
        connectorsAtOnce = mayShare ? 1 : .max
    }

    /// A connection for a request: one in use that has room, or else the newest idle one, whose server is the least likely to
    /// have closed it. An idle one goes to a new request only if none waits.
    /// - Parameter answer: it may look at the socket. An unread connection stays idle, and the request gets none.
    /// - Returns: nil if the request must wait.
    @inline(__always)
    mutating func lease(
        at now: @autoclosure () -> MonotonicTime, _ actions: inout [Action],
        asking answer: (Connection) -> Reusability
    ) -> Lease? {
        for id in shared {
            guard let member = members[id], member.hasRoom, let connection = links[id.index] else { continue }
            if limits.isSpent(member, at: now()) {
                members[id]?.capacity = 0
                actions.append(.stopAccepting(connection))
            } else if answer(connection) == .yes {
                members[id]?.begin()
                return Lease(id: id, connection: connection)
            }
        }
        guard waiting.isEmpty else { return nil }
        while let id = idle.popLast() {
            guard var member = members[id], let connection = links[id.index] else { continue }
            switch member.hasRoom && !limits.isSpent(member, at: now()) ? answer(connection) : .no {
            case .yes:
                member.isIdle = false
                member.begin()
                members[id] = member
                if member.isShared { shared.append(id) }
                return Lease(id: id, connection: connection)
            case .unread:
                idle.append(id)
                return nil
            case .no:
                members[id]?.isIdle = false
                remove(id, &actions)
            }
        }
        return nil
    }

    /// A request waits for a connection.
    /// - Parameter since: when it began to wait. Among pools, the one whose request waits longest gets the next place.
    mutating func wait(_ waiter: Waiter, since: MonotonicTime, _ actions: inout [Action]) -> WaiterID {
        let id = waiting.append(waiter, since: since)
        connectIfNeeded(&actions)
        return id
    }

    /// A waiting request has gone: it was cancelled, or its deadline has passed.
    mutating func leave(_ id: WaiterID, _ actions: inout [Action]) {
        guard let gone = waiting.remove(id) else { return }
        // The connector goes on for another request that waits. One is given up for each request that does not.
        guard let orphan = gone.connector ?? connectors.orphan else { return }
        if hasSpareConnector { cancel(orphan, &actions) } else { detach(orphan, &actions) }
    }

    /// A call wants a connection made that no request waits for yet.
    mutating func warmUp(_ waiter: Waiter, _ actions: inout [Action]) {
        guard !isFull, !isClosed else { return actions.append(.warmedUp(waiter)) }
        unplacedWarmUps.append(waiter)
        askForPlace(&actions)
    }

    /// The call that wanted a connection made has gone.
    mutating func cancelWarmUp(_ id: ConnectorID, _ actions: inout [Action]) {
        cancel(id, &actions)
        connectIfNeeded(&actions)
    }

    /// Sends the request that waits for the longest time. Its connector then goes on for the others.
    private mutating func runFirst(on id: MemberID, _ connection: Connection, _ actions: inout [Action]) {
        guard let next = waiting.popFirst() else { return }
        members[id]?.begin()
        actions.append(.run(next.waiter, on: connection))
        if let connector = next.connector { detach(connector, &actions) }
    }

    private mutating func detach(_ id: ConnectorID, _ actions: inout [Action]) {
        connectors.detach(id)
        actions.append(.detach(id))
    }

    // MARK: Making connections

    /// Whether more requests wait than connections are being made for.
    private var needsConnector: Bool { connectors.countForRequests < Swift.min(waiting.count, connectorsAtOnce) }

    /// Whether connections are being made for more requests than wait.
    private var hasSpareConnector: Bool { connectors.countForRequests > waiting.count }

    private mutating func connectIfNeeded(_ actions: inout [Action]) {
        if needsConnector {
            // A request that was sent in vain on an idle connection does not trust the others.
            if isFull, let oldest = idle.first { remove(oldest, &actions) }
            if !isFull { askForPlace(&actions) }
        }
        startSharingDelay(&actions)
    }

    private mutating func askForPlace(_ actions: inout [Action]) {
        guard !isAsking else { return }
        isAsking = true
        actions.append(.takePlace)
    }

    /// The pool may have one connection more. Without a use for it the place goes back.
    mutating func grantPlace(_ actions: inout [Action]) {
        isAsking = false
        if !unplacedWarmUps.isEmpty {
            let waiter = unplacedWarmUps.removeFirst()
            if !isFull, !isClosed {
                connect(.init(warmUp: waiter), for: waiter, &actions)
            } else {
                actions += [.returnPlace, .warmedUp(waiter)]
            }
        } else if needsConnector, !isFull, let next = waiting.popUnconnected() {
            let connector = connect(.init(waiting: next.id), for: next.waiter, &actions)
            waiting.setConnector(connector, of: next.id)
        } else {
            return actions.append(.returnPlace)
        }
        if !unplacedWarmUps.isEmpty { askForPlace(&actions) }
        connectIfNeeded(&actions)
    }

    /// The budget has no place now. It will grant one later, unless no request of this pool waits any more.
    mutating func refusePlace(_ actions: inout [Action]) {
        isAsking = false
        // A call that only prepares for later requests does not wait.
        actions += unplacedWarmUps.map { .warmedUp($0) }
        unplacedWarmUps = []
    }

    @discardableResult
    private mutating func connect(
        _ entry: ConnectorTable<Waiter, WaiterID>.Entry, for waiter: Waiter, _ actions: inout [Action]
    ) -> ConnectorID {
        let id = connectors.begin(entry)
        actions.append(.connect(id, for: waiter))
        return id
    }

    /// Takes a connector out of the pool.
    private mutating func end(_ id: ConnectorID) -> ConnectorTable<Waiter, WaiterID>.Entry? {
        let entry = connectors.end(id)
        if let waiter = entry?.waiting { waiting.setConnector(nil, of: waiter) }
        return entry
    }

    private mutating func cancel(_ id: ConnectorID, _ actions: inout [Action]) {
        guard end(id) != nil else { return }
        actions += [.cancel(id), .returnPlace]
    }

    /// Gives up the connections that are being made for more requests than wait.
    private mutating func cancelSpareConnectors(_ actions: inout [Action]) {
        while hasSpareConnector, let id = connectors.orphan { cancel(id, &actions) }
    }

    /// A connector has made its connection.
    /// - Parameter capacity: how many exchanges it may carry at once.
    /// - Returns: the identifier of the connection; nil if the connector was cancelled, and the connection must be closed.
    mutating func connected(
        _ id: ConnectorID, _ connection: Connection, isShared: Bool, capacity: Int, at now: MonotonicTime,
        _ actions: inout [Action]
    ) -> MemberID? {
        guard let entry = end(id) else { return nil }
        connectorsAtOnce = isShared ? 1 : .max
        let member = members.insert(
            PoolMember(isShared: isShared, madeAt: now, capacity: capacity, idleSince: now))
        if member.index == links.count { links.append(connection) } else { links[member.index] = connection }
        if isShared { shared.append(member) }
        if let warmUp = entry.warmUp { actions.append(.warmedUp(warmUp)) }
        // The request that the connection was made for comes first; the others have connectors of their own.
        if let own = entry.waiting {
            if capacity > 0, let first = waiting.remove(own) {
                members[member]?.begin()
                actions.append(.run(first.waiter, on: connection))
            } else {
                // The connection closed at once; the request gets another connector.
                waiting.returnUnconnected(own)
            }
        }
        settle(member, at: now, &actions)
        // The others may have waited only to learn what the connection speaks.
        connectIfNeeded(&actions)
        return member
    }

    /// A connector has failed. The request that it was begun for fails with it.
    mutating func failed(_ id: ConnectorID, _ actions: inout [Action]) {
        guard let entry = end(id) else { return }
        actions.append(.returnPlace)
        // No request waits any longer for a connection that would serve all.
        connectorsAtOnce = .max
        if let warmUp = entry.warmUp { actions.append(.fail(warmUp)) }
        if let own = entry.waiting, let first = waiting.remove(own) { actions.append(.fail(first.waiter)) }
        connectIfNeeded(&actions)
    }

    // MARK: Sharing

    /// While requests wait for one connection that may serve all of them, that wait has a limit.
    private mutating func startSharingDelay(_ actions: inout [Action]) {
        guard !hasSharingDelay, let candidate = sharedCandidate else { return }
        hasSharingDelay = true
        actions.append(.startSharingDelay(candidate))
    }

    private var sharedCandidate: ConnectorID? { connectorsAtOnce < waiting.count ? connectors.lastForRequest : nil }

    /// - Parameter isKnownToShare: whether the origin has shared connections before. Then one more connection is made;
    ///   otherwise as many as requests wait.
    mutating func sharingDelayPassed(_ id: ConnectorID, isKnownToShare: Bool, _ actions: inout [Action]) {
        hasSharingDelay = false
        if sharedCandidate == id { connectorsAtOnce = isKnownToShare ? connectorsAtOnce + 1 : .max }
        connectIfNeeded(&actions)
    }

    // MARK: Connections

    /// An exchange on a connection has ended.
    /// - Parameters:
    ///   - available: how many more exchanges the connection could begin now.
    ///   - owesPlace: whether a request of another pool gets the place. A connection that carries other exchanges, and
    ///     ``mayYield(_:at:)``, then yields: it begins none until the yielding time has passed, so that it may become free.
    mutating func ended(
        on id: MemberID, available: Int, owesPlace: Bool, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard var member = members[id], member.running > 0 else { return }
        member.running -= 1
        if member.running == 0 { member.isYielding = false }
        if limits.isSpent(member, at: now) || (owesPlace && member.running == 0) {
            member.capacity = 0
            if member.running > 0, let connection = links[id.index] { actions.append(.stopAccepting(connection)) }
        } else if !member.acceptsNoMore {
            member.capacity = member.running + available
            if owesPlace {
                member.isYielding = true
                actions.append(.startYielding(id))
            }
        }
        members[id] = member
        settle(id, at: now, &actions)
        if !waiting.isEmpty { connectIfNeeded(&actions) }
    }

    /// A connection that yields has not become free in time.
    mutating func yieldingPassed(on id: MemberID, at now: MonotonicTime, _ actions: inout [Action]) {
        guard members[id]?.isYielding == true else { return }
        members[id]?.isYielding = false
        settle(id, at: now, &actions)
        connectIfNeeded(&actions)
    }

    /// The server allows more exchanges at once than before, or fewer, or the connection accepts no more.
    /// - Parameter available: how many more exchanges the connection could begin now; nil if it accepts no more.
    mutating func availableChanged(
        on id: MemberID, to available: Int?, at now: MonotonicTime, _ actions: inout [Action]
    ) {
        guard let member = members[id] else { return }
        if !member.acceptsNoMore { members[id]?.capacity = available.map { member.running + $0 } ?? 0 }
        settle(id, at: now, &actions)
        connectIfNeeded(&actions)
    }

    /// Waiting requests go out on a connection that has room. Without exchanges it becomes idle, or is closed.
    private mutating func settle(_ id: MemberID, at now: MonotonicTime, _ actions: inout [Action]) {
        if !waiting.isEmpty { serve(id, at: now, &actions) }
        guard var member = members[id], member.running == 0 else { return }
        if member.acceptsNoMore || isClosed || limits.isSpent(member, at: now) {
            remove(id, &actions)
        } else if !member.isIdle {
            if member.isShared { shared.removeAll { $0 == id } }
            member.isIdle = true
            member.idleSince = now
            members[id] = member
            idle.append(id)
            actions.append(.becameIdle)
        }
    }

    /// Sends the requests that wait, as far as there is room.
    private mutating func serve(_ id: MemberID, at now: MonotonicTime, _ actions: inout [Action]) {
        var hasBegun = false
        while !waiting.isEmpty, let member = members[id], member.hasRoom, !limits.isSpent(member, at: now),
            let connection = links[id.index]
        {
            runFirst(on: id, connection, &actions)
            hasBegun = true
        }
        guard hasBegun, let member = members[id] else { return }
        if member.isIdle {
            leaveIdle(id)
            if member.isShared { shared.append(id) }
        }
        if member.isShared { cancelSpareConnectors(&actions) }
    }

    private mutating func leaveIdle(_ id: MemberID) {
        guard members[id]?.isIdle == true else { return }
        members[id]?.isIdle = false
        if let index = idle.lastIndex(of: id) { idle.remove(at: index) }
    }

    /// A connection has closed by itself.
    mutating func closed(_ id: MemberID, _ actions: inout [Action]) {
        guard forget(id) != nil else { return }
        actions.append(.returnPlace)
        connectIfNeeded(&actions)
    }

    /// Closes a connection and returns its place.
    private mutating func remove(_ id: MemberID, _ actions: inout [Action]) {
        guard let connection = forget(id) else { return }
        actions += [.close(connection), .returnPlace]
    }

    private mutating func forget(_ id: MemberID) -> Connection? {
        leaveIdle(id)
        guard let member = members.remove(id) else { return nil }
        if member.isShared { shared.removeAll { $0 == id } }
        return links[id.index].take()
    }

    /// Closes the connection that is idle for the longest time, because another pool needs its place.
    mutating func closeLongestIdle(_ actions: inout [Action]) {
        if let id = idle.first { remove(id, &actions) }
    }

    /// Closes the connections that are idle for too long, or too old.
    /// - Parameter slept: how long the machine has slept, in nanoseconds, since the last call; `now` does not count that.
    mutating func closeExpired(at now: MonotonicTime, slept: MonotonicTime = 0, _ actions: inout [Action]) {
        for id in idle { members[id]?.age(by: slept) }
        let limits = limits
        closeIdle(&actions) { limits.isOver($0, at: now) }
    }

    private mutating func closeIdle(_ actions: inout [Action], where isOver: (PoolMember) -> Bool) {
        let over = idle.filter { members[$0].map(isOver) == true }
        // At once, because taking one out of the list looks at the others.
        for id in over { members[id]?.isIdle = false }
        idle.removeAll { members[$0]?.isIdle != true }
        for id in over { remove(id, &actions) }
    }

    /// The client is closed: nothing is made or kept for later requests. Requests that run, or wait, go on.
    mutating func close(_ actions: inout [Action]) {
        isClosed = true
        closeIdle(&actions) { _ in true }
        for id in connectors.ids {
            guard let warmUp = connectors[id]?.warmUp else { continue }
            actions.append(.warmedUp(warmUp))
            cancel(id, &actions)
        }
        cancelSpareConnectors(&actions)
        connectIfNeeded(&actions)
    }
}
