// CorridorEntry: one interceptor of a corridor's list, and the part it takes.

import TsubameCore

/// Of the library's own interceptors the kind is known where they are listed. Asking for it at run time is for the user's:
/// the first question of each type goes through all conformances of the program, which took a third of the time that the
/// first client needs.
struct CorridorEntry: Sendable {
    enum Part {
        case step(any Step)
        case around(any Around)
        case callAround(any CallAround)
        /// It can do nothing.
        case none
    }

    let interceptor: any Interceptor
    let part: Part
    /// To a reader of the corridor.
    let kind: String

    var name: String { "\(interceptor.name) (\(kind))" }

    private init(_ interceptor: any Interceptor, _ part: Part, _ kind: String) {
        self.interceptor = interceptor
        self.part = part
        self.kind = kind
    }

    init(step: any Step & Interceptor) { self.init(step, .step(step), step.kind) }

    init(around: any Around) { self.init(around, .around(around), "around") }

    init(around: any CallAround) { self.init(around, .callAround(around), "around") }

    init(judge: any Judge) { self.init(judge, .step(JudgeStep(judge)), "judge") }

    init(hook: any Hook) { self.init(hook, .step(HookStep(hook)), "hook") }

    init(hook: any CallHook) { self.init(hook, .step(CallHookStep(hook)), "hook") }

    /// One of which nothing is known.
    init(_ interceptor: any Interceptor) {
        switch interceptor {
        case let step as any Step & Interceptor: self.init(step: step)
        case let around as any Around: self.init(around: around)
        case let judge as any Judge: self.init(judge: judge)
        case let hook as any Hook: self.init(hook: hook)
        case let hook as any CallHook: self.init(hook: hook)
        default: self.init(interceptor, .none, "ignored: neither a Hook nor an Around")
        }
    }
}
