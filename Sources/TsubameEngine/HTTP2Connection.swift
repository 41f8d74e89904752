// HTTP2Connection: one connection that carries many exchanges (RFC 9113). The one channel handler behind TCP or TLS.

import HTTPTypes
import NIOCore
import NIOSSL
import TsubameCore
import TsubameWire

/// Gives what is read to its session, tells the exchanges what came of it, and writes what the session and the bodies
/// have to say, all that one read or one batch of calls brought in one write.
// Guarded by confinement to `shard.loop`.
final class HTTP2Connection: ChannelInboundHandler, Carrier, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// An exchange that runs. There is one for each slot of the session's, used again and again.
    final class Lane {
        var exchange: Exchange?
        var stream: HTTP2Stream
        var due = MonotonicClock.never
        var limit = Timeouts.Name.head
        var sender: BodySender?
        var outgoing: OutgoingBody?
        /// Until the server has asked for the body that follows `Expect: 100-continue`.
        var held: Scheduled<Void>?

        init(_ stream: HTTP2Stream) { self.stream = stream }
    }

    let key: ConnectionKey
    let shard: Shard
    let facts: ConnectionInfo
    @exclusivity(unchecked) var context: ChannelHandlerContext?
    @exclusivity(unchecked) var session: HTTP2Session
    @exclusivity(unchecked) var lanes: [Lane] = []
    /// Received and not yet consumed.
    @exclusivity(unchecked) private var pending: ByteBuffer?
    /// To be written next.
    @exclusivity(unchecked) var output = ByteBuffer()
    /// Streams of which this read has brought something.
    @exclusivity(unchecked) private var touched: [HTTP2Stream] = []
    @exclusivity(unchecked) private var isReading = false
    /// The lane whose body goes first when there is room again.
    @exclusivity(unchecked) var turn = 0
    @exclusivity(unchecked) private var deadline = Deadline()
    @exclusivity(unchecked) private var lastRead: MonotonicTime = 0
    @exclusivity(unchecked) var exchanges = 0
    private var failure: (any Error)?
    private var farewell: HTTP2Code?
    private var isRetired = false
    private var isClosed = false
    let madeAt = MonotonicClock.now
    var idleSince: MonotonicTime = 0
    var isCounted = false

    /// - Parameter limits: those of the call that it was made for, of which the server is told.
    init(_ key: ConnectionKey, _ shard: Shard, _ facts: ConnectionInfo, limits: Limits) {
        self.key = key
        self.shard = shard
        self.facts = facts
        session = HTTP2Session(limits: limits)
    }

    var isShared: Bool { true }
    var room: Int { isClosed || isRetired || context == nil ? 0 : session.room }
    var running: Int { session.count }

    /// The socket is asked if the request could not be repeated; else the loop has most likely seen what there was.
    func suits(_ exchange: Exchange) -> Bool {
        guard !exchange.request.mayBeReplayed, let context else { return true }
        return SocketState.of(context.channel)?.isEstablished ?? true
    }

    // MARK: Life of the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if failure == nil { failure = error }
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        deadline.cancel()
        let running = lanes.filter { $0.exchange != nil }
        for lane in running { lost(lane) }
        shard.removed(self)
        context.fireChannelInactive()
    }

    /// The connection has gone while this exchange was running.
    private func lost(_ lane: Lane) {
        guard let exchange = detach(lane) else { return }
        let isReused = exchange.info?.isReused ?? false
        if exchange.phase == .receivingBody {
            let why = failure.map { ": " + Dial.words($0) } ?? ""
            return exchange.fail(
                CallError(
                    .incompleteResponse, "the connection was closed before the end of the body\(why)",
                    phase: .receivingBody,
                    timeout: nil, underlying: failure, connection: exchange.info))
        }
        if isReused, exchange.isReplayable { return exchange.replay() }
        if let farewell, farewell != .noError {
            return exchange.fail(
                CallError(
                    .connectionLost, "the server ended the connection: \(farewell)", phase: exchange.phase,
                    timeout: nil,
                    underlying: failure, connection: exchange.info))
        }
        exchange.fail(exchange.lost(failure))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        deadline.cancel()
        if let context {
            session.sendGoAway(.noError)
            write(to: context, promise: nil)
            context.close(promise: nil)
        }
        for lane in lanes where lane.exchange != nil { lost(lane) }
        shard.removed(self)
    }

    func retire() { isRetired = true }

    /// An exchange has left its lane; the connection goes on with the others, or ends.
    private func exchangeEnded() {
        shard.exchangeEnded(on: self)
    }

    // MARK: Lanes

    /// The exchange of a stream, if it still runs.
    func lane(_ stream: HTTP2Stream) -> Lane? {
        guard lanes.indices.contains(stream.slot) else { return nil }
        let lane = lanes[stream.slot]
        return lane.exchange != nil && lane.stream == stream ? lane : nil
    }

    func lane(of exchange: Exchange) -> Lane? {
        guard let stream = exchange.stream, let lane = lane(stream), lane.exchange === exchange else { return nil }
        return lane
    }

    func add(_ exchange: Exchange, _ stream: HTTP2Stream) -> Lane {
        while lanes.count <= stream.slot { lanes.append(Lane(stream)) }
        let lane = lanes[stream.slot]
        lane.stream = stream
        lane.exchange = exchange
        exchange.stream = stream
        return lane
    }

    /// - Returns: the exchange, which has nothing to do with this connection any more.
    @discardableResult
    func detach(_ lane: Lane) -> Exchange? {
        guard let exchange = lane.exchange else { return nil }
        lane.exchange = nil
        lane.due = MonotonicClock.never
        if let sender = lane.sender {
            sender.stop()
            lane.sender = nil
        }
        if let outgoing = lane.outgoing {
            outgoing.promise?.fail(ChannelError.alreadyClosed)
            lane.outgoing = nil
        }
        lane.held?.cancel()
        lane.held = nil
        exchange.stream = nil
        exchange.connection = nil
        return exchange
    }

    func abandon(_ exchange: Exchange) {
        guard let lane = lane(of: exchange) else { return }
        let stream = lane.stream
        detach(lane)
        session.reset(stream, .cancel)
        flush()
        exchangeEnded()
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard !isClosed else { return }
        if pending != nil {
            pending?.writeBuffer(&buffer)
            if let joined = pending { buffer = joined }
            pending = nil
        }
        lastRead = MonotonicClock.now
        session.beginRead(at: lastRead)
        isReading = true
        consume(&buffer)
        endRead()
        isReading = false
        flush()
        // A peer that wants no more streams, and has none left, is waited for no longer.
        if session.isGoingAway, session.count == 0 { close() }
    }

    private func consume(_ buffer: inout ByteBuffer) {
        var offset = 0
        var pieces = ReceivedPieces()
        var receiver: HTTP2Stream?
        func give() {
            guard let stream = receiver else { return }
            receiver = nil
            if let piece = pieces.take(from: buffer) { receive(piece, on: stream) }
        }
        do throws(WireError) {
            while true {
                let event = try buffer.withUnsafeReadableBytes { bytes throws(WireError) in
                    try session.next(bytes, &offset)
                }
                if case .body(let stream, let range) = event {
                    if receiver != stream {
                        give()
                        receiver = stream
                    }
                    pieces.add(range, of: buffer)
                    continue
                }
                give()
                if case .needsMore = event { break }
                handle(event)
                guard !isClosed else { return }
            }
        } catch {
            give()
            return fail(error)
        }
        if offset < buffer.readableBytes {
            buffer.moveReaderIndex(forwardBy: offset)
            pending = buffer
        }
    }

    private func receive(_ piece: Bytes, on stream: HTTP2Stream) {
        guard let lane = lane(stream), let exchange = lane.exchange else { return }
        touch(stream)
        let pauses = exchange.receive(piece)
        guard lane.exchange === exchange else { return }
        if pauses {
            session.setPaused(true, stream)
            // The reader is slow, not the server: only the total deadline runs.
            setDeadline(of: lane, nil, from: 0)
        }
    }

    private func touch(_ stream: HTTP2Stream) {
        if touched.last != stream { touched.append(stream) }
    }

    /// What this read has brought is all there.
    private func endRead() {
        for stream in touched {
            guard let lane = lane(stream), let exchange = lane.exchange else { continue }
            exchange.endOfRead()
            guard lane.exchange === exchange, exchange.phase == .receivingBody, !session.isPaused(stream) else {
                continue
            }
            setDeadline(of: lane, .idle, from: lastRead)
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func handle(_ event: HTTP2Session.Event) {
        switch event {
        case .whole(let stream, let head, let body):
            guard let exchange = take(stream) else { return }
            exchange.finish(head, body: body)
        case .informational(let stream, let head):
            guard let lane = lane(stream), let exchange = lane.exchange else { return }
            if head.status == 100 { releaseBody(of: lane) }
            exchange.call.emit(.informational(status: head.status, ReceivedFields(head)))
        case .head(let stream, let head, let length):
            guard let lane = lane(stream), let exchange = lane.exchange else { return }
            // A final answer: whatever it is, the body that it did not wait for is not wanted.
            lane.held?.cancel()
            lane.held = nil
            touch(stream)
            exchange.begin(head, length: length)
        case .end(let stream, let trailers):
            guard let exchange = take(stream) else { return }
            exchange.end(trailers: trailers)
        case .reset(let stream, let code):
            guard let exchange = take(stream) else { return }
            wasReset(exchange, code)
        case .failed(let stream, let error):
            guard let exchange = take(stream) else { return }
            exchange.fail(CallError(error, phase: exchange.phase, connection: exchange.info))
        case .writable(let stream?):
            if let lane = lane(stream) { pump(lane) }
        case .writable(nil): pumpAll()
        case .settings:
            pumpAll()
            shard.roomChanged(on: self)
        case .goAway(let last, let code): goAway(last, code)
        case .body, .needsMore: break
        }
    }

    /// The exchange of a stream that is over. The connection goes back before the caller goes on, so that his next call
    /// finds it.
    private func take(_ stream: HTTP2Stream) -> Exchange? {
        guard let lane = lane(stream), let exchange = detach(lane) else { return nil }
        exchangeEnded()
        return exchange
    }

    private func wasReset(_ exchange: Exchange, _ code: HTTP2Code) {
        let isReceiving = exchange.phase == .receivingBody
        let error = CallError(
            isReceiving ? .incompleteResponse : .connectionLost,
            "the server reset the stream (\(code))\(isReceiving ? " before the end of the body" : "")",
            phase: exchange.phase,
            advice: code == .http11Required ? "set connection.httpVersion to .http11 for this server" : nil,
            timeout: nil,
            connection: exchange.info)
        guard code == .refusedStream, !isReceiving else { return exchange.fail(error) }
        exchange.sendUnprocessed("the server refused the stream", orElse: error)
    }

    /// The server takes no further requests here; those that it has not looked at go out elsewhere (section 6.8).
    private func goAway(_ last: UInt32, _ code: HTTP2Code) {
        isRetired = true
        farewell = code
        let unprocessed = lanes.filter { $0.exchange != nil && $0.stream.id > last }
        for lane in unprocessed {
            let stream = lane.stream
            guard let exchange = detach(lane) else { continue }
            session.forget(stream)
            exchange.sendUnprocessed(
                "the server ended the connection (\(code)) before it took the request",
                orElse: CallError(
                    .connectionLost, "the server ended the connection before it took the request: \(code)",
                    phase: exchange.phase, timeout: nil, connection: exchange.info))
        }
        shard.roomChanged(on: self)
    }

    /// The connection is broken: its session has said why.
    private func fail(_ error: WireError) {
        isRetired = true
        let advice = session.hasBegun ? nil : "leave connection.httpVersion as it is by default"
        let running = lanes.filter { $0.exchange != nil }
        for lane in running {
            guard let exchange = detach(lane) else { continue }
            exchange.fail(
                CallError(
                    error.kind, error.description, phase: exchange.phase, advice: advice, timeout: nil, underlying: error,
                    connection: exchange.info))
        }
        guard !isClosed else { return }
        isClosed = true
        deadline.cancel()
        if let context {
            write(to: context, promise: nil)
            context.close(promise: nil)
        }
        shard.removed(self)
    }

    func resumeReading(for exchange: Exchange) {
        guard let lane = lane(of: exchange), session.isPaused(lane.stream) else { return }
        session.setPaused(false, lane.stream)
        setDeadline(of: lane, .idle, from: MonotonicClock.now)
        flush()
    }

    // MARK: Writing

    /// Writes what has gathered, unless more is about to.
    func flush() {
        guard !isReading, let context, !shard.delaysFlush(of: self) else { return }
        write(to: context, promise: nil)
    }

    func write(to context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        gather()
        guard output.readableBytes > 0 else {
            promise?.succeed()
            return
        }
        // Whoever is told that the socket takes more writes into what is then the output.
        var written = ByteBuffer()
        swap(&written, &output)
        context.writeAndFlush(wrapOutboundOut(written), promise: promise)
        guard output.capacity == 0 else { return }
        // The memory serves again if the socket has taken all of it.
        written.clear()
        swap(&written, &output)
    }

    /// What the session has to say goes before what is written from now on.
    func gather() {
        guard !session.output.isEmpty else { return }
        if output.capacity == 0, let context {
            output = context.channel.allocator.buffer(capacity: session.output.count)
        }
        output.writeBytes(session.output)
        session.output.removeAll(keepingCapacity: true)
    }

    // MARK: Deadlines

    func setDeadline(of lane: Lane, _ name: Timeouts.Name?, from now: MonotonicTime) {
        guard let exchange = lane.exchange else { return }
        (lane.due, lane.limit) = exchange.due(name, from: now)
        if lane.due < deadline.due { deadline.set(lane.due, on: shard.loop, self.timerFires) }
    }

    private var timerFires: @Sendable () -> Void { { [weak self] in self?.timerFired() } }

    private func timerFired() {
        guard deadline.hasPassed(on: shard.loop, timerFires) else { return }
        deadline.clear()
        let now = MonotonicClock.now
        for lane in lanes where lane.exchange != nil && lane.due <= now {
            guard let exchange = lane.exchange else { continue }
            // Not a byte has come since it was sent: whoever comes next shall not wait for this peer.
            if lane.limit != .total, lastRead < exchange.timings.sentAt { isRetired = true }
            exchange.expire(lane.limit)
        }
        let next = lanes.lazy.filter { $0.exchange != nil }.map(\.due).min() ?? MonotonicClock.never
        if next != MonotonicClock.never, !isClosed { deadline.set(next, on: shard.loop, self.timerFires) }
    }
}
