// HandshakeReport: the handler after the one of TLS.

import NIOCore
import NIOTLS

/// Tells the channel's receiver that a handshake is complete, and then leaves the pipeline.
final class HandshakeReport: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent else { return }
        let channel = context.channel as? SocketChannel
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        channel?.receiver?.secured(applicationProtocol)
    }
}
