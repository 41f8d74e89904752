// AddressPolicy: which addresses may be connected to.

import NIOCore
import TsubameCore
import TsubamePlatform

/// Which addresses a client connects to, whatever names and redirects lead there: against requests that somebody else
/// made up (SSRF) and names that move (DNS rebinding).
///
/// ```swift
/// $0.connection.allowedAddresses = .publicOnly
/// $0.connection.allowedAddresses = .only { address in address.text == "192.0.2.7" }
/// ```
/// What is asked about is the address that the connection is made to, after the look-up and in one form only: `0x7f.1` and
/// `::ffff:127.0.0.1` are `127.0.0.1`. Behind a proxy that is the proxy's; the address of the origin is then known only
/// if it is named, by the URL or by `resolve`, or is this machine's: those are asked about too. Unix-domain sockets are not asked about.
public struct AddressPolicy: Sendable, Hashable, CustomStringConvertible {
    private final class Rule: Sendable {
        let number = UniqueNumber()
        let isAllowed: @Sendable (ConnectAddress) -> Bool

        init(_ isAllowed: @escaping @Sendable (ConnectAddress) -> Bool) { self.isAllowed = isAllowed }
    }

    private let rule: Rule?
    private let name: String

    private init(_ name: String, _ rule: Rule?) { (self.name, self.rule) = (name, rule) }

    /// All of them.
    public static let any = AddressPolicy("any", nil)

    /// Those that are reached over the Internet: see ``ConnectAddress/isPublic``.
    public static let publicOnly = AddressPolicy("public only", Rule { $0.isPublic })

    /// Those for which the closure says so. It runs on an event loop and must not block.
    public static func only(_ isAllowed: @escaping @Sendable (ConnectAddress) -> Bool) -> AddressPolicy {
        AddressPolicy("by a closure", Rule(isAllowed))
    }

    func allows(_ address: SocketAddress) -> Bool {
        guard let rule else { return true }
        // One without an address is a Unix-domain socket.
        guard let text = address.ipAddress, let address = IPAddress(text) else { return true }
        return rule.isAllowed(ConnectAddress(address))
    }

    /// Of a host that a proxy will look up: as far as that can be known here.
    func allows(host: String) -> Bool {
        guard let rule, let address = IPAddress(Origin.isLocalhost(host) ? "127.0.0.1" : host) else { return true }
        return rule.isAllowed(ConnectAddress(address))
    }

    /// Which of the three it is.
    public var description: String { name }

    /// The same if made by the same call.
    public static func == (left: AddressPolicy, right: AddressPolicy) -> Bool { left.rule === right.rule }

    /// By the rule's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(rule?.number) }
}

/// An address that a connection would be made to.
public struct ConnectAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16 bytes; an IPv4 address that is written as one of IPv6 is 4.
    public let bytes: [UInt8]

    init(_ address: IPAddress) {
        bytes = address.unmapped.bytes
    }

    /// As it is usually written: `192.0.2.7`, `2001:db8::7`.
    public var text: String { IPAddress(bytes: bytes)?.text ?? "" }

    /// RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
    public var isLoopback: Bool { IPAddress(bytes: bytes)?.isLoopback ?? false }

    /// Whether the address is of nobody's private network, of no machine's own, and of no use other than reaching one host
    /// over the Internet, by IANA's registries of special addresses (RFC 6890). One of IPv6 that holds one of IPv4, for
    /// gateways, is public only if that is.
    public var isPublic: Bool {
        if let embedded = embeddedIPv4 { return ConnectAddress(embedded).isPublic }
        guard let address = IPAddress(bytes: bytes) else { return false }
        return !Self.special.contains { address.isWithin($0.network, prefix: $0.prefix) }
    }

    /// 64:ff9b::/96 (RFC 6052) and 2002::/16 (RFC 3056) lead to it.
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
