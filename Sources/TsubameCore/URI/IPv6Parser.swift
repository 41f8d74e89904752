// IPv6Parser: reads an IPv6 address between the brackets of a URL (RFC 3986 section 3.2.2, RFC 6874).

enum IPv6Parser {
    /// In bytes: the length of the longest interface name (`IFNAMSIZ`, which counts a zero at the end).
    private static let longestZone = 15

    /// The address in the form of RFC 5952: lower case, no leading zeros, and the longest run of zeros as `::`. An
    /// IPv4-mapped address ends with four decimal numbers.
    ///
    /// A link-local address (`fe80::/10`) may be followed by `%25` and a zone. In the result the zone follows a plain
    /// `%`.
    static func canonical(_ text: Slice<UnsafeBufferPointer<UInt8>>) throws(URIProblem) -> String {
        let mark = text.firstIndex(of: 0x25) ?? text.endIndex
        guard let groups = groups(text[..<mark]) else {
            throw URIProblem(
                "has no IPv6 address between its brackets", advice: "write it as [2001:db8::1], in hexadecimal")
        }
        guard mark < text.endIndex else { return Self.text(groups) }
        guard groups[0] & 0xFFC0 == 0xFE80 else {
            throw URIProblem(
                "has a zone after an IPv6 address that is not link-local", advice: "leave out what follows the %")
        }
        let zone = text[mark...].dropFirst(3)
        guard text[mark...].starts(with: "%25".utf8), !zone.isEmpty, zone.count <= longestZone,
            zone.allSatisfy(isUnreserved)
        else {
            throw URIProblem(
                "has a zone after its IPv6 address that names no interface", advice: "write it as [fe80::1%25eth0]")
        }
        return Self.text(groups) + "%" + String(decoding: zone, as: UTF8.self)
    }

    /// Reads the groups (RFC 4291 section 2.2); nil if the text is not an address.
    private static func groups(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> SIMD8<UInt16>? {
        var groups = SIMD8<UInt16>()
        var count = 0
        /// The number of groups before the `::`.
        var gap: Int?
        var rest = text
        if rest.starts(with: "::".utf8) {
            gap = 0
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            guard count < 8 else { return nil }
            let end = rest.firstIndex(of: 0x3A) ?? rest.endIndex
            if rest[..<end].contains(0x2E) {
                guard end == rest.endIndex, count <= 6, let address = dotted(rest) else { return nil }
                groups[count] = UInt16(truncatingIfNeeded: address >> 16)
                groups[count + 1] = UInt16(truncatingIfNeeded: address)
                count += 2
                break
            }
            guard let group = group(rest[..<end]) else { return nil }
            groups[count] = group
            count += 1
            if end == rest.endIndex { break }
            rest = rest[(end + 1)...]
            // A single colon stands between two groups.
            guard let next = rest.first else { return nil }
            if next == 0x3A {
                guard gap == nil else { return nil }
                gap = count
                rest = rest.dropFirst()
            }
        }
        guard let gap else { return count == 8 ? groups : nil }
        guard count < 8 else { return nil }
        var spread = SIMD8<UInt16>()
        for index in 0..<count { spread[index < gap ? index : 8 - count + index] = groups[index] }
        return spread
    }

    /// Reads one to four hexadecimal digits.
    private static func group(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16? {
        guard !text.isEmpty, text.count <= 4 else { return nil }
        var value: UInt16 = 0
        for byte in text {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
            case 0x61...0x66: value = value << 4 | UInt16(byte - 0x57)
            case 0x41...0x46: value = value << 4 | UInt16(byte - 0x37)
            default: return nil
            }
        }
        return value
    }

    /// Reads four decimal numbers without leading zeros.
    private static func dotted(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.count), part.first != 0x30 || part.count == 1 else { return nil }
            var value: UInt32 = 0
            for byte in part {
                guard byte >= 0x30, byte <= 0x39 else { return nil }
                value = value * 10 + UInt32(byte - 0x30)
            }
            guard value <= 0xFF else { return nil }
            address = address << 8 | value
        }
        return address
    }

    private static func text(_ groups: SIMD8<UInt16>) -> String {
        // An IPv4-mapped address (RFC 4291 section 2.5.5.2).
        if groups[5] == 0xFFFF, (0..<5).allSatisfy({ groups[$0] == 0 }) {
            return "::ffff:" + IPv4Parser.text(UInt32(groups[6]) << 16 | UInt32(groups[7]))
        }
        // The longest run of zeros becomes `::`, or the first one of that length. A single zero is written out.
        var (gap, length) = (8, 1)
        for start in 0..<8 {
            let zeros = (start..<8).prefix { groups[$0] == 0 }.count
            if zeros > length { (gap, length) = (start, zeros) }
        }
        var text = ""
        var index = 0
        while index < 8 {
            if index == gap {
                text += "::"
                index += length
                continue
            }
            if index > 0, index != gap + length { text += ":" }
            text += String(groups[index], radix: 16)
            index += 1
        }
        return text
    }

    /// Whether a URI may hold the byte unescaped everywhere (RFC 3986 section 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
