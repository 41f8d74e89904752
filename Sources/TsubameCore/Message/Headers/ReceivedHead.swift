// ReceivedHead: one received head or trailer section with a table of field offsets, in one allocation.

/// The position of one field in a received head. Offsets count from the start of the head's bytes.
package struct FieldSlot {
    package var nameStart: UInt32
    package var nameLength: UInt32
    package var valueStart: UInt32
    package var valueLength: UInt32

    package init(nameStart: Int, nameLength: Int, valueStart: Int, valueLength: Int) {
        // The decoder's limits keep a head far below 4 GiB.
        self.nameStart = UInt32(truncatingIfNeeded: nameStart)
        self.nameLength = UInt32(truncatingIfNeeded: nameLength)
        self.valueStart = UInt32(truncatingIfNeeded: valueStart)
        self.valueLength = UInt32(truncatingIfNeeded: valueLength)
    }
}

/// The bytes of a received head, its field offsets and, if the body was short and complete, the body after the head.
/// All three are in one allocation, so that the read buffer can be used again at once.
// Sharing the storage is safe, because only `init` writes to it.
package struct ReceivedHead: @unchecked Sendable {
    private struct Header {
        var status: Int
        var version: HTTPVersion
        var fieldCount: Int
        var byteCount: Int
        var reasonStart: Int
        var reasonLength: Int
    }

    /// After the header come the slots, and then the bytes, rounded up to whole slots.
    private final class Storage: ManagedBuffer<Header, FieldSlot> {}

    private let storage: Storage

    /// Copies the slots and the head. The joined values of folded fields and a short body may follow the head directly.
    /// - Parameters:
    ///   - bytes: from the start of the status line to the end of the head, of the joined values or of the short body.
    ///   - tail: a short body that is elsewhere in memory.
    package init(
        status: Int, version: HTTPVersion, reason: Range<Int>, slots: UnsafeBufferPointer<FieldSlot>,
        bytes: UnsafeRawBufferPointer, behind tail: UnsafeRawBufferPointer? = nil
    ) {
        let stride = MemoryLayout<FieldSlot>.stride
        let byteCount = bytes.count + (tail?.count ?? 0)
        let buffer = Storage.create(minimumCapacity: slots.count + byteCount / stride + 1) { _ in
            Header(
                status: status, version: version, fieldCount: slots.count, byteCount: byteCount,
                reasonStart: reason.lowerBound, reasonLength: reason.count)
        }
        storage = unsafeDowncast(buffer, to: Storage.self)
        storage.withUnsafeMutablePointerToElements { memory in
            if let from = slots.baseAddress { memory.initialize(from: from, count: slots.count) }
            if let from = bytes.baseAddress {
                UnsafeMutableRawPointer(memory + slots.count).copyMemory(from: from, byteCount: bytes.count)
            }
            if let tail, let from = tail.baseAddress {
                (UnsafeMutableRawPointer(memory + slots.count) + bytes.count)
                    .copyMemory(from: from, byteCount: tail.count)
            }
        }
    }

    // A pointer avoids the check for exclusive access that Swift adds to each read of a class's property.
    @inline(__always)
    private var header: Header { storage.withUnsafeMutablePointerToHeader { $0.pointee } }

    package var status: Int { header.status }
    package var version: HTTPVersion { header.version }
    package var fieldCount: Int { header.fieldCount }
    package var byteCount: Int { header.byteCount }

    @inline(__always)
    private var slots: UnsafePointer<FieldSlot> {
        // The memory lives as long as `storage`, which every user of the pointer holds.
        storage.withUnsafeMutablePointerToElements { UnsafePointer($0) }
    }

    @inline(__always)
    private var content: UnsafeRawPointer { UnsafeRawPointer(slots + header.fieldCount) }

    @inline(__always)
    func slot(_ index: Int) -> FieldSlot { slots[index] }

    @inline(__always)
    func name(_ index: Int) -> UnsafeRawBufferPointer {
        let slot = slot(index)
        return UnsafeRawBufferPointer(start: content + Int(slot.nameStart), count: Int(slot.nameLength))
    }

    @inline(__always)
    func value(_ index: Int) -> UnsafeRawBufferPointer {
        let slot = slot(index)
        return UnsafeRawBufferPointer(start: content + Int(slot.valueStart), count: Int(slot.valueLength))
    }

    package var reason: String {
        Self.text(
            UnsafeRawBufferPointer(start: content + header.reasonStart, count: header.reasonLength))
    }

    /// A part of the copied bytes, as received; a short body is read this way.
    package func bytes(_ range: Range<Int>) -> Bytes {
        let range = range.clamped(to: 0..<byteCount)
        return Bytes(owner: storage, base: content + range.lowerBound, count: range.count)
    }

    /// Decodes UTF-8 if it is valid, and ISO-8859-1 otherwise. No byte is lost, and none is invented.
    package static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return text
    }
}
