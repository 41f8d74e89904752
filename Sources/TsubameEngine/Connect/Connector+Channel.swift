// What stands on the channel of a connection that is being made.

import NIOCore
import NIOSSL
import TsubameCore
import TsubameWire

extension Connector {
    /// The sizes of a connection's reads. They grow as long as each read fills its buffer. A connection whose reader was
    /// slow starts again with the first size for each new buffer. The channel keeps its largest buffer.
    static let reads = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10)

    /// Adds the handlers of the first step: the proxy, or the connection itself.
    func addHandlers(to channel: SocketChannel, _ attempt: AddressAttempt) throws {
        channel.reads = Self.reads
        if let proxy = key.proxy {
            try addProxy(proxy, to: channel, attempt)
        } else {
            try addConnection(to: channel, attempt)
        }
    }

    private func addProxy(_ proxy: Proxy, to channel: any Channel, _ attempt: AddressAttempt) throws {
        let tls = try contexts.proxy.map {
            try tlsHandler($0, for: proxy.host, attempt.capture.flatMap { $0.isOfProxy ? $0 : nil })
        }
        if let tls { try channel.pipeline.syncOperations.addHandler(tls) }
        try channel.pipeline.syncOperations.addHandler(ProxyHandler(self, attempt, try handshake(), tls: tls))
    }

    func addConnection(to channel: any Channel, _ attempt: AddressAttempt) throws {
        let tls = try contexts.origin.map {
            try tlsHandler($0, for: key.origin.host, attempt.capture.flatMap { $0.isOfProxy ? nil : $0 })
        }
        if let tls { try channel.pipeline.syncOperations.addHandler(tls) }
        let negotiation = ProtocolNegotiation(self, tls: tls)
        attempt.negotiation = negotiation
        try channel.pipeline.syncOperations.addHandler(negotiation)
    }

    private func tlsHandler(
        _ context: NIOSSLContext, for host: String, _ capture: ChainCapture?
    ) throws -> NIOSSLClientHandler {
        // SNI holds neither an IP literal nor the root's dot (RFC 6066 section 3).
        let name = IPAddress(host) == nil ? DomainName.withoutRootDot(host) : nil
        return try capture?.handler(context, serverName: name)
            ?? NIOSSLClientHandler(context: context, serverHostname: name)
    }
}
