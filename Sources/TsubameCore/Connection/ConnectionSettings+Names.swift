// The names of connection settings, for transports that do not honour all of them.

extension ConnectionSettings {
    /// The name of a connection setting. Its raw value is the name as a program writes it.
    public enum Name: String, Sendable, Hashable, CaseIterable {
        /// A property of ``ConnectionSettings``.
        case httpVersion = "connection.httpVersion",
            proxy = "connection.proxy",
            resolve = "connection.resolve",
            resolver = "connection.resolver",
            addressLifetime = "connection.addressLifetime",
            unixSocket = "connection.unixSocket",
            addressFamily = "connection.addressFamily",
            allowedAddresses = "connection.allowedAddresses",
            interface = "connection.interface",
            connectionsPerOrigin = "connection.connectionsPerOrigin",
            connections = "connection.connections",
            idleConnectionLifetime = "connection.idleConnectionLifetime",
            connectionLifetime = "connection.connectionLifetime",
            exchangesPerConnection = "connection.exchangesPerConnection"
        /// A property of ``ConnectionSettings/tls``.
        case tlsRoots = "connection.tls.roots",
            tlsVerification = "connection.tls.verification",
            tlsMinimumVersion = "connection.tls.minimumVersion",
            tlsMaximumVersion = "connection.tls.maximumVersion",
            tlsCipherSuites = "connection.tls.cipherSuites",
            tlsMinimumRSABits = "connection.tls.minimumRSABits",
            tlsIdentity = "connection.tls.identity",
            tlsPins = "connection.tls.pins",
            tlsCheck = "connection.tls.check",
            tlsKeyLogFile = "connection.tls.keyLogFile"
        /// A property of ``ConnectionSettings/proxyTLS``.
        case proxyTLSRoots = "connection.proxyTLS.roots",
            proxyTLSVerification = "connection.proxyTLS.verification",
            proxyTLSMinimumVersion = "connection.proxyTLS.minimumVersion",
            proxyTLSMaximumVersion = "connection.proxyTLS.maximumVersion",
            proxyTLSCipherSuites = "connection.proxyTLS.cipherSuites",
            proxyTLSMinimumRSABits = "connection.proxyTLS.minimumRSABits",
            proxyTLSIdentity = "connection.proxyTLS.identity",
            proxyTLSPins = "connection.proxyTLS.pins",
            proxyTLSCheck = "connection.proxyTLS.check",
            proxyTLSKeyLogFile = "connection.proxyTLS.keyLogFile"
    }

    /// The settings that differ from the defaults. A proxy counts even if the environment names it: without the proxy, a
    /// request would go another way.
    public var changed: Set<Name> {
        var names = differences(from: ConnectionSettings())
        if proxy.isNone { names.remove(.proxy) } else { names.insert(.proxy) }
        return names
    }

    /// The settings that differ from those of `standard`.
    package func differences(from standard: ConnectionSettings) -> Set<Name> {
        let differences: [(Name, Bool)] = [
            (.httpVersion, httpVersion != standard.httpVersion),
            (.tlsRoots, tls.roots != standard.tls.roots),
            (.tlsVerification, tls.verification != standard.tls.verification),
            (.tlsMinimumVersion, tls.minimumVersion != standard.tls.minimumVersion),
            (.tlsMaximumVersion, tls.maximumVersion != standard.tls.maximumVersion),
            (.tlsCipherSuites, tls.cipherSuites != standard.tls.cipherSuites),
            (.tlsMinimumRSABits, tls.minimumRSABits != standard.tls.minimumRSABits),
            (.tlsIdentity, tls.identity != standard.tls.identity),
            (.tlsPins, tls.pins != standard.tls.pins),
            (.tlsCheck, tls.check != standard.tls.check),
            (.tlsKeyLogFile, tls.keyLogFile != standard.tls.keyLogFile),
            (.proxy, proxy != standard.proxy),
            (.proxyTLSRoots, proxyTLS.roots != standard.proxyTLS.roots),
            (.proxyTLSVerification, proxyTLS.verification != standard.proxyTLS.verification),
            (.proxyTLSMinimumVersion, proxyTLS.minimumVersion != standard.proxyTLS.minimumVersion),
            (.proxyTLSMaximumVersion, proxyTLS.maximumVersion != standard.proxyTLS.maximumVersion),
            (.proxyTLSCipherSuites, proxyTLS.cipherSuites != standard.proxyTLS.cipherSuites),
            (.proxyTLSMinimumRSABits, proxyTLS.minimumRSABits != standard.proxyTLS.minimumRSABits),
            (.proxyTLSIdentity, proxyTLS.identity != standard.proxyTLS.identity),
            (.proxyTLSPins, proxyTLS.pins != standard.proxyTLS.pins),
            (.proxyTLSCheck, proxyTLS.check != standard.proxyTLS.check),
            (.proxyTLSKeyLogFile, proxyTLS.keyLogFile != standard.proxyTLS.keyLogFile),
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
