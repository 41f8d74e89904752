// RetryPolicy: which calls are sent again after a failure, when, and how often.

import HTTPTypes
public import TsubameCore

/// Which requests are sent again when they fail, and after what time.
///
/// ```swift
/// $0.retry = .standard                    // and by status: 408, 425, 429, 500, 502, 503, 504
/// $0.retry = .off
/// $0.retry = .standard {
///     $0.retries = 5
///     $0.rule = { $0.response?.status == .conflict ? .retry(after: .seconds(1)) : .standard }
/// }
/// ```
/// Sent again is only what may be repeated: a request whose method is idempotent (RFC 9110 section 9.2.2), that carries
/// an `Idempotency-Key`, or is `isReplayable`, and whose body can be sent again. The wait before the n-th retry is a
/// random time up to `delay` · 2ⁿ⁻¹ (full jitter), or what the server asks for by `Retry-After`. A wait that the call's
/// total deadline would not outlive is not begun: the response, or the error, is given back at once.
///
/// All calls of a client and its views together may cause only so much more load (``extraLoad``): when a server is down,
/// most calls fail at once instead of making it worse.
public struct RetryPolicy: Sendable {
    /// What is to be judged.
    public struct Outcome: Sendable {
        /// The request as it was sent.
        public let request: Request
        /// The response, its body not read; nil if there is none.
        public let response: Response?
        /// Why there is none.
        public let error: CallError?
        /// How often the call was sent again before.
        public let retries: Int
    }

    /// What a rule decides.
    public enum Decision: Sendable, Hashable {
        /// Whatever the policy says without the rule.
        case standard
        /// Send again, after this time, or the usual one; within `retries`, the budget and the deadline.
        case retry(after: Duration? = nil)
        /// Give back what there is.
        case giveUp
    }

    /// The most times that a call is sent again.
    public var retries: Int
    /// The statuses after which a request is sent again.
    public var statuses: Set<Int>
    /// Whether connections that could not be made, or broke before the response was there, and look-ups of names for which
    /// no resolver answers, are a reason. An address that `connection.allowedAddresses` refuses is none.
    public var retriesConnectionFailures: Bool
    /// The longest wait before the first retry; twice as long before each further one.
    public var delay: Duration = .milliseconds(200)
    /// The longest wait before any.
    public var maximumDelay: Duration = .seconds(20)
    /// The longest wait that a server may ask for by Retry-After; more is not waited for, and the response given back.
    public var maximumRetryAfter: Duration = .seconds(120)
    /// Whether requests of all methods may be repeated.
    public var allowsAllMethods = false
    /// Whether requests that may not be repeated otherwise get an `Idempotency-Key` of their own: for servers that
    /// understand it.
    public var addsIdempotencyKeys = false
    /// How many retries there may be for each call of the client that has got a response, beyond a reserve of ten.
    public var extraLoad = 0.2 {
        didSet { budget = RetryBudget(extraLoad: extraLoad) }
    }
    /// Your own decision, asked first.
    public var rule: (@Sendable (Outcome) -> Decision)?

    private(set) var budget = RetryBudget(extraLoad: 0.2)
    /// From 0 up to, and without, 1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    private init(retries: Int, statuses: Set<Int>, retriesConnectionFailures: Bool) {
        self.retries = retries
        self.statuses = statuses
        self.retriesConnectionFailures = retriesConnectionFailures
    }

    /// Nothing is sent again, but for what the engine repeats by itself: an idempotent request on a reused connection
    /// that had died before.
    public static var off: RetryPolicy {
        RetryPolicy(retries: 0, statuses: [], retriesConnectionFailures: false)
    }

    /// Connections that could not be made, or broke before the response was there: at most twice. The default.
    public static var connectionFailures: RetryPolicy {
        RetryPolicy(retries: 2, statuses: [], retriesConnectionFailures: true)
    }

    /// The same, and the statuses 408, 425, 429, 500, 502, 503 and 504: at most three times.
    public static var standard: RetryPolicy {
        RetryPolicy(
            retries: 3, statuses: [408, 425, 429, 500, 502, 503, 504], retriesConnectionFailures: true)
    }

    /// The standard with changes.
    public static func standard(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.standard
        change(&policy)
        return policy
    }

    /// The standard for a few calls, each of which is to be sent again so often, whatever the budget of many calls would say.
    package static func ofCalls(_ count: Int, retries: Int) -> RetryPolicy {
        var policy = RetryPolicy.standard { $0.retries = retries }
        policy.budget = RetryBudget(extraLoad: policy.extraLoad, reserve: max(retries &* count, 10))
        return policy
    }

    var isOff: Bool { retries < 1 }

    /// So many bytes of a download or an upload make up for a broken connection: the next one counts as the first.
    static let worth: Int64 = 1 << 20

    /// The wait before a retry, if the server says nothing.
    /// - Parameter count: how many there have been.
    func backOff(after count: Int) -> Duration {
        let most = min(delay * Int(1 << min(max(count, 0), 30)), maximumDelay)
        return max(most, .zero) * random()
    }
}

extension RetryPolicy: CustomStringConvertible {
    public var description: String {
        if isOff { return "off" }
        let reasons =
            (retriesConnectionFailures ? ["connection failures"] : []) + statuses.sorted().map { "\($0)" }
            + (rule == nil ? [] : ["a rule"])
        return "up to \(retries) after \(reasons.joined(separator: ", "))"
    }
}
