// Keeps the bytes of requests' heads as they come from the socket.
#if Server
import NIOCore

/// Stands before the decoder, and hands the heads to whoever hears from the decoder behind it.
final class WireTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var scanner = WireScanner()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        scanner.scan(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }

    /// The head that the decoder has just accepted; nil if its bytes are not known, since the stream holds what the
    /// scanner does not understand.
    func takeHead(method: String, target: String) -> [UInt8]? {
        guard let head = scanner.takeHead(), head.starts(with: "\(method) \(target) ".utf8) else { return nil }
        return head
    }
}

#endif
