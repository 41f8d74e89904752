// HuffmanCode: the code of RFC 7541 Appendix B. It is canonical: the lengths of its codes say all.

/// One for the process; whoever codes keeps a copy, which is a few pointers.
// The memory is written only by `init` and never given back, hence safe to share.
package struct HuffmanCode: @unchecked Sendable {
    package enum Failure: Error, Hashable {
        /// Eight bits or more behind the last character.
        case paddingIsLong
        /// Bits behind the last character that are not the first ones of EOS.
        case paddingIsNotOnes
        case endOfString
    }

    /// Codes of one length, those beyond a byte.
    private struct Row {
        /// The first code that is longer, its bits at the top of 32; 2^32 behind the last.
        var limit: UInt64
        /// The first code, its bits at the top of 32.
        var first: UInt32
        var firstSymbol: Int
        var length: UInt8
    }

    package static let shared = HuffmanCode()
    private static var endOfString: Int { 256 }
    /// Of any code.
    private static var maxLength: Int { 30 }

    /// In bits, of each byte's code and that of the end of the string.
    private let lengths: UnsafeMutablePointer<UInt8>
    private let codes: UnsafeMutablePointer<UInt32>
    /// By the next eight bits: the length in the upper byte, the character in the lower; 0 where the code is longer.
    private let short: UnsafeMutablePointer<UInt16>
    private let rows: UnsafeMutablePointer<Row>
    /// By code.
    private let symbols: UnsafeMutablePointer<UInt16>

    private init() {
        let count = Self.endOfString + 1
        lengths = .allocate(capacity: count)
        codes = .allocate(capacity: count)
        short = .allocate(capacity: 256)
        rows = .allocate(capacity: Self.maxLength)
        symbols = .allocate(capacity: count)
        lengths.initialize(repeating: 0, count: count)
        codes.initialize(repeating: 0, count: count)
        short.initialize(repeating: 0, count: 256)
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
                if length <= 8 {
                    let free = UInt32(8 - length)
                    for below in 0..<(1 &<< free) {
                        short[Int(code &<< free | below)] = UInt16(length) << 8 | UInt16(symbol)
                    }
                }
                code += 1
                found += 1
            }
            guard length > 8, found > firstSymbol else { continue }
            let free = UInt64(32 - length)
            (rows + row).initialize(
                to: Row(
                    limit: UInt64(code) << free, first: firstCode << UInt32(free), firstSymbol: firstSymbol,
                    length: length))
            row += 1
        }
    }

    // MARK: Encoding

    /// How many bytes the code of these takes.
    @inline(__always)
    func encodedCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        var bits = 0
        for byte in bytes { bits &+= Int(lengths[Int(byte)]) }
        return (bits &+ 7) &>> 3
    }

    /// - Parameter output: of at least ``encodedCount(_:)`` bytes.
    @inline(__always)
    func encode(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) {
        var pending: UInt64 = 0
        // Below 32 between two characters; with 30 more there is room enough.
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

    /// Room for what `count` bytes of code can stand for: no code is shorter than five bits.
    @inline(__always)
    static func decodedBound(_ count: Int) -> Int { count / 5 &* 8 &+ 8 }

    /// - Parameter output: of at least ``decodedBound(_:)`` bytes.
    /// - Returns: how many bytes were written.
    func decode(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer) throws(Failure) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        let end = bytes.count
        var at = 0
        var written = 0
        // The next bits, from the top; those behind the first `bits` are the ones that follow, or 0.
        var next: UInt64 = 0
        var bits = 0
        repeat {
            if end &- at >= 8 {
                next |= UInt64(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &>> UInt64(bits)
                let taken = (63 &- bits) &>> 3
                at &+= taken
                bits &+= taken &<< 3
            } else {
                while bits <= 56, at < end {
                    next |= UInt64(base.load(fromByteOffset: at, as: UInt8.self)) &<< UInt64(56 &- bits)
                    bits &+= 8
                    at &+= 1
                }
            }
            while bits >= Self.maxLength {
                let (symbol, length) = first(of: next)
                guard symbol != Self.endOfString else { throw .endOfString }
                output.storeBytes(of: UInt8(truncatingIfNeeded: symbol), toByteOffset: written, as: UInt8.self)
                written &+= 1
                next &<<= UInt64(length)
                bits &-= length
            }
        } while at < end

        // With ones behind the end, padding reads as the beginning of a code that is longer than what is left.
        while bits > 0 {
            let (symbol, length) = first(of: next | UInt64.max &>> UInt64(bits))
            guard length <= bits else { break }
            output.storeBytes(of: UInt8(truncatingIfNeeded: symbol), toByteOffset: written, as: UInt8.self)
            written &+= 1
            next &<<= UInt64(length)
            bits &-= length
        }
        guard bits > 0 else { return written }
        guard next | UInt64.max &>> UInt64(bits) == .max else { throw .paddingIsNotOnes }
        guard bits < 8 else { throw .paddingIsLong }
        return written
    }

    /// The character that the topmost bits stand for, and how many they are.
    @inline(__always)
    private func first(of next: UInt64) -> (symbol: Int, length: Int) {
        let entry = short[Int(next &>> 56)]
        if entry != 0 { return (Int(entry & 0xFF), Int(entry &>> 8)) }
        return firstLong(of: UInt32(next &>> 32))
    }

    @inline(never)
    private func firstLong(of next: UInt32) -> (symbol: Int, length: Int) {
        var row = rows
        // The last row's limit is above every number of 32 bits.
        while UInt64(next) >= row.pointee.limit { row += 1 }
        let index = (next &- row.pointee.first) &>> UInt32(32 &- row.pointee.length)
        return (Int(symbols[row.pointee.firstSymbol &+ Int(index)]), Int(row.pointee.length))
    }

    /// In bits, by character; the last is that of the end of the string.
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
