// ConnectionSettings: everything beside the origin that takes part in making a connection.

import TsubameCore
/// How connections are made. Part of what identifies a connection in the pool: two calls whose settings differ never
/// share one.
public struct ConnectionSettings: Sendable, Hashable {
    /// How the server's certificate is checked.
    public struct TLS: Sendable, Hashable {
        /// Where trust comes from.
        public enum Roots: Sendable, Hashable {
            /// The system's certificate authorities.
            case system
            /// Only these certificates, as PEM text.
            case pem(String)
            /// Only the certificates in this PEM file.
            case file(path: String)
        }

        public enum Verification: Sendable, Hashable {
            /// Chain and host name.
            case full
            /// Nothing is checked: anybody can be the server. For tests.
            case none
        }

        public var roots = Roots.system
        public var verification = Verification.full

        public init() {}
    }

    public var tls = TLS()
    /// Addresses used instead of asking the resolver: `["host:443": "127.0.0.1:8443"]`; without a port the address is
    /// taken with the origin's. The host stays what it is for
    /// TLS, cookies and the Host field; only where it is an address itself does TLS check the certificate for the
    /// address that was connected to.
    public var resolve: [String: String] = [:]
    /// Connections to one origin at once; further calls wait (``Timeouts/pool``). The default, 256, and more are counted
    /// for each event loop; fewer are fewer in all: the calls to an origin then share one loop.
    public var connectionsPerOrigin = ConnectionSettings.defaultConnectionsPerOrigin
    static let defaultConnectionsPerOrigin = 256
    /// How long an idle connection is kept.
    public var idleConnectionLifetime: Duration = .seconds(55)

    public init() {}
}

/// What identifies a connection in the pool.
struct ConnectionKey: Hashable {
    let origin: Origin
    let settings: SharedSettings

    static func == (left: ConnectionKey, right: ConnectionKey) -> Bool {
        left.settings == right.settings && left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(origin.host)
        hasher.combine(origin.port)
    }
}

/// Settings behind one reference: compared by identity first, and with the TLS context made of them once.
final class SharedSettings: Hashable, Sendable {
    let settings: ConnectionSettings
    let tls: TLSContext

    init(_ settings: ConnectionSettings) {
        self.settings = settings
        tls = TLSContext(settings.tls)
    }

    static func == (left: SharedSettings, right: SharedSettings) -> Bool {
        left === right || left.settings == right.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
