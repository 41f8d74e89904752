// RandomBytes: random bytes, or the bytes that follow from a seed.
#if Server

enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The bytes that httpbin makes from the same seed, or random bytes without a seed.
    static func make(_ count: Int, seed: String?) throws -> [UInt8] {
        guard let seed else { return make(count) }
        guard var generator = MersenneTwister(seed: seed) else { throw Problem(400, "not an integer: seed") }
        return (0..<count).map { _ in generator.byte() }
    }
}

#endif
