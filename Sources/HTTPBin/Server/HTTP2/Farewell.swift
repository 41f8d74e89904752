// Farewell: closes connections of HTTP/2 in order.
#if Server
import NIOCore
import NIOHTTP2

/// Sends GOAWAY before the connection is closed (RFC 9113 section 6.8). The frame names the highest stream that the
/// client has opened; the server did not process higher streams.
final class Farewell: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The highest stream that the client has opened.
    var lastStream = HTTP2StreamID.rootStream
    private var isSaid = false

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all, !isSaid {
            isSaid = true
            let frame = HTTP2Frame(
                streamID: .rootStream,
                payload: .goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
            context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        }
        context.close(mode: mode, promise: promise)
    }

    /// A client that has closed its sending side cannot acknowledge or open windows either, so it counts as gone.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

#endif
