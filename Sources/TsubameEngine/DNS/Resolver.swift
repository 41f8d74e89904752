// Resolver: from a host and port to the socket addresses to be tried.

import NIOCore
import TsubameCore

/// A host and a port that somebody is to connect to.
struct HostPort {
    let host: String
    let port: UInt16
}

enum Resolver {
    /// Where the origin really is: itself, or what `settings.resolve` names in its place.
    /// - Throws: ``CallError/Kind/invalidRequest`` if that is no address.
    static func endpoint(of origin: Origin, _ settings: ConnectionSettings) throws(CallError) -> HostPort {
        if settings.resolve.isEmpty { return HostPort(host: origin.host, port: origin.port) }
        let name = "\(origin.host):\(origin.port)"
        guard let override = override(for: origin, in: settings.resolve) else {
            return HostPort(host: origin.host, port: origin.port)
        }
        // Without a port of its own the address is taken with the origin's, which is its scheme's unless named.
        let hasPort = override.last != "]" && override.split(separator: ":").count > 1
        guard !override.contains(where: { "/?#@".contains($0) }),
            let target = Origin("http://\(override)\(hasPort ? "" : ":\(origin.port)")")
        else {
            throw CallError(
                .invalidRequest, "resolve[\"\(name)\"] is no address and port: \(override)",
                advice: "an IPv6 address stands in brackets")
        }
        return HostPort(host: target.host, port: target.port)
    }

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
        let names = settings.resolver.names
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

    /// One that names the port comes first, one for all hosts last. Hosts are compared in the form in which a URL has them.
    private static func override(for origin: Origin, in overrides: [String: String]) -> String? {
        let withPort = "\(origin.host):\(origin.port)"
        if let override = overrides[withPort] { return override }
        var found: String?
        for (key, override) in overrides {
            guard let name = canonical(key) else { continue }
            if name == withPort { return override }
            if name == origin.host { found = override }
        }
        return found ?? overrides["*:\(origin.port)"] ?? overrides["*"]
    }

    /// `host` or `host:port` with the host as a URL has it; nil for what is neither.
    static func canonical(_ key: String) -> String? {
        guard !key.utf8.contains(UInt8(ascii: "/")) else { return nil }
        // As keys, IPv6 addresses may be written without brackets.
        if IPAddress(key) != nil { return Origin("http://\(key.utf8.contains(0x3A) ? "[\(key)]" : key)")?.host }
        guard let colon = key.utf8.lastIndex(of: UInt8(ascii: ":")), key.utf8.last != UInt8(ascii: "]") else {
            return Origin("http://\(key)")?.host
        }
        let (host, port) = (key[..<colon], key[key.utf8.index(after: colon)...])
        let isBare = host.utf8.contains(UInt8(ascii: ":")) && host.utf8.first != UInt8(ascii: "[")
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            return nil
        }
        return Origin("http://\(isBare ? "[\(host)]" : String(host))").map { "\($0.host):\(number)" }
    }
}
