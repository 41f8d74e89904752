// ConnectionSettings: how a client makes its connections.

/// How a client makes its connections. Two calls whose settings differ never share a connection.
public struct ConnectionSettings: Sendable, Hashable {
    /// The version of HTTP; by default HTTP/2 with servers that choose it in the TLS handshake, otherwise HTTP/1.1.
    public var httpVersion = HTTPVersionChoice.negotiated
    /// TLS with origins.
    public var tls = TLS()
    /// The proxy that requests go through; by default the environment names it.
    public var proxy = ProxyPolicy.environment
    /// TLS with an `https` proxy. It shares nothing with ``tls``: no verification, no certificates and no pins.
    public var proxyTLS = TLS()
    /// Addresses that replace a look-up, such as `["host:443": "127.0.0.1:8443"]`.
    ///
    /// A host without a port stands for all its ports, and `*` for each host that is not named. An address without a port
    /// gets the origin's port. TLS, cookies and the Host field keep the host of the URL. A proxy that makes a tunnel gets
    /// this address instead of the name, while a proxy that forwards looks the name up itself. A key that is no host fails
    /// every call with ``CallError/Kind/invalidRequest``.
    public var resolve: [String: String] = [:]
    /// The source of the addresses of names; by default the system.
    public var resolver = NameResolver.system
    /// The longest time for which the addresses of a name are used again, 60 s by default. A resolver that knows their time to live may
    /// give a shorter time. With zero, each connection asks again. Addresses of which none can be reached are forgotten at
    /// once.
    public var addressLifetime: Duration = .seconds(60)
    /// A Unix-domain socket to which every connection goes, such as a daemon's on this machine. The host of a
    /// URL is then only sent to the server, in the Host field and, for `https`, in TLS. No proxy is used.
    public var unixSocket: FileLocation?
    /// The family of addresses to connect to, for networks on which the other family does not work. With a proxy, it is
    /// the family of the proxy's address. If a host has no such address, the call fails with
    /// ``CallError/Kind/nameResolution``.
    public var addressFamily = AddressFamily.any
    /// The addresses that may be connected to. Each address is checked after the look-up, also after redirects.
    public var allowedAddresses = AddressPolicy.any
    /// The local end of connections: an address of this machine, or the name of a network interface.
    public var interface: String?
    /// The most connections to one origin at once; further calls wait (``Timeouts/pool``). The default is 256. From 256 on,
    /// the limit holds for each event loop, and for each thread that waits in a blocking call. A lower limit holds for all
    /// calls with the same connection settings and proxy, which then use one loop for each origin. A connection over HTTP/2 that
    /// only ends its exchanges, such as after the server's GOAWAY, does not count.
    public var connectionsPerOrigin = ConnectionSettings.defaultConnectionsPerOrigin
    package static let defaultConnectionsPerOrigin = 256
    /// The most connections of the client to all origins at once; nil for no limit. At the limit, the connection that has
    /// been idle longest on its event loop is closed to make room.
    public var connections: Int?
    /// How long an idle connection is kept; 55 s by default.
    public var idleConnectionLifetime: Duration = .seconds(55)
    /// The age at which a connection takes no further request, for servers whose addresses change; nil for no limit.
    public var connectionLifetime: Duration?
    /// The most exchanges that a connection carries; nil for no limit.
    public var exchangesPerConnection: Int?

    /// The defaults.
    public init() {}
}
