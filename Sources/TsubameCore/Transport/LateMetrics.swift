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
    /// place of the client's own, also if the caller has it already. Report them before the body of the response ends.
    /// - Parameters:
    ///   - timings: the time of each step, from the start of the call: ``callAge`` tells how long ago that was.
    ///   - connection: the connection that carried the exchange; nil if it is not known.
    public func report(_ timings: Timings, connection: ConnectionInfo?) { metrics.report(timings, connection) }

    /// The time since the start of the call.
    public var callAge: Duration { .nanoseconds(clamping: MonotonicClock.now &- call.start) }
}
