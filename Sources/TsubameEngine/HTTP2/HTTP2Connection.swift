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
    struct Streams {
        var slots: [HTTP2ActiveStream] = []
        /// The index of the stream whose body goes first when the socket takes bytes again.
        var turn = 0
        /// The earliest deadline of a stream, which the channel keeps.
        var due = MonotonicClock.never
    }

    struct Input {
        /// Received and not yet consumed.
        var rest = UnconsumedInput()
        /// Streams of which this read has brought something.
        var touched: [HTTP2Stream] = []
        var isReading = false
        var lastRead: MonotonicTime = 0
        /// Whether the connection was idle before the requests that run, and nothing has come since. Then the peer may have been
        /// gone before any of them.
        var isSilentSinceIdle = false
    }

    /// How far the connection has come to its end.
    struct Ending {
        var failure: (any Error)?
        var goAwayCode: HTTP2Code?
        var hasStoppedAccepting = false
        var isClosed = false
    }

    let key: ConnectionKey
    let loopPool: LoopPool
    /// nil once it is closed.
    @exclusivity(unchecked) private(set) var channel: SocketChannel?
    @exclusivity(unchecked) var session: HTTP2Session
    @exclusivity(unchecked) var streams = Streams()
    @exclusivity(unchecked) var input = Input()
    /// To be written next.
    @exclusivity(unchecked) var output = ByteBuffer()
    @exclusivity(unchecked) var use: ConnectionUse
    @exclusivity(unchecked) var ending = Ending()
    @exclusivity(unchecked) var membership: PoolMembership?

    /// - Parameter limits: those of the call that it was made for, of which the server is told.
    init(
        _ key: ConnectionKey, _ loopPool: LoopPool, _ facts: ConnectionInfo, _ channel: SocketChannel, limits: Limits
    ) {
        self.key = key
        self.loopPool = loopPool
        use = ConnectionUse(facts)
        self.channel = channel
        session = HTTP2Session(limits: limits)
    }

    var isShared: Bool { true }
    var acceptsNoMore: Bool { ending.hasStoppedAccepting || ending.isClosed }
    var availableStreams: Int {
        // The peer may have said its end, though the socket stands.
        guard !acceptsNoMore, channel?.hasEnded == false else { return 0 }
        return session.availableStreams
    }
    var unconsumedBytes: Int { input.rest.capacity }
    var exchangeCount: Int { use.exchanges }

    /// The socket is asked if the request could not be repeated; else the loop has most likely seen what there was.
    func reusability(for exchange: Exchange) -> Reusability {
        guard !exchange.mayBeReplayed, let channel else { return .yes }
        return channel.isEstablished == false ? .no : .yes
    }

    // MARK: Life of the channel

    func failed(_ error: any Error) {
        if ending.failure == nil { ending.failure = error }
        // A TLS end without close_notify is followed by `closed()`.
        if case NIOSSLError.uncleanShutdown? = error as? NIOSSLError { return }
        channel?.end()
    }

    func closed() {
        channel = nil
        for activeStream in end() { lost(activeStream) }
    }

    /// It is closed. The pool is told first, so that a request which is sent again does not come back here.
    /// - Returns: the streams on which something ran.
    func end() -> [HTTP2ActiveStream] {
        ending.isClosed = true
        let running = streams.slots.filter { $0.exchange != nil }
        streams.slots = []
        loopPool.removed(self)
        return running
    }

    /// The way to a server that does not speak HTTP/2 after all.
    var otherVersionAdvice: String {
        key.settings.settings.httpVersion == .http2
            ? "leave connection.httpVersion as it is by default"
            : "set connection.httpVersion to .http11 for this server"
    }

    /// The connection has gone while this exchange was running.
    private func lost(_ activeStream: HTTP2ActiveStream) {
        guard let exchange = activeStream.detach() else { return }
        if exchange.phase == .receivingBody {
            let why = ending.failure.map { ": " + Connector.words($0) } ?? ""
            return exchange.breakOff(
                CallError(
                    .incompleteResponse, "the connection was closed before the end of the body\(why)",
                    phase: .receivingBody, timeout: nil, underlying: ending.failure,
                    connection: exchange.progress.connection))
        }
        if input.isSilentSinceIdle, exchange.mayBeReplayed { return exchange.replay() }
        guard session.hasBegun else {
            return exchange.breakOff(
                CallError(
                    .connectionLost, "the connection was closed without a word of HTTP/2", phase: exchange.phase,
                    advice: otherVersionAdvice, timeout: nil,
                    underlying: ending.failure,
                    connection: exchange.progress.connection))
        }
        if let goAwayCode = ending.goAwayCode, goAwayCode != .noError {
            return exchange.breakOff(
                CallError(
                    .connectionLost, "the server ended the connection: \(goAwayCode)", phase: exchange.phase,
                    timeout: nil, underlying: ending.failure, connection: exchange.progress.connection))
        }
        exchange.breakOff(exchange.lost(ending.failure))
    }

    func close() {
        guard !ending.isClosed else { return }
        if let channel {
            session.sendGoAway(.noError)
            write(to: channel)
            channel.end()
        }
        for activeStream in end() { lost(activeStream) }
    }

    func stopAccepting() { ending.hasStoppedAccepting = true }

    /// An exchange has left its stream; the connection goes on with the others, or ends.
    func exchangeEnded() {
        if session.count == 0 { channel?.rest() }
        loopPool.exchangeEnded(on: self)
    }

    // MARK: Streams

    /// The stream, if an exchange still runs on it.
    func activeStream(_ stream: HTTP2Stream) -> HTTP2ActiveStream? {
        guard streams.slots.indices.contains(stream.slot) else { return nil }
        let activeStream = streams.slots[stream.slot]
        return activeStream.exchange != nil && activeStream.stream == stream ? activeStream : nil
    }

    func slot(of stream: HTTP2Stream) -> HTTP2ActiveStream {
        while streams.slots.count <= stream.slot { streams.slots.append(HTTP2ActiveStream(stream, of: self)) }
        return streams.slots[stream.slot]
    }

    func abandon(_ activeStream: HTTP2ActiveStream, _ exchange: Exchange) {
        let sentAt = exchange.progress.timings.sentAt
        activeStream.detach()
        session.reset(activeStream.stream, .cancel)
        flush()
        leaveIfSilent(since: sentAt)
        exchangeEnded()
    }

    /// In nanoseconds.
    private static var silence: MonotonicTime { 500_000_000 }

    /// An exchange was given up, and its connection has received no byte for a while. The connection takes no more exchanges,
    /// since its peer may be gone.
    private func leaveIfSilent(since sent: MonotonicTime) {
        let (now, since) = (MonotonicClock.now, Swift.max(sent, input.lastRead))
        guard since < now, now - since >= Self.silence, !ending.hasStoppedAccepting else { return }
        ending.hasStoppedAccepting = true
        loopPool.availableStreamsChanged(on: self)
    }

    // MARK: Writing

    /// More than this of what the peer has asked for, and does not read, is not kept for it.
    private static var mostUnread: Int { 1 << 20 }

    var unsentBytes: Int { output.readableBytes + session.output.count }

    /// Whether the peer makes the client answer and does not read the answers (CVE-2019-9512). The requests that run may wait for
    /// the socket, too, and are no answers.
    var holdsTooMuch: Bool {
        guard unsentBytes > Self.mostUnread else { return false }
        let requests = streams.slots.reduce(0) { $0 + ($1.exchange == nil ? 0 : $1.bytesAtOnce) }
        return unsentBytes - requests > Self.mostUnread
    }

    /// Writes what has gathered, unless more is about to, or the socket is full.
    func flush() {
        guard !input.isReading, let channel, channel.isWritable, !loopPool.delaysFlush(of: self) else { return }
        write(to: channel)
    }

    func write(to channel: SocketChannel, promise: EventLoopPromise<Void>? = nil) {
        gather()
        guard output.readableBytes > 0 else {
            promise?.succeed()
            return
        }
        // A sender that is told that the socket takes more writes into the output, so that must be empty by then.
        var written = ByteBuffer()
        swap(&written, &output)
        use.writtenBytes &+= Int64(written.readableBytes)
        channel.send(written, promise: promise)
        guard output.capacity == 0 else { return }
        // The memory serves again if the socket has taken all of it.
        written.clear()
        swap(&written, &output)
    }

    /// The session's frames go before those that are written from now on.
    func gather() {
        guard !session.output.isEmpty else { return }
        if output.capacity == 0 { output = ByteBufferAllocator().buffer(capacity: session.output.count) }
        output.writeBytes(session.output)
        session.output.removeAll(keepingCapacity: true)
    }

    // MARK: Deadlines

    /// A stream has a deadline.
    func watch(_ due: MonotonicTime) {
        if due < streams.due { setDeadline(due) }
    }

    private func setDeadline(_ due: MonotonicTime) {
        streams.due = due
        channel?.setDeadline(due)
    }

    func deadlinePassed() {
        guard !ending.isClosed else { return }
        streams.due = MonotonicClock.never
        let now = MonotonicClock.now
        for activeStream in streams.slots where activeStream.exchange != nil && activeStream.due <= now {
            if !activeStream.stillMoves(at: now) { activeStream.exchange?.expire(activeStream.limit) }
        }
        let next = streams.slots.lazy.filter { $0.exchange != nil }.map(\.due).min() ?? MonotonicClock.never
        // The end of a stream may have begun another.
        if next < streams.due { setDeadline(next) }
    }
}
