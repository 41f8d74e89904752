// Retries: the step of the chain that has failed requests sent again.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameWire

/// Sends failed requests again as ``RetryPolicy`` says.
final class Retries: ChainStep {
    let kind = "follow-up"
    let policy: RetryPolicy
    private let credentials: Credentials?

    /// - Parameter credentials: the step before this one whose credentials serve one request each.
    init(policy: RetryPolicy, credentials: Credentials? = nil) {
        self.policy = policy
        self.credentials = credentials
    }

    func stance(toward request: borrowing Request) -> Stance { .watching }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        // The user's rule decides what a failure is.
        guard policy.rule == nil else { return true }
        let isFailure = policy.statuses.contains(response.statusCode)
        if !isFailure { policy.budget.deposit() }
        return isFailure
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp {
        let copy = copy response
        return followUp(
            RetryPolicy.Outcome(request: hop.request, response: copy, error: nil, retries: hop.resends), hop)
    }

    func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp {
        followUp(RetryPolicy.Outcome(request: hop.request, response: nil, error: error, retries: hop.resends), hop)
    }

    private func followUp(_ outcome: RetryPolicy.Outcome, _ hop: borrowing Hop) -> FollowUp {
        // The sender of a transfer continues it, and asks the policy itself.
        if hop.call.options.retriesItself?() == true {
            if policy.rule != nil, let response = outcome.response, !policy.statuses.contains(response.statusCode) {
                policy.budget.deposit()
            }
            return .proceed
        }
        switch policy.next(after: outcome, .init(hop.call, response: outcome.response), .none) {
        case .success:
            policy.budget.deposit()
            return .proceed
        case .stop(nil, _): return .proceed
        case .stop(let why?, let isObstacle): return isObstacle ? .giveUp(why) : .note(why)
        case .retry(let number, let delay, let reason, _):
            let why = ResendReason(.retry, "\(reason), retry \(number) of \(policy.retries)")
            return .resend(outcome.request, after: delay, why: why)
        }
    }

    func willResend(_ request: inout Request) { credentials?.renew(&request) }

    static func retryAfter(_ response: Response) -> Duration? {
        guard let field = response.headers[.retryAfter] else { return nil }
        let now = Int64(Date().timeIntervalSince1970)
        return RetryAfter.seconds(field, date: response.headers[.date], now: now).map {
            // The cap keeps the arithmetic from overflowing. It is far above any wait that a policy allows.
            .seconds(min($0, 1_000_000_000))
        }
    }
}
