// HPACKDynamicTable: the fields that both ends remember, the newest first (RFC 7541 sections 2.3.2 and 4).

/// Names and values lie in one buffer, which is twice as large as the live entries may become. New entries are
/// appended. When the end is reached, the live entries move to the front. Most entries cost no allocation.
package struct HPACKDynamicTable: ~Copyable {
    private struct Slot {
        /// The offset among all bytes that were ever written, wrapping around. ``HPACKDynamicTable/base`` is that of
        /// the buffer's first byte.
        var start: UInt32
        var nameLength: UInt32
        var valueLength: UInt32
    }

    /// The number of bytes that an entry counts in addition to its own (RFC 7541 section 4.1).
    package static var overhead: Int { 32 }
    /// The largest size that is used. Larger ones are reduced to it.
    static var largest: Int { 1 << 28 }

    private var memory: UnsafeMutableRawPointer?
    private var capacity = 0
    private var base: UInt32 = 0
    /// The offset of the oldest entry's first byte, and the offset after the newest entry's last byte.
    private var start: UInt32 = 0
    private var end: UInt32 = 0
    /// A ring buffer, whose capacity is a power of two.
    private var slots: UnsafeMutablePointer<Slot>?
    private var slotCapacity: UInt32 = 0
    /// The number of entries that were ever inserted, wrapping around.
    private(set) var inserted: UInt32 = 0

    package private(set) var count = 0
    /// The size of all entries, in bytes (RFC 7541 section 4.1).
    package private(set) var size = 0
    package private(set) var maxSize: Int

    package init(maxSize: Int) { self.maxSize = Self.bounded(maxSize) }

    deinit {
        memory?.deallocate()
        slots?.deallocate()
    }

    static func bounded(_ size: Int) -> Int { Swift.min(Swift.max(size, 0), largest) }

    /// Sets the maximum size. The oldest entries are evicted until the rest fits (RFC 7541 section 4.3).
    package mutating func resize(to maxSize: Int) {
        self.maxSize = Self.bounded(maxSize)
        evict(untilFree: 0)
    }

    /// - Parameter age: 0 is the newest entry. From ``count`` on, the result is nil.
    @inline(__always)
    package func entry(_ age: Int) -> HPACKEntry? {
        guard age >= 0, age < count, let slots, let memory else { return nil }
        let slot = slots[Int((inserted &- 1 &- UInt32(truncatingIfNeeded: age)) & (slotCapacity &- 1))]
        return HPACKEntry(
            field: memory + Int(slot.start &- base), nameLength: Int(slot.nameLength),
            valueLength: Int(slot.valueLength))
    }

    /// Inserts a field. Neither `name` nor `value` may lie in this table. A field that is larger than the table empties
    /// the table (RFC 7541 section 4.4).
    mutating func insert(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        // Both are lengths of existing memory, so the sum cannot overflow.
        let length = name.count &+ value.count
        guard length <= maxSize &- Self.overhead else { return removeAll() }
        evict(untilFree: length &+ Self.overhead)
        makeRoom(length)
        makeSlot()
        guard let memory, let slots else { return }
        let field = memory + Int(end &- base)
        if let from = name.baseAddress { field.copyMemory(from: from, byteCount: name.count) }
        if let from = value.baseAddress { (field + name.count).copyMemory(from: from, byteCount: value.count) }
        (slots + Int(inserted & (slotCapacity &- 1))).initialize(
            to: Slot(
                start: end, nameLength: UInt32(truncatingIfNeeded: name.count),
                valueLength: UInt32(truncatingIfNeeded: value.count)))
        inserted &+= 1
        end &+= UInt32(truncatingIfNeeded: length)
        count &+= 1
        size &+= length &+ Self.overhead
    }

    private mutating func removeAll() {
        count = 0
        size = 0
        start = end
    }

    /// Evicts the oldest entries first.
    private mutating func evict(untilFree needed: Int) {
        guard let slots else { return }
        while count > 0, maxSize &- size < needed {
            let slot = slots[Int((inserted &- UInt32(truncatingIfNeeded: count)) & (slotCapacity &- 1))]
            start = slot.start &+ slot.nameLength &+ slot.valueLength
            size &-= Int(slot.nameLength &+ slot.valueLength) &+ Self.overhead
            count &-= 1
        }
    }

    private mutating func makeRoom(_ length: Int) {
        guard capacity &- Int(end &- base) < length || memory == nil else { return }
        let living = Int(end &- start)
        let offset = Int(start &- base)
        // The live entries then take at most half of the buffer, so that as much is written again before the next move.
        if let memory, living &+ length <= capacity / 2 {
            memory.copyMemory(from: memory + offset, byteCount: living)
        } else {
            let grown = 2 &* Swift.max(living &+ length, 512)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 8)
            if let memory {
                moved.copyMemory(from: memory + offset, byteCount: living)
                memory.deallocate()
            }
            memory = moved
            capacity = grown
        }
        base = start
    }

    private mutating func makeSlot() {
        guard count >= Int(slotCapacity) else { return }
        let grown = Swift.max(slotCapacity &* 2, 16)
        let moved = UnsafeMutablePointer<Slot>.allocate(capacity: Int(grown))
        if let slots {
            for age in 1..<(slotCapacity &+ 1) {
                let number = inserted &- age
                (moved + Int(number & (grown &- 1))).initialize(to: slots[Int(number & (slotCapacity &- 1))])
            }
            slots.deallocate()
        }
        slots = moved
        slotCapacity = grown
    }
}
