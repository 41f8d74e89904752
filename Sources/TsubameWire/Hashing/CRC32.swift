// CRC32: the checksum of RFC 1952, which detects bytes that a disk has changed.

import CZlib

package enum CRC32 {
    /// - Parameter seed: the checksum of the bytes before these.
    package static func sum(_ bytes: UnsafeRawBufferPointer, after seed: UInt32 = 0) -> UInt32 {
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return seed }
        return UInt32(truncatingIfNeeded: crc32_z(UInt(seed), base, bytes.count))
    }
}
