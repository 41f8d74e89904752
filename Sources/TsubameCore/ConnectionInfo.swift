// ConnectionInfo: what is known of the connection that carried an exchange.

/// The connection that carried an exchange.
public struct ConnectionInfo: Sendable, Hashable, CustomStringConvertible {
    private final class Facts: Sendable {
        let id: UInt64
        let remoteAddress: String
        let localAddress: String
        let tlsVersion: String?

        init(id: UInt64, remoteAddress: String, localAddress: String, tlsVersion: String?) {
            self.id = id
            self.remoteAddress = remoteAddress
            self.localAddress = localAddress
            self.tlsVersion = tlsVersion
        }
    }

    private let facts: Facts
    /// Whether it had carried an exchange before.
    public let isReused: Bool

    package init(id: UInt64, remoteAddress: String, localAddress: String, tlsVersion: String?) {
        facts = Facts(id: id, remoteAddress: remoteAddress, localAddress: localAddress, tlsVersion: tlsVersion)
        isReused = false
    }

    private init(facts: Facts, isReused: Bool) {
        self.facts = facts
        self.isReused = isReused
    }

    package func reused() -> ConnectionInfo { ConnectionInfo(facts: facts, isReused: true) }

    /// Counts up within the process.
    public var id: UInt64 { facts.id }
    /// `address:port` of the peer.
    public var remoteAddress: String { facts.remoteAddress }
    public var localAddress: String { facts.localAddress }
    /// Such as `TLS 1.3`; nil for plain TCP.
    public var tlsVersion: String? { facts.tlsVersion }

    public var description: String {
        let how = [facts.tlsVersion, "HTTP/1.1", isReused ? "reused" : nil].compactMap { $0 }
        return "connected to \(facts.remoteAddress) (\(how.joined(separator: ", ")))"
    }

    public static func == (left: ConnectionInfo, right: ConnectionInfo) -> Bool {
        left.id == right.id && left.isReused == right.isReused
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
