// The names of connection settings, for transports that do not honour all of them.

extension ConnectionSettings {
    /// The name of a connection setting. Its raw value is the name as a program writes it.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// A property of ``ConnectionSettings``, or of ``TLS`` in ``ConnectionSettings/tls`` or
        /// ``ConnectionSettings/proxyTLS``.
        case httpVersion = "connection.httpVersion"
        case tlsRoots = "connection.tls.roots"
        case tlsVerification = "connection.tls.verification"
        case tlsMinimumVersion = "connection.tls.minimumVersion"
        case tlsMaximumVersion = "connection.tls.maximumVersion"
        case tlsMinimumRSABits = "connection.tls.minimumRSABits"
        case tlsIdentity = "connection.tls.identity"
        case tlsPins = "connection.tls.pins"
        case tlsCheck = "connection.tls.check"
        case tlsKeyLogFile = "connection.tls.keyLogFile"
        case proxy = "connection.proxy"
        case proxyTLSRoots = "connection.proxyTLS.roots"
        case proxyTLSVerification = "connection.proxyTLS.verification"
        case proxyTLSMinimumVersion = "connection.proxyTLS.minimumVersion"
        case proxyTLSMaximumVersion = "connection.proxyTLS.maximumVersion"
        case proxyTLSMinimumRSABits = "connection.proxyTLS.minimumRSABits"
        case proxyTLSIdentity = "connection.proxyTLS.identity"
        case proxyTLSPins = "connection.proxyTLS.pins"
        case proxyTLSCheck = "connection.proxyTLS.check"
        case proxyTLSKeyLogFile = "connection.proxyTLS.keyLogFile"
        case resolve = "connection.resolve"
        case resolver = "connection.resolver"
        case addressLifetime = "connection.addressLifetime"
        case unixSocket = "connection.unixSocket"
        case addressFamily = "connection.addressFamily"
        case allowedAddresses = "connection.allowedAddresses"
        case interface = "connection.interface"
        case connectionsPerOrigin = "connection.connectionsPerOrigin"
        case connections = "connection.connections"
        case idleConnectionLifetime = "connection.idleConnectionLifetime"
        case connectionLifetime = "connection.connectionLifetime"
        case exchangesPerConnection = "connection.exchangesPerConnection"
    }

    /// The settings that differ from the defaults. A proxy counts even if the environment names it: without the proxy, a
    /// request would go another way.
    public var changed: Set<Name> {
        let standard = ConnectionSettings()
        let differences: [(Name, Bool)] = [
            (.httpVersion, httpVersion != standard.httpVersion),
            (.tlsRoots, tls.roots != standard.tls.roots),
            (.tlsVerification, tls.verification != standard.tls.verification),
            (.tlsMinimumVersion, tls.minimumVersion != standard.tls.minimumVersion),
            (.tlsMaximumVersion, tls.maximumVersion != standard.tls.maximumVersion),
            (.tlsMinimumRSABits, tls.minimumRSABits != standard.tls.minimumRSABits),
            (.tlsIdentity, tls.identity != standard.tls.identity),
            (.tlsPins, tls.pins != standard.tls.pins),
            (.tlsCheck, tls.check != standard.tls.check),
            (.tlsKeyLogFile, tls.keyLogFile != standard.tls.keyLogFile),
            (.proxy, !proxy.isNone),
            (.proxyTLSRoots, proxyTLS.roots != standard.tls.roots),
            (.proxyTLSVerification, proxyTLS.verification != standard.tls.verification),
            (.proxyTLSMinimumVersion, proxyTLS.minimumVersion != standard.tls.minimumVersion),
            (.proxyTLSMaximumVersion, proxyTLS.maximumVersion != standard.tls.maximumVersion),
            (.proxyTLSMinimumRSABits, proxyTLS.minimumRSABits != standard.tls.minimumRSABits),
            (.proxyTLSIdentity, proxyTLS.identity != standard.tls.identity),
            (.proxyTLSPins, proxyTLS.pins != standard.tls.pins),
            (.proxyTLSCheck, proxyTLS.check != standard.tls.check),
            (.proxyTLSKeyLogFile, proxyTLS.keyLogFile != standard.tls.keyLogFile),
            (.resolve, resolve != standard.resolve),
            (.resolver, resolver != standard.resolver),
            (.addressLifetime, addressLifetime != standard.addressLifetime),
            (.unixSocket, unixSocket != standard.unixSocket),
            (.addressFamily, addressFamily != standard.addressFamily),
            (.allowedAddresses, allowedAddresses != standard.allowedAddresses),
            (.interface, interface != standard.interface),
            (.connectionsPerOrigin, connectionsPerOrigin != standard.connectionsPerOrigin),
            (.connections, connections != standard.connections),
            (.idleConnectionLifetime, idleConnectionLifetime != standard.idleConnectionLifetime),
            (.connectionLifetime, connectionLifetime != standard.connectionLifetime),
            (.exchangesPerConnection, exchangesPerConnection != standard.exchangesPerConnection),
        ]
        return Set(differences.lazy.filter(\.1).map(\.0))
    }
}
