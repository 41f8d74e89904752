// ConnectionInfo: the facts about the connection that carried an exchange.

internal import Synchronization

/// The connection that carried an exchange: its addresses, its proxy, its TLS and its version of HTTP.
public struct ConnectionInfo: Sendable, Hashable, CustomStringConvertible {
    /// Gives both addresses as text, which few ask for.
    package typealias Addresses = @Sendable () -> (remote: String, local: String)

    private final class Facts: Sendable {
        let id: UInt64
        let addresses: Addresses
        let proxy: String?
        let tls: TLSInfo?
        let version: HTTPVersion

        init(id: UInt64, addresses: @escaping Addresses, proxy: String?, tls: TLSInfo?, version: HTTPVersion) {
            self.id = id
            self.addresses = addresses
            self.proxy = proxy
            self.tls = tls
            self.version = version
        }
    }

    private static let count = Atomic<UInt64>(0)

    /// The number of the next connection.
    package static func nextID() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }

    private let facts: Facts
    /// Whether the connection had carried an exchange before this one.
    public let isReused: Bool

    package init(
        id: UInt64, proxy: String?, tls: TLSInfo?, version: HTTPVersion = .http11, addresses: @escaping Addresses
    ) {
        facts = Facts(id: id, addresses: addresses, proxy: proxy, tls: tls, version: version)
        isReused = false
    }

    /// Makes the information about a connection of a ``Transport``, which then reports it for each exchange.
    /// - Parameters:
    ///   - remoteAddress: the `address:port` of the peer.
    ///   - localAddress: the `address:port` of this end.
    ///   - proxy: the proxy, without credentials.
    ///   - tls: the result of the TLS handshake with the origin.
    ///   - version: the version of HTTP on the connection.
    public init(
        remoteAddress: String, localAddress: String = "", proxy: String? = nil, tls: TLSInfo? = nil,
        version: HTTPVersion
    ) {
        self.init(id: Self.nextID(), proxy: proxy, tls: tls, version: version) { (remoteAddress, localAddress) }
    }

    private init(facts: Facts, isReused: Bool) {
        self.facts = facts
        self.isReused = isReused
    }

    /// The same connection after its TLS handshake.
    package func secured(_ tls: TLSInfo, _ version: HTTPVersion) -> ConnectionInfo {
        ConnectionInfo(id: id, proxy: proxy, tls: tls, version: version, addresses: facts.addresses)
    }

    /// The same connection, for an exchange that is not its first.
    public func reused() -> ConnectionInfo { ConnectionInfo(facts: facts, isReused: true) }

    /// The number of the connection, which counts up within the process.
    public var id: UInt64 { facts.id }
    /// The `address:port` of the peer, which is the proxy if there is one.
    public var remoteAddress: String { facts.addresses().remote }
    /// The `address:port` of this end of the connection.
    public var localAddress: String { facts.addresses().local }
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
        return "connected to \(remoteAddress) (\(how.joined(separator: ", ")))"
    }

    /// Whether both are the same connection, and ``isReused`` is the same in both.
    public static func == (left: ConnectionInfo, right: ConnectionInfo) -> Bool {
        left.id == right.id && left.isReused == right.isReused
    }

    /// Hashes the connection's ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
