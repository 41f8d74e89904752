// Step: one interceptor in its place in the chain.

import TsubameCore

/// What a step has to do with a request.
enum Stance {
    /// Nothing.
    case absent
    /// It changes the request, and perhaps the response.
    case passing
    /// It may send again, and so has to know the request that passed it.
    case watching
    /// It changes the request, and may send again.
    case deciding
    /// The same, and before the request can go on something has to be waited for.
    case waiting
}

/// A hook, a policy, or what is both, as the chain sees it. Steps are objects, so that passing one copies neither it nor
/// what it holds.
protocol Step: AnyObject, Sendable {
    /// What it is to a reader of the chain.
    var kind: String { get }
    func stance(toward request: borrowing Request) -> Stance
    /// The request as it goes on once what it needs is there; instead of `willSend` where the stance is to wait.
    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    /// Whether a policy has to decide about the response.
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool
    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp
    func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp
}

extension Step {
    var kind: String { "follow-up" }
    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request { request }
    func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp { .proceed }
}

final class MessageHookStep: Step {
    private let hook: any MessageHook

    init(_ hook: any MessageHook) { self.hook = hook }

    func stance(toward request: borrowing Request) -> Stance { .passing }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response)
        return false
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { .proceed }
}

final class CallMessageHookStep: Step {
    private let hook: any CallMessageHook

    init(_ hook: any CallMessageHook) { self.hook = hook }

    func stance(toward request: borrowing Request) -> Stance { .passing }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request, call) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response, call)
        return false
    }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { .proceed }
}

final class FollowUpStep: Step {
    private let policy: any FollowUpPolicy

    init(_ policy: any FollowUpPolicy) { self.policy = policy }

    func stance(toward request: borrowing Request) -> Stance { policy.concerns(request) ? .watching : .absent }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { policy.concerns(response) }

    func followUp(_ response: borrowing Response, _ hop: borrowing Hop) -> FollowUp { policy.didReceive(response, hop) }
    func followUp(_ error: CallError, _ hop: borrowing Hop) -> FollowUp { policy.didFail(error, hop) }
}
