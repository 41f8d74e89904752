// HPACKHash: the hash with which an encoder finds fields in its tables.

import TsubamePlatform

/// A fast hash without a secret. An attacker gains nothing from collisions, because a search examines no more entries
/// than the table has.
enum HPACKHash {
    /// - Parameter seed: the hash of the bytes before these.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, after seed: UInt64 = 0) -> UInt64 {
        let count = bytes.count
        var hash = mix(seed ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
        guard let base = bytes.baseAddress else { return hash }
        guard count >= 8 else {
            var rest: UInt64 = 0
            if count >= 4 {
                // The two halves may overlap.
                rest = UInt64(base.loadUnaligned(as: UInt32.self)) &<< 32
                rest |= UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            } else {
                for at in 0..<count { rest = rest &<< 8 | UInt64(base.load(fromByteOffset: at, as: UInt8.self)) }
            }
            return mix(hash ^ rest)
        }
        var at = 0
        while at < count &- 8 {
            hash = mix(hash ^ base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at &+= 8
        }
        return mix(hash ^ base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
    }

    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = (value ^ 0x2D35_8DCC_AA6C_78A5).multipliedFullWidth(by: 0x8BB8_4B93_962E_ACC9)
        return product.high ^ product.low
    }

    @inline(__always)
    static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        guard one.count == other.count else { return false }
        guard one.count > 0, let first = one.baseAddress, let second = other.baseAddress else { return true }
        return memcmp(first, second, one.count) == 0
    }
}
