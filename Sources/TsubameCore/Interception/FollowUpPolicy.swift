// FollowUpPolicy: decides whether a response or a failure is followed by another request.

/// Decides what follows a response or a failure. A policy does no I/O; the chain carries out what it decides.
package protocol FollowUpPolicy: ChainMember {
    /// Whether the policy may send this request again.
    func concerns(_ request: borrowing Request) -> Bool
    /// Whether the policy has to see this response together with its request. Most responses need no decision.
    func concerns(_ response: borrowing Response) -> Bool
    func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp
    func didFail(_ error: CallError, _ hop: borrowing Hop) -> FollowUp
}

extension FollowUpPolicy {
    package func concerns(_ request: borrowing Request) -> Bool { true }
    package func concerns(_ response: borrowing Response) -> Bool { true }
    package func didReceive(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { .proceed }
    package func didFail(_ error: CallError, _ hop: borrowing Hop) -> FollowUp { .proceed }
}

/// The request and the call that a policy sees beside the response or the error.
package struct Hop: Sendable {
    /// The request as it passed this policy.
    package let request: Request
    package let call: Call
    /// How often this policy has sent the request again in this call.
    package let resends: Int

    package init(request: Request, call: Call, resends: Int) {
        self.request = request
        self.call = call
        self.resends = resends
    }
}

/// The step that follows a response or a failure.
package enum FollowUp: Sendable {
    /// Nothing: the next member of the chain sees the response or the failure.
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
