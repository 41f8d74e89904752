// HPACKDecoder: field blocks of HTTP/2, bytes in, fields out (RFC 7541). No I/O.

package import TsubameCore

/// One for what a connection receives. Whatever was wrong once, nothing behind it can be read: the table is out of step,
/// and every further call throws the same error.
package struct HPACKDecoder: ~Copyable {
    /// What both ends start with unless told otherwise (RFC 9113 section 6.5.2).
    package static var initialTableSize: Int { 4096 }

    package private(set) var table: HPACKDynamicTable
    /// What we announced: no size update may go beyond.
    private let largestTable: Int
    private let fixed = HPACKStaticTable.shared
    private let huffman = HuffmanCode.shared
    private var failure: WireError?

    /// - Parameter tableSize: what we announced as SETTINGS_HEADER_TABLE_SIZE, in bytes.
    package init(tableSize: Int = Self.initialTableSize) {
        largestTable = HPACKDynamicTable.bounded(tableSize)
        // Larger only once the peer says so.
        table = HPACKDynamicTable(maxSize: Swift.min(largestTable, Self.initialTableSize))
    }

    /// Decodes one whole field block.
    /// - Parameter fields: gets the block's fields behind those it has, as far as its limits allow.
    /// - Throws: kind `invalidResponse` for what RFC 7541 calls a decoding error: an index that no table has, an integer or
    ///   a string that is cut off or too large, wrong padding, a size update that is too large or not at the beginning.
    ///   Kind `limitExceeded` for a block that decodes to several times the bytes that the fields' limits accept.
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
                guard mayResize else { throw .brokenFields("a size update behind a field", at: start) }
                guard size <= largestTable else {
                    throw .brokenFields("a size update to \(size), above \(largestTable)", at: start)
                }
                table.resize(to: size)
                continue
            } else {
                // Never to be indexed or just not now: for who only receives it is the same.
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

    /// Puts a field together at the fields' tail, where it is safe from what its insertion evicts.
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

    /// - Returns: the string's length.
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
