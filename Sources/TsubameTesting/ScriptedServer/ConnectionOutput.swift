// ConnectionOutput: the outgoing bytes of a connection, beneath its HTTP/2 codec and above TLS.
#if TestServer

internal import NIOCore

/// Lets a script write bytes between frames, cut a frame in the middle, and end the connection. Confined to the event
/// loop of its connection.
final class ConnectionOutput: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The number of bytes that are still sent; what follows is lost without an error. Nil for no limit.
    var limit: Int?
    /// Whether bytes have gone either way, so that a TLS handshake, if there is one, is over.
    private(set) var hasMoved = false
    /// The number of GOAWAY frames that a script has sent, and of all that were written.
    var scriptedGoAways = 0
    private(set) var sentGoAways = 0
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasMoved = true
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.hasMoved = true }
        var bytes = Self.unwrapOutboundIn(data)
        if Self.isGoAway(bytes) { sentGoAways += 1 }
        guard let left = limit else {
            context.write(data, promise: promise)
            return
        }
        let count = min(left, bytes.readableBytes)
        limit = left - count
        guard let first = bytes.readSlice(length: count), count > 0 else { return promise.succeed() }
        context.write(Self.wrapOutboundOut(first), promise: promise)
    }

    /// Whether the bytes are a GOAWAY frame (RFC 9113 section 6.8). The codec writes each such frame on its own.
    private static func isGoAway(_ bytes: ByteBuffer) -> Bool {
        let start = bytes.readerIndex
        guard let length = bytes.getInteger(at: start, as: UInt32.self).map({ $0 >> 8 }),
            bytes.readableBytes == Int(length) + 9
        else { return false }
        return bytes.getInteger(at: start + 3, as: UInt8.self) == 7
            && bytes.getInteger(at: start + 5, as: UInt32.self) == 0
    }

    /// Writes these bytes now, in one write of the socket. Over TLS each buffer is a record.
    func write(_ buffers: [ByteBuffer], promise: EventLoopPromise<Void>) {
        guard let context else { return promise.fail(ChannelError.ioOnClosedChannel) }
        guard let last = buffers.last else { return promise.succeed() }
        for buffer in buffers.dropLast() { write(context: context, data: Self.wrapOutboundOut(buffer), promise: nil) }
        write(context: context, data: Self.wrapOutboundOut(last), promise: promise)
        context.flush()
    }

    /// Ends the sending direction, with TLS after a close_notify.
    func closeOutput(then done: @escaping () -> Void) {
        guard let context else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in done() }
        context.close(mode: .output, promise: promise)
    }

    func end(by end: ServerWire.End) { context?.triggerUserOutboundEvent(end, promise: nil) }
}
#endif
