// ServerWire: ends a TCP connection beneath TLS. The one file here that knows the platform's socket options.

internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The outermost handler of a connection. A close that passed through the TLS handler would say goodbye first, and wait
/// for an answer.
final class ServerWire: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    /// How a connection is to end; triggered as an outbound event, from any thread.
    enum End: Sendable {
        /// By FIN (or by RST, if there are bytes that nobody has read).
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
            // An option that cannot be set leaves a plain close.
            _ = socket.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        }
        context.close(promise: promise)
    }
}
