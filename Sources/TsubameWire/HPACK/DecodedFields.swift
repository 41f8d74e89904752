// DecodedFields: the fields of one decoded head, stored one after the other in reused memory.

package import TsubameCore

/// The fields of one decoded head: their bytes and a table of offsets. The memory is reused for the next head, so that
/// most heads cost no allocation.
package struct DecodedFields: ~Copyable {
    /// The limit that a head exceeded.
    package enum Excess: Sendable, Hashable {
        case bytes, fields
    }

    /// The number of bytes that a field counts in addition to its own (RFC 9113 section 6.5.2).
    static var overhead: Int { 32 }
    private static var initialBytes: Int { 1 << 10 }
    private static var initialSlots: Int { 32 }
    /// Larger memory is released.
    private static var keptBytes: Int { 64 << 10 }
    private static var keptSlots: Int { 1 << 10 }
    /// The lowest limit, in bytes, when dropped fields are counted. A server may not know of a lower one.
    private static var leastDropped: Int { 16 << 10 }

    private var memory = UnsafeMutableRawPointer.allocate(byteCount: Self.initialBytes, alignment: 8)
    private var capacity = Self.initialBytes
    private var used = 0
    private var slotMemory = UnsafeMutablePointer<FieldSlot>.allocate(capacity: Self.initialSlots)
    private var slotCapacity = Self.initialSlots
    package private(set) var count = 0
    /// The size of the kept fields, as the limit counts it.
    private var size = 0
    private var maxBytes: Int
    private var maxFields: Int
    /// The size of the fields that were decoded but not kept, as the limit counts it.
    private var dropped = 0
    private var maxDropped: Int
    /// The limit that was exceeded first. Later fields are decoded, because the table must stay in step, but not kept.
    package private(set) var excess: Excess?

    /// - Parameters:
    ///   - maxBytes: the limit for names and values, plus 32 for each field (RFC 9113 section 6.5.2).
    ///   - maxFields: the limit for the number of fields.
    package init(maxBytes: Int, maxFields: Int) {
        self.maxBytes = Self.bounded(maxBytes)
        self.maxFields = maxFields
        maxDropped = Self.mostDropped(maxBytes)
    }

    deinit {
        memory.deallocate()
        slotMemory.deallocate()
    }

    /// Offsets in slots have 32 bits.
    private static func bounded(_ limit: Int) -> Int { Swift.min(Swift.max(limit, 0), 1 << 30) }

    /// Three times the limit. A head that is a little too long ends its stream; a larger one ends the connection.
    private static func mostDropped(_ limit: Int) -> Int { 3 * Swift.min(Swift.max(limit, leastDropped), 1 << 28) }

    /// Whether the head holds several times the bytes that are accepted. Two bytes of a block can stand for a field as
    /// large as the table, so decoding must stop.
    package var isFlood: Bool { dropped > maxDropped }

    /// Removes the fields, and sets the limits for the next ones.
    package mutating func removeAll(maxBytes: Int, maxFields: Int) {
        self.maxBytes = Self.bounded(maxBytes)
        self.maxFields = maxFields
        maxDropped = Self.mostDropped(maxBytes)
        dropped = 0
        used = 0
        count = 0
        size = 0
        excess = nil
        if capacity > Self.keptBytes { move(toCapacity: Self.initialBytes, keeping: 0) }
        if slotCapacity > Self.keptSlots { moveSlots(toCapacity: Self.initialSlots) }
    }

    /// Where each field lies in ``bytes``. Valid until the next change.
    package var slots: UnsafeBufferPointer<FieldSlot> { UnsafeBufferPointer(start: slotMemory, count: count) }

    /// Names and values. Valid until the next change.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: used) }

    // MARK: Writing

    /// The memory after the fields. The next field is assembled there, name first, and then kept or dropped.
    @inline(__always)
    var tail: UnsafeMutableRawPointer { memory + used }

    /// Makes room for `room` bytes at ``tail``, after the `written` bytes that are already there.
    @inline(__always)
    mutating func reserve(_ room: Int, behind written: Int) {
        if capacity &- used &- written < room { grow(room, behind: written) }
    }

    /// Keeps the field at ``tail``, if the limits allow it.
    @inline(__always)
    mutating func keep(nameLength: Int, valueLength: Int) {
        guard admits(nameLength, valueLength) else { return }
        commit(nameLength, valueLength)
    }

    /// Copies a field whose value lies directly after its name, if the limits allow it.
    @inline(__always)
    mutating func append(_ field: UnsafeRawPointer, nameLength: Int, valueLength: Int) {
        guard admits(nameLength, valueLength) else { return }
        let length = nameLength &+ valueLength
        reserve(length, behind: 0)
        tail.copyMemory(from: field, byteCount: length)
        commit(nameLength, valueLength)
    }

    @inline(__always)
    private mutating func admits(_ nameLength: Int, _ valueLength: Int) -> Bool {
        if excess == nil {
            // Each length is that of existing memory, so the sum cannot overflow.
            let fits = nameLength &+ valueLength <= maxBytes &- size &- Self.overhead
            if fits, count < maxFields { return true }
            excess = fits ? .fields : .bytes
        }
        dropped &+= nameLength &+ valueLength &+ Self.overhead
        return false
    }

    @inline(__always)
    private mutating func commit(_ nameLength: Int, _ valueLength: Int) {
        if count == slotCapacity { moveSlots(toCapacity: 2 &* slotCapacity) }
        (slotMemory + count).initialize(
            to: FieldSlot(
                nameStart: used, nameLength: nameLength, valueStart: used &+ nameLength, valueLength: valueLength))
        count &+= 1
        used &+= nameLength &+ valueLength
        size &+= nameLength &+ valueLength &+ Self.overhead
    }

    @inline(never)
    private mutating func grow(_ room: Int, behind written: Int) {
        let needed = used &+ written &+ room
        move(toCapacity: Swift.max(needed, 2 &* capacity), keeping: used &+ written)
    }

    private mutating func move(toCapacity newCapacity: Int, keeping kept: Int) {
        let moved = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
        moved.copyMemory(from: memory, byteCount: kept)
        memory.deallocate()
        memory = moved
        capacity = newCapacity
    }

    @inline(never)
    private mutating func moveSlots(toCapacity newCapacity: Int) {
        let moved = UnsafeMutablePointer<FieldSlot>.allocate(capacity: newCapacity)
        moved.initialize(from: slotMemory, count: count)
        slotMemory.deallocate()
        slotMemory = moved
        slotCapacity = newCapacity
    }
}
