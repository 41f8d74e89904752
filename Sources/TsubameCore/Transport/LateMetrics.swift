// LateMetrics: the facts that a transport learns only at the end of an exchange.

internal import Synchronization
internal import TsubamePlatform

/// The times and the connection of an exchange, once its transport has reported them.
package final class LateMetrics: Sendable {
    private let reported = Mutex<(timings: Timings, connection: ConnectionInfo?)?>(nil)

    package var timings: Timings? { reported.withLock { $0?.timings } }
    package var connection: ConnectionInfo? { reported.withLock { $0?.connection } }

    func report(_ timings: Timings, _ connection: ConnectionInfo?) {
        reported.withLock { $0 = (timings, connection) }
    }
}

extension Timings {
    /// The same times for a call that began at `start`.
    func counted(from start: MonotonicTime) -> Timings {
        func moved(_ time: MonotonicTime) -> MonotonicTime {
            guard time != 0 else { return 0 }
            let (moved, overflow) = start.addingReportingOverflow(time >= self.start ? time - self.start : 0)
            return overflow ? MonotonicClock.never : moved
        }
        var copy = self
        copy.start = start
        (copy.resolvedAt, copy.connectedAt, copy.securedAt) = (moved(resolvedAt), moved(connectedAt), moved(securedAt))
        (copy.sentAt, copy.headAt, copy.endAt) = (moved(sentAt), moved(headAt), moved(endAt))
        return copy
    }

    /// These times, with those of `other` for steps that have none here.
    func completed(by other: Timings) -> Timings {
        var copy = self
        if copy.resolvedAt == 0 { copy.resolvedAt = other.resolvedAt }
        if copy.connectedAt == 0 { copy.connectedAt = other.connectedAt }
        if copy.securedAt == 0 { copy.securedAt = other.securedAt }
        if copy.sentAt == 0 { copy.sentAt = other.sentAt }
        if copy.headAt == 0 { copy.headAt = other.headAt }
        if copy.endAt == 0 { copy.endAt = other.endAt }
        return copy
    }

    /// The times of an exchange, from the start of its call.
    ///
    /// For a transport that reports them by ``TransportExchange/report(_:connection:)``. A step that did not happen is nil.
    public init(
        resolved: Duration? = nil, connected: Duration? = nil, secured: Duration? = nil, sent: Duration? = nil,
        head: Duration? = nil, total: Duration? = nil
    ) {
        self.init()
        // 0 stands for a step that did not happen.
        start = 1
        (resolvedAt, connectedAt, securedAt) = (time(resolved), time(connected), time(secured))
        (sentAt, headAt, endAt) = (time(sent), time(head), time(total))
    }

    private func time(_ duration: Duration?) -> MonotonicTime {
        guard let duration else { return 0 }
        let (time, overflow) = start.addingReportingOverflow(duration.nanosecondsClamped)
        return overflow ? MonotonicClock.never : time
    }
}

extension TransportExchange {
    /// Reports times and connection that the transport learns only at the end of the exchange. The response then has these in
    /// place of the client's own, also if the caller has it already. A step without a time keeps the client's. Report them before the body of the response ends.
    /// - Parameters:
    ///   - timings: the time of each step, from the start of the call: ``callAge`` tells how long ago that was.
    ///   - connection: the connection that carried the exchange; nil if it is not known.
    public func report(_ timings: Timings, connection: ConnectionInfo?) {
        metrics.report(timings.counted(from: call.start), connection)
    }

    /// The time since the start of the call.
    public var callAge: Duration { .nanoseconds(clamping: MonotonicClock.now &- call.start) }
}
