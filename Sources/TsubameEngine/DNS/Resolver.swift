// Resolver: from a host and port to the socket addresses to be tried.

import TsubameCore
import TsubameSockets

enum Resolver {
    /// The addresses of an endpoint that needs no look-up, in the order in which they are to be tried.
    ///
    /// Literals and `localhost` (RFC 6761 section 6.3: with all names below it) need none. The answers of earlier look-ups
    /// are kept.
    /// - Returns: nil if the name has to be looked up.
    /// - Throws: ``CallError/Kind/nameResolution`` if the host has a zone (RFC 4007) that this machine has not, or if a
    ///   kept answer of the resolver holds no address.
    static func known(_ endpoint: HostPort, _ shared: SharedSettings) throws(CallError) -> [SocketAddress]? {
        if let addresses = try literal(endpoint) { return addresses }
        let known = shared.settings.resolver.cache.known(endpoint.host, lifetime: shared.settings.addressLifetime)
        return try known.map { texts throws(CallError) in try socketAddresses(texts, endpoint.host, endpoint.port) }
    }

    /// Looks a name up.
    /// - Parameter done: called once on the loop.
    static func lookUp(
        _ endpoint: HostPort, _ shared: SharedSettings, on loop: NIOLoop,
        _ done: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
    ) {
        shared.settings.resolver.cache.ask(endpoint.host) { result in
            loop.execute {
                done(
                    result.flatMap { answer in
                        Result { try socketAddresses(answer.addresses, endpoint.host, endpoint.port) }
                    })
            }
        }
    }

    /// - Returns: nil if the host is a name that has to be looked up.
    /// - Throws: ``CallError/Kind/nameResolution`` if the host has a zone (RFC 4007) that this machine has not.
    static func literal(_ endpoint: HostPort) throws(CallError) -> [SocketAddress]? {
        let host = endpoint.host
        if let address = SocketAddress(ip: host, port: endpoint.port) { return [address] }
        if let mark = host.utf8.firstIndex(of: UInt8(ascii: "%")) {
            let zone = String(host[host.utf8.index(after: mark)...])
            throw CallError(
                .nameResolution, "this machine has no network interface \(Redaction.printable(zone))",
                phase: .resolving, advice: "name one of its interfaces behind %25, such as http://[fe80::1%25eth0]/")
        }
        guard Origin.isLocalhost(host) else { return nil }
        return ["127.0.0.1", "::1"].compactMap { SocketAddress(ip: $0, port: endpoint.port) }
    }

    private static func socketAddresses(_ texts: [String], _ host: String, _ port: UInt16) throws(CallError)
        -> [SocketAddress]
    {
        guard !texts.isEmpty else {
            throw CallError(.nameResolution, "\(host) has no address", phase: .resolving)
        }
        return try texts.map { text throws(CallError) in
            guard let address = SocketAddress(ip: text, port: port) else {
                throw CallError(
                    .nameResolution, "the resolver says that \(host) is at \(Redaction.printable(text)), no address",
                    phase: .resolving)
            }
            return address
        }
    }
}
