// TrafficLog: keeps the calls of clients for the inspector and for archives.

import Synchronization
public import Tsubame
package import TsubameCore
import TsubamePlatform

/// The latest calls of clients, within a limit of memory.
///
/// ```swift
/// let log = TrafficLog()
/// log.add(client)
/// …
/// try await log.har().write(to: file)
/// ```
/// The log reads the events of the calls (`CallEvent`). An event loop only hands an event over. The events are
/// sorted by call when the log is read. Bodies of responses are kept from ``keepBodies()`` on, and bodies of requests if they are in
/// memory and short.
public final class TrafficLog: Sendable {
    /// The limits of a log, in bytes.
    public struct Limits: Sendable, Hashable {
        /// The memory for all calls. The oldest calls that have ended are evicted first.
        public var total = 64 << 20
        /// The memory for each body. A longer body is cut, and marked as cut.
        public var body = 256 << 10

        /// 64 MiB for all calls, and 256 KiB for each body.
        public init() {}
    }

    private struct Subscriptions: Sendable {
        weak var client: Client?
        let observers: ObserverList
        let added: AddedInterceptors
        let events: EventSubscription
        var bodies: EventSubscription?
    }

    private struct State: Sendable {
        var ring: TrafficRing
        var readers: [UInt64: @Sendable (Set<UInt64>) -> Void] = [:]
        var nextReader: UInt64 = 0
        /// The number of changes so far.
        var changes: UInt64 = 0
        /// The files whose calls were added.
        var sessions: Set<String> = []
    }

    let limits: Limits
    private let inbox: EventInbox
    private let state: Mutex<State>
    private struct Clients: Sendable {
        /// In the order of their numbers, from 1 on.
        var list: [Subscriptions] = []
        var keepsBodies = false
        var rules: [InspectorRules] = []
    }

    private let clients = Mutex(Clients())

    /// An empty log.
    public init(limits: Limits = Limits()) {
        var limits = limits
        // One byte more than the limit is taken, to show that a body goes on.
        limits.body = min(max(limits.body, 0), .max - 1)
        self.limits = limits
        // Events that wait and calls that were read have the limit together, up to a step.
        let step = limits.total / 8
        inbox = EventInbox(PendingEvents(limit: limits.total - step, bodyLimit: limits.body), step: step)
        state = Mutex(State(ring: TrafficRing(limit: limits.total - step, bodyLimit: limits.body)))
        inbox.setRoom { [weak self, total = limits.total] bytes in
            self?.state.withLock { $0.ring.shrink(to: max(total - bytes, 0)) }
        }
    }

    /// Keeps the calls of a client, and of its views, from now on. The log does not keep the client.
    public func add(_ client: Client) {
        let observers = client.observers
        clients.withLock { clients in
            guard !clients.list.contains(where: { $0.observers === observers }) else { return }
            // Calls of so many clients cannot be sent again.
            let number = UInt16(exactly: clients.list.count + 1) ?? 0
            let events = EventSubscription(observers) { [inbox] event in inbox.add(event, from: number) }
            let bodies = clients.keepsBodies ? tap(observers) : nil
            clients.list.append(
                Subscriptions(
                    client: client, observers: observers, added: client.added, events: events, bodies: bodies))
            for rules in clients.rules { rules.join(client.added) }
        }
    }

    /// Adds an event of a call that no client of the log sends, such as one that a server answers.
    package func add(_ event: CallEvent) { inbox.add(event, from: 0) }

    /// The client that sent a call; nil if it has been released, or if no client of the log sent the call.
    func client(of call: LoggedCall) -> Client? {
        clients.withLock { $0.list.indices.contains(Int(call.client) - 1) ? $0.list[Int(call.client) - 1].client : nil }
    }

    /// Whether clients have been added.
    var hasClients: Bool { clients.withLock { !$0.list.isEmpty } }

    /// Applies rules to the calls of all clients of the log, now and later.
    package func apply(_ rules: InspectorRules) {
        clients.withLock { clients in
            clients.rules.append(rules)
            for client in clients.list { rules.join(client.added) }
        }
    }

    /// Ends rules.
    package func end(_ rules: InspectorRules) {
        clients.withLock { $0.rules.removeAll { $0 === rules } }
        rules.end()
    }

    /// Keeps bodies too, from the next call on.
    public func keepBodies() {
        clients.withLock { clients in
            guard !clients.keepsBodies else { return }
            clients.keepsBodies = true
            for index in clients.list.indices where clients.list[index].bodies == nil {
                clients.list[index].bodies = tap(clients.list[index].observers)
            }
        }
    }

    /// Removes the calls that have ended.
    public func clear() {
        drain()
        state.withLock { $0.ring.clear() }
        drain()
    }

    /// The number of calls in the log.
    public var count: Int {
        drain()
        return state.withLock { $0.ring.count }
    }

    /// The number of calls that were evicted.
    public var evicted: Int {
        drain()
        return state.withLock { $0.ring.evicted }
    }

    private func tap(_ observers: ObserverList) -> EventSubscription {
        // One byte more shows that a body goes on.
        EventSubscription(observers, bodyBytes: limits.body + 1) { [inbox] event in
            switch event.kind {
            case .requestBody, .responseBody: inbox.add(event, from: 0)
            default: break
            }
        }
    }

    // MARK: Events

    /// Adds what was handed over. Every reading of the log does this first, so that nothing is missing.
    func drain() {
        let (readers, changed) = state.withLock { state in
            let (parts, evicted) = inbox.take()
            var changed: Set<UInt64> = []
            for part in parts {
                for entry in part where state.ring.add(entry.event, from: entry.client, now: entry.now) {
                    changed.insert(entry.event.call)
                }
            }
            state.ring.evicted += evicted
            inbox.know(state.ring.running)
            changed.formUnion(state.ring.takeRemoved())
            if !changed.isEmpty { state.changes += 1 }
            return (changed.isEmpty ? [] : Array(state.readers.values), changed)
        }
        for reader in readers { reader(changed) }
    }

    /// Adds calls of an archive.
    func add(_ entries: [ImportedEntry]) {
        drain()
        for entry in entries {
            let now = entry.started ?? WallClock.now
            let readers = state.withLock { state in
                for event in entry.events {
                    // As events that a client reports: without bodies that are too long.
                    let kind = event.kind.withoutBodies(over: limits.body)
                    state.ring.add(CallEvent(call: event.call, time: event.time, kind: kind), now: now)
                }
                if let call = entry.events.first?.call { state.ring.markCut(call, entry.cut) }
                state.changes += 1
                return Array(state.readers.values)
            }
            if let call = entry.events.first?.call { for reader in readers { reader([call]) } }
        }
    }

    /// Whether the log has no calls of that file yet.
    func isNew(session path: String) -> Bool { state.withLock { !$0.sessions.contains(path) } }

    /// The log has the calls of that file.
    func keep(session path: String) { state.withLock { _ = $0.sessions.insert(path) } }

    /// A number that grows with every change of the log.
    var changes: UInt64 {
        drain()
        return state.withLock { $0.changes }
    }

    /// Keeps a call when others are evicted or cleared, or keeps it no longer.
    /// - Returns: whether the call is there, and the pinned calls leave room for others.
    func pin(_ id: UInt64, _ isPinned: Bool) -> Bool {
        drain()
        let (isDone, readers) = state.withLock { ($0.ring.pin(id, isPinned), Array($0.readers.values)) }
        if isDone { for reader in readers { reader([id]) } }
        return isDone
    }

    // MARK: Reading

    /// Gives a value of the calls, with all events so far.
    func read<Value: Sendable>(_ body: (TrafficRing) throws -> Value) rethrows -> Value {
        drain()
        let ring = state.withLock { $0.ring }
        return try body(ring)
    }

    /// Tells a reader the numbers of calls that have changed or were removed, until the reader is removed.
    func addReader(_ reader: @escaping @Sendable (Set<UInt64>) -> Void) -> UInt64 {
        state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = reader
            inbox.setWatcher { [weak self] in self?.drain() }
            return state.nextReader
        }
    }

    func removeReader(_ number: UInt64) {
        state.withLock { state in
            state.readers[number] = nil
            if state.readers.isEmpty { inbox.setWatcher(nil) }
        }
    }
}
