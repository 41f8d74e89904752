// AddressFamily: IPv4, IPv6, or either.

/// The family of the addresses that a client connects to; see ``ConnectionSettings/addressFamily``.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
    /// Addresses of both families, tried by turns (RFC 8305).
    case any
    /// Only IPv4 addresses.
    case ipv4
    /// Only IPv6 addresses.
    case ipv6
}
