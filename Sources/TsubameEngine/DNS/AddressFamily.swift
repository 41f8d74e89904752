// AddressFamily: IPv4, IPv6, or either.

import NIOCore
import TsubameCore

/// Which addresses of a host are connected to; see ``ConnectionSettings/addressFamily``.
public enum AddressFamily: Sendable, Hashable, CaseIterable {
    /// Those of both, by turns (RFC 8305).
    case any
    /// Those of IPv4 alone.
    case ipv4
    /// Those of IPv6 alone.
    case ipv6

    /// The addresses of this family, in their order.
    /// - Parameter host: whose they are.
    /// - Throws: ``CallError/Kind/nameResolution`` if there is none.
    func select(_ addresses: [SocketAddress], of host: String) throws(CallError) -> [SocketAddress] {
        guard self != .any else { return addresses }
        let own = addresses.filter { address in
            switch address {
            case .v4: self == .ipv4
            case .v6: self == .ipv6
            case .unixDomainSocket: true
            }
        }
        guard own.isEmpty else { return own }
        throw CallError(
            .nameResolution, "\(host) has no address of \(self == .ipv4 ? "IPv4" : "IPv6")", phase: .resolving,
            advice: "connection.addressFamily allows no other")
    }
}
