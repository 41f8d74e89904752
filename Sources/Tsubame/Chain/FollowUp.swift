// FollowUp: what a step of the chain decides about a response or a failure.

package import TsubameCore

/// The request and the call that a step sees beside the response or the error.
package struct Hop: Sendable {
    /// The request as it passed this step.
    package let request: Request
    package let call: Call
    /// The number of times that this step has had the request sent again in this call.
    package let resends: Int

    package init(request: Request, call: Call, resends: Int) {
        self.request = request
        self.call = call
        self.resends = resends
    }
}

/// The next step after a response or a failure.
package enum FollowUp: Sendable {
    /// Nothing: the next step sees the response or the failure.
    case proceed
    /// Send this request through the members after this one, after a delay. The response goes into the history.
    case resend(Request, after: Duration, why: ResendReason)
    /// Send the request that the closure returns, for example after it has fetched a token. An error ends the call.
    case resendWhen(@Sendable () async throws(CallError) -> Request, why: ResendReason)
    /// Go on with the response after the closure has returned. An error ends the call.
    case wait(@Sendable () async throws(CallError) -> Void)
    /// Keep the response, and report why it was not followed.
    case note(String)
    /// Keep the response or the failure, and name in the call's error why the request was not sent again.
    case giveUp(String)
    /// End the call with this error.
    case fail(CallError)
}

/// A follow-up of a step. It is an object because few calls have one, and so costs the others one word.
final class PendingFollowUp {
    let followUp: FollowUp

    init(_ followUp: FollowUp) { self.followUp = followUp }
}
