// AddressPolicy: the addresses that may be connected to.

import TsubamePlatform

/// The addresses that a client connects to. A policy protects against URLs from others (SSRF) and against names whose
/// addresses change (DNS rebinding).
///
/// ```swift
/// $0.connection.allowedAddresses = .publicOnly
/// $0.connection.allowedAddresses = .only { address in address.text == "192.0.2.7" }
/// ```
/// The policy sees the address that the connection is made to, after the look-up and in one form: `0x7f.1` and
/// `::ffff:127.0.0.1` are `127.0.0.1`. With a proxy, it sees the proxy's address. It also sees the origin's address if the
/// URL or `resolve` gives one, or if the origin is `localhost`. It does not see Unix-domain sockets.
public struct AddressPolicy: Sendable, Hashable, CustomStringConvertible {
    private final class Rule: Sendable {
        let number = UniqueNumber()
        let isAllowed: @Sendable (ConnectAddress) -> Bool

        init(_ isAllowed: @escaping @Sendable (ConnectAddress) -> Bool) { self.isAllowed = isAllowed }
    }

    private let rule: Rule?
    private let name: String

    private init(_ name: String, _ rule: Rule?) { (self.name, self.rule) = (name, rule) }

    /// All addresses.
    public static let any = AddressPolicy("any", nil)

    /// The addresses that are reached over the Internet: see ``ConnectAddress/isPublic``.
    public static let publicOnly = AddressPolicy("public only", Rule { $0.isPublic })

    /// The addresses for which the closure returns true. It runs on an event loop and must not block.
    public static func only(_ isAllowed: @escaping @Sendable (ConnectAddress) -> Bool) -> AddressPolicy {
        AddressPolicy("by a closure", Rule(isAllowed))
    }

    /// Whether no address is asked about.
    package var allowsAll: Bool { rule == nil }

    /// Whether a connection may be made to this address.
    package func allows(_ address: IPAddress) -> Bool { rule.map { $0.isAllowed(ConnectAddress(address)) } ?? true }

    /// Whether a proxy may connect to this host. A name that only the proxy can look up is allowed.
    package func allows(host: String) -> Bool {
        guard let rule, let address = IPAddress(Origin.isLocalhost(host) ? "127.0.0.1" : host) else { return true }
        return rule.isAllowed(ConnectAddress(address))
    }

    /// `any`, `public only` or `by a closure`.
    public var description: String { name }

    /// Whether both come from the same call of ``only(_:)``, or are the same constant.
    public static func == (left: AddressPolicy, right: AddressPolicy) -> Bool { left.rule === right.rule }

    /// By the rule's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(rule?.number) }
}
