// TrafficLog: keeps the calls of clients for the inspector and for archives.

import Synchronization
public import Tsubame
import TsubameCore
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
        let observers: ObserverList
        let events: EventSubscription
        var bodies: EventSubscription?
    }

    private struct State: Sendable {
        var ring: TrafficRing
        var readers: [UInt64: @Sendable (Set<UInt64>) -> Void] = [:]
        var nextReader: UInt64 = 0
    }

    let limits: Limits
    private let inbox: EventInbox
    private let state: Mutex<State>
    private let clients = Mutex<(list: [Subscriptions], keepsBodies: Bool)>(([], false))

    /// An empty log.
    public init(limits: Limits = Limits()) {
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
        guard !clients.withLock({ $0.list.contains { $0.observers === observers } }) else { return }
        let events = EventSubscription(observers) { [inbox] event in inbox.add(event) }
        clients.withLock { clients in
            let bodies = clients.keepsBodies ? tap(observers) : nil
            clients.list.append(Subscriptions(observers: observers, events: events, bodies: bodies))
        }
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
            case .requestBody, .responseBody: inbox.add(event)
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
                for entry in part where state.ring.add(entry.event, now: entry.now) { changed.insert(entry.event.call) }
            }
            state.ring.evicted += evicted
            inbox.know(state.ring.running)
            changed.formUnion(state.ring.takeRemoved())
            return (changed.isEmpty ? [] : Array(state.readers.values), changed)
        }
        for reader in readers { reader(changed) }
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
