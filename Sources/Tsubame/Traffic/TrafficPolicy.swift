// TrafficPolicy: limits how much a client asks of its servers at once.

import TsubameCore

/// How many calls of a client run at once, how many begin in a given time, and whether equal calls share a response.
///
/// ```swift
/// $0.traffic.callsPerHost = 4
/// $0.traffic.rate = .perSecond(10, burst: 20)
/// $0.traffic.coalescesEqualRequests = true
/// ```
/// The limits count exchanges just before they are sent, so each redirect and each retry counts separately. The views
/// of a client share the limits. A view with another policy has its own. Each view shares responses only among its own
/// requests. The call's total deadline includes the time of waiting.
public struct TrafficPolicy: Sendable {
    /// How many requests may begin in a given time.
    public struct Rate: Sendable, Hashable {
        /// How many requests may begin in ``interval``, evenly spread.
        public var requests: Int
        /// The time in which ``requests`` may begin.
        public var interval: Duration
        /// How many requests may begin at once after a quiet time.
        public var burst: Int

        /// Allows `requests` in each `interval`, evenly spread, and `burst` at once after a quiet time.
        public init(_ requests: Int, per interval: Duration, burst: Int = 1) {
            self.requests = requests
            self.interval = interval
            self.burst = burst
        }

        /// Allows `requests` a second, evenly spread, and `burst` at once after a quiet time.
        public static func perSecond(_ requests: Int, burst: Int = 1) -> Rate {
            Rate(requests, per: .seconds(1), burst: burst)
        }

        /// Allows `requests` a minute, evenly spread, and `burst` at once after a quiet time.
        public static func perMinute(_ requests: Int, burst: Int = 1) -> Rate {
            Rate(requests, per: .seconds(60), burst: burst)
        }
    }

    /// The most exchanges at once, or nil for no limit. A limit below 1 fails each call with
    /// ``CallError/Kind/invalidRequest``. An exchange ends when the response's body has been read or
    /// discarded.
    public var calls: Int? {
        didSet { gate = nil }
    }
    /// The most exchanges at once with one host, or nil for no limit.
    public var callsPerHost: Int? {
        didSet { gate = nil }
    }
    /// How many exchanges may begin in a given time at one host. A call that waits for this already counts for
    /// ``calls`` and ``callsPerHost``.
    public var rate: Rate? {
        didSet { gate = nil }
    }
    /// Whether a GET waits for the response of an equal GET that is running, instead of being sent. Two GETs are equal
    /// if their URLs and all their fields are. Only responses that are in memory as a whole, below 256 KiB, are
    /// shared.
    public var coalescesEqualRequests = false

    /// No limits, and equal requests are all sent.
    public static let unlimited = TrafficPolicy()

    /// Creates a policy without limits, the same as ``unlimited``.
    public init() {}

    /// The gate that a client and its views share. It is created with the client.
    private(set) var gate: TrafficGate?

    var isLimited: Bool { calls != nil || callsPerHost != nil || rate != nil }

    /// The policy with its gate.
    func prepared(_ clock: any Clock<Duration>) -> TrafficPolicy {
        var policy = self
        if isLimited, gate == nil { policy.gate = TrafficGate(self, clock: clock) }
        return policy
    }

    /// Why the policy cannot work, or nil if it can.
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
        if coalescesEqualRequests { parts.append("equal requests joined") }
        return parts.isEmpty ? "unlimited" : parts.joined(separator: ", ")
    }
}
