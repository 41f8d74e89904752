// HPACKInteger: an integer in the low bits of a byte and, if needed, in the next bytes (RFC 7541 section 5.1).

import TsubameCore

enum HPACKInteger {
    /// The maximum number of bytes after the first. A longer integer has no use here, so a sixth byte is refused.
    private static var maxBehind: Int { 5 }
    /// The largest integer that is read. All strings and tables are much smaller.
    private static var max: UInt64 { UInt64(Int32.max) }
    /// The maximum number of bytes that ``write(_:prefix:pattern:to:)`` writes.
    static var maxLength: Int { 11 }

    /// Reads the integer that starts in the low `prefix` bits of the byte at `at`. `at` must be less than `count`.
    @inline(__always)
    static func read(
        _ base: UnsafeRawPointer, _ count: Int, _ at: inout Int, prefix: UInt8
    ) throws(WireError) -> Int {
        let mask: UInt8 = (1 &<< prefix) &- 1
        let low = base.load(fromByteOffset: at, as: UInt8.self) & mask
        at &+= 1
        if low < mask { return Int(low) }
        return try readRest(base, count, &at, UInt64(mask))
    }

    @inline(never)
    private static func readRest(
        _ base: UnsafeRawPointer, _ count: Int, _ at: inout Int, _ low: UInt64
    ) throws(WireError) -> Int {
        let start = at &- 1
        var value = low
        for group in 0..<maxBehind {
            guard at < count else { throw .brokenFields("an integer is cut off", at: start) }
            let byte = base.load(fromByteOffset: at, as: UInt8.self)
            at &+= 1
            // At most 35 bits, and 8 bits of the prefix.
            value &+= UInt64(byte & 0x7F) &<< UInt64(7 &* group)
            guard byte >= 0x80 else {
                guard value <= max else { throw .brokenFields("an integer is too large", at: start) }
                return Int(value)
            }
        }
        throw .brokenFields("an integer has too many bytes", at: start)
    }

    /// Writes `value` below the bits of `pattern`. The value must not be negative.
    /// - Parameter output: a buffer of at least ``maxLength`` bytes.
    /// - Returns: the number of bytes written.
    @inline(__always)
    static func write(_ value: Int, prefix: UInt8, pattern: UInt8, to output: UnsafeMutableRawPointer) -> Int {
        let mask: UInt8 = (1 &<< prefix) &- 1
        if value < Int(mask) {
            output.storeBytes(of: pattern | UInt8(truncatingIfNeeded: value), as: UInt8.self)
            return 1
        }
        output.storeBytes(of: pattern | mask, as: UInt8.self)
        var rest = UInt(bitPattern: value) &- UInt(mask)
        var count = 1
        while rest >= 0x80 {
            output.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
            rest &>>= 7
            count &+= 1
        }
        output.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
        return count &+ 1
    }
}

extension WireError {
    /// - Parameter offset: the offset in the block.
    @inline(never)
    static func brokenFields(_ what: String, at offset: Int) -> WireError {
        .invalid("the compressed fields are broken: \(what), at byte \(offset)")
    }
}
