// SlowLink: delays the bytes of a connection beneath TLS, as LinkConditions say.
#if TestServer

internal import NIOCore

/// Confined to the event loop of its connection.
final class SlowLink: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let start = NIODeadline.now()
    private var schedule: LinkConditions.Schedule
    /// The number of pieces that wait to be sent.
    private var waiting = 0
    /// A close of the sending direction that waits for them.
    private var closing: (() -> Void)?
    private var readableAt = Duration.zero

    init(_ schedule: LinkConditions.Schedule) { self.schedule = schedule }

    private var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = Self.unwrapOutboundIn(data)
        repeat {
            guard let piece = bytes.readSlice(length: min(schedule.pieceBytes, bytes.readableBytes)) else { return }
            let due = schedule.due(piece.readableBytes, writtenAt: now)
            let promise = bytes.readableBytes == 0 ? promise : nil
            waiting += 1
            context.eventLoop.assumeIsolated().scheduleTask(deadline: start + TimeAmount(due)) {
                self.waiting -= 1
                context.writeAndFlush(Self.wrapOutboundOut(piece), promise: promise)
                guard self.waiting == 0, let closing = self.closing else { return }
                self.closing = nil
                closing()
            }
        } while bytes.readableBytes > 0
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output, waiting > 0 else { return context.close(mode: mode, promise: promise) }
        closing = { context.close(mode: mode, promise: promise) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        readableAt = schedule.read(Self.unwrapInboundIn(data).readableBytes, at: now)
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard readableAt > now else { return context.read() }
        context.eventLoop.assumeIsolated().scheduleTask(deadline: start + TimeAmount(readableAt)) { context.read() }
    }
}
#endif
