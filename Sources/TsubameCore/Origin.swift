// Origin: scheme, host and port (RFC 9110 section 4.3.1).

/// The scheme, host and port of a URI. Two URIs of one origin are one authority; every other pair is foreign to each
/// other, subdomains included.
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `https` rather than `http`.
    public let isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
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

    public var scheme: String { isSecure ? "https" : "http" }

    var defaultPort: UInt16 { isSecure ? 443 : 80 }

    /// `host` or `host:port`, as it stands in a Host field.
    package var authority: String {
        let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return port == defaultPort ? name : "\(name):\(port)"
    }

    /// A small number from the host and port, for choosing one of a few; cheaper than a hash that resists attacks.
    package var spread: Int {
        let name = host.utf8
        return Int(port) + name.count + Int(name.first ?? 0) * 7 + Int(name.last ?? 0) * 3
    }

    public var description: String { "\(scheme)://\(authority)" }
}
