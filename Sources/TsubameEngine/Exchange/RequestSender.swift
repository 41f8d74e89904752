// RequestSender: brings requests to a connection, for both versions of HTTP.

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

/// Sends requests, one after another: the head, with it a small body, or after it a larger one. A body that the server is to
/// ask for (`Expect: 100-continue`, RFC 9110 section 10.1.1) waits for a second at most.
///
/// A ``RequestFraming`` does what differs between the versions. There is one sender for each connection of HTTP/1.1, and for
/// each stream of HTTP/2.
// Guarded by confinement to the loop of its connection.
final class RequestSender: @unchecked Sendable {
    /// How long the body waits before it goes out unasked, in nanoseconds. Many servers never answer 100. curl waits as
    /// long.
    private static let continueTimeout: Int64 = 1_000_000_000

    private enum State {
        case idle
        /// All of the request is on its way.
        case sent
        /// The body waits until the server asks for it.
        case waitingForContinue(Scheduled<Void>, release: () -> Void)
        case sendingBody(BodySender)
        /// The answer came before the server had asked for the body, which stays here.
        case withheld
    }

    @exclusivity(unchecked) private var state = State.idle

    /// Whether the server has got, or gets, all of the request.
    var isComplete: Bool {
        switch state {
        case .idle, .sent: true
        case .waitingForContinue, .sendingBody, .withheld: false
        }
    }

    /// Whether a body goes out piece by piece.
    var isSendingBody: Bool {
        if case .sendingBody = state { true } else { false }
    }

    /// Sends the request of an exchange whose head has been encoded.
    /// - Throws: ``CallError/Kind/cancelled`` if an observer of the head has cancelled the call. Over HTTP/1.1 nothing
    ///   was sent then. Over HTTP/2 the head is encoded, and goes out before its reset.
    @inline(__always)
    func send(_ exchange: Exchange, _ plan: SendingPlan, on framing: any RequestFraming) throws(CallError) {
        let now = MonotonicClock.now
        exchange.headGoesOut(at: now, with: plan.bodyWithHead)
        if exchange.outgoing.isObserved, exchange.isCancelled { throw exchange.call.cancelled(exchange.phase) }
        // A connection that has broken says so later.
        guard framing.sendHead(plan) else { return framing.setDeadline(.head, from: now) }
        if plan.asksFirst {
            framing.setDeadline(.head, from: now)
            hold(exchange, on: framing)
        } else if case .pieces(let reader, let length) = exchange.upload {
            sendBody(of: exchange, reader, length, at: now, on: framing)
        } else {
            state = .sent
            framing.setDeadline(.head, from: now)
        }
        framing.flush()
    }

    private func sendBody(
        of exchange: Exchange, _ reader: any BodyReader, _ length: Int64?, at now: MonotonicTime,
        on framing: any RequestFraming
    ) {
        exchange.bodyBegins()
        framing.bodyMoved(at: now)
        let body = BodySender(reader, length: length, exchange: exchange, sender: self, framing: framing)
        state = .sendingBody(body)
        body.start()
    }

    // MARK: Expect: 100-continue

    private func hold(_ exchange: Exchange, on framing: any RequestFraming) {
        let release = { self.release(exchange, on: framing) }
        let timer = exchange.loopPool.loop.assumeIsolated().scheduleTask(
            in: .nanoseconds(Self.continueTimeout), release)
        state = .waitingForContinue(timer, release: release)
    }

    private func release(_ exchange: Exchange, on framing: any RequestFraming) {
        let now = MonotonicClock.now
        switch exchange.upload {
        case .small(let bytes):
            exchange.heldBodyGoesOut(bytes, at: now)
            // An observer may have cancelled the call, whose end is on the way. The request is then not complete.
            if exchange.outgoing.isObserved, exchange.isCancelled { return state = .withheld }
            state = .sent
            framing.setDeadline(.head, from: now)
            framing.sendHeldBody(bytes)
        case .pieces(let reader, let length): sendBody(of: exchange, reader, length, at: now, on: framing)
        case .none: break
        }
        framing.flush()
    }

    /// The server has answered 100.
    func continueReceived() {
        guard case .waitingForContinue(let timer, let release) = state else { return }
        timer.cancel()
        release()
    }

    /// The server has given its final answer. A body that it has not asked for is not wanted.
    func finalHeadReceived() {
        guard case .waitingForContinue(let timer, _) = state else { return }
        timer.cancel()
        state = .withheld
    }

    // MARK: The body

    func becameWritable() {
        if case .sendingBody(let body) = state { body.becameWritable() }
    }

    /// The socket has all of the body.
    func bodySent(of exchange: Exchange, on framing: any RequestFraming) {
        state = .sent
        let now = MonotonicClock.now
        if exchange.bodySent(at: now) { framing.setDeadline(.head, from: now) } else { framing.bodyEnded(at: now) }
    }

    /// The exchange has ended. Nothing more of its request goes out.
    @inline(__always)
    func stop() {
        if case .sent = state {} else { stopBody() }
        state = .idle
    }

    private func stopBody() {
        switch state {
        case .waitingForContinue(let timer, _): timer.cancel()
        case .sendingBody(let body): body.stop()
        case .idle, .sent, .withheld: break
        }
    }
}
