// Resolver: from a host and port to the socket addresses to be tried.

import NIOCore
import TsubameCore

enum Resolver {
    /// The addresses of an endpoint, in the order in which they are to be tried.
    ///
    /// Literals and `localhost` (RFC 6761 section 6.3: with all names below it) need no look-up.
    static func addresses(
        of endpoint: HostPort, _ settings: ConnectionSettings, on loop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        let (host, port) = (endpoint.host, Int(endpoint.port))
        if let address = try? SocketAddress(ipAddress: host, port: port) { return loop.makeSucceededFuture([address]) }
        do throws(CallError) {
            if let address = try LinkLocalAddress.address(of: endpoint) { return loop.makeSucceededFuture([address]) }
        } catch {
            return loop.makeFailedFuture(error)
        }
        if Origin.isLocalhost(host) {
            let loopback = ["127.0.0.1", "::1"].compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            return loop.makeSucceededFuture(loopback)
        }
        let names = settings.resolver.cache
        if let known = names.known(host, lifetime: settings.addressLifetime) {
            return loop.makeCompletedFuture { try socketAddresses(known, host, port) }
        }
        let promise = loop.makePromise(of: [SocketAddress].self)
        names.ask(host) { result in
            promise.completeWith(
                result.flatMap { answer in Result { try socketAddresses(answer.addresses, host, port) } })
        }
        return promise.futureResult
    }

    private static func socketAddresses(_ texts: [String], _ host: String, _ port: Int) throws -> [SocketAddress] {
        guard !texts.isEmpty else {
            throw CallError(.nameResolution, "\(host) has no address", phase: .resolving)
        }
        return try texts.map { text in
            guard let address = try? SocketAddress(ipAddress: text, port: port) else {
                throw CallError(
                    .nameResolution, "the resolver says that \(host) is at \(Redaction.printable(text)), no address",
                    phase: .resolving)
            }
            return address
        }
    }
}
