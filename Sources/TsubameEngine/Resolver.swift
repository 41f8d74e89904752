// Resolver: from a host's name to addresses.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif
import NIOCore
import NIOPosix
import TsubameCore

enum Resolver {
    /// The addresses of `host`, in the order in which they are to be tried.
    ///
    /// Literals and `localhost` (RFC 6761 section 6.3: with all names below it) need no look-up; anything else is asked
    /// of the system on a thread that may block.
    static func addresses(of origin: Origin, settings: ConnectionSettings, on loop: any EventLoop)
        -> EventLoopFuture<[SocketAddress]>
    {
        var host = origin.host
        var port = Int(origin.port)
        if let override = override(for: "\(host):\(port)", in: settings.resolve) {
            // Without a port of its own the address is taken with the origin's, which is its scheme's unless named.
            let hasPort = override.last != "]" && override.split(separator: ":").count > 1
            guard let target = Origin("http://\(override)\(hasPort ? "" : ":\(port)")") else {
                return loop.makeFailedFuture(
                    CallError(
                        .invalidRequest, "resolve[\"\(host):\(port)\"] is no address and port: \(override)",
                        advice: "an IPv6 address stands in brackets"))
            }
            host = target.host
            port = Int(target.port)
        }
        if let address = try? SocketAddress(ipAddress: host, port: port) { return loop.makeSucceededFuture([address]) }
        if host == "localhost" || host.hasSuffix(".localhost") {
            let loopback = ["127.0.0.1", "::1"].compactMap { try? SocketAddress(ipAddress: $0, port: port) }
            return loop.makeSucceededFuture(loopback)
        }
        let (promise, number) = (loop.makePromise(of: [SocketAddress].self), port)
        lookUps.ask(host) { result in
            promise.completeWith(
                result.flatMap { addresses in
                    Result { try addresses.map { try SocketAddress(ipAddress: $0, port: number) } }
                })
        }
        return promise.futureResult
    }

    /// Hosts are compared without regard to case.
    private static func override(for name: String, in overrides: [String: String]) -> String? {
        if overrides.isEmpty { return nil }
        return overrides[name] ?? overrides.first { $0.key.lowercased() == name }?.value
    }

    private static let lookUps = LookUps(lookUp)

    private static func lookUp(_ host: String) throws -> [String] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            throw CallError(
                .nameResolution, "\(host) has no address: \(String(cString: gai_strerror(status)))", phase: .resolving,
                advice: "check the host's name and the network")
        }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let name = entry.ai_addr else { continue }
            // By way of the numeric text, which is the one form that both the system and NIO read and write.
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(name, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        guard !addresses.isEmpty else {
            throw CallError(.nameResolution, "\(host) has no address", phase: .resolving)
        }
        return addresses
    }
}
