// Cuts: where an input is cut into reads. The input itself decides, so that each run of it is the same.

struct Cuts: RandomNumberGenerator {
    private var state: UInt64

    init(_ bytes: [UInt8]) {
        // FNV-1a
        state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        // SplitMix64
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// The pieces of an input that is cut at up to `count` places. A piece can be empty.
    static func pieces(_ bytes: [UInt8], count: Int = 4) -> [[UInt8]] {
        var cuts = Cuts(bytes)
        let places = (0..<count).map { _ in Int.random(in: 0...bytes.count, using: &cuts) }.sorted()
        return zip([0] + places, places + [bytes.count]).map { Array(bytes[$0..<$1]) }
    }
}

extension Array where Element == UInt8 {
    /// Calls `body` with a copy of exactly this size, so that the address sanitizer reports a read after its end.
    func withExactCopy<R: ~Copyable, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: self)
        return try body(UnsafeRawBufferPointer(copy))
    }
}
