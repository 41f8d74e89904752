// ChainEntry: one member of a chain, and how the chain runs it.

import TsubameCore

/// The kind of the library's own members is known where the chain lists them. Only a user's interceptors are asked at run
/// time, once: the first question of a type goes through all conformances of the program, which took a third of the time
/// that the first client needs.
struct ChainEntry: Sendable {
    enum Part {
        case step(any Step)
        case interceptor(any Interceptor)
        case callInterceptor(any CallInterceptor)
    }

    let part: Part
    /// The line in the printed chain: name and kind.
    let description: String

    private init(_ part: Part, _ name: String, _ kind: String) {
        self.part = part
        description = "\(name) (\(kind))"
    }

    init(step: any Step & ChainMember) { self.init(.step(step), step.name, step.kind) }

    init(interceptor: any Interceptor) { self.init(.interceptor(interceptor), interceptor.name, "interceptor") }

    init(interceptor: any CallInterceptor) { self.init(.callInterceptor(interceptor), interceptor.name, "interceptor") }

    init(policy: any FollowUpPolicy) { self.init(.step(FollowUpStep(policy)), policy.name, "follow-up") }

    init(hook: any MessageHook) { self.init(.step(MessageHookStep(hook)), hook.name, "hook") }

    init(hook: any CallMessageHook) { self.init(.step(CallMessageHookStep(hook)), hook.name, "hook") }

    /// A member of the user's lists.
    init(_ interceptor: any Interceptor) {
        switch interceptor {
        case let policy as any FollowUpPolicy: self.init(policy: policy)
        case let hook as any MessageHook: self.init(hook: hook)
        default: self.init(interceptor: interceptor)
        }
    }
}
