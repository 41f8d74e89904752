// Step: one interceptor in its place in the corridor.

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
    case judging
    /// The same, and before the request can go on something has to be waited for.
    case waiting
}

/// A hook, a judge, or what is both, as the driver sees it. Steps are objects, so that passing one copies neither it nor
/// what it holds.
protocol Step: AnyObject, Sendable {
    /// What it is to a reader of the corridor.
    var kind: String { get }
    func stance(toward request: borrowing Request) -> Stance
    /// The request as it goes on once what it needs is there; instead of `willSend` where the stance is to wait.
    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    /// Whether there is something to judge about the response.
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool
    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict
}

extension Step {
    var kind: String { "judge" }
    func prepare(_ request: Request, _ call: Call) async throws(CallError) -> Request { request }
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict { .proceed }
}

final class HookStep: Step {
    private let hook: any Hook

    init(_ hook: any Hook) { self.hook = hook }

    func stance(toward request: borrowing Request) -> Stance { .passing }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response)
        return false
    }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
}

final class CallHookStep: Step {
    private let hook: any CallHook

    init(_ hook: any CallHook) { self.hook = hook }

    func stance(toward request: borrowing Request) -> Stance { .passing }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request, call) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response, call)
        return false
    }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
}

final class JudgeStep: Step {
    private let judge: any Judge

    init(_ judge: any Judge) { self.judge = judge }

    func stance(toward request: borrowing Request) -> Stance { judge.concerns(request) ? .watching : .absent }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { judge.concerns(response) }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { judge.didReceive(response, hop) }
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict { judge.didFail(error, hop) }
}
