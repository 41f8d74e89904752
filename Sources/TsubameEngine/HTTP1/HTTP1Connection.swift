// HTTP1Connection: one HTTP/1.1 connection, plain or through TLS.

import HTTPTypes
import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform
import TsubameSockets
import TsubameWire

/// One connection: writes requests, reads responses, one at a time, and keeps their deadlines.
// Guarded by confinement to `loopPool.loop`.
final class HTTP1Connection: ChannelReceiver, PooledConnection, ExchangeCarrier, @unchecked Sendable {
    // The properties that every request touches have no dynamic exclusivity checks, which would be a tenth of its
    // instructions. No two accesses can overlap on one loop, and none is held across a call that comes back here.

    struct Input: ~Copyable {
        var decoder = ResponseDecoder(limits: Limits())
        /// Received and not yet consumed.
        var rest = UnconsumedInput()
        var isPaused = false
        /// The reader of the body receives in place of the loop.
        var loan: ConnectionLoan?
        /// Whether the reader of this body may have the connection.
        var canLend = true
    }

    struct Output {
        /// Whether requests go out in HTTP/1.0.
        let isOld: Bool
        /// The bytes of the head, and of a small body, in the loop's memory; 0 if they are in `head`.
        var count = 0
        /// The head, with a small body, for TLS, or until the reader of the body has said that nothing follows.
        var head = ByteBuffer()
        /// Whether no byte of the request has gone out. Bytes that are there already are no answer to it.
        var isUnsent = false
        /// Whether the request says that the connection ends after it.
        var endsConnection = false
        /// When a byte of the request's body was last known to move, and how much the peer had taken by then.
        var moved: (at: MonotonicTime, untaken: Int) = (0, 0)
    }

    let key: ConnectionKey
    let loopPool: LoopPool
    /// nil once it is closed.
    @exclusivity(unchecked) private(set) var channel: SocketChannel?
    @exclusivity(unchecked) var exchange: Exchange?
    @exclusivity(unchecked) var input = Input()
    @exclusivity(unchecked) var output: Output
    let sender = RequestSender()
    /// The limit whose deadline the channel keeps.
    @exclusivity(unchecked) private var limit = Timeouts.Name.head
    @exclusivity(unchecked) var use: ConnectionUse
    private var failure: (any Error)?
    private var isClosed = false
    @exclusivity(unchecked) var membership: PoolMembership?

    init(_ key: ConnectionKey, _ loopPool: LoopPool, _ facts: ConnectionInfo, _ channel: SocketChannel) {
        self.key = key
        self.loopPool = loopPool
        self.channel = channel
        output = Output(isOld: key.settings.settings.httpVersion == .http10)
        use = ConnectionUse(facts)
    }

    var isShared: Bool { false }
    var acceptsNoMore: Bool { isClosed }
    var availableStreams: Int { !isClosed && exchange == nil && channel != nil ? 1 : 0 }
    var unconsumedBytes: Int { input.rest.capacity }

    // MARK: Life of the channel

    func failed(_ error: any Error) {
        if failure == nil { failure = error }
        // A TLS end without close_notify is followed by `closed()`, where the decoder says what it means.
        if isTruncated { return }
        channel?.end()
    }

    func closed() {
        isClosed = true
        channel = nil
        // The pool is told first, so that a request which is sent again does not come back here.
        loopPool.removed(self)
        if let exchange { ended(exchange) }
    }

    /// The peer has closed while an exchange was running.
    private func ended(_ exchange: Exchange) {
        // The decoder is with the loan, and cannot say whether the body is whole.
        if input.loan != nil { return fail(exchange, exchange.lost(failure)) }
        if failure == nil || isTruncated {
            do throws(WireError) {
                if case .end(let trailers) = try input.decoder.endOfInput(unconsumed: input.rest.count) {
                    if isTruncated {
                        fail(
                            exchange,
                            CallError(
                                .tls, "the connection was cut off (no close_notify): the body may not be whole",
                                phase: .receivingBody, timeout: nil, connection: exchange.progress.connection))
                    } else {
                        detach(exchange)
                        exchange.end(trailers: trailers)
                    }
                    return
                }
            } catch {
                if replay(exchange) { return }
                return fail(exchange, CallError(error, phase: exchange.phase, connection: exchange.progress.connection))
            }
        }
        if replay(exchange) { return }
        fail(exchange, exchange.lost(failure))
    }

    private var isTruncated: Bool {
        if case NIOSSLError.uncleanShutdown? = failure as? NIOSSLError { true } else { false }
    }

    /// A request that went out on a reused connection which died before a byte of the answer was most likely never
    /// processed. It goes out once more if repeating does no harm.
    private func replay(_ exchange: Exchange) -> Bool {
        guard use.wasIdle, !input.decoder.hasSeenBytes, exchange.mayBeReplayed else { return false }
        detach(exchange)
        exchange.replay()
        return true
    }

    @inline(__always)
    func detach(_ exchange: Exchange) {
        sender.stop()
        input.loan = nil
        self.exchange = nil
        exchange.detach()
    }

    func fail(_ exchange: Exchange, _ error: CallError) {
        abandon(exchange)
        exchange.breakOff(error)
    }

    func abandon(_ exchange: Exchange) {
        detach(exchange)
        close()
    }

    var sharesReads: Bool { false }
    var lentBytes: Int64 { input.loan?.receivedBytes ?? 0 }

    /// Of one that carries an exchange, its end decides.
    func stopAccepting() { if exchange == nil { close() } }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        channel?.setDeadline(MonotonicClock.never)
        // The socket goes before another may be made in its place.
        channel?.end()
        loopPool.removed(self)
    }

    // MARK: Receiving

    func receive(_ read: ReceivedBytes) {
        guard let exchange else {
            // Nothing was asked for, and these bytes must not become the next answer.
            close()
            return
        }
        if output.isUnsent {
            // A connection that broke before the request went out ends by itself. Otherwise the server sent bytes unasked.
            if channel?.hasFailedWriting == false { channel?.end() }
            return
        }
        if input.rest.isEmpty {
            if let consumed = consume(read, for: exchange) { input.rest.keep(read.bytes, after: consumed) }
        } else {
            receive(read, afterRestFor: exchange)
        }
        if input.isPaused { lend() }
    }

    private func receive(_ read: ReceivedBytes, afterRestFor exchange: Exchange) {
        let joined = input.rest.join(read.bytes)
        let consumed = joined.withUnsafeBytes { bytes in
            consume(ReceivedBytes(bytes), for: exchange)
        }
        if let consumed { input.rest.giveBack(joined, consumed: consumed) }
    }

    /// - Returns: how many of the bytes were consumed; nil if the exchange has ended, and the rest is of no use.
    @inline(__always)
    private func consume(_ read: ReceivedBytes, for exchange: Exchange) -> Int? {
        var offset = 0
        var pause = false
        var received = ReceivedPieces()
        do throws(WireError) {
            reading: while true {
                switch try input.decoder.next(read.bytes, &offset) {
                case .needsMore:
                    break reading
                case .whole(let head, let body):
                    complete(exchange, leftover: read.count - offset)
                    exchange.finish(head, body: body)
                    return nil
                case .informational(let head):
                    if head.status == 100 { sender.continueReceived() }
                    let fields = ReceivedFields(head, redaction: exchange.outgoing.request.ownRedaction)
                    exchange.call.emit(.informational(status: head.status, fields))
                case .head(let head, let length):
                    sender.finalHeadReceived()
                    if input.decoder.isChunkedHTTP10 {
                        exchange.call.emit(
                            .decision("the HTTP/1.0 response is read as chunked, and its connection closed after it"))
                    }
                    exchange.begin(head, length: length)
                case .body(let range):
                    received.add(range, of: read)
                case .end(let trailers):
                    if let piece = received.take(from: read) { _ = exchange.receive(piece) }
                    // The exchange may have no more use for it.
                    guard self.exchange === exchange else { return nil }
                    complete(exchange, leftover: read.count - offset)
                    exchange.end(trailers: trailers)
                    return nil
                }
                guard self.exchange === exchange else { return nil }
            }
        } catch {
            // Bytes that came before the fault are given before the error is.
            if let piece = received.take(from: read) { _ = exchange.receive(piece) }
            if self.exchange === exchange {
                fail(exchange, CallError(error, phase: exchange.phase, connection: exchange.progress.connection))
            }
            return nil
        }
        if let piece = received.take(from: read) { pause = exchange.receive(piece) }
        guard self.exchange === exchange else { return nil }
        if exchange.endOfRead() { pause = true }
        if pause {
            pauseReading()
        } else if exchange.phase == .receivingBody {
            setDeadline(.idle, from: MonotonicClock.now)
        }
        return offset
    }

    /// The response is complete: the connection goes back before the caller goes on, so that his next call finds it.
    func complete(_ exchange: Exchange, leftover: Int) {
        let isSent = sender.isComplete
        detach(exchange)
        channel?.setDeadline(MonotonicClock.never)
        if input.isPaused { resume() }
        if leftover > 0 || !isSent || !input.decoder.isReusable || output.endsConnection
            || channel?.hasEnded == true
        {
            close()
        } else {
            channel?.rest()
            loopPool.exchangeEnded(on: self)
        }
    }

    /// The socket is asked each time. Bytes that came after the last response would be taken for the next one (CVE-2026-1525),
    /// and a request to a server that has closed the connection would be lost. The loop may not have looked at the socket since.
    func reusability(for exchange: Exchange) -> Reusability {
        guard let hasInput = channel?.socket?.hasInput() else { return .no }
        return hasInput ? .unread : .yes
    }

    var exchangeCount: Int { use.exchanges }

    private func pauseReading() {
        guard !input.isPaused, let channel else { return }
        input.isPaused = true
        // The reader is slow, not the server: only the total deadline runs.
        setDeadline(nil, from: 0)
        channel.setReading(false)
    }

    func resumeReading(for exchange: Exchange) {
        // A reader that has the connection reads on by itself.
        guard input.isPaused, input.loan == nil else { return }
        setDeadline(.idle, from: MonotonicClock.now)
        if exchange.response.window?.isReaderSlow == true {
            // One read could bring many times what a slow reader takes.
            channel?.resetReadSize()
        }
        resume()
    }

    func resume() {
        input.isPaused = false
        channel?.setReading(true)
    }

    // MARK: Deadlines

    /// The next limit for the running exchange: the one named, or its total if that comes first.
    func setDeadline(_ name: Timeouts.Name?, from now: MonotonicTime) {
        guard let exchange else { return }
        let (due, limit) = exchange.due(name, from: now)
        self.limit = limit
        channel?.setDeadline(due)
    }

    func deadlinePassed() {
        guard let exchange else { return }
        let limit = limit
        // The head of the answer may have come while the body still goes out.
        if limit == .idle, sender.isSendingBody,
            stillMoves(exchange.call.options.timeouts.nanoseconds(.idle))
        {
            return
        }
        exchange.expire(limit)
    }
}
