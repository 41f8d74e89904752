// AddressFamily+Selection: the socket addresses that a family allows.

import TsubameCore
import TsubameSockets

extension AddressFamily {
    /// The addresses of this family, in their order.
    /// - Parameter host: whose they are.
    /// - Throws: ``CallError/Kind/nameResolution`` if there is none.
    func select(_ addresses: [SocketAddress], of host: String) throws(CallError) -> [SocketAddress] {
        guard self != .any else { return addresses }
        let own = addresses.filter { address in
            switch address {
            case .ipv4: self == .ipv4
            case .ipv6: self == .ipv6
            case .unix: true
            }
        }
        guard own.isEmpty else { return own }
        throw CallError(
            .nameResolution, "\(host) has no address of \(self == .ipv4 ? "IPv4" : "IPv6")", phase: .resolving,
            advice: "connection.addressFamily allows no other")
    }
}
