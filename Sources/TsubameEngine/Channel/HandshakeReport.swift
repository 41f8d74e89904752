// HandshakeReport: the handler after the one of TLS.

import NIOCore
import NIOTLS

/// Tells the channel's receiver that a handshake is complete.
final class HandshakeReport: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let applicationProtocol)? = event as? TLSUserEvent else { return }
        (context.channel as? SocketChannel)?.receiver?.secured(applicationProtocol)
    }
}
