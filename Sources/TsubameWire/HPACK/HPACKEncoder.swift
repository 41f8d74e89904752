// HPACKEncoder: encodes field blocks of HTTP/2, fields in, bytes out (RFC 7541). It does no I/O.

/// A connection has one encoder for the blocks that it sends. Call ``beginBlock(into:)`` for each block, then
/// ``encode(_:_:_:into:)`` for each field. The encoded bytes must be sent, and in this order, because the peer's table
/// follows them.
package struct HPACKEncoder: ~Copyable {
    /// How both ends remember a field.
    package enum Indexing: Sendable, Hashable {
        /// The field may come again, so both ends remember it (RFC 7541 section 6.2.1).
        case indexed
        /// The field will hardly come again (section 6.2.2). If a table already holds the field, the encoder uses that
        /// entry.
        case notIndexed
        /// The field must not be in any table, neither here nor at an intermediary (section 6.2.3).
        case neverIndexed
    }

    /// Identifies the table's entries, and its size. In two equal states, one encoder encodes a field in the same way.
    struct TableState: Hashable {
        fileprivate let inserted: UInt32
        fileprivate let count: Int
        fileprivate let maxSize: Int
    }

    /// Larger tables are not used, even if both ends would allow them.
    private static var largestTable: Int { 1 << 20 }
    /// Larger memory for one field is released.
    private static var keptScratch: Int { 16 << 10 }

    package private(set) var table: HPACKDynamicTable
    /// Created with the first entry.
    private var tableIndex: HPACKTableIndex?
    private let fixed = HPACKStaticTable.shared
    private let huffman = HuffmanCode.shared
    private let ownSize: Int
    private var peerSize = HPACKDecoder.initialTableSize
    /// The smallest size since the last block; nil if no size update is due.
    private var smallestSize: Int?
    /// The bytes of one field, which are then appended to the output at once.
    private var scratch = UnsafeMutableRawPointer.allocate(byteCount: 1 << 10, alignment: 8)
    private var scratchCapacity = 1 << 10

    /// - Parameter tableSize: the client's own limit for the dynamic table, in bytes. The peer's may be lower.
    package init(tableSize: Int = HPACKDecoder.initialTableSize) {
        ownSize = Swift.min(Swift.max(tableSize, 0), Self.largestTable)
        let size = Swift.min(ownSize, HPACKDecoder.initialTableSize)
        table = HPACKDynamicTable(maxSize: size)
        smallestSize = size < HPACKDecoder.initialTableSize ? size : nil
    }

    deinit { scratch.deallocate() }

    var tableState: TableState { TableState(inserted: table.inserted, count: table.count, maxSize: table.maxSize) }

    /// Takes the peer's SETTINGS_HEADER_TABLE_SIZE. If a size update is due, the next block begins with it, or with two
    /// if the size was lower in between (RFC 7541 section 4.2).
    package mutating func setPeerTableSize(_ size: Int) {
        let new = Swift.min(ownSize, Swift.max(size, 0))
        // A peer that lowers its limit may insist on an update, even if the client's limit is lower (RFC 9113 section
        // 4.3.1).
        if new != table.maxSize || size < peerSize { smallestSize = Swift.min(smallestSize ?? new, new) }
        peerSize = size
        table.resize(to: new)
    }

    /// Begins a block with the size updates that are due. Usually there are none.
    package mutating func beginBlock(into output: inout [UInt8]) {
        guard let smallest = smallestSize else { return }
        smallestSize = nil
        if smallest < table.maxSize { writeUpdate(smallest, into: &output) }
        writeUpdate(table.maxSize, into: &output)
    }

    private func writeUpdate(_ size: Int, into output: inout [UInt8]) {
        let count = HPACKInteger.write(size, prefix: 5, pattern: 0x20, to: scratch)
        output.append(contentsOf: UnsafeRawBufferPointer(start: scratch, count: count))
    }

    /// Encodes one field with the static and the dynamic table, and with the Huffman code where that is shorter.
    /// - Parameters:
    ///   - name: in lower case.
    ///   - indexing: how both ends remember the field. They do not remember a field that is too large for the table.
    package mutating func encode(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ indexing: Indexing,
        into output: inout [UInt8]
    ) {
        let nameHash = HPACKHash.hash(name)
        var fieldHash: UInt64 = 0
        var nameIndex = fixed.first(named: name, hash: nameHash)
        if indexing != .neverIndexed {
            if nameIndex != 0 {
                let index = fixed.index(of: value, from: nameIndex)
                if index != 0 { return writeIndex(index, into: &output) }
            }
            fieldHash = HPACKHash.hash(value, after: nameHash)
            if let age = tableIndex?.age(of: name, value, hash: fieldHash, in: table) {
                return writeIndex(age &+ HPACKStaticTable.count &+ 1, into: &output)
            }
        }
        if nameIndex == 0, let age = tableIndex?.age(ofName: name, hash: nameHash, in: table) {
            nameIndex = age &+ HPACKStaticTable.count &+ 1
        }

        // Both are lengths of existing memory, so the sum cannot overflow.
        let length = name.count &+ value.count
        let isIndexed = indexing == .indexed && length <= table.maxSize &- HPACKDynamicTable.overhead
        reserveScratch(length)
        var written =
            switch indexing {
            case _ where isIndexed: HPACKInteger.write(nameIndex, prefix: 6, pattern: 0x40, to: scratch)
            case .neverIndexed: HPACKInteger.write(nameIndex, prefix: 4, pattern: 0x10, to: scratch)
            default: HPACKInteger.write(nameIndex, prefix: 4, pattern: 0x00, to: scratch)
            }
        if nameIndex == 0 { writeString(name, &written) }
        writeString(value, &written)
        output.append(contentsOf: UnsafeRawBufferPointer(start: scratch, count: written))
        guard isIndexed else { return }
        remember(name, value, fieldHash: fieldHash, nameHash: nameHash)
    }

    @inline(__always)
    private mutating func remember(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, fieldHash: UInt64, nameHash: UInt64
    ) {
        let number = table.inserted
        table.insert(name, value)
        if tableIndex == nil { tableIndex = HPACKTableIndex(size: ownSize) }
        tableIndex?.note(number, fieldHash: fieldHash, nameHash: nameHash)
    }

    @inline(__always)
    private func writeIndex(_ index: Int, into output: inout [UInt8]) {
        if index < 0x7F { return output.append(0x80 | UInt8(truncatingIfNeeded: index)) }
        let count = HPACKInteger.write(index, prefix: 7, pattern: 0x80, to: scratch)
        output.append(contentsOf: UnsafeRawBufferPointer(start: scratch, count: count))
    }

    @inline(__always)
    private func writeString(_ string: UnsafeRawBufferPointer, _ written: inout Int) {
        let coded = huffman.encodedCount(string)
        if coded < string.count {
            written &+= HPACKInteger.write(coded, prefix: 7, pattern: 0x80, to: scratch + written)
            huffman.encode(string, to: scratch + written)
            written &+= coded
        } else {
            written &+= HPACKInteger.write(string.count, prefix: 7, pattern: 0x00, to: scratch + written)
            if let from = string.baseAddress { (scratch + written).copyMemory(from: from, byteCount: string.count) }
            written &+= string.count
        }
    }

    /// Makes room for an index and two strings. The Huffman code is used only where it makes a string shorter.
    @inline(__always)
    private mutating func reserveScratch(_ length: Int) {
        let needed = length &+ 3 &* HPACKInteger.maxLength
        guard needed > scratchCapacity || scratchCapacity > Self.keptScratch else { return }
        scratch.deallocate()
        scratchCapacity = Swift.max(needed, 1 << 10)
        scratch = .allocate(byteCount: scratchCapacity, alignment: 8)
    }
}
