// ASCIISet: a set of ASCII bytes in 128 bits, so that a look-up is one shift and one mask.

package struct ASCIISet: Sendable, Hashable {
    @usableFromInline package var low: UInt64 = 0
    @usableFromInline package var high: UInt64 = 0

    /// The set of these characters; non-ASCII characters are left out.
    package init(_ characters: String = "") {
        for byte in characters.utf8 { insert(byte) }
    }

    package mutating func insert(_ byte: UInt8) {
        switch byte {
        case 0..<64: low |= 1 &<< UInt64(byte)
        case 64..<128: high |= 1 &<< UInt64(byte &- 64)
        default: break
        }
    }

    @inlinable
    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    package func union(_ other: ASCIISet) -> ASCIISet {
        var result = self
        result.low |= other.low
        result.high |= other.high
        return result
    }
}

extension ASCIISet {
    package static let none = ASCIISet()

    /// RFC 3986 §2.3: `A–Z a–z 0–9 - . _ ~`.
    package static let unreserved = ASCIISet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
