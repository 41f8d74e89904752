// HandshakeReport: the handler after the one of TLS.

import NIOCore
import NIOTLS

/// Tells the channel's receiver that a handshake is complete, and then leaves the pipeline together with the reader of the
/// server's hello.
final class HandshakeReport: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let reader: ServerHelloReader

    init(_ reader: ServerHelloReader) { self.reader = reader }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent else { return }
        let channel = context.channel as? SocketChannel
        context.pipeline.syncOperations.removeHandler(reader, promise: nil)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        channel?.receiver?.secured(applicationProtocol)
    }
}
