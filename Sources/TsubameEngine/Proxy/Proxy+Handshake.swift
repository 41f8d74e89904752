// Proxy+Handshake: what the engine says to a proxy before the connection leads to the origin.

import TsubameCore
import TsubameWire

extension Proxy {
    /// Who asks, where the proxy speaks HTTP and may want Digest.
    var digestUser: DigestSession.User? {
        scheme.isHTTP ? user.map { DigestSession.User(name: $0.name, password: $0.password) } : nil
    }

    /// `host:port` of a tunnel's end. A zone is this machine's own affair.
    static func authority(of target: HostPort) -> String {
        let name = target.host.prefix { $0 != "%" }
        return "\(name.utf8.contains(0x3A) ? "[\(name)]" : name):\(target.port)"
    }

    /// The conversation before the connection leads to the origin at `target`; nil if the proxy forwards.
    /// - Parameter credentials: of an HTTP proxy.
    func handshake(
        to origin: Origin, at target: HostPort, limits: Limits, _ credentials: ProxyCredentials? = nil
    ) throws(WireError) -> (any ProxyHandshake)? {
        if forwards(origin) { return nil }
        let address = IPAddress(target.host)?.bytes
        switch scheme {
        case .http, .https:
            return ConnectHandshake(
                authority: Self.authority(of: target), authorization: credentials?.authorization,
                credentials: credentials, limits: limits)
        case .socks4, .socks4a:
            return try SOCKS4Handshake(
                host: target.host, address: address, port: target.port, user: user?.name ?? "")
        case .socks5, .socks5h:
            return try SOCKS5Handshake(
                host: target.host, address: address, port: target.port,
                credentials: user.map { ($0.name, $0.password) })
        }
    }
}
