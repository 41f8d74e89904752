// IPv4Parser: reads an IPv4 address in every form in which it is written (WHATWG URL, "IPv4 parser").

/// `127.1`, `0x7f.1`, `0177.0.0.1` and `2130706433` all mean `127.0.0.1`. The rest of the library sees only that form.
enum IPv4Parser {
    /// Whether a name with this last label is an address, or else an error.
    static func isNumber(_ label: some Collection<UInt8>) -> Bool {
        guard let first = label.first, isDigit(first) else { return false }
        return label.allSatisfy(isDigit) || value(label) != nil
    }

    /// Whether the text already has the form of ``text(_:)``, as most addresses do.
    static func isCanonical(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count <= 15 else { return false }
        var (number, digits, dots) = (0, 0, 0)
        for byte in text {
            if byte == 0x2E {
                guard digits > 0, dots < 3 else { return false }
                (number, digits, dots) = (0, 0, dots &+ 1)
            } else {
                guard isDigit(byte), digits == 0 || number > 0 else { return false }
                number = number &* 10 &+ Int(byte &- 0x30)
                digits &+= 1
                guard number <= 0xFF else { return false }
            }
        }
        return dots == 3 && digits > 0
    }

    /// - Parameter name: ASCII without escapes. Its last label is a number.
    /// - Returns: four decimal numbers without leading zeros.
    static func canonical(_ name: some BidirectionalCollection<UInt8>) throws(URIProblem) -> String {
        guard let address = parse(name) else {
            throw URIProblem(
                "has a host that ends in a number and is no IPv4 address",
                advice: "write an address as four numbers from 0 to 255, such as 127.0.0.1")
        }
        return text(address)
    }

    static func text(_ address: UInt32) -> String {
        // The text has at most 15 bytes, for which `String` does not allocate.
        String(unsafeUninitializedCapacity: 15) { output in
            var count = 0
            func put(_ byte: UInt32) {
                if count < output.count { output[count] = UInt8(truncatingIfNeeded: byte) }
                count += 1
            }
            for shift: UInt32 in [24, 16, 8, 0] {
                let part = address >> shift & 0xFF
                if part >= 100 { put(0x30 + part / 100) }
                if part >= 10 { put(0x30 + part / 10 % 10) }
                put(0x30 + part % 10)
                if shift > 0 { put(0x2E) }
            }
            return Swift.min(count, output.count)
        }
    }

    /// Reads up to four numbers. The last one fills the bytes that the others leave, and a dot may follow it.
    private static func parse(_ name: some BidirectionalCollection<UInt8>) -> UInt32? {
        var rest = name[...]
        if rest.last == 0x2E { rest = rest.dropLast() }
        var (address, count) = (UInt64(0), UInt64(0))
        while true {
            let end = rest.firstIndex(of: 0x2E) ?? rest.endIndex
            guard let number = value(rest[..<end]) else { return nil }
            count += 1
            if end == rest.endIndex {
                let bits = (5 - count) * 8
                guard number < 1 << bits else { return nil }
                return UInt32(truncatingIfNeeded: address << bits | number)
            }
            guard count < 4, number <= 0xFF else { return nil }
            address = address << 8 | number
            rest = rest[rest.index(after: end)...]
        }
    }

    /// Reads hexadecimal after `0x`, octal after `0`, and decimal otherwise. Above 32 bits the result is some number
    /// that is too large.
    private static func value(_ text: some Collection<UInt8>) -> UInt64? {
        guard let first = text.first, isDigit(first) else { return nil }
        var (digits, radix) = (text[...], UInt64(10))
        if first == 0x30, text.count > 1 {
            digits = digits.dropFirst()
            radix = 8
            if let mark = digits.first, mark | 0x20 == 0x78 {
                digits = digits.dropFirst()
                radix = 16
            }
        }
        var value: UInt64 = 0
        for byte in digits {
            let digit: UInt64
            switch byte {
            case 0x30...0x39: digit = UInt64(byte) - 0x30
            case 0x61...0x66: digit = UInt64(byte) - 0x57
            case 0x41...0x46: digit = UInt64(byte) - 0x37
            default: return nil
            }
            guard digit < radix else { return nil }
            value = Swift.min(value * radix + digit, 1 << 32)
        }
        return value
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}
