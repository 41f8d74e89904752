// HopTimes: the times of one exchange's phases.

/// One exchange of a call: the first, or one that a redirect, a challenge or a retry caused.
package struct HopTimes: Sendable {
    /// The phases, in the order in which they happen.
    package enum Phase: String, Sendable, CaseIterable {
        case queued = "queue"
        case resolving = "DNS"
        case connecting = "connect"
        case securing = "TLS"
        case sending = "send"
        case waiting = "wait"
        case receiving = "receive"

        var role: Role {
            switch self {
            case .queued: .queued
            case .resolving: .resolving
            case .connecting: .connecting
            case .securing: .securing
            case .sending: .sending
            case .waiting: .waiting
            case .receiving: .receiving
            }
        }
    }

    package struct Span: Sendable {
        package let phase: Phase
        /// Both times count from the start of the call.
        package let start: Duration
        package var end: Duration

        package init(phase: Phase, start: Duration, end: Duration) {
            self.phase = phase
            self.start = start
            self.end = max(start, end)
        }

        package var duration: Duration { end - start }
    }

    /// Method and URL.
    package var request: String
    /// The status code; nil before the response.
    package var status: Int?
    /// The reason phrase, or the error.
    package var outcome = ""
    /// Address, protocol and proxy of the connection, and whether it is new.
    package var connection: String?
    /// The phases, ordered by their start.
    package var spans: [Span] = []

    package init(request: String) { self.request = request }
}
