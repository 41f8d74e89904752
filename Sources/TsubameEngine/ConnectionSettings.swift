// ConnectionSettings: everything beside the origin that takes part in making a connection.

import TsubameCore
import TsubamePlatform

/// How connections are made. Part of what identifies a connection in the pool: two calls whose settings differ never
/// share one.
public struct ConnectionSettings: Sendable, Hashable {
    /// Which version of HTTP is spoken: HTTP/2 with servers that choose it in the TLS handshake, unless set.
    public var httpVersion = HTTPVersionChoice.negotiated
    /// How TLS is done to origins.
    public var tls = TLS()
    /// Which proxy requests go through: what the environment says, unless set.
    public var proxy = ProxyPolicy.environment
    /// How TLS is done to an `https` proxy. It shares nothing with ``tls``, which is for origins: neither verification
    /// nor certificates nor pins.
    public var proxyTLS = TLS()
    /// Addresses used instead of asking the resolver: `["host:443": "127.0.0.1:8443"]`; a host without a port means all
    /// its ports, `*` any host that is not named, an address without a port is taken with the origin's. The host stays what it is for TLS, cookies and the
    /// Host field. A proxy that makes a tunnel is told this address instead of the name; one that forwards looks the name up
    /// itself. A key that is no host fails every call (``CallError/Kind/invalidRequest``).
    public var resolve: [String: String] = [:]
    /// Where the addresses of names come from: the system, unless set.
    public var resolver = NameResolver.system
    /// How long the addresses of a name are used again at most; a resolver that knows their time to live may say less.
    /// Zero asks every time. When none of them can be reached, they are forgotten at once.
    public var addressLifetime: Duration = .seconds(60)
    /// A Unix-domain socket that every connection goes to, as to a daemon of this machine: its path in the file system. The
    /// host of a URL is then only told to the server, by the Host field and, for `https`, TLS; no proxy is used.
    public var unixSocket: String?
    /// Which family of addresses is connected to: for a network on which the other one does not work. A proxy, where there
    /// is one, is what is connected to. A host without such an address fails a call
    /// (``CallError/Kind/nameResolution``).
    public var addressFamily = AddressFamily.any
    /// Which addresses may be connected to; asked for each of them, after the look-up, for every hop of a redirect.
    public var allowedAddresses = AddressPolicy.any
    /// The source of connections: an address of this machine, or on Linux also the name of a network interface.
    public var interface: String?
    /// Connections to one origin at once; further calls wait (``Timeouts/pool``). The default, 256, and more are counted
    /// for each event loop; fewer are fewer in all: the calls to an origin then share one loop.
    public var connectionsPerOrigin = ConnectionSettings.defaultConnectionsPerOrigin
    static let defaultConnectionsPerOrigin = 256
    /// Connections of the client to all origins at once; no limit unless set. When it is reached, idle ones make room,
    /// on each event loop the longest idle first.
    public var connections: Int?
    /// How long an idle connection is kept.
    public var idleConnectionLifetime: Duration = .seconds(55)
    /// How old a connection may become before it is used no more, as for servers whose addresses move; no limit unless
    /// set.
    public var connectionLifetime: Duration?
    /// How many exchanges a connection may carry; no limit unless set.
    public var exchangesPerConnection: Int?

    /// The defaults.
    public init() {}
}

/// Settings behind one reference: compared by identity first, and with the TLS contexts made of them once.
final class SharedSettings: Hashable, Sendable {
    let settings: ConnectionSettings
    let tls: TLSContext
    let proxyTLS: TLSContext
    /// In nanoseconds; what most requests look at.
    let connectionLifetime: UInt64
    let exchangesPerConnection: Int
    let hasNoProxy: Bool
    /// Thrown wherever a connection is to be made.
    let fault: CallError?

    /// - Parameter other: settings whose TLS contexts are used again where they are the same.
    init(_ settings: ConnectionSettings, reusing other: SharedSettings? = nil) {
        self.settings = settings
        tls = TLSContext.of(settings.tls, settings.httpVersion, reusing: other?.tls)
        proxyTLS = TLSContext.of(settings.proxyTLS, .http11, reusing: other?.proxyTLS)
        connectionLifetime = settings.connectionLifetime?.nanosecondsClamped ?? .max
        exchangesPerConnection = settings.exchangesPerConnection ?? .max
        hasNoProxy = settings.proxy.isNone || settings.unixSocket != nil
        fault = SettingsCheck.fault(of: settings)
    }

    static func == (left: SharedSettings, right: SharedSettings) -> Bool {
        left === right || left.settings == right.settings
    }

    func hash(into hasher: inout Hasher) { hasher.combine(settings) }
}
