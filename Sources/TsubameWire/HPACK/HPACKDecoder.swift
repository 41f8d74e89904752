// HPACKDecoder: decodes field blocks of HTTP/2, bytes in, fields out (RFC 7541). It does no I/O.

package import TsubameCore

/// A connection has one decoder for the blocks that it receives. After an error the table is out of step, so no later
/// block can be decoded: every further call throws the same error.
package struct HPACKDecoder: ~Copyable {
    /// The table size with which both ends start, in bytes (RFC 9113 section 6.5.2).
    package static var initialTableSize: Int { 4096 }

    package private(set) var table: HPACKDynamicTable
    /// The size that the client announced. A size update must not exceed it.
    private let largestTable: Int
    private let fixed = HPACKStaticTable.shared
    private let huffman = HuffmanCode.shared
    private var failure: WireError?

    /// - Parameter tableSize: the size that the client announces as SETTINGS_HEADER_TABLE_SIZE, in bytes.
    package init(tableSize: Int = Self.initialTableSize) {
        largestTable = HPACKDynamicTable.bounded(tableSize)
        // The table becomes larger only when the peer says so.
        table = HPACKDynamicTable(maxSize: Swift.min(largestTable, Self.initialTableSize))
    }

    /// Decodes one whole field block.
    /// - Parameter fields: receives the fields of the block after those that it holds, as far as its limits allow.
    /// - Throws: kind `invalidResponse` for a decoding error of RFC 7541: an index that is in no table, or an integer
    ///   or a string that is cut off or too large. Also for wrong padding, and for a size update that is too large or
    ///   not at the beginning. Kind `limitExceeded` for a block that decodes to several times the bytes that the limits
    ///   of `fields` accept.
    package mutating func decode(
        _ block: UnsafeRawBufferPointer, into fields: inout DecodedFields
    ) throws(WireError) {
        if let failure { throw failure }
        guard let base = block.baseAddress else { return }
        do throws(WireError) {
            try decode(base, block.count, into: &fields)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func decode(
        _ base: UnsafeRawPointer, _ count: Int, into fields: inout DecodedFields
    ) throws(WireError) {
        var at = 0
        var mayResize = true
        while at < count {
            let start = at
            let first = base.load(fromByteOffset: at, as: UInt8.self)
            if first & 0x80 != 0 {
                let index = try HPACKInteger.read(base, count, &at, prefix: 7)
                let entry = try entry(index, at: start)
                fields.append(entry.field, nameLength: entry.nameLength, valueLength: entry.valueLength)
            } else if first & 0x40 != 0 {
                let index = try HPACKInteger.read(base, count, &at, prefix: 6)
                let (name, value) = try literal(index, base, count, &at, start: start, into: &fields)
                table.insert(
                    UnsafeRawBufferPointer(start: fields.tail, count: name),
                    UnsafeRawBufferPointer(start: fields.tail + name, count: value))
                fields.keep(nameLength: name, valueLength: value)
            } else if first & 0x20 != 0 {
                let size = try HPACKInteger.read(base, count, &at, prefix: 5)
                guard mayResize else { throw .brokenFields("a size update after a field", at: start) }
                guard size <= largestTable else {
                    throw .brokenFields("a size update to \(size), above \(largestTable)", at: start)
                }
                table.resize(to: size)
                continue
            } else {
                // “Never indexed” and “not indexed” mean the same for a recipient.
                let index = try HPACKInteger.read(base, count, &at, prefix: 4)
                let (name, value) = try literal(index, base, count, &at, start: start, into: &fields)
                fields.keep(nameLength: name, valueLength: value)
            }
            mayResize = false
            guard !fields.isFlood else {
                throw .limit(
                    "the compressed fields are several times larger than is accepted (limits.headBytes, limits.trailerBytes)"
                )
            }
        }
    }

    @inline(__always)
    private func entry(_ index: Int, at start: Int) throws(WireError) -> HPACKEntry {
        if index <= HPACKStaticTable.count {
            guard index > 0 else { throw .brokenFields("index 0", at: start) }
            return fixed.entry(index)
        }
        guard let entry = table.entry(index &- HPACKStaticTable.count &- 1) else {
            throw .brokenFields("index \(index) of \(HPACKStaticTable.count &+ table.count)", at: start)
        }
        return entry
    }

    /// Assembles a field at the tail of `fields`, where the evictions of its insertion do not affect it.
    @inline(__always)
    private func literal(
        _ index: Int, _ base: UnsafeRawPointer, _ count: Int, _ at: inout Int, start: Int,
        into fields: inout DecodedFields
    ) throws(WireError) -> (name: Int, value: Int) {
        let name: Int
        if index == 0 {
            name = try string(base, count, &at, into: &fields, behind: 0)
        } else {
            let entry = try entry(index, at: start)
            name = entry.nameLength
            fields.reserve(name, behind: 0)
            fields.tail.copyMemory(from: entry.field, byteCount: name)
        }
        return (name, try string(base, count, &at, into: &fields, behind: name))
    }

    /// - Returns: the length of the string.
    @inline(__always)
    private func string(
        _ base: UnsafeRawPointer, _ count: Int, _ at: inout Int, into fields: inout DecodedFields, behind written: Int
    ) throws(WireError) -> Int {
        let start = at
        guard at < count else { throw .brokenFields("a string is missing", at: start) }
        let isCoded = base.load(fromByteOffset: at, as: UInt8.self) & 0x80 != 0
        let length = try HPACKInteger.read(base, count, &at, prefix: 7)
        guard length <= count &- at else {
            throw .brokenFields("a string of \(length) bytes where \(count &- at) are left", at: start)
        }
        let source = UnsafeRawBufferPointer(start: base + at, count: length)
        at &+= length
        guard isCoded else {
            fields.reserve(length, behind: written)
            (fields.tail + written).copyMemory(from: base + at - length, byteCount: length)
            return length
        }
        fields.reserve(HuffmanCode.decodedBound(length), behind: written)
        do throws(HuffmanCode.Failure) {
            return try huffman.decode(source, to: fields.tail + written)
        } catch {
            throw Self.error(error, at: start)
        }
    }

    @inline(never)
    private static func error(_ failure: HuffmanCode.Failure, at start: Int) -> WireError {
        switch failure {
        case .paddingIsLong: .brokenFields("a Huffman-coded string ends with more than 7 bits of padding", at: start)
        case .paddingIsNotOnes: .brokenFields("a Huffman-coded string ends within a code", at: start)
        case .endOfString: .brokenFields("a Huffman-coded string has the code for its end", at: start)
        }
    }
}
