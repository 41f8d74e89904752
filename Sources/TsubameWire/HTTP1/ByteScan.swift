// ByteScan: searches and classifies bytes sixteen at a time, which makes the HTTP/1 codec fast.

/// All offsets are from `base`. The bytes from `start` to `end` must be readable; nothing else is read, except where a
/// function has a limit of its own.
enum ByteScan {
    private typealias Vector = SIMD16<UInt8>

    @inline(__always)
    static func byte(_ base: UnsafeRawPointer, _ offset: Int) -> UInt8 {
        base.load(fromByteOffset: offset, as: UInt8.self)
    }

    @inline(__always)
    private static func vector(_ base: UnsafeRawPointer, _ offset: Int) -> Vector {
        base.loadUnaligned(fromByteOffset: offset, as: Vector.self)
    }

    /// The index of the first lane that is set, or 16 if none is.
    @inline(__always)
    private static func first(_ mask: SIMDMask<SIMD16<Int8>>) -> Int {
        let words = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        let low = UInt64(littleEndian: words[0])
        if low != 0 { return low.trailingZeroBitCount &>> 3 }
        let high = UInt64(littleEndian: words[1])
        return high != 0 ? 8 &+ high.trailingZeroBitCount &>> 3 : 16
    }

    /// The first control character (including HTAB) in `start..<end`, or `end`.
    @inline(__always)
    static func firstControl(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at &+ 16 <= end {
            let bytes = vector(base, at)
            let index = first((bytes .< Vector(repeating: 0x20)) .| (bytes .== Vector(repeating: 0x7F)))
            if index < 16 { return at &+ index }
            at &+= 16
        }
        while at < end {
            let byte = byte(base, at)
            if byte < 0x20 || byte == 0x7F { return at }
            at &+= 1
        }
        return end
    }

    /// The first byte in `start..<end` that a field value must not hold, or `end`.
    @inline(__always)
    static func valueEnd(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var at = firstControl(base, start, end)
        while at < end, byte(base, at) == 0x09 { at = firstControl(base, at &+ 1, end) }
        return at
    }

    /// The first byte in `start..<end` that cannot be in a token (RFC 9110 section 5.6.2), or `end`.
    @inline(__always)
    static func tokenEnd(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var at = start
        // Letters and hyphens are compared sixteen at a time. Other token characters are rare, and checked singly.
        while at &+ 16 <= end {
            let bytes = vector(base, at)
            let letters = ((bytes | Vector(repeating: 0x20)) &- Vector(repeating: 0x61)) .< Vector(repeating: 26)
            let index = first(.!(letters .| (bytes .== Vector(repeating: 0x2D))))
            at &+= index
            if index < 16 {
                let byte = byte(base, at)
                guard byte != 0x3A, isToken(byte) else { return at }
                at &+= 1
            }
        }
        while at < end, isToken(byte(base, at)) { at &+= 1 }
        return at
    }

    /// The first byte in `start..<end` that cannot be in a field name in HTTP/2, or `end`.
    /// - Parameter limit: the bytes up to here are readable. It is at least `end`.
    @inline(__always)
    static func lowercaseTokenEnd(_ base: UnsafeRawPointer, _ start: Int, _ end: Int, _ limit: Int) -> Int {
        var at = start
        while at < end, at &+ 16 <= limit {
            let bytes = vector(base, at)
            let letters = (bytes &- Vector(repeating: 0x61)) .< Vector(repeating: 26)
            let index = first(.!(letters .| (bytes .== Vector(repeating: 0x2D))))
            at &+= index
            if index < 16 {
                guard at < end, isLowercaseToken(byte(base, at)) else { return Swift.min(at, end) }
                at &+= 1
            }
        }
        while at < end, isLowercaseToken(byte(base, at)) { at &+= 1 }
        return Swift.min(at, end)
    }

    /// The first line feed in `start..<end`, or nil.
    static func firstLineFeed(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int? {
        var at = start
        while at &+ 16 <= end {
            let index = first(vector(base, at) .== Vector(repeating: 0x0A))
            if index < 16 { return at &+ index }
            at &+= 16
        }
        while at < end {
            if byte(base, at) == 0x0A { return at }
            at &+= 1
        }
        return nil
    }

    /// The first byte in `start..<end` outside 0x21–0x7E, or `end`.
    static func firstInvisible(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var at = start
        while at &+ 16 <= end {
            let index = first((vector(base, at) &- Vector(repeating: 0x21)) .> Vector(repeating: 0x5D))
            if index < 16 { return at &+ index }
            at &+= 16
        }
        while at < end {
            if byte(base, at) &- 0x21 > 0x5D { return at }
            at &+= 1
        }
        return end
    }

    /// The number of control characters (including HTAB) in `start..<end`.
    @inline(__always)
    static func countControls(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Int {
        var count = 0
        var at = start
        while at &+ 16 <= end {
            // A set lane is 255, which is -1. After 255 rounds, the sum of a lane would overflow.
            let stop = Swift.min(end, at &+ 255 &* 16)
            var sums = Vector()
            while at &+ 16 <= stop {
                let bytes = vector(base, at)
                let mask = (bytes .< Vector(repeating: 0x20)) .| (bytes .== Vector(repeating: 0x7F))
                sums &-= unsafeBitCast(mask, to: Vector.self)
                at &+= 16
            }
            let words = unsafeBitCast(sums, to: SIMD2<UInt64>.self)
            count &+= sum(ofBytes: words[0]) &+ sum(ofBytes: words[1])
        }
        while at < end {
            let byte = byte(base, at)
            if byte < 0x20 || byte == 0x7F { count &+= 1 }
            at &+= 1
        }
        return count
    }

    @inline(__always)
    private static func sum(ofBytes word: UInt64) -> Int {
        let pairs = (word & 0x00FF_00FF_00FF_00FF) &+ ((word &>> 8) & 0x00FF_00FF_00FF_00FF)
        return Int(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) &>> 48)
    }

    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // Bit n is byte n, or byte n + 64: !#$%&'*+-.0-9 and A-Z^_`a-z|~.
        let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && (set &>> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether the byte can be in a field name in HTTP/2, which allows no upper-case letters (RFC 9113 section 8.2.1).
    @inline(__always)
    static func isLowercaseToken(_ byte: UInt8) -> Bool {
        let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C000_0000
        return byte < 128 && (set &>> UInt64(byte & 63)) & 1 == 1
    }

    /// Whether `count` bytes are those of a short literal.
    @inline(__always)
    static func equals(_ base: UnsafeRawPointer, _ count: Int, _ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        let wanted = UnsafeRawPointer(literal.utf8Start)
        var at = 0
        while at < count, byte(base, at) == byte(wanted, at) { at &+= 1 }
        return at == count
    }

    /// Whether `count` bytes equal `literal`, ignoring the case of letters. The literal must hold only lower-case
    /// letters and hyphens. The bytes must hold no CR, which would match a hyphen.
    @inline(__always)
    static func matches(_ base: UnsafeRawPointer, _ count: Int, _ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard count == length else { return false }
        let wanted = UnsafeRawPointer(literal.utf8Start)
        guard length >= 8 else {
            var at = 0
            while at < length, byte(base, at) | 0x20 == byte(wanted, at) { at &+= 1 }
            return at == length
        }
        var at = 0
        while at &+ 8 < length {
            if folded(base, at) != word(wanted, at) { return false }
            at &+= 8
        }
        return folded(base, length &- 8) == word(wanted, length &- 8)
    }

    @inline(__always)
    static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private static func folded(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        word(base, offset) | 0x2020_2020_2020_2020
    }
}
