// ServerWire: ends a TCP connection beneath TLS. Only this file knows the platform's socket options.
#if TestServer

internal import NIOCore
import TsubamePlatform

/// The outermost handler of a connection. A close through the TLS handler would send a close_notify first and wait for
/// an answer.
final class ServerWire: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    /// The way in which a connection ends; triggered as an outbound event, from any thread.
    enum End: Sendable {
        /// By FIN, or by RST if there are unread bytes.
        case cutOff
        /// By RST.
        case reset
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let end = event as? End else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        if end == .reset, let socket = context.channel as? any SocketOptionProvider {
            // If the option cannot be set, the close is a plain close.
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: promise)
    }
}
#endif
