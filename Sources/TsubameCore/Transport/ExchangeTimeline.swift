// ExchangeTimeline: how far an exchange of a transport has come, and the deadline that holds meanwhile.

package import TsubamePlatform

/// A value that takes what a transport reports, and says which deadline comes next.
package struct ExchangeTimeline: Sendable {
    private let timeouts: Timeouts
    /// The time by which the whole call must be done.
    private let deadline: MonotonicTime
    private(set) package var phase = CallError.Phase.waitingForHead
    private(set) package var timings = Timings()
    private(set) package var connection: ConnectionInfo?
    /// When the next deadline passes; `never` if there is none.
    private(set) package var due: MonotonicTime
    private var dueName = Timeouts.Name.total
    private(set) package var hasReportedSent = false

    package init(start: MonotonicTime, timeouts: Timeouts, deadline: MonotonicTime) {
        self.timeouts = timeouts
        self.deadline = deadline
        due = deadline
        timings.start = start
    }

    /// Sets the deadline that runs from now on: the named one, or the total if that comes first.
    private mutating func wait(for name: Timeouts.Name, from now: MonotonicTime) {
        let nanoseconds = timeouts.nanoseconds(name)
        let (time, overflow) = now.addingReportingOverflow(nanoseconds)
        let comesFirst = nanoseconds != MonotonicClock.never && !overflow && time < deadline
        (due, dueName) = comesFirst ? (time, name) : (deadline, .total)
    }

    /// The exchange begins. A transport that reports nothing has the time for the head from here on.
    package mutating func begin(at now: MonotonicTime) { wait(for: .head, from: now) }

    /// The engine keeps the deadlines. It gets a head start for the last one, since its error says more.
    package mutating func passOn() {
        let (late, overflow) = deadline.addingReportingOverflow(5_000_000)
        (due, dueName) = (overflow ? MonotonicClock.never : late, .total)
    }

    /// The transport reported an event.
    package mutating func note(_ event: CallEvent.Kind, at now: MonotonicTime) {
        switch event {
        case .queued:
            phase = .waiting
            wait(for: .pool, from: now)
        case .resolving: connect(.resolving, at: now)
        case .resolved: timings.resolvedAt = now
        case .connecting: connect(.connecting, at: now)
        case .connected(let info):
            timings.connectedAt = now
            isReady(info, at: now)
        case .securing:
            phase = .securing
            wait(for: .tls, from: now)
        case .secured(let info):
            timings.securedAt = now
            isReady(info, at: now)
        case .reused(let info): isReady(info, at: now)
        case .sent:
            timings.sentAt = now
            hasReportedSent = true
            if phase != .sendingBody { waitForHead(from: now) }
        case .sending(let progress):
            if progress.remaining == 0 { waitForHead(from: now) } else { moveBody(at: now) }
        default: break
        }
    }

    /// The look-up and the connections to all addresses share one deadline.
    private mutating func connect(_ phase: CallError.Phase, at now: MonotonicTime) {
        if self.phase != .resolving, self.phase != .connecting { wait(for: .connect, from: now) }
        self.phase = phase
    }

    private mutating func isReady(_ info: ConnectionInfo, at now: MonotonicTime) {
        connection = info
        phase = .sendingHead
        wait(for: .head, from: now)
    }

    /// The body of the request is read or sent.
    package mutating func moveBody(at now: MonotonicTime) {
        phase = .sendingBody
        wait(for: .idle, from: now)
    }

    /// The request has been sent to its end.
    package mutating func waitForHead(from now: MonotonicTime) {
        phase = .waitingForHead
        wait(for: .head, from: now)
    }

    /// The head of the response arrived.
    package mutating func receiveHead(at now: MonotonicTime) {
        timings.headAt = now
        phase = .receivingBody
        (due, dueName) = (deadline, .total)
    }

    /// The reader of the response's body waits for a piece.
    package mutating func waitForPiece(from now: MonotonicTime) { wait(for: .idle, from: now) }

    /// The reader has a piece, and may take any time over it.
    package mutating func receivePiece() { (due, dueName) = (deadline, .total) }

    /// The response is complete.
    package mutating func end(at now: MonotonicTime) { timings.endAt = now }

    package var hasHead: Bool { timings.headAt != 0 }

    /// The error of the deadline that has passed.
    package var expired: CallError {
        let time = Duration.nanoseconds(clamping: timeouts.nanoseconds(dueName)).inSeconds
        let reason =
            switch dueName {
            case .total: "not done after \(time)"
            case .head: "no response head within \(time)"
            case .idle: "no byte moved for \(time)"
            case .connect: "no connection within \(time)"
            case .tls: "no TLS handshake within \(time)"
            case .pool: "no connection was free within \(time)"
            }
        return CallError(.timeout, reason, phase: phase, timeout: dueName, connection: connection)
    }
}
