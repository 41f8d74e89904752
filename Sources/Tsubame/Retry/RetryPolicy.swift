// RetryPolicy: which failed requests are sent again, when, and how often.

import HTTPTypes
public import TsubameCore

/// Which requests the client sends again when they fail, and after what delay.
///
/// ```swift
/// $0.retry = .standard                    // and by status: 408, 425, 429, 500, 502, 503, 504
/// $0.retry = .off
/// $0.retry = .standard {
///     $0.retries = 5
///     $0.rule = { $0.response?.status == .conflict ? .retry(after: .seconds(1)) : .standard }
/// }
/// ```
/// Only requests that may be repeated are retried. A request may be repeated if its method is idempotent (RFC 9110
/// section 9.2.2), if it carries an `Idempotency-Key`, or if it is `isReplayable`. Its body must also be one that can
/// be sent again.
///
/// The delay before the n-th retry is a random time up to `delay` · 2ⁿ⁻¹ (full jitter), or the server's `Retry-After`.
/// If the delay would end after the call's total deadline, the call returns the response or throws the error at once.
///
/// Downloads and uploads that are resumed, and streams of events, ask the same policy. They continue where an attempt
/// stopped, so they also retry interruptions, such as a body that stays silent. A mebibyte that an attempt of a transfer has
/// moved starts the count of ``retries`` anew. A stream asks ``rule`` when its connection has ended. The rule has then seen the
/// response of that connection before, as that of any call.
///
/// ``extraLoad`` limits the retries of all calls of a client and its views together. When a server is down, most calls
/// fail at once instead of adding to its load.
public struct RetryPolicy: Sendable {
    /// The outcome of an attempt, for a rule.
    public struct Outcome: Sendable {
        /// The request as it was sent.
        public let request: Request
        /// The response, with its body unread, or nil if there is none.
        public let response: Response?
        /// The reason why there is no response.
        public let error: CallError?
        /// How often the call has sent the request again before.
        public let retries: Int
    }

    /// The decision of a rule.
    public enum Decision: Sendable, Hashable {
        /// Decide as without a rule.
        case standard
        /// Send the request again, after this delay or the usual one. `retries`, the budget and the deadline still
        /// apply.
        case retry(after: Duration? = nil)
        /// Return the response, or throw the error.
        case giveUp
    }

    /// The most retries of a call: 2 by default, and 3 for ``standard``.
    public var retries: Int
    /// The statuses after which a request is sent again.
    public var statuses: Set<Int>
    /// Whether a request is sent again after its connection failed.
    ///
    /// This covers connections that cannot be opened, connections that break before the response, and name lookups
    /// that no resolver answers. It does not cover an address that `connection.allowedAddresses` refuses.
    public var retriesConnectionFailures: Bool
    /// The longest delay before the first retry; 200 ms by default. It doubles with each further retry.
    public var delay: Duration = .milliseconds(200)
    /// The longest delay before any retry; 20 s by default.
    public var maximumDelay: Duration = .seconds(20)
    /// The longest delay that the client accepts from Retry-After; 120 s by default. If the server asks for more, the
    /// response is returned at once.
    public var maximumRetryAfter: Duration = .seconds(120)
    /// Whether requests of all methods may be repeated.
    public var allowsAllMethods = false
    /// Whether requests that may not be repeated otherwise get an `Idempotency-Key`. Use this only with servers that
    /// understand the field.
    public var addsIdempotencyKeys = false
    /// How many retries each response that is no failure allows; 0.2 by default. They fill a reserve of ten retries, which a client has at
    /// its start. When the reserve is empty, calls fail without a retry, so that a server that fails gets little extra
    /// load. `.infinity` switches this limit off, for example for a batch of calls that must all succeed. Clients with the same
    /// stored policy share one reserve.
    public var extraLoad = 0.2 {
        didSet { budget = RetryBudget(extraLoad: extraLoad) }
    }
    /// Your decision, asked before the policy's own.
    public var rule: (@Sendable (Outcome) -> Decision)?

    private(set) var budget = RetryBudget(extraLoad: 0.2)
    /// A random number from 0 up to, but not including, 1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    private init(retries: Int, statuses: Set<Int>, retriesConnectionFailures: Bool) {
        self.retries = retries
        self.statuses = statuses
        self.retriesConnectionFailures = retriesConnectionFailures
    }

    /// Retries no request. The engine still repeats a request that the server did not process, and an idempotent one whose
    /// reused connection was dead already. Event streams still make new connections.
    public static var off: RetryPolicy {
        RetryPolicy(retries: 0, statuses: [], retriesConnectionFailures: false)
    }

    /// Retries at most twice, after a connection cannot be opened or breaks before the response. This is the default.
    public static var connectionFailures: RetryPolicy {
        RetryPolicy(retries: 2, statuses: [], retriesConnectionFailures: true)
    }

    /// Retries at most three times, after a connection failure or the statuses 408, 425, 429, 500, 502, 503 and 504.
    public static var standard: RetryPolicy {
        RetryPolicy(
            retries: 3, statuses: [408, 425, 429, 500, 502, 503, 504], retriesConnectionFailures: true)
    }

    /// ``standard`` with changes.
    public static func standard(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.standard
        change(&policy)
        return policy
    }

    /// The standard policy for a known number of calls. Its budget allows each of them all its retries.
    package static func ofCalls(_ count: Int, retries: Int) -> RetryPolicy {
        var policy = RetryPolicy.standard { $0.retries = retries }
        policy.budget = RetryBudget(extraLoad: policy.extraLoad, reserve: max(retries &* count, 10))
        return policy
    }

    var isOff: Bool { retries < 1 }

    /// After this many bytes of a download or an upload have been transferred, the next connection failure counts as
    /// the first.
    static let worth: Int64 = 1 << 20

    /// The delay before a retry, if the server names none.
    /// - Parameter count: the number of earlier retries.
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
