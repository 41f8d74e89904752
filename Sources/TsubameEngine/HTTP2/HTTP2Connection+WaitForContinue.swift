// HTTP2Connection+WaitForContinue: holds the body of a stream back until the server has answered 100, for a second at most
// (RFC 9110 section 10.1.1).

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension HTTP2Connection {
    /// Waits after the head.
    func holdBody(of activeStream: HTTP2ActiveStream, at now: MonotonicTime) {
        setDeadline(of: activeStream, .head, from: now)
        let stream = activeStream.stream
        activeStream.held = loopPool.loop.scheduleTask(in: .nanoseconds(Exchange.continueTimeout)) {
            guard let activeStream = self.activeStream(stream) else { return }
            self.releaseBody(of: activeStream)
            self.flush()
        }
    }

    /// Sends the body: the server has asked for it, or its time to refuse it is over.
    func releaseBody(of activeStream: HTTP2ActiveStream) {
        guard let held = activeStream.held, let exchange = activeStream.exchange else { return }
        held.cancel()
        activeStream.held = nil
        let now = MonotonicClock.now
        switch exchange.upload {
        case .small(let bytes):
            exchange.tellSent(body: bytes)
            // An observer may have cancelled the call.
            guard activeStream.exchange === exchange else { return }
            exchange.timings.sentAt = now
            setDeadline(of: activeStream, .head, from: now)
            activeStream.outgoing = HTTP2BodyQueue([bytes], isLast: true)
            pump(activeStream)
        case .pieces(let reader, let length): startBody(of: activeStream, reader, length, at: now)
        case .none, .file: break
        }
    }
}
