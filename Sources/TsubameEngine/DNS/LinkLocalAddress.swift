// LinkLocalAddress: an IPv6 address that means something only together with a network interface (RFC 4007).

import NIOCore
import TsubameCore
import TsubamePlatform

enum LinkLocalAddress {
    /// Where `sin6_scope_id` stands in `sockaddr_in6` (RFC 3493 section 3.3): behind family, port, flow and address,
    /// everywhere. Its name is known only to who imports one of NIO's own C modules.
    static let scopeOffset = 24

    /// The address to connect to, for a host such as `fe80::1%eth0`; nil for a host without a zone.
    /// - Throws: ``CallError/Kind/nameResolution`` if this machine has no such interface.
    static func address(of endpoint: HostPort) throws(CallError) -> SocketAddress? {
        guard let mark = endpoint.host.utf8.firstIndex(of: UInt8(ascii: "%")) else { return nil }
        let zone = String(endpoint.host[endpoint.host.utf8.index(after: mark)...])
        // An interface is named, or numbered.
        let named = if_nametoindex(zone)
        let number = named != 0 ? named : UInt32(zone) ?? 0
        guard number != 0,
            case .v6(let plain)? = try? SocketAddress(
                ipAddress: String(endpoint.host[..<mark]), port: Int(endpoint.port))
        else {
            throw CallError(
                .nameResolution, "this machine has no network interface \(Redaction.printable(zone))",
                phase: .resolving, advice: "name one of its interfaces behind %25, such as http://[fe80::1%25eth0]/")
        }
        var address = plain.address
        withUnsafeMutableBytes(of: &address) { bytes in
            if bytes.count >= scopeOffset + 4 {
                bytes.storeBytes(of: number, toByteOffset: scopeOffset, as: UInt32.self)
            }
        }
        return SocketAddress(address)
    }
}
