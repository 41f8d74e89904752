// HPACKEncoder: field blocks of HTTP/2, fields in, bytes out (RFC 7541). No I/O.

/// One for what a connection sends. ``beginBlock(into:)`` for each block, then ``encode(_:_:_:into:)`` for each field.
/// What was encoded must be sent, and in that order: the peer's table follows it.
package struct HPACKEncoder: ~Copyable {
    /// What is to be remembered of a field.
    package enum Indexing: Sendable, Hashable {
        /// It may come again: both ends remember it (RFC 7541 section 6.2.1).
        case indexed
        /// It will hardly come again (6.2.2). If a table has it all the same, that is used.
        case notIndexed
        /// It is not to be in any table, here or behind any proxy (6.2.3).
        case neverIndexed
    }

    /// Larger tables are not used, whatever both ends would allow.
    private static var largestTable: Int { 1 << 20 }
    /// Beyond it, the memory for one field is given back.
    private static var keptScratch: Int { 16 << 10 }

    package private(set) var table: HPACKDynamicTable
    /// Made with the first entry.
    private var tableIndex: HPACKTableIndex?
    private let fixed = HPACKStaticTable.shared
    private let huffman = HuffmanCode.shared
    private let ownSize: Int
    private var peerSize = HPACKDecoder.initialTableSize
    /// The smallest size since the last block, if an update is due.
    private var smallestSize: Int?
    /// One field's bytes, before they go to the output at once.
    private var scratch = UnsafeMutableRawPointer.allocate(byteCount: 1 << 10, alignment: 8)
    private var scratchCapacity = 1 << 10

    /// - Parameter tableSize: our own bound on the dynamic table, in bytes; the peer's may be lower.
    package init(tableSize: Int = HPACKDecoder.initialTableSize) {
        ownSize = Swift.min(Swift.max(tableSize, 0), Self.largestTable)
        let size = Swift.min(ownSize, HPACKDecoder.initialTableSize)
        table = HPACKDynamicTable(maxSize: size)
        smallestSize = size < HPACKDecoder.initialTableSize ? size : nil
    }

    deinit { scratch.deallocate() }

    /// The peer's SETTINGS_HEADER_TABLE_SIZE: the next block begins with a size update where one is due, with two if the
    /// size was lower in between (RFC 7541 section 4.2).
    package mutating func setPeerTableSize(_ size: Int) {
        let new = Swift.min(ownSize, Swift.max(size, 0))
        // A peer that lowers its bound may insist on an update, even if ours is lower still (RFC 9113 section 4.3.1).
        if new != table.maxSize || size < peerSize { smallestSize = Swift.min(smallestSize ?? new, new) }
        peerSize = size
        table.resize(to: new)
    }

    /// Begins a block: the size updates that are due, mostly none.
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

    /// Encodes one field, by the static and the dynamic table and, where that is shorter, in the Huffman code.
    /// - Parameters:
    ///   - name: in lower case.
    ///   - indexing: what both ends are to remember. What is too large for the table is not.
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

        // Both are lengths of memory that is there, hence the sum cannot overflow.
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

    /// Room for an index and two strings, of which none grows in the Huffman code.
    @inline(__always)
    private mutating func reserveScratch(_ length: Int) {
        let needed = length &+ 3 &* HPACKInteger.maxLength
        guard needed > scratchCapacity || scratchCapacity > Self.keptScratch else { return }
        scratch.deallocate()
        scratchCapacity = Swift.max(needed, 1 << 10)
        scratch = .allocate(byteCount: scratchCapacity, alignment: 8)
    }
}
