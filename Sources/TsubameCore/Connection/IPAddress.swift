// IPAddress: an address literal as its bytes.

import TsubamePlatform

/// 4 or 16 bytes.
package struct IPAddress: Sendable, Hashable {
    package let bytes: [UInt8]

    /// nil if the text is no IP address. The zone of a link-local address is left out.
    package init?(_ text: String) {
        // Every IP address begins with a colon or a hexadecimal digit.
        guard let first = text.utf8.first, first == 0x3A || isxdigit(CInt(first)) != 0 else { return nil }
        let zone = text.utf8.firstIndex(of: UInt8(ascii: "%"))
        let text = zone.map { String(text[..<$0]) } ?? text
        var buffer = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &buffer) == 1 {
            bytes = Array(buffer[..<4])
        } else if inet_pton(AF_INET6, text, &buffer) == 1 {
            bytes = buffer
        } else {
            return nil
        }
    }

    /// nil unless there are 4 or 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    package var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The IPv4 address of an IPv4-mapped address (RFC 4291 section 2.5.5.2); otherwise the address itself. Rules that
    /// allow or refuse addresses compare this form.
    package var unmapped: IPAddress {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return self
        }
        return IPAddress(bytes: bytes[12...]) ?? self
    }

    /// Whether it is a loopback address (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    package var isLoopback: Bool {
        let bytes = unmapped.bytes
        return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the first `prefix` bits are the same. IPv4-mapped addresses and networks count as IPv4.
    package func isWithin(_ network: IPAddress, prefix: Int) -> Bool {
        let (bytes, other) = (unmapped.bytes, network.unmapped.bytes)
        let prefix = prefix - (network.bytes.count - other.count) * 8
        guard bytes.count == other.count, prefix >= 0 else { return false }
        for (index, (byte, other)) in zip(bytes, other).enumerated() {
            let bits = Swift.min(Swift.max(prefix - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            if byte & mask != other & mask { return false }
        }
        return true
    }
}
