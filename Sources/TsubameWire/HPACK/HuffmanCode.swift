// HuffmanCode: encodes and decodes the code of RFC 7541 Appendix B. The code is canonical: its lengths determine it.

/// The process has one instance. Each codec keeps a copy, which is a few pointers.
// The memory is written only by `init` and never released, so it is safe to share.
package struct HuffmanCode: @unchecked Sendable {
    package enum Failure: Error, Hashable {
        /// Eight bits or more follow the last character.
        case paddingIsLong
        /// The bits after the last character are not the first bits of EOS.
        case paddingIsNotOnes
        case endOfString
    }

    /// The one or two characters with which the next bits begin.
    private struct Pair {
        /// The first character is in the lower byte.
        var characters: UInt16
        /// 0 if the first code is longer than the examined bits.
        var count: UInt8
        /// The length of both codes together.
        var bits: UInt8
    }

    /// The codes of one length, if that is longer than the examined bits.
    private struct Row {
        /// The first code of a greater length, aligned to the top of 32 bits; 2^32 for the last row.
        var limit: UInt64
        /// The first code, aligned to the top of 32 bits.
        var first: UInt32
        var firstSymbol: Int
        var length: UInt8
    }

    package static let shared = HuffmanCode()
    private static var endOfString: Int { 256 }
    /// The length of the longest code, in bits.
    private static var maxLength: Int { 30 }
    /// The number of bits that are examined at once.
    private static var width: Int { 11 }

    /// The length of the code in bits, for each byte and for the end of the string.
    private let lengths: UnsafeMutablePointer<UInt8>
    private let codes: UnsafeMutablePointer<UInt32>
    /// Indexed by the next `width` bits. Most characters of a field have five to seven bits.
    private let pairs: UnsafeMutablePointer<Pair>
    private let rows: UnsafeMutablePointer<Row>
    /// In the order of the codes.
    private let symbols: UnsafeMutablePointer<UInt16>

    private init() {
        let count = Self.endOfString + 1
        lengths = .allocate(capacity: count)
        codes = .allocate(capacity: count)
        pairs = .allocate(capacity: 1 << Self.width)
        rows = .allocate(capacity: Self.maxLength)
        symbols = .allocate(capacity: count)
        lengths.initialize(repeating: 0, count: count)
        codes.initialize(repeating: 0, count: count)
        pairs.initialize(repeating: Pair(characters: 0, count: 0, bits: 0), count: 1 << Self.width)
        symbols.initialize(repeating: 0, count: count)

        for (symbol, length) in zip(0..<count, Self.lengthsOfAppendixB) { lengths[symbol] = length }
        var code: UInt32 = 0
        var found = 0
        var row = 0
        for length in 1...UInt8(Self.maxLength) {
            code &<<= 1
            let firstCode = code
            let firstSymbol = found
            for symbol in 0..<count where lengths[symbol] == length {
                codes[symbol] = code
                symbols[found] = UInt16(symbol)
                if length <= Self.width {
                    let free = Self.width - Int(length)
                    for below in 0..<(1 << free) {
                        pairs[Int(code) << free | below] = Pair(characters: UInt16(symbol), count: 1, bits: length)
                    }
                }
                code += 1
                found += 1
            }
            guard length > Self.width, found > firstSymbol else { continue }
            let free = UInt64(32 - length)
            (rows + row).initialize(
                to: Row(
                    limit: UInt64(code) << free, first: firstCode << UInt32(free), firstSymbol: firstSymbol,
                    length: length))
            row += 1
        }
        for place in 0..<(1 << Self.width) where pairs[place].count == 1 {
            // The bits after the first code. Only those within the width are known.
            let second = pairs[place << Int(pairs[place].bits) & (1 << Self.width - 1)]
            let bits = pairs[place].bits + lengths[Int(second.characters & 0xFF)]
            guard second.count > 0, bits <= Self.width else { continue }
            pairs[place] = Pair(
                characters: pairs[place].characters | second.characters << 8, count: 2, bits: bits)
        }
    }

    // MARK: Encoding

    /// The length of these bytes in the code, in bytes.
    @inline(__always)
    func encodedCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        var bits = 0
        for byte in bytes { bits &+= Int(lengths[Int(byte)]) }
        return (bits &+ 7) &>> 3
    }

    /// - Parameter output: a buffer of at least ``encodedCount(_:)`` bytes.
    @inline(__always)
    func encode(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) {
        var pending: UInt64 = 0
        // Fewer than 32 before each character. A code adds at most 30.
        var bits: UInt64 = 0
        var at = 0
        for byte in bytes {
            let length = UInt64(lengths[Int(byte)])
            pending = pending &<< length | UInt64(codes[Int(byte)])
            bits &+= length
            if bits >= 32 {
                bits &-= 32
                let word = UInt32(truncatingIfNeeded: pending &>> bits)
                output.storeBytes(of: word.bigEndian, toByteOffset: at, as: UInt32.self)
                at &+= 4
            }
        }
        let padding = (8 &- bits & 7) & 7
        pending = pending &<< padding | (1 &<< padding &- 1)
        bits &+= padding
        while bits > 0 {
            bits &-= 8
            output.storeBytes(of: UInt8(truncatingIfNeeded: pending &>> bits), toByteOffset: at, as: UInt8.self)
            at &+= 1
        }
    }

    // MARK: Decoding

    /// An upper bound for the bytes that `count` bytes of code decode to, and one byte more. No code is shorter than
    /// five bits.
    @inline(__always)
    static func decodedBound(_ count: Int) -> Int { count / 5 &* 8 &+ 8 }

    /// - Parameter output: a buffer of at least ``decodedBound(_:)`` bytes.
    /// - Returns: the number of bytes written.
    func decode(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) throws(Failure) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let end = bytes.count
        var at = 0
        var written = 0
        // The next bits, from the top. The bits after the first `bits` are those that follow, or 0.
        var next: UInt64 = 0
        var bits = 0
        repeat {
            if at < end {
                next |= Self.word(base, at, end) &>> UInt64(bits)
                let taken = Swift.min((63 &- bits) &>> 3, end &- at)
                at &+= taken
                bits &+= taken &<< 3
            }
            while bits >= Self.maxLength {
                var pair = pairs[Int(next &>> UInt64(64 &- Self.width))]
                if pair.count == 0 { pair = try long(next) }
                // One character or two. There is room for both.
                output.storeBytes(of: pair.characters.littleEndian, toByteOffset: written, as: UInt16.self)
                written &+= Int(pair.count)
                next &<<= UInt64(pair.bits)
                bits &-= Int(pair.bits)
            }
        } while at < end

        // With ones after the end, padding reads as the beginning of a code that is longer than the remaining bits.
        while bits > 0 {
            let padded = next | UInt64.max &>> UInt64(bits)
            var pair = pairs[Int(padded &>> UInt64(64 &- Self.width))]
            if pair.count == 0 { pair = try long(padded, isLast: true) }
            // No code in `pairs` is all ones. If a second code extends beyond the end, the string is broken, and the
            // zero that proves it is still among the remaining bits.
            guard Int(pair.bits) <= bits else { break }
            output.storeBytes(of: pair.characters.littleEndian, toByteOffset: written, as: UInt16.self)
            written &+= Int(pair.count)
            next &<<= UInt64(pair.bits)
            bits &-= Int(pair.bits)
        }
        guard bits > 0 else { return written }
        guard next | UInt64.max &>> UInt64(bits) == .max else { throw .paddingIsNotOnes }
        guard bits < 8 else { throw .paddingIsLong }
        return written
    }

    /// The next eight bytes, the first at the top, with zeros if there are fewer. There must be at least one.
    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ at: Int, _ end: Int) -> UInt64 {
        let rest = end &- at
        if rest >= 8 { return UInt64(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self)) }
        if end >= 8 {
            let last = UInt64(bigEndian: base.loadUnaligned(fromByteOffset: end &- 8, as: UInt64.self))
            return last &<< UInt64(64 &- 8 &* rest)
        }
        var word: UInt64 = 0
        var shift: UInt64 = 64
        var at = at
        if rest & 4 != 0 {
            shift &-= 32
            word = UInt64(UInt32(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self))) &<< shift
            at &+= 4
        }
        if rest & 2 != 0 {
            shift &-= 16
            word |= UInt64(UInt16(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt16.self))) &<< shift
            at &+= 2
        }
        if rest & 1 != 0 { word |= UInt64(base.load(fromByteOffset: at, as: UInt8.self)) &<< (shift &- 8) }
        return word
    }

    /// The character of the long code that the topmost bits begin with.
    /// - Parameter isLast: whether ones follow the received bits. They may look like the end of the string.
    @inline(never)
    private func long(_ next: UInt64, isLast: Bool = false) throws(Failure) -> Pair {
        let next = UInt32(next &>> 32)
        var row = rows
        // The limit of the last row is above every number of 32 bits.
        while UInt64(next) >= row.pointee.limit { row += 1 }
        let length = row.pointee.length
        let index = (next &- row.pointee.first) &>> UInt32(32 &- length)
        let symbol = symbols[row.pointee.firstSymbol &+ Int(index)]
        guard isLast || symbol != Self.endOfString else { throw .endOfString }
        return Pair(characters: symbol, count: 1, bits: length)
    }

    /// The lengths of the codes in bits, by character. The last is that of the end of the string.
    private static var lengthsOfAppendixB: [UInt8] {
        [
            13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
            28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
            6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
            5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
            13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
            7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
            15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
            6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
            20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
            24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
            22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
            21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
            26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
            19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
            20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
            26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
            30,
        ]
    }
}
