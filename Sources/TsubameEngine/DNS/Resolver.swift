// Resolver: from a host and port to the socket addresses to be tried.

import TsubameCore
import TsubameSockets

enum Resolver {
    /// Finds the addresses of an endpoint, in the order in which they are to be tried.
    ///
    /// Literals and `localhost` (RFC 6761 section 6.3: with all names below it) need no look-up.
    /// - Parameter done: called once on the loop, and at once if no look-up is needed.
    static func resolve(
        _ endpoint: HostPort, _ shared: SharedSettings, on loop: NIOLoop,
        _ done: @escaping @Sendable (Result<[SocketAddress], any Error>) -> Void
    ) {
        let (host, port) = (endpoint.host, endpoint.port)
        do throws(CallError) {
            if let addresses = try literal(endpoint) { return done(.success(addresses)) }
        } catch {
            return done(.failure(error))
        }
        let names = shared.settings.resolver.cache
        if let known = names.known(host, lifetime: shared.settings.addressLifetime) {
            return done(Result { try socketAddresses(known, host, port) })
        }
        names.ask(host) { result in
            loop.execute {
                done(result.flatMap { answer in Result { try socketAddresses(answer.addresses, host, port) } })
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

    private static func socketAddresses(_ texts: [String], _ host: String, _ port: UInt16) throws -> [SocketAddress] {
        guard !texts.isEmpty else {
            throw CallError(.nameResolution, "\(host) has no address", phase: .resolving)
        }
        return try texts.map { text in
            guard let address = SocketAddress(ip: text, port: port) else {
                throw CallError(
                    .nameResolution, "the resolver says that \(host) is at \(Redaction.printable(text)), no address",
                    phase: .resolving)
            }
            return address
        }
    }
}
