// Content: bytes that an identifier determines.
#if TestServer

import TsubameTesting

enum Content {
    /// Bytes that differ for each identifier and at each place, so that exchanged and moved bytes are noticed.
    static func bytes(id: Int, count: Int) -> [UInt8] {
        var random = SplitMix64(state: UInt64(truncatingIfNeeded: id))
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for index in 0..<count {
                if index % 8 == 0 { word = random.next() }
                buffer[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
            initialized = count
        }
    }
}
#endif
