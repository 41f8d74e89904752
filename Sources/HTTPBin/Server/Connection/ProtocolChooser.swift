// ProtocolChooser: finds out which HTTP version a client speaks, before anything is read.
#if Server
import NIOCore
import NIOTLS

/// Stands at the end of a connection's pipeline until the client has shown its protocol. Under TLS the protocol comes
/// from ALPN. Without TLS it comes from the connection preface, with which no HTTP/1.1 request begins (RFC 9113 section
/// 3.4).
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

    /// - Parameter install: adds the protocol's handlers after this handler, at once.
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

    /// Receives the error of a failed handshake.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        if !hasChosen { context.close(promise: nil) }
    }

    /// - Parameter event: the event that made the choice, for the handlers that are installed.
    private func choose(_ choice: Choice, _ context: ChannelHandlerContext, event: Any? = nil) {
        hasChosen = true
        install(choice).assumeIsolated().whenComplete { result in
            guard case .success = result else { return context.close(promise: nil) }
            // Forwards all input before this handler leaves; afterwards no handler would receive it.
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
