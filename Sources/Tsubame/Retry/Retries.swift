// Retries: the follow-up policy for transient failures.

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPTypes
import TsubameCore
import TsubameEngine
import TsubameWire

/// Sends failed requests again as ``RetryPolicy`` says.
final class Retries: FollowUpPolicy {
    let policy: RetryPolicy

    init(policy: RetryPolicy) { self.policy = policy }

    func concerns(_ request: borrowing Request) -> Bool { true }

    /// Whether the sender of the request resumes it from where it failed, so that nothing is to do here.
    private static func leavesAlone(_ request: Request) -> Bool { request.isMendedElsewhere?() == true }

    func concerns(_ response: borrowing Response) -> Bool {
        if policy.statuses.contains(response.statusCode) || policy.rule != nil { return true }
        policy.budget.deposit()
        return false
    }

    func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp {
        if Self.leavesAlone(hop.request) { return .proceed }
        let copy = copy response
        let decision = policy.rule?(
            RetryPolicy.Outcome(request: hop.request, response: copy, error: nil, retries: hop.resends))
        if decision == .giveUp { return .proceed }
        let isMeant = policy.statuses.contains(response.statusCode)
        var own: Duration?
        switch decision {
        case .retry(let after): own = after
        case .standard, .giveUp, nil:
            guard isMeant else {
                policy.budget.deposit()
                return .proceed
            }
        }
        let asked = own == nil ? Self.retryAfter(copy) : nil
        if let asked, asked > policy.maximumRetryAfter {
            return .giveUp("not sent again: the server asks to wait \(asked.inSeconds)")
        }
        return followUp("\(response.statusCode)", after: own ?? asked, hop)
    }

    func didFail(_ error: CallError, _ hop: borrowing Hop) -> FollowUp {
        if Self.leavesAlone(hop.request) { return .proceed }
        let decision = policy.rule?(
            RetryPolicy.Outcome(request: hop.request, response: nil, error: error, retries: hop.resends))
        switch decision {
        case .giveUp: return .proceed
        case .retry(let after):
            return error.kind == .cancelled ? .proceed : followUp(error.kind.words, after: after, hop)
        case .standard, nil:
            guard policy.retriesConnectionFailures, Self.isOfConnection(error) else { return .proceed }
            return followUp(error.kind.words, after: nil, hop)
        }
    }

    /// Whether another attempt may succeed, because the server was unreachable or closed the connection.
    static func isOfConnection(_ error: CallError) -> Bool {
        if let isTransient = error.isTransient { return isTransient }
        switch error.kind {
        case .connectionFailed, .connectionLost, .emptyReply, .incompleteResponse: return true
        case .timeout: return error.timeout == .connect || error.timeout == .tls
        default: return false
        }
    }

    private func followUp(_ reason: String, after delay: Duration?, _ hop: borrowing Hop) -> FollowUp {
        let request = hop.request
        guard request.mayBeReplayed || (policy.allowsAllMethods && request.body.canBeSentAgain) else {
            let why =
                request.body.canBeSentAgain
                ? "\(request.method.rawValue) may not be repeated without an Idempotency-Key"
                : "the body can be sent only once"
            return .note("not sent again after \(reason): \(why)")
        }
        guard hop.resends < policy.retries else {
            return .note(
                "not sent again after \(reason): already retried \(hop.resends == 1 ? "once" : "\(hop.resends) times")")
        }
        let delay = max(delay ?? policy.backOff(after: hop.resends), .zero)
        guard BackOff.fits(delay, hop.call) else {
            return .giveUp("not sent again after \(reason): the deadline is nearer than \(delay.inSeconds)")
        }
        guard policy.budget.withdraw() else {
            return .giveUp("not sent again after \(reason): too many calls of this client fail (retry.extraLoad)")
        }
        let why = ResendReason(.retry, "\(reason), retry \(hop.resends + 1) of \(policy.retries)")
        return .resend(request, after: delay, why: why)
    }

    static func retryAfter(_ response: Response) -> Duration? {
        guard let field = response.headers[.retryAfter] else { return nil }
        let now = Int64(Date().timeIntervalSince1970)
        return RetryAfter.seconds(field, date: response.headers[.date], now: now).map {
            // The cap keeps the arithmetic from overflowing. It is far above any wait that a policy allows.
            .seconds(min($0, 1_000_000_000))
        }
    }
}
