// Which HTTP a client speaks, found before anything is read.
#if Server
import NIOCore
import NIOTLS

/// Stands at the end of a connection's pipeline until its client has shown what it speaks: by ALPN under TLS, elsewhere by
/// the connection preface, which no request of HTTP/1.1 begins with (RFC 9113 section 3.4).
final class ProtocolChooser: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    enum Choice: Sendable {
        case http1, http2
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private let hasTLS: Bool
    private let install: (Choice) -> EventLoopFuture<Void>
    private var input = ByteBuffer()
    private var hasChosen = false

    /// - Parameter install: puts what serves the protocol behind this handler, at once.
    init(hasTLS: Bool, install: @escaping (Choice) -> EventLoopFuture<Void>) {
        self.hasTLS = hasTLS
        self.install = install
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasChosen else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        input.writeBuffer(&bytes)
        guard !hasTLS else { return }
        let start = input.readableBytesView.prefix(Self.preface.count)
        if !Self.preface.starts(with: start) {
            choose(.http1, context)
        } else if start.count == Self.preface.count {
            choose(.http2, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !hasChosen, case .handshakeCompleted(let name)? = event as? TLSUserEvent {
            choose(name == "h2" ? .http2 : .http1, context, event: event)
        } else if !hasChosen, case .inputClosed? = event as? ChannelEvent {
            choose(.http1, context, event: event)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// A handshake that failed.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        if !hasChosen { context.close(promise: nil) }
    }

    /// - Parameter event: what has made the choice, for whoever is installed.
    private func choose(_ choice: Choice, _ context: ChannelHandlerContext, event: Any? = nil) {
        hasChosen = true
        install(choice).assumeIsolated().whenComplete { result in
            guard case .success = result else { return context.close(promise: nil) }
            // All of it before this handler is gone: behind that it reaches nobody.
            if self.input.readableBytes > 0 {
                context.fireChannelRead(self.wrapInboundOut(self.input))
                context.fireChannelReadComplete()
            }
            if let event { context.fireUserInboundEventTriggered(event) }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }
}

#endif
