// HTTP2Connection: one connection that carries many exchanges (RFC 9113).

import HTTPTypes
import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Gives the bytes that it reads to its session, and tells the exchanges of the session's events. The heads and answers of one
/// read, or of one batch of calls, go out in one write. Bodies follow as far as the socket takes them.
// Guarded by confinement to `loopPool.loop`.
final class HTTP2Connection: ChannelReceiver, PooledConnection, @unchecked Sendable {
    let key: ConnectionKey
    let loopPool: LoopPool
    let facts: ConnectionInfo
    /// nil once it is closed.
    @exclusivity(unchecked) private(set) var channel: SocketChannel?
    @exclusivity(unchecked) var session: HTTP2Session
    @exclusivity(unchecked) var activeStreams: [HTTP2ActiveStream] = []
    /// Received and not yet consumed.
    @exclusivity(unchecked) var pending = UnconsumedInput()
    /// To be written next.
    @exclusivity(unchecked) var output = ByteBuffer()
    /// Streams of which this read has brought something.
    @exclusivity(unchecked) var touched: [HTTP2Stream] = []
    @exclusivity(unchecked) var isReading = false
    /// The index of the stream whose body goes first when the socket takes bytes again.
    @exclusivity(unchecked) var turn = 0
    /// The earliest deadline of a stream, which the channel keeps.
    @exclusivity(unchecked) private var due = MonotonicClock.never
    @exclusivity(unchecked) var lastRead: MonotonicTime = 0
    @exclusivity(unchecked) var exchanges = 0
    var failure: (any Error)?
    var goAwayCode: HTTP2Code?
    var hasStoppedAccepting = false
    var isClosed = false
    @exclusivity(unchecked) var membership: PoolMembership?

    /// - Parameter limits: those of the call that it was made for, of which the server is told.
    init(
        _ key: ConnectionKey, _ loopPool: LoopPool, _ facts: ConnectionInfo, _ channel: SocketChannel, limits: Limits
    ) {
        self.key = key
        self.loopPool = loopPool
        self.facts = facts
        self.channel = channel
        session = HTTP2Session(limits: limits)
    }

    var isShared: Bool { true }
    var availableStreams: Int { isClosed || hasStoppedAccepting || channel == nil ? 0 : session.availableStreams }
    var unconsumedBytes: Int { pending.capacity }

    /// The socket is asked if the request could not be repeated; else the loop has most likely seen what there was.
    func canCarry(_ exchange: Exchange, idleSince: MonotonicTime) -> Bool {
        guard !exchange.mayBeReplayed, let channel else { return true }
        return SocketState.of(channel)?.isEstablished ?? true
    }

    // MARK: Life of the channel

    func failed(_ error: any Error) {
        if failure == nil { failure = error }
        // A TLS end without close_notify is followed by `closed()`.
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return }
        channel?.end()
    }

    func closed() {
        isClosed = true
        channel = nil
        // The pool is told first, so that a request which is sent again does not come back here.
        loopPool.removed(self)
        let running = activeStreams.filter { $0.exchange != nil }
        for activeStream in running { lost(activeStream) }
    }

    /// The connection has gone while this exchange was running.
    private func lost(_ activeStream: HTTP2ActiveStream) {
        let wasIdle = activeStream.wasIdle
        guard let exchange = detach(activeStream) else { return }
        if exchange.phase == .receivingBody {
            let why = failure.map { ": " + Connector.words($0) } ?? ""
            return exchange.fail(
                CallError(
                    .incompleteResponse, "the connection was closed before the end of the body\(why)",
                    phase: .receivingBody,
                    timeout: nil, underlying: failure, connection: exchange.info))
        }
        if wasIdle, lastRead < exchange.timings.sentAt, exchange.isReplayable { return exchange.replay() }
        guard session.hasBegun else {
            return exchange.fail(
                CallError(
                    .connectionLost, "the connection was closed without a word of HTTP/2", phase: exchange.phase,
                    advice: "leave connection.httpVersion as it is by default", timeout: nil, underlying: failure,
                    connection: exchange.info))
        }
        if let goAwayCode, goAwayCode != .noError {
            return exchange.fail(
                CallError(
                    .connectionLost, "the server ended the connection: \(goAwayCode)", phase: exchange.phase,
                    timeout: nil,
                    underlying: failure, connection: exchange.info))
        }
        exchange.fail(exchange.lost(failure))
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if let channel {
            session.sendGoAway(.noError)
            write(to: channel)
            channel.end()
        }
        loopPool.removed(self)
        for activeStream in activeStreams where activeStream.exchange != nil { lost(activeStream) }
    }

    func stopAccepting() { hasStoppedAccepting = true }

    /// An exchange has left its stream; the connection goes on with the others, or ends.
    func exchangeEnded() {
        loopPool.exchangeEnded(on: self)
    }

    // MARK: Streams

    /// The exchange of a stream, if it still runs.
    func activeStream(_ stream: HTTP2Stream) -> HTTP2ActiveStream? {
        guard activeStreams.indices.contains(stream.slot) else { return nil }
        let activeStream = activeStreams[stream.slot]
        return activeStream.exchange != nil && activeStream.stream == stream ? activeStream : nil
    }

    func activeStream(of exchange: Exchange) -> HTTP2ActiveStream? {
        guard let stream = exchange.stream, let activeStream = activeStream(stream), activeStream.exchange === exchange
        else { return nil }
        return activeStream
    }

    func add(_ exchange: Exchange, _ stream: HTTP2Stream) -> HTTP2ActiveStream {
        while activeStreams.count <= stream.slot { activeStreams.append(HTTP2ActiveStream(stream)) }
        let activeStream = activeStreams[stream.slot]
        activeStream.stream = stream
        activeStream.exchange = exchange
        exchange.stream = stream
        return activeStream
    }

    /// - Returns: the exchange, which has nothing to do with this connection any more.
    @discardableResult
    func detach(_ activeStream: HTTP2ActiveStream) -> Exchange? {
        guard let exchange = activeStream.exchange else { return nil }
        activeStream.exchange = nil
        activeStream.due = MonotonicClock.never
        if let sender = activeStream.sender {
            sender.stop()
            activeStream.sender = nil
        }
        if let outgoing = activeStream.outgoing {
            outgoing.promise?.fail(ChannelError.alreadyClosed)
            activeStream.outgoing = nil
        }
        activeStream.held?.cancel()
        activeStream.held = nil
        exchange.stream = nil
        exchange.connection = nil
        return exchange
    }

    func abandon(_ exchange: Exchange) {
        guard let activeStream = activeStream(of: exchange) else { return }
        let stream = activeStream.stream
        leaveIfSilent(since: exchange.timings.sentAt)
        detach(activeStream)
        session.reset(stream, .cancel)
        flush()
        exchangeEnded()
    }

    /// In nanoseconds.
    private static var silence: MonotonicTime { 500_000_000 }

    /// Not a byte has come for a while, in which a request was awaited that is now given up: whoever comes next shall not
    /// wait for a peer that may be gone.
    private func leaveIfSilent(since sent: MonotonicTime) {
        let (now, since) = (MonotonicClock.now, Swift.max(sent, lastRead))
        if since < now, now - since >= Self.silence { hasStoppedAccepting = true }
    }

    // MARK: Writing

    /// More than this of what the peer has asked for, and does not read, is not kept for it.
    private static var mostUnread: Int { 1 << 20 }

    /// Whether the peer makes the client answer and does not read the answers (CVE-2019-9512).
    var holdsTooMuch: Bool { output.readableBytes + session.output.count > Self.mostUnread }

    /// Writes what has gathered, unless more is about to, or the socket is full.
    func flush() {
        guard !isReading, let channel, channel.isWritable, !loopPool.delaysFlush(of: self) else { return }
        write(to: channel)
    }

    func write(to channel: SocketChannel, promise: EventLoopPromise<Void>? = nil) {
        gather()
        guard output.readableBytes > 0 else {
            promise?.succeed()
            return
        }
        // Whoever is told that the socket takes more writes into what is then the output.
        var written = ByteBuffer()
        swap(&written, &output)
        channel.send(written, promise: promise)
        guard output.capacity == 0 else { return }
        // The memory serves again if the socket has taken all of it.
        written.clear()
        swap(&written, &output)
    }

    /// What the session has to say goes before what is written from now on.
    func gather() {
        guard !session.output.isEmpty else { return }
        if output.capacity == 0 { output = ByteBufferAllocator().buffer(capacity: session.output.count) }
        output.writeBytes(session.output)
        session.output.removeAll(keepingCapacity: true)
    }

    // MARK: Deadlines

    func setDeadline(of activeStream: HTTP2ActiveStream, _ name: Timeouts.Name?, from now: MonotonicTime) {
        guard let exchange = activeStream.exchange else { return }
        (activeStream.due, activeStream.limit) = exchange.due(name, from: now)
        if activeStream.due < due { setDeadline(activeStream.due) }
    }

    private func setDeadline(_ due: MonotonicTime) {
        self.due = due
        channel?.setDeadline(due)
    }

    func deadlinePassed() {
        guard !isClosed else { return }
        due = MonotonicClock.never
        let now = MonotonicClock.now
        for activeStream in activeStreams where activeStream.exchange != nil && activeStream.due <= now {
            activeStream.exchange?.expire(activeStream.limit)
        }
        let next = activeStreams.lazy.filter { $0.exchange != nil }.map(\.due).min() ?? MonotonicClock.never
        // The end of a stream may have begun another.
        if next < due { setDeadline(next) }
    }
}
