// ServerWire: ends a TCP connection beneath TLS, and makes frames for connections on which no codec works yet. Only this file
// knows the platform's socket options.
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

    /// An empty SETTINGS frame, the first that a server of HTTP/2 has to send (RFC 9113 section 3.4).
    static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// A GOAWAY frame (RFC 9113 section 6.8).
    static func goAway(_ code: UInt32, lastStream: Int) -> [UInt8] {
        let last = UInt32(min(max(lastStream, 0), Int(Int32.max)))
        let numbers = [last, code].flatMap { number in
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return [0, 0, 8, 7, 0, 0, 0, 0, 0] + numbers
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
