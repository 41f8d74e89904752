// Step: one interceptor in its place in the corridor.

import TsubameCore

/// A hook or a judge as the driver sees it. Steps are objects, so that passing one copies neither it nor what it holds.
protocol Step: AnyObject, Sendable {
    /// Whether it may send again, and so has to know the request that passed it.
    var judges: Bool { get }
    func willSend(_ request: inout Request, _ call: Call) throws(CallError)
    /// Whether there is something to judge about the response.
    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool
    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict
}

final class HookStep: Step {
    private let hook: any Hook

    init(_ hook: any Hook) { self.hook = hook }

    var judges: Bool { false }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response)
        return false
    }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict { .proceed }
}

final class CallHookStep: Step {
    private let hook: any CallHook

    init(_ hook: any CallHook) { self.hook = hook }

    var judges: Bool { false }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request, call) }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response, call)
        return false
    }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { .proceed }
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict { .proceed }
}

final class JudgeStep: Step {
    private let judge: any Judge

    init(_ judge: any Judge) { self.judge = judge }

    var judges: Bool { true }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {}

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool { judge.concerns(response) }

    func judge(_ response: borrowing Response, _ hop: borrowing Hop) -> Verdict { judge.didReceive(response, hop) }
    func judge(_ error: CallError, _ hop: borrowing Hop) -> Verdict { judge.didFail(error, hop) }
}
