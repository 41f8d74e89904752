// HTTP2ActiveStream: where an exchange runs on an HTTP/2 connection.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

/// A stream with the exchange that runs on it, and what is still to be sent of that. There is one object for each slot of the
/// session's, used again and again.
// Confined to its connection's loop.
final class HTTP2ActiveStream: ExchangeCarrier {
    /// Its connection refers back, until it is closed.
    let connection: HTTP2Connection
    let sender = RequestSender()
    private(set) var stream: HTTP2Stream
    /// nil while nothing runs on it.
    private(set) var exchange: Exchange?
    /// The exchange was begun before the server had said how many streams it allows.
    private(set) var isEarly = false
    /// The bytes of the request that were encoded when it began.
    var bytesAtOnce = 0
    /// When the next limit of the exchange ends, and which that is.
    private(set) var due = MonotonicClock.never
    private(set) var limit = Timeouts.Name.head
    /// How far the body that is being sent has come.
    var progress = HTTP2SendingProgress()
    /// A part of the body that waits for the windows.
    var outgoing: HTTP2BodyQueue?

    init(_ stream: HTTP2Stream, of connection: HTTP2Connection) {
        self.stream = stream
        self.connection = connection
    }

    /// An exchange begins on a stream that has been opened for it.
    func begin(_ exchange: Exchange, on stream: HTTP2Stream, isEarly: Bool) {
        self.stream = stream
        self.exchange = exchange
        self.isEarly = isEarly
        progress = HTTP2SendingProgress()
    }

    /// - Returns: the exchange, which has nothing to do with this connection any more.
    @discardableResult
    func detach() -> Exchange? {
        guard let exchange else { return nil }
        self.exchange = nil
        due = MonotonicClock.never
        sender.stop()
        if let outgoing {
            self.outgoing = nil
            outgoing.promise?.fail(ChannelError.alreadyClosed)
        }
        exchange.detach()
        return exchange
    }

    func setDeadline(_ name: Timeouts.Name?, from now: MonotonicTime) {
        guard let exchange else { return }
        (due, limit) = exchange.due(name, from: now)
        connection.watch(due)
    }

    // MARK: Requests of the exchange

    var sharesReads: Bool { true }

    func abandon(_ exchange: Exchange) { connection.abandon(self, exchange) }

    func resumeReading(for exchange: Exchange) { connection.resumeReading(of: self, for: exchange) }
}

extension HTTP2ActiveStream: RequestFraming {
    /// The head has gone to the session.
    func sendHead(_ plan: SendingPlan) -> Bool {
        if let body = plan.bodyWithHead, body.count > 0 { sendHeldBody(body) }
        return true
    }

    func sendHeldBody(_ body: Bytes) { queue(HTTP2BodyQueue([body], isLast: true)) }

    var takesBody: Bool { outgoing == nil }

    func send(_ pieces: [Bytes], promise: EventLoopPromise<Void>) {
        queue(HTTP2BodyQueue(pieces, isLast: false, promise: promise))
        flush()
    }

    func send(_ end: BodySender.End, promise: EventLoopPromise<Void>) {
        let pieces = end.last.map { [$0] } ?? []
        let trailers = end.trailers.flatMap { $0.isEmpty ? nil : $0 }
        queue(HTTP2BodyQueue(pieces, isLast: true, trailers: trailers, promise: promise))
        flush()
    }

    private func queue(_ body: HTTP2BodyQueue) {
        outgoing = body
        connection.pump(self)
    }

    func bodyEnded(at now: MonotonicTime) { bodyMoved(at: now) }

    func bodyMoved(at now: MonotonicTime) {
        guard !connection.session.isPaused(stream) else { return }
        if sender.isSendingBody { markMoved(at: now) } else { setDeadline(.idle, from: now) }
    }

    func flush() { connection.flush() }
}
