// Deadlines: the deadlines of a loop's members, as a value.

package import TsubamePlatform

/// One deadline for each slot, in a binary heap. A connection sets its deadline with every request, and nearly always to a
/// later time. That is one store: the slot's place in the heap stays, and is corrected when its old time comes.
package struct Deadlines: Sendable {
    private struct Slot: Sendable {
        var due = MonotonicClock.never
        /// The time by which the heap is ordered. It is never later than `due`.
        var queued = MonotonicClock.never
        /// The slot's place in the heap; -1 if it has none.
        var place: Int32 = -1
    }

    private var slots: [Slot] = []
    private var heap: [UInt32] = []

    package init() {}

    /// The earliest time at which ``takeDue(at:)`` may have something to give.
    package var next: MonotonicTime { heap.first.map { slots[Int($0)].queued } ?? MonotonicClock.never }

    package func due(of slot: UInt32) -> MonotonicTime {
        Int(slot) < slots.count ? slots[Int(slot)].due : MonotonicClock.never
    }

    /// Sets the deadline of a slot; ``MonotonicClock/never`` clears it.
    @inline(__always)
    package mutating func set(_ slot: UInt32, to due: MonotonicTime) {
        let index = Int(slot)
        if index >= slots.count { grow(to: index + 1) }
        slots[index].due = due
        if due < slots[index].queued { queue(slot, at: due) }
    }

    private mutating func grow(to count: Int) {
        slots.append(contentsOf: repeatElement(Slot(), count: count - slots.count))
    }

    private mutating func queue(_ slot: UInt32, at time: MonotonicTime) {
        slots[Int(slot)].queued = time
        if slots[Int(slot)].place < 0 {
            slots[Int(slot)].place = Int32(heap.count)
            heap.append(slot)
        }
        rise(from: Int(slots[Int(slot)].place))
    }

    /// Takes one slot whose deadline has passed, and clears it.
    /// - Returns: nil if there is none.
    package mutating func takeDue(at now: MonotonicTime) -> UInt32? {
        while let first = heap.first, slots[Int(first)].queued <= now {
            let due = slots[Int(first)].due
            if due <= now {
                slots[Int(first)].due = MonotonicClock.never
                removeFirst()
                return first
            }
            if due == MonotonicClock.never {
                removeFirst()
            } else {
                slots[Int(first)].queued = due
                sink(from: 0)
            }
        }
        return nil
    }

    private mutating func removeFirst() {
        let first = heap[0]
        slots[Int(first)].queued = MonotonicClock.never
        slots[Int(first)].place = -1
        let last = heap.removeLast()
        if heap.isEmpty { return }
        put(last, at: 0)
        sink(from: 0)
    }

    private mutating func put(_ slot: UInt32, at place: Int) {
        heap[place] = slot
        slots[Int(slot)].place = Int32(place)
    }

    private func time(at place: Int) -> MonotonicTime { slots[Int(heap[place])].queued }

    private mutating func rise(from start: Int) {
        var place = start
        let slot = heap[start]
        let time = slots[Int(slot)].queued
        while place > 0 {
            let parent = (place - 1) / 2
            if self.time(at: parent) <= time { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(slot, at: place)
    }

    private mutating func sink(from start: Int) {
        var place = start
        let slot = heap[start]
        let time = slots[Int(slot)].queued
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, self.time(at: child + 1) < self.time(at: child) { child += 1 }
            if time <= self.time(at: child) { break }
            put(heap[child], at: place)
            place = child
        }
        put(slot, at: place)
    }
}
