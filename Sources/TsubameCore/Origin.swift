// Origin: scheme, host and port (RFC 9110 section 4.3.1).

/// The scheme, host and port of a URI. Two URIs of one origin are one authority; every other pair is foreign to each
/// other, subdomains included.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `https` rather than `http`.
    public let isSecure: Bool
    /// In lower case and ASCII: A-labels (UTS 46) for names in other scripts, canonical forms of addresses. An IPv6
    /// address is without its brackets; a link-local one may have a zone, such as `fe80::1%eth0`.
    public let host: String
    /// The port, named or by default: 80 for `http`, 443 for `https`.
    public let port: UInt16

    package init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// The origin of an absolute URL; nil if it is not a valid one.
    public init?(_ url: String) {
        guard let uri = try? TargetURI(parsing: url) else { return nil }
        self = uri.origin
    }

    /// `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    var defaultPort: UInt16 { isSecure ? 443 : 80 }

    /// `host` or `host:port`, as it stands in a Host field. A zone means nothing to anybody else and is left out
    /// (RFC 6874 section 4).
    package var authority: String { authority(of: hostWithoutZone) }

    private func authority(of host: String) -> String {
        let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return port == defaultPort ? name : "\(name):\(port)"
    }

    /// What ``host`` is to others than this machine.
    package var hostWithoutZone: String { zoneMark.map { String(host[..<$0]) } ?? host }

    /// The network interface by which a link-local address is reached: its name, or its number.
    package var zone: String? { zoneMark.map { String(host[host.index(after: $0)...]) } }

    private var zoneMark: String.Index? { host.utf8.firstIndex(of: 0x25) }

    /// `localhost` and the names below it, which are this machine whatever DNS says (RFC 6761 section 6.3).
    package static func isLocalhost(_ host: String) -> Bool {
        let name = host.utf8.last == 0x2E ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// A small number from the host and port, for choosing one of a few; cheaper than a hash that resists attacks.
    package var spread: Int {
        let name = host.utf8
        return Int(port) + name.count + Int(name.first ?? 0) * 7 + Int(name.last ?? 0) * 3
    }

    /// As it stands in a URL.
    public var description: String {
        let host = zone.map { "\(hostWithoutZone)%25\($0)" } ?? host
        return "\(scheme)://\(authority(of: host))"
    }
}
