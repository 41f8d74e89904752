// What receives the bytes of a connection that is being made.

import NIOCore
import NIOSSL
import TsubameCore
import TsubameWire

extension Connector {
    /// The sizes of a connection's reads. They grow as long as each read fills its buffer. A connection whose reader was
    /// slow starts again with the first size for each new buffer. The channel keeps its largest buffer.
    static let reads = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10)

    /// Gives the channel to the first step: the conversation with the proxy, or the connection itself.
    func addReceiver(to channel: SocketChannel, _ attempt: AddressAttempt) throws {
        channel.reads = Self.reads
        guard let proxy = key.proxy else { return try addConnection(to: channel, attempt) }
        let tls = try contexts.proxy.map {
            try tlsHandler($0, for: proxy.host, attempt.capture.flatMap { $0.isOfProxy ? $0 : nil })
        }
        channel.receiver = ProxyConversation(self, attempt, channel, try handshake(), tls: tls)
        if let tls { try channel.addTLS(tls) }
    }

    func addConnection(to channel: SocketChannel, _ attempt: AddressAttempt) throws {
        let tls = try contexts.origin.map {
            try tlsHandler($0, for: key.origin.host, attempt.capture.flatMap { $0.isOfProxy ? nil : $0 })
        }
        let negotiation = ProtocolNegotiation(self, channel, tls: tls)
        attempt.negotiation = negotiation
        channel.receiver = negotiation
        if let tls { try channel.addTLS(tls) }
        // After a proxy the socket was connected before.
        if channel.state == .active { negotiation.connected() }
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
