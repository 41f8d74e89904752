// When an exchange goes out again, and how its limits end it, over either version of HTTP.

import NIOCore
import NIOSSL
import TsubameCore
import TsubamePlatform

extension Exchange {
    /// Once more, on another connection: the last one had been idle, and was most likely closed before the request came to
    /// it.
    func replay() {
        sendAgain(
            ResendReason(.closedConnection, "the idle connection had been closed by the server"), afterRefusal: false)
    }

    /// Sends the request again, on any connection. The server has said that it did not process it (RFC 9113 section 8.7), so
    /// this is harmless for any method.
    /// - Parameters:
    ///   - words: what the server said.
    ///   - counts: whether this is one of the three times that it may say so.
    ///   - error: what it is a failure by, if the request cannot be sent again.
    func sendUnprocessed(_ words: String, counts: Bool = true, orElse error: @autoclosure () -> CallError) {
        if counts { countRefusal() }
        guard outgoing.request.body.canBeSentAgain, sendings.refusals <= 3 else { return fail(error()) }
        sendAgain(ResendReason(.unprocessed, words), afterRefusal: true)
    }

    private func sendAgain(_ why: ResendReason, afterRefusal: Bool) {
        do throws(CallError) {
            try call.countExchange()
        } catch {
            return fail(error)
        }
        call.emit(.resending(outgoing.request, why: why, after: .zero))
        restart(afterRefusal: afterRefusal)
    }

    /// The connection has gone, by this failure or none.
    func lost(_ failure: (any Error)?) -> CallError {
        if failure is BoringSSLError || failure is NIOSSLError, let failure {
            return key.tls.explain(
                failure, host: key.origin.host, settings: "connection.tls", phase: phase,
                connection: progress.connection)
        }
        let why = failure.map { Connector.words($0) } ?? "closed by the server"
        return CallError(
            .connectionLost, "the connection was lost: \(why)", phase: phase, timeout: nil, underlying: failure,
            connection: progress.connection)
    }

    /// When a limit that runs from now on ends: the one named, or the call's total if that comes first.
    func due(_ name: Timeouts.Name?, from now: MonotonicTime) -> (MonotonicTime, Timeouts.Name) {
        let total = (call.deadline, Timeouts.Name.total)
        guard let name else { return total }
        let nanoseconds = call.options.timeouts.nanoseconds(name)
        guard nanoseconds != MonotonicClock.never else { return total }
        let (time, overflow) = now.addingReportingOverflow(nanoseconds)
        return !overflow && time < total.0 ? (time, name) : total
    }

    /// When the idle time of a body that is being sent is taken to have begun, so that its progress is looked at four times in
    /// that time.
    func idleBegin(at now: MonotonicTime, movedAt: MonotonicTime) -> MonotonicTime {
        let idle = call.options.timeouts.nanoseconds(.idle)
        let (ahead, isNegative) = now.subtractingReportingOverflow(idle - idle / 4)
        return isNegative ? movedAt : Swift.min(movedAt, ahead)
    }

    /// A limit that ran while it was on its connection has passed. A refusal has then said all that counts, as in
    /// ``breakOff(_:)``.
    func expire(_ limit: Timeouts.Name) {
        if response.isRefused, limit != .total {
            carrier?.abandon(self)
            return restart(afterRefusal: true)
        }
        let time = Duration.nanoseconds(clamping: call.options.timeouts.nanoseconds(limit)).inSeconds
        switch limit {
        case .total: fail(call.expired(phase))
        case .head: timedOut(limit, "no response head within \(time) of the request")
        default: timedOut(limit, "no byte moved for \(time)")
        }
    }
}
