// ConnectAddress: an address that a connection is about to be made to.

/// An address that a connection would be made to.
public struct ConnectAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes. An IPv4-mapped IPv6 address has 4.
    public let bytes: [UInt8]

    init(_ address: IPAddress) {
        bytes = address.unmapped.bytes
    }

    /// The usual text, such as `192.0.2.7` or `2001:db8::7`.
    public var text: String { IPAddress(bytes: bytes)?.text ?? "" }

    /// Whether it is a loopback address (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    public var isLoopback: Bool { IPAddress(bytes: bytes)?.isLoopback ?? false }

    /// Whether the address reaches one host over the Internet. It is then in none of IANA's registries of special addresses
    /// (RFC 6890), such as those of private networks. An IPv6 address that contains an IPv4 address for a gateway is public
    /// only if that IPv4 address is.
    public var isPublic: Bool {
        if let embedded = embeddedIPv4 { return ConnectAddress(embedded).isPublic }
        guard let address = IPAddress(bytes: bytes) else { return false }
        return !Self.special.contains { address.isWithin($0.network, prefix: $0.prefix) }
    }

    /// The IPv4 address inside an address of 64:ff9b::/96 (RFC 6052) or 2002::/16 (RFC 3056).
    private var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.prefix(12) == [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] {
            return IPAddress(bytes: bytes.suffix(4))
        }
        if bytes.prefix(2) == [0x20, 0x02] { return IPAddress(bytes: bytes[2..<6]) }
        return nil
    }

    private static let special: [(network: IPAddress, prefix: Int)] = [
        ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
        ("172.16.0.0", 12), ("192.0.0.0", 24), ("192.0.2.0", 24), ("192.88.99.0", 24), ("192.168.0.0", 16),
        ("198.18.0.0", 15), ("198.51.100.0", 24), ("203.0.113.0", 24), ("224.0.0.0", 4), ("240.0.0.0", 4),
        ("::", 96), ("64:ff9b:1::", 48), ("100::", 64), ("2001::", 23), ("2001:db8::", 32), ("3fff::", 20),
        ("5f00::", 16), ("fc00::", 7), ("fe80::", 10), ("fec0::", 10), ("ff00::", 8),
    ].compactMap { text, prefix in IPAddress(text).map { ($0, prefix) } }

    /// The same as ``text``.
    public var description: String { text }
}
