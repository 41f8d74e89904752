// HopTimes: when the parts of one exchange began and ended.

/// One exchange of a call: the first, or what a redirect, a challenge or a retry made of it.
package struct HopTimes: Sendable {
    /// In the order in which they happen.
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
        /// Since the start of the call.
        package let start: Duration
        package var end: Duration

        package init(phase: Phase, start: Duration, end: Duration) {
            self.phase = phase
            self.start = start
            self.end = max(start, end)
        }

        package var duration: Duration { end - start }
    }

    /// Method and target.
    package var request: String
    /// The status code, once there is one.
    package var status: Int?
    /// The status in words, or what went wrong.
    package var outcome = ""
    /// Where the connection leads and how, and whether it is new.
    package var connection: String?
    /// By their start.
    package var spans: [Span] = []

    package init(request: String) { self.request = request }
}
