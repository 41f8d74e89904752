// Ends connections of HTTP/2 whose clients broke it.
#if Server
import NIOCore

/// Closes a connection on which NIO has said that its client broke the protocol or sent too much of something, which NIO
/// itself leaves open. Stands where frames are bytes, since GOAWAY is seen nowhere else.
final class GoAwayWatch: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How long the client may take to read why.
    private static let patience = TimeAmount.seconds(1)

    /// The nine bytes in front of the frame that is being sent, and of a GOAWAY also the last stream and the error code.
    private var head: [UInt8] = []
    private var content: [UInt8] = []
    /// How many bytes of the frame are still to come behind its head.
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
        end = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
        // Only our side: a full close with unread bytes would reset the connection and could lose the GOAWAY.
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
