// SlotTable: elements with identifiers that stay valid until the element is removed, and are never taken for another.

/// A table that finds an element by its identifier in constant time, without hashing. The place of a removed element is
/// used again; its identifier is not.
struct SlotTable<Element> {
    struct ID: Hashable, Sendable {
        /// The place in the table. A removed element's place is used again.
        let index: Int
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var generation: UInt32 = 0
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ element: Element) -> ID {
        if let index = free.popLast() {
            slots[index].element = element
            return ID(index: index, generation: slots[index].generation)
        }
        slots.append(Slot(element: element))
        return ID(index: slots.count - 1, generation: 0)
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        guard isCurrent(id), let element = slots[id.index].element else { return nil }
        slots[id.index].element = nil
        slots[id.index].generation &+= 1
        free.append(id.index)
        return element
    }

    /// The element; nil if it was removed. Changes of a removed element are lost; only ``remove(_:)`` removes one.
    // A getter and a setter: coroutines would not be specialised, and would allocate a frame for each access.
    subscript(id: ID) -> Element? {
        @inline(__always) get { isCurrent(id) ? slots[id.index].element : nil }
        @inline(__always) set {
            if isCurrent(id), newValue != nil { slots[id.index].element = newValue }
        }
    }

    @inline(__always)
    private func isCurrent(_ id: ID) -> Bool {
        id.index < slots.count && slots[id.index].generation == id.generation
    }

    /// The identifiers of all elements, in no order.
    var ids: [ID] {
        slots.indices.filter { slots[$0].element != nil }.map { ID(index: $0, generation: slots[$0].generation) }
    }
}
