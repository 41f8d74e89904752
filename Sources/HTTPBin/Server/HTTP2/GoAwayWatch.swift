// GoAwayWatch: closes connections of HTTP/2 whose clients broke the protocol.
#if Server
import NIOCore

/// Closes a connection after NIO has sent GOAWAY because the client broke the protocol or sent too much; NIO itself
/// leaves it open. The handler stands where frames are bytes, because GOAWAY is visible nowhere else.
final class GoAwayWatch: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The time that a client has to read the reason.
    private static let closeTimeout = TimeAmount.seconds(1)

    /// The nine bytes of the frame header that is being sent; of a GOAWAY also the last stream and the error code.
    private var head: [UInt8] = []
    private var content: [UInt8] = []
    /// The number of bytes of the frame that follow its header.
    private var left = 0
    private var isClosing = false
    private var end: Scheduled<Void>?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !isClosing, case .byteBuffer(let bytes) = unwrapOutboundIn(data) { scan(bytes.readableBytesView) }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isClosing, end == nil else { return }
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: Self.closeTimeout) { channel.close(promise: nil) }
        // Closes only the sending side: a full close with unread bytes would reset the connection and could lose the
        // GOAWAY.
        context.eventLoop.execute { channel.close(mode: .output, promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    private func scan(_ bytes: ByteBufferView) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if head.count < 9 {
                let piece = rest.prefix(9 - head.count)
                head += piece
                rest = rest.dropFirst(piece.count)
                guard head.count == 9 else { return }
                left = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            }
            let piece = rest.prefix(left)
            left -= piece.count
            rest = rest.dropFirst(piece.count)
            if head[3] == 0x7, content.count < 8 {
                content += piece.prefix(8 - content.count)
                isClosing = content.count == 8 && content[4...].contains { $0 != 0 }
            }
            if left == 0 { (head, content) = ([], []) }
        }
    }
}

#endif
