// DecodedFields: the fields of one decoded head, one behind the other; the memory serves head after head.

package import TsubameCore

/// The fields of one decoded head, with their bytes and an offset table. Used again for the next, so that no head costs
/// an allocation once it is warm.
package struct DecodedFields: ~Copyable {
    /// The limit that a head has passed.
    package enum Excess: Sendable, Hashable {
        case bytes, fields
    }

    /// What a field counts beside its bytes (RFC 9113 section 6.5.2).
    static var overhead: Int { 32 }
    private static var initialBytes: Int { 1 << 10 }
    private static var initialSlots: Int { 32 }
    /// Memory beyond these is given back.
    private static var keptBytes: Int { 64 << 10 }
    private static var keptSlots: Int { 1 << 10 }
    /// Limits below this, in bytes, count as this much when fields are dropped: a server may not know of them.
    private static var leastDropped: Int { 16 << 10 }

    private var memory = UnsafeMutableRawPointer.allocate(byteCount: Self.initialBytes, alignment: 8)
    private var capacity = Self.initialBytes
    private var used = 0
    private var slotMemory = UnsafeMutablePointer<FieldSlot>.allocate(capacity: Self.initialSlots)
    private var slotCapacity = Self.initialSlots
    package private(set) var count = 0
    /// Of what is kept, as the limit counts it.
    private var size = 0
    private var maxBytes: Int
    private var maxFields: Int
    /// Of what was decoded and not kept, as the limit counts it.
    private var dropped = 0
    private var maxDropped: Int
    /// The limit that was passed first. Fields from there on are decoded, for the table must stay in step, but not kept.
    package private(set) var excess: Excess?

    /// - Parameters:
    ///   - maxBytes: of names and values, and 32 for each field (RFC 9113 section 6.5.2).
    ///   - maxFields: how many fields.
    package init(maxBytes: Int, maxFields: Int) {
        self.maxBytes = Self.bounded(maxBytes)
        self.maxFields = maxFields
        maxDropped = Self.mostDropped(maxBytes)
    }

    deinit {
        memory.deallocate()
        slotMemory.deallocate()
    }

    /// Slots have 32 bits.
    private static func bounded(_ limit: Int) -> Int { Swift.min(Swift.max(limit, 0), 1 << 30) }

    /// Three times the limit: a head that is only too long ends its stream, a larger one the connection.
    private static func mostDropped(_ limit: Int) -> Int { 3 * Swift.min(Swift.max(limit, leastDropped), 1 << 28) }

    /// Whether the head holds several times the bytes that are accepted: two bytes of a block can stand for a field as
    /// large as the table, so decoding must stop.
    package var isFlood: Bool { dropped > maxDropped }

    /// Forgets the fields; the next ones have these limits.
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

    // MARK: What decoders write

    /// The memory behind the fields: there the next one is put together, name first, and then kept or not.
    @inline(__always)
    var tail: UnsafeMutableRawPointer { memory + used }

    /// Makes room for `room` bytes at ``tail``, behind the `written` that lie there.
    @inline(__always)
    mutating func reserve(_ room: Int, behind written: Int) {
        if capacity &- used &- written < room { grow(room, behind: written) }
    }

    /// Keeps the field that lies at ``tail``, if the limits allow.
    @inline(__always)
    mutating func keep(nameLength: Int, valueLength: Int) {
        guard admits(nameLength, valueLength) else { return }
        commit(nameLength, valueLength)
    }

    /// Copies a field whose value lies directly behind its name, if the limits allow.
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
            // Each length is one of memory that is there, hence the sum cannot overflow.
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
