// SeededNumbers: random numbers that a seed determines, and content that an identifier determines.

/// SplitMix64.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

enum Content {
    /// Bytes that differ for each identifier and at each place, so that exchanged and moved bytes are noticed.
    static func bytes(id: Int, count: Int) -> [UInt8] {
        var random = SeededNumbers(seed: UInt64(truncatingIfNeeded: id))
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
