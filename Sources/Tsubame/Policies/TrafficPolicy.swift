// TrafficPolicy: how much a client asks of its servers at once.

import TsubameCore

/// How many calls of a client run at once, how many begin in a time, and whether equal ones are joined.
///
/// ```swift
/// $0.traffic.callsPerHost = 4
/// $0.traffic.rate = .perSecond(10, burst: 20)
/// $0.traffic.joinsEqualRequests = true
/// ```
/// It counts exchanges where they are about to be sent: each hop of a redirect and each retry by itself. Views of a
/// client count together; those with another policy by themselves, and each view joins only its own. Waiting is under the call's total deadline.
public struct TrafficPolicy: Sendable {
    /// How many requests may begin.
    public struct Rate: Sendable, Hashable {
        /// So many in ``interval``, evenly.
        public var requests: Int
        /// The time in which ``requests`` may begin.
        public var interval: Duration
        /// So many may begin at once after a quiet time.
        public var burst: Int

        /// So many in `interval`, evenly, and `burst` at once after a quiet time.
        public init(_ requests: Int, per interval: Duration, burst: Int = 1) {
            self.requests = requests
            self.interval = interval
            self.burst = burst
        }

        /// So many a second, evenly, and `burst` at once after a quiet time.
        public static func perSecond(_ requests: Int, burst: Int = 1) -> Rate {
            Rate(requests, per: .seconds(1), burst: burst)
        }

        /// So many a minute, evenly, and `burst` at once after a quiet time.
        public static func perMinute(_ requests: Int, burst: Int = 1) -> Rate {
            Rate(requests, per: .seconds(60), burst: burst)
        }
    }

    /// The most exchanges at once; as many as there are calls unless set. One lasts until its response's body has been
    /// read, or was given up.
    public var calls: Int? {
        didSet { gate = nil }
    }
    /// The most at once to one host.
    public var callsPerHost: Int? {
        didSet { gate = nil }
    }
    /// How many may begin in a time at one host. Who waits for that has a place of ``calls`` and ``callsPerHost`` already.
    public var rate: Rate? {
        didSet { gate = nil }
    }
    /// Whether a GET that equals one under way, in its URL and all its fields, waits for that one's response instead of
    /// being sent. Only responses that come whole, below 256 KiB, are shared.
    public var joinsEqualRequests = false

    /// No limits, nothing is joined.
    public static let unlimited = TrafficPolicy()

    /// The same as ``unlimited``, to be changed.
    public init() {}

    /// Made when a client is: its views share it.
    private(set) var gate: TrafficGate?

    var isLimited: Bool { calls != nil || callsPerHost != nil || rate != nil }

    /// The policy with what counts for it.
    func prepared(_ clock: any Clock<Duration>) -> TrafficPolicy {
        var policy = self
        if isLimited, gate == nil { policy.gate = TrafficGate(self, clock: clock) }
        return policy
    }

    /// Why it cannot work.
    var problem: String? {
        if let calls, calls < 1 { return "traffic.calls is \(calls)" }
        if let callsPerHost, callsPerHost < 1 { return "traffic.callsPerHost is \(callsPerHost)" }
        if let rate, rate.requests < 1 || rate.interval <= .zero || rate.burst < 1 {
            return "traffic.rate is \(rate.requests) per \(rate.interval.inSeconds), \(rate.burst) at once"
        }
        return nil
    }
}

extension TrafficPolicy: CustomStringConvertible {
    public var description: String {
        var parts: [String] = []
        if let calls { parts.append("\(calls) calls") }
        if let callsPerHost { parts.append("\(callsPerHost) a host") }
        if let rate { parts.append("\(rate.requests) per \(rate.interval.inSeconds) a host") }
        if joinsEqualRequests { parts.append("equal requests joined") }
        return parts.isEmpty ? "unlimited" : parts.joined(separator: ", ")
    }
}
