// Origin: the scheme, host and port of a URI (RFC 9110 section 4.3.1).

/// The scheme, host and port of a URI. Two URIs of the same origin belong to the same authority. All other pairs are
/// cross-origin, including subdomains.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// Whether the scheme is `https` rather than `http`.
    public let isSecure: Bool
    /// The host, in lower case and ASCII. A name in another script is written in A-labels (UTS 46), an address in its
    /// canonical form. An IPv6 address has no brackets. A link-local one may have a zone, such as `fe80::1%eth0`.
    public let host: String
    /// The port. The default is 80 for `http` and 443 for `https`.
    public let port: UInt16

    package init(isSecure: Bool, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// The origin of an absolute URL; nil if the URL is not valid.
    public init?(_ url: String) {
        guard let uri = try? TargetURI(parsing: url) else { return nil }
        self = uri.origin
    }

    /// The scheme: `http` or `https`.
    public var scheme: String { isSecure ? "https" : "http" }

    var defaultPort: UInt16 { isSecure ? 443 : 80 }

    /// `host` or `host:port`, as in a Host field. A zone means nothing to other machines, so it is left out (RFC 6874
    /// section 4).
    package var authority: String { authority(of: hostWithoutZone) }

    private func authority(of host: String) -> String {
        let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return port == defaultPort ? name : "\(name):\(port)"
    }

    /// The host without its zone, as other machines know it.
    package var hostWithoutZone: String { zoneMark.map { String(host[..<$0]) } ?? host }

    /// The network interface that reaches a link-local address: its name or its number.
    package var zone: String? { zoneMark.map { String(host[host.index(after: $0)...]) } }

    private var zoneMark: String.Index? { host.utf8.firstIndex(of: 0x25) }

    /// Whether the host is `localhost` or a name below it. These names mean this machine, even if DNS says otherwise
    /// (RFC 6761 section 6.3).
    package static func isLocalhost(_ host: String) -> Bool {
        let name = host.utf8.last == 0x2E ? host.dropLast() : host[...]
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    /// A small number from the host and port, to choose one of a few. It is cheaper than a hash that resists attacks.
    package var spread: Int {
        let name = host.utf8
        return Int(port) + name.count + Int(name.first ?? 0) * 7 + Int(name.last ?? 0) * 3
    }

    /// The origin as a URL has it, such as `https://example.com:8443`.
    public var description: String {
        let host = zone.map { "\(hostWithoutZone)%25\($0)" } ?? host
        return "\(scheme)://\(authority(of: host))"
    }
}
