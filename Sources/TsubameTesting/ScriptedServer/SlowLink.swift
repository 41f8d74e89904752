// SlowLink: delays the bytes of a connection beneath TLS, as LinkConditions say.
#if TestServer

internal import NIOCore

/// Confined to the event loop of its connection.
final class SlowLink: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Bytes that wait to be sent.
    private struct Write {
        var bytes: ByteBuffer
        let writtenAt: Duration
        let promise: EventLoopPromise<Void>?
    }

    private let start = NIODeadline.now()
    private var schedule: LinkConditions.Schedule
    private let onMove: () -> Void
    private var writes = CircularBuffer<Write>()
    /// The timer of the next piece of the first write.
    private var sending: Scheduled<Void>?
    /// Closes of the sending direction, which wait until everything is sent.
    private var closings: [EventLoopPromise<Void>?] = []
    private var readableAt = Duration.zero
    private var reading: Scheduled<Void>?

    /// - Parameter onMove: called for each piece that is sent.
    init(_ schedule: LinkConditions.Schedule, onMove: @escaping () -> Void) {
        self.schedule = schedule
        self.onMove = onMove
    }

    private var now: Duration { .nanoseconds((NIODeadline.now() - start).nanoseconds) }

    // MARK: Sending

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        writes.append(Write(bytes: Self.unwrapOutboundIn(data), writtenAt: now, promise: promise))
        sendNext(context)
    }

    /// Sends the next piece of the first write when it is due.
    private func sendNext(_ context: ChannelHandlerContext) {
        // A piece that is sent may cause another write before its own timer asks for the next piece.
        guard sending == nil else { return }
        guard let write = writes.first else { return closeOutput(context) }
        let length = min(schedule.pieceBytes, write.bytes.readableBytes)
        let due = schedule.due(length, writtenAt: write.writtenAt)
        sending = context.eventLoop.assumeIsolated().scheduleTask(deadline: start + TimeAmount(due)) {
            self.sending = nil
            guard var write = self.writes.popFirst() else { return }
            let piece = write.bytes.readSlice(length: length) ?? ByteBuffer()
            let isLast = write.bytes.readableBytes == 0
            if !isLast { self.writes.prepend(write) }
            context.writeAndFlush(Self.wrapOutboundOut(piece), promise: isLast ? write.promise : nil)
            self.onMove()
            self.sendNext(context)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output, sending != nil else { return context.close(mode: mode, promise: promise) }
        closings.append(promise)
    }

    private func closeOutput(_ context: ChannelHandlerContext) {
        for promise in closings { context.close(mode: .output, promise: promise) }
        closings = []
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        readableAt = schedule.read(Self.unwrapInboundIn(data).readableBytes, at: now)
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard readableAt > now else { return context.read() }
        let isAutomatic = Self.readsByItself(context)
        reading?.cancel()
        reading = context.eventLoop.assumeIsolated().scheduleTask(deadline: start + TimeAmount(readableAt)) {
            self.reading = nil
            // A script may have stopped the reading meanwhile.
            if !isAutomatic || Self.readsByItself(context) { context.read() }
        }
    }

    private static func readsByItself(_ context: ChannelHandlerContext) -> Bool {
        (try? context.channel.syncOptions?.getOption(.autoRead)) ?? true
    }

    // MARK: End

    /// Bytes that have not been sent are lost.
    func channelInactive(context: ChannelHandlerContext) {
        sending?.cancel()
        reading?.cancel()
        let lost = writes.map(\.promise) + closings
        writes.removeAll()
        closings = []
        for promise in lost { promise?.fail(ChannelError.ioOnClosedChannel) }
        context.fireChannelInactive()
    }
}
#endif
