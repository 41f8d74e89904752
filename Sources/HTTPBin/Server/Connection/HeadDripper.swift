// HeadDripper: sends the head of one response byte by byte.
#if Server
import NIOCore

/// Stands between the encoder and the socket until the head is out, and then leaves the pipeline. Later writes wait for
/// the head.
final class HeadDripper: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Waiting {
        case write(ByteBuffer, EventLoopPromise<Void>?)
        case flush
        case closeOutput(EventLoopPromise<Void>?)
    }

    private let time: TimeAmount
    /// The rest of the head; nil before the head arrives.
    private var head: ByteBuffer?
    private var written: EventLoopPromise<Void>?
    private var waiting: [Waiting] = []
    private var isDone = false
    private var next: Scheduled<Void>?

    init(over time: TimeAmount) {
        self.time = time
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isDone else { return context.write(data, promise: promise) }
        let buffer = unwrapOutboundIn(data)
        guard head == nil else {
            waiting.append(.write(buffer, promise))
            return
        }
        // The encoder writes a head in one piece.
        head = buffer
        written = promise
        let pause = time.nanoseconds / Int64(max(1, buffer.readableBytes))
        drip(context, pause: .nanoseconds(pause), from: .now())
    }

    func flush(context: ChannelHandlerContext) {
        guard !isDone else { return context.flush() }
        waiting.append(.flush)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output, !isDone else { return context.close(mode: mode, promise: promise) }
        waiting.append(.closeOutput(promise))
    }

    /// Uses deadlines, so that pauses below a timer's resolution do not add up.
    private func drip(_ context: ChannelHandlerContext, pause: TimeAmount, from due: NIODeadline) {
        guard let byte = head?.readSlice(length: 1) else { return leave(context) }
        context.writeAndFlush(wrapOutboundOut(byte), promise: nil)
        let due = due + pause
        next = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.drip(context, pause: pause, from: due)
        }
    }

    private func leave(_ context: ChannelHandlerContext) {
        next = nil
        written?.succeed()
        written = nil
        // More may arrive meanwhile, and a handler that learns of a completed write can close the channel at once.
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .write(let buffer, let promise): context.write(wrapOutboundOut(buffer), promise: promise)
            case .flush: context.flush()
            case .closeOutput(let promise): context.close(mode: .output, promise: promise)
            }
        }
        isDone = true
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    /// Also runs when the channel is closed before the head is out.
    func handlerRemoved(context: ChannelHandlerContext) {
        next?.cancel()
        let (promise, rest) = (written, waiting)
        (written, waiting) = (nil, [])
        promise?.fail(ChannelError.ioOnClosedChannel)
        for step in rest {
            switch step {
            case .write(_, let promise), .closeOutput(let promise): promise?.fail(ChannelError.ioOnClosedChannel)
            case .flush: break
            }
        }
    }
}

#endif
