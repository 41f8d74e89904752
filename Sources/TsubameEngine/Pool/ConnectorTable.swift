// ConnectorTable: the connections that are being made, in the order in which they were begun.

/// Knows for each connector which request, or which call that only wants a connection made, it was begun for.
struct ConnectorTable<Waiter, WaiterID> {
    /// A connection that is being made.
    struct Entry {
        /// The request that it was begun for; nil after that request has gone.
        var waiting: WaiterID?
        /// The call that only wants a connection made.
        var warmUp: Waiter?

        var isWarmUp: Bool { warmUp != nil }
        /// Whether it was begun for a request that has gone.
        var isOrphan: Bool { waiting == nil && warmUp == nil }
    }

    typealias ID = SlotTable<Entry>.ID

    private var entries = SlotTable<Entry>()
    private(set) var ids: [ID] = []
    private var warmUps = 0

    var count: Int { ids.count }
    var isEmpty: Bool { ids.isEmpty }
    /// The number of connectors that were begun for requests.
    var countForRequests: Int { ids.count - warmUps }
    /// A connector whose request has gone.
    var orphan: ID? { ids.first { entries[$0]?.isOrphan == true } }
    /// The connector that was begun last for a request.
    var lastForRequest: ID? { ids.last { entries[$0]?.isWarmUp == false } }

    subscript(id: ID) -> Entry? { entries[id] }

    mutating func begin(_ entry: Entry) -> ID {
        let id = entries.insert(entry)
        ids.append(id)
        if entry.isWarmUp { warmUps += 1 }
        return id
    }

    /// The request of the connector has gone.
    mutating func detach(_ id: ID) { entries[id]?.waiting = nil }

    /// Takes a connector out; nil if it has ended.
    mutating func end(_ id: ID) -> Entry? {
        guard let entry = entries.remove(id) else { return nil }
        ids.removeAll { $0 == id }
        if entry.isWarmUp { warmUps -= 1 }
        return entry
    }
}
