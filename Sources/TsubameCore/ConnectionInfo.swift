// ConnectionInfo: what is known of the connection that carried an exchange.

/// The connection that carried an exchange.
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
    /// Whether it had carried an exchange before.
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

    /// Counts up within the process.
    public var id: UInt64 { facts.id }
    /// `address:port` of the peer, which is the proxy if there is one.
    public var remoteAddress: String { facts.remoteAddress }
    /// `address:port` of this end.
    public var localAddress: String { facts.localAddress }
    /// The proxy it goes through, without credentials; nil if there is none.
    public var proxy: String? { facts.proxy }
    /// What TLS settled with the origin; nil for plain TCP.
    public var tls: TLSInfo? { facts.tls }

    /// What is spoken on it: HTTP/1.1 or HTTP/2.
    public var version: HTTPVersion { facts.version }

    /// Where it leads and how, in a line; without credentials.
    public var description: String {
        let how = [
            facts.tls?.version, facts.version.description, facts.proxy.map { "through \($0)" },
            isReused ? "reused" : nil,
        ].compactMap { $0 }
        return "connected to \(facts.remoteAddress) (\(how.joined(separator: ", ")))"
    }

    /// Whether it is the same connection, and had been used before in both or in neither.
    public static func == (left: ConnectionInfo, right: ConnectionInfo) -> Bool {
        left.id == right.id && left.isReused == right.isReused
    }

    /// By the connection.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
