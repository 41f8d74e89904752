// ConnectionInfo: the facts about the connection that carried an exchange.

/// The connection that carried an exchange: its addresses, its proxy, its TLS and its version of HTTP.
public struct ConnectionInfo: Sendable, Hashable, CustomStringConvertible {
    private final class Facts: Sendable {
        let id: UInt64
        let remoteAddress: String
        let localAddress: String
        let proxy: String?
        let tls: TLSInfo?
        let version: HTTPVersion

        init(
            id: UInt64, remoteAddress: String, localAddress: String, proxy: String?, tls: TLSInfo?,
            version: HTTPVersion
        ) {
            self.id = id
            self.remoteAddress = remoteAddress
            self.localAddress = localAddress
            self.proxy = proxy
            self.tls = tls
            self.version = version
        }
    }

    private let facts: Facts
    /// Whether the connection had carried an exchange before this one.
    public let isReused: Bool

    package init(
        id: UInt64, remoteAddress: String, localAddress: String, proxy: String?, tls: TLSInfo?,
        version: HTTPVersion = .http11
    ) {
        facts = Facts(
            id: id, remoteAddress: remoteAddress, localAddress: localAddress, proxy: proxy, tls: tls, version: version)
        isReused = false
    }

    private init(facts: Facts, isReused: Bool) {
        self.facts = facts
        self.isReused = isReused
    }

    package func reused() -> ConnectionInfo { ConnectionInfo(facts: facts, isReused: true) }

    /// The number of the connection, which counts up within the process.
    public var id: UInt64 { facts.id }
    /// The `address:port` of the peer, which is the proxy if there is one.
    public var remoteAddress: String { facts.remoteAddress }
    /// The `address:port` of this end of the connection.
    public var localAddress: String { facts.localAddress }
    /// The proxy that the connection goes through, without credentials; nil if there is none.
    public var proxy: String? { facts.proxy }
    /// The result of the TLS handshake with the origin; nil for plain TCP.
    public var tls: TLSInfo? { facts.tls }

    /// The version of HTTP on the connection: HTTP/1.1 or HTTP/2.
    public var version: HTTPVersion { facts.version }

    /// One line that says where the connection leads, and how. It shows no credentials.
    public var description: String {
        let how = [
            facts.tls?.version, facts.version.description, facts.proxy.map { "through \($0)" },
            isReused ? "reused" : nil,
        ].compactMap { $0 }
        return "connected to \(facts.remoteAddress) (\(how.joined(separator: ", ")))"
    }

    /// Whether both are the same connection, and ``isReused`` is the same in both.
    public static func == (left: ConnectionInfo, right: ConnectionInfo) -> Bool {
        left.id == right.id && left.isReused == right.isReused
    }

    /// Hashes the connection's ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
