// WaitingRequests: the requests that wait for a connection, the longest waiting first.

import DequeModule
import TsubamePlatform

/// A queue whose members can leave from the middle. Entries of requests that have gone stay in the order until they reach its
/// front, or outnumber the others.
struct WaitingRequests<Waiter> {
    typealias ConnectorID = ConnectorTable<Waiter, ID>.ID

    /// One request that waits.
    struct Entry {
        let waiter: Waiter
        let since: MonotonicTime
        /// The connector that was begun for it.
        var connector: ConnectorID?
    }

    typealias ID = SlotTable<Entry>.ID

    private var entries = SlotTable<Entry>()
    private var order = Deque<ID>()
    /// The requests that no connector was begun for, in the same order.
    private var unconnected = Deque<ID>()

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    /// All requests, in no order.
    var all: [Waiter] { entries.ids.compactMap { entries[$0]?.waiter } }
    /// The request that waits for the longest time.
    var first: Entry? { order.first.flatMap { entries[$0] } }

    /// - Parameter since: when it began to wait.
    mutating func append(_ waiter: Waiter, since: MonotonicTime) -> ID {
        let id = entries.insert(Entry(waiter: waiter, since: since))
        order.append(id)
        unconnected.append(id)
        sweep()
        return id
    }

    /// Takes a request out; nil if it has gone.
    mutating func remove(_ id: ID) -> Entry? {
        guard let entry = entries.remove(id) else { return nil }
        dropGone()
        sweep()
        return entry
    }

    /// Takes the request out that waits for the longest time.
    mutating func popFirst() -> Entry? {
        guard let id = order.popFirst() else { return nil }
        defer { dropGone() }
        return entries.remove(id)
    }

    // MARK: Connectors

    mutating func setConnector(_ connector: ConnectorID?, of id: ID) { entries[id]?.connector = connector }

    /// The longest waiting request that no connector was begun for. It is not found again.
    mutating func popUnconnected() -> (id: ID, waiter: Waiter)? {
        while let id = unconnected.popFirst() {
            if let entry = entries[id], entry.connector == nil { return (id, entry.waiter) }
        }
        return nil
    }

    /// The connector of the request has ended without a use for it.
    mutating func returnUnconnected(_ id: ID) {
        if entries[id] != nil { unconnected.prepend(id) }
    }

    /// Drops the entries in front of the first request.
    private mutating func dropGone() {
        while let id = order.first, entries[id] == nil { order.removeFirst() }
    }

    private mutating func sweep() {
        if order.count > 16, order.count > 2 * count { order.removeAll { entries[$0] == nil } }
        if unconnected.count > 16, unconnected.count > 2 * count {
            unconnected.removeAll { entries[$0].map { $0.connector != nil } ?? true }
        }
    }
}
