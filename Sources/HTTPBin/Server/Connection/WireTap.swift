// WireTap: keeps the bytes of requests' heads as they come from the socket.
#if Server
import NIOCore

/// Stands before the decoder, and hands the heads to the handler after the decoder.
final class WireTap: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var scanner = WireScanner()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        scanner.scan(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }

    /// The head that the decoder has just accepted. Nil if its bytes are not known, because the scanner did not
    /// understand the bytes of the connection.
    func takeHead(method: String, target: String) -> [UInt8]? {
        guard let head = scanner.takeHead(), head.starts(with: "\(method) \(target) ".utf8) else { return nil }
        return head
    }
}

#endif
