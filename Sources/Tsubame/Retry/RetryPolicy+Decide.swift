// RetryPolicy+Decide: the one decision whether something is sent again, for the chain, downloads, uploads and events.

import TsubameCore
import TsubamePlatform

extension RetryPolicy {
    /// The state that an attempt leaves for the next one.
    enum Progress: Sendable, Hashable {
        /// Nothing: the next attempt sends the whole request again.
        case none
        /// The next attempt continues where this one stopped.
        /// - Parameters:
        ///   - bytes: the bytes that no later attempt has to move again.
        ///   - isUnfinished: whether the response leaves the transfer unfinished, with any status.
        case resumable(bytes: Int64, isUnfinished: Bool = false)
        /// The next attempt continues a subscription, which has a limit and a delay of its own. Subscriptions take
        /// nothing out of the budget, because their delays limit the load.
        case subscription(maximum: Int, delay: Duration)
    }

    /// The limits of one attempt.
    struct Attempt: Sendable {
        /// The delay for which the server asks.
        var retryAfter: Duration?
        /// The time until the deadline of the call; nil without a deadline.
        var timeLeft: Duration?
    }

    /// The step after an attempt.
    enum Next: Sendable, Hashable {
        /// The attempt did not fail.
        case success
        /// The outcome stands.
        /// - Parameters:
        ///   - why: why there is no other attempt; nil if that needs no reason.
        ///   - isObstacle: whether the error of the call names the reason.
        case stop(why: String?, isObstacle: Bool = false)
        /// - Parameters:
        ///   - number: 1 for the first retry since the attempts last moved many bytes.
        ///   - reason: the failure in words, such as `503`.
        ///   - isFree: whether the retry takes nothing out of the budget.
        case retry(number: Int, after: Duration, reason: String, isFree: Bool)
    }

    /// Decides what follows an attempt. Nothing changes by this.
    func decide(_ outcome: Outcome, _ attempt: Attempt, _ progress: Progress) -> Next {
        var delay: Duration?
        switch rule?(outcome) {
        case .giveUp: return .stop(why: nil)
        case .retry(let after):
            if outcome.error?.kind == .cancelled { return .stop(why: nil) }
            delay = after
        case .standard, nil:
            if let error = outcome.error {
                guard mayRetry(error, progress) else { return .stop(why: nil) }
            } else if !isFailure(outcome, progress) {
                return .success
            }
        }
        let asked = delay == nil ? attempt.retryAfter : nil
        if let asked, asked > maximumRetryAfter {
            return .stop(why: "not sent again: the server asks to wait \(asked.inSeconds)", isObstacle: true)
        }
        if progress == .none, let obstacle = obstacle(to: outcome.request) {
            return .stop(why: "not sent again after \(outcome.reason): \(obstacle)")
        }
        let hasMoved = if case .resumable(Self.worth..., _) = progress { true } else { false }
        let retries = hasMoved ? 0 : outcome.retries
        guard retries < maximum(progress) else {
            let count = retries == 1 ? "once" : "\(retries) times"
            return .stop(why: "not sent again after \(outcome.reason): already retried \(count)")
        }
        let next = max(delay ?? asked ?? ownDelay(after: retries, progress), .zero)
        if let timeLeft = attempt.timeLeft, next >= timeLeft {
            return .stop(
                why: "not sent again after \(outcome.reason): the deadline is nearer than \(next.inSeconds)",
                isObstacle: true)
        }
        let isSubscription = if case .subscription = progress { true } else { false }
        return .retry(number: retries + 1, after: next, reason: outcome.reason, isFree: hasMoved || isSubscription)
    }

    /// Decides what follows an attempt, and takes a retry out of the budget. ``Retries`` fills the budget, since it sees each
    /// response of each call.
    func next(after outcome: Outcome, _ attempt: Attempt, _ progress: Progress) -> Next {
        let next = decide(outcome, attempt, progress)
        guard case .retry(_, _, let reason, isFree: false) = next, !budget.withdraw() else { return next }
        return .stop(
            why: "not sent again after \(reason): too many calls of this client fail (retry.extraLoad)",
            isObstacle: true)
    }

    private func mayRetry(_ error: CallError, _ progress: Progress) -> Bool {
        switch (error.transience, progress) {
        // A subscription has found the name before.
        case (.permanent, .subscription): error.kind == .nameResolution && error.isTransient != false
        case (.permanent, _), (.interruption, .none): false
        // A subscription is not switched off by the policy, but by its own limit. Each connection is a call of its own.
        case (_, .subscription): true
        case (.expiry, _): false
        case (.connection, _), (.interruption, _): retriesConnectionFailures
        }
    }

    private func isFailure(_ outcome: Outcome, _ progress: Progress) -> Bool {
        switch progress {
        case .resumable(_, isUnfinished: true), .subscription: true
        case .none, .resumable: outcome.response.map { statuses.contains($0.statusCode) } ?? false
        }
    }

    private func obstacle(to request: Request) -> String? {
        if request.mayBeReplayed || (allowsAllMethods && request.body.canBeSentAgain) { return nil }
        return request.body.canBeSentAgain
            ? "\(request.method.rawValue) may not be repeated without an Idempotency-Key"
            : "the body can be sent only once"
    }

    private func maximum(_ progress: Progress) -> Int {
        if case .subscription(let maximum, _) = progress { maximum } else { retries }
    }

    private func ownDelay(after count: Int, _ progress: Progress) -> Duration {
        if case .subscription(_, let delay) = progress { delay } else { backOff(after: count) }
    }
}

extension RetryPolicy.Attempt {
    /// - Parameter response: the response with the delay for which the server asks.
    init(_ call: Call, response: Response?) {
        self.init(retryAfter: response.flatMap(Retries.retryAfter), timeLeft: call.timeLeft)
    }
}

extension RetryPolicy.Outcome {
    /// The failure in words.
    fileprivate var reason: String { error?.kind.words ?? response.map { "\($0.statusCode)" } ?? "the attempt" }
}

extension Call {
    /// The time until the deadline; nil without a deadline.
    var timeLeft: Duration? {
        if deadline == MonotonicClock.never { return nil }
        let now = MonotonicClock.now
        return .nanoseconds(clamping: deadline > now ? deadline - now : 0)
    }
}
