// MersenneTwister: the generator of Python's `random`, so that a seed gives the bytes that httpbin gives.
#if Server

/// MT19937 (Matsumoto and Nishimura, 1998), seeded from an integer as Python seeds it.
struct MersenneTwister {
    private static let size = 624
    private static let middle = 397

    private var state: [UInt32]
    private var next = MersenneTwister.size

    /// Takes a decimal integer of up to 4,300 digits, Python's own limit. The sign has no effect.
    init?(seed text: String) {
        var digits = text.utf8[...]
        while let last = digits.last, Self.isSpace(last) { digits.removeLast() }
        digits = digits.drop(while: Self.isSpace)
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        guard !digits.isEmpty, digits.count <= 4300 else { return nil }

        // The number in base 2³², lowest digit first.
        var key: [UInt32] = [0]
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            var carry = UInt64(digit - UInt8(ascii: "0"))
            for index in key.indices {
                carry += UInt64(key[index]) * 10
                key[index] = UInt32(truncatingIfNeeded: carry)
                carry >>= 32
            }
            if carry > 0 { key.append(UInt32(truncatingIfNeeded: carry)) }
        }
        state = Self.state(from: key)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    private static func state(from key: [UInt32]) -> [UInt32] {
        var state: [UInt32] = [19_650_218]
        for index in 1..<size {
            let last = state[index - 1]
            state.append(1_812_433_253 &* (last ^ last >> 30) &+ UInt32(index))
        }
        var place = 1
        for step in 0..<max(size, key.count) {
            let keyPlace = step % key.count
            let last = state[place - 1]
            state[place] = (state[place] ^ ((last ^ last >> 30) &* 1_664_525)) &+ key[keyPlace] &+ UInt32(keyPlace)
            advance(&place, &state)
        }
        for _ in 1..<size {
            let last = state[place - 1]
            state[place] = (state[place] ^ ((last ^ last >> 30) &* 1_566_083_941)) &- UInt32(place)
            advance(&place, &state)
        }
        state[0] = 0x8000_0000
        return state
    }

    private static func advance(_ place: inout Int, _ state: inout [UInt32]) {
        place += 1
        if place == size {
            state[0] = state[size - 1]
            place = 1
        }
    }

    /// A byte as Python's `randint(0, 255)` draws it: nine bits, drawn again until the number is below 256.
    mutating func byte() -> UInt8 {
        while true {
            let bits = word() >> 23
            if bits < 256 { return UInt8(truncatingIfNeeded: bits) }
        }
    }

    private mutating func word() -> UInt32 {
        if next == Self.size { renew() }
        var word = state[next]
        next += 1
        word ^= word >> 11
        word ^= word << 7 & 0x9D2C_5680
        word ^= word << 15 & 0xEFC6_0000
        return word ^ word >> 18
    }

    private mutating func renew() {
        for index in 0..<Self.size {
            let mixed = state[index] & 0x8000_0000 | state[(index + 1) % Self.size] & 0x7FFF_FFFF
            state[index] = state[(index + Self.middle) % Self.size] ^ mixed >> 1 ^ (mixed & 1 == 0 ? 0 : 0x9908_B0DF)
        }
        next = 0
    }
}

#endif
