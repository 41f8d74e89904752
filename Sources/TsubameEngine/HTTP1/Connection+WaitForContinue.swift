// Connection+WaitForContinue: holds a body back until the server has answered 100, for a second at most (RFC 9110 section
// 10.1.1).

import NIOCore
import TsubameCore
import TsubamePlatform
import TsubameWire

extension Connection {
    /// Waits after the head. Until the body follows, a response answers a request that was never completed.
    func holdBody(of exchange: Exchange, at now: MonotonicTime) {
        isSending = true
        setDeadline(.head, from: now)
        held = loopPool.loop.scheduleTask(in: .nanoseconds(Exchange.continueTimeout)) {
            self.releaseBody()
        }
    }

    /// Sends the body: the server has asked for it, or its time to refuse it is over.
    func releaseBody() {
        guard let held else { return }
        held.cancel()
        self.held = nil
        guard let exchange, let channel else { return }
        let now = MonotonicClock.now
        switch exchange.upload {
        case .small(let bytes):
            isSending = false
            exchange.tellSent(body: bytes)
            // An observer may have cancelled the call.
            guard self.exchange === exchange else { return }
            exchange.timings.sentAt = now
            setDeadline(.head, from: now)
            channel.send(bytes.withUnsafeBytes { ByteBuffer(bytes: $0) })
        case .pieces(let reader, let length):
            startBody(of: exchange, reader, length, at: now)
        case .none, .file: break
        }
    }
}
