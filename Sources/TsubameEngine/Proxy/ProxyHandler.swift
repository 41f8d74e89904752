// ProxyHandler: speaks to the proxy at the beginning of a connection, and then makes way.

import NIOCore
import NIOSSL
import NIOTLS
import TsubameCore
import TsubameWire

// Guarded by confinement to its channel's loop.
final class ProxyHandler: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connector: Connector
    private let attempt: AddressAttempt
    /// nil if the proxy takes requests as they are.
    private let handshake: (any ProxyHandshake)?
    /// What does TLS to the proxy, if it comes first.
    private let tls: NIOSSLClientHandler?
    private var input: [UInt8] = []
    private var isOver = false

    init(
        _ connector: Connector, _ attempt: AddressAttempt, _ handshake: (any ProxyHandshake)?, tls: NIOSSLClientHandler?
    ) {
        self.connector = connector
        self.attempt = attempt
        self.handshake = handshake
        self.tls = tls
    }

    func channelActive(context: ChannelHandlerContext) {
        connector.reachedProxy(attempt)
        if tls == nil { greet(context) }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let tls, let proxy = connector.key.proxy,
            case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent
        else { return context.fireUserInboundEventTriggered(event) }
        do throws(CallError) {
            // Before the proxy is told its credentials.
            let info = TLSInfo(tls, applicationProtocol: applicationProtocol)
            try connector.key.proxyTLS.check(info, tls.peerCertificate, host: proxy.host)
            greet(context)
        } catch {
            fail(error, context)
        }
    }

    private func greet(_ context: ChannelHandlerContext) {
        guard !isOver, context.channel.isActive else { return }
        guard let handshake else { return makeWay(context) }
        write(handshake.greeting, context)
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver, let handshake else { return }
        input += unwrapInboundIn(data).readableBytesView
        do throws(WireError) {
            while let answer = try handshake.receive(&input) {
                switch answer {
                case .send(let bytes): write(bytes, context)
                case .free:
                    // The origin does not speak first, so these are the proxy's.
                    guard input.isEmpty else { throw WireError(.proxy, "it says more than belongs to its answer") }
                    return makeWay(context)
                case .elsewhere: return renew(context)
                }
            }
        } catch {
            fail(error, context)
        }
    }

    private func makeWay(_ context: ChannelHandlerContext) {
        isOver = true
        let (connector, attempt) = (connector, attempt)
        context.pipeline.syncOperations.removeHandler(context: context).assumeIsolated().whenComplete { _ in
            connector.passedProxy(attempt)
        }
    }

    /// Says the rest on another connection.
    private func renew(_ context: ChannelHandlerContext) {
        guard !isOver else { return }
        guard connector.renew(attempt) else { return fail(ChannelError.eof, context) }
        isOver = true
        context.close(promise: nil)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        connector.failedAtProxy(error, attempt, certificate: tls?.peerCertificate)
        context.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { lose(error, context) }

    private func lose(_ error: any Error, _ context: ChannelHandlerContext) {
        if handshake?.mayBeginAnew == true { renew(context) } else { fail(error, context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose(ChannelError.eof, context)
        context.fireChannelInactive()
    }
}
