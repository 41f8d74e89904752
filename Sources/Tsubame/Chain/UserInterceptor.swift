// UserInterceptor: the two adapters that make members of the chain of a user's interceptors and hooks.

import TsubameCore

/// A user's ``MessageHook`` as a step.
final class MessageHookStep: ChainStep {
    private let hook: any MessageHook
    private let replacements: ReplacementRules

    init(_ hook: any MessageHook, _ replacements: ReplacementRules) {
        self.hook = hook
        self.replacements = replacements
    }

    var name: String { hook.name }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) {
        let given = request
        try hook.willSend(&request)
        // A request for another origin, or one that was made anew, is a replacement.
        let isNew =
            given.isCrossOrigin && !request.isCrossOrigin || given.undoesCodings && !request.undoesCodings
            || given.ownRedaction != request.ownRedaction
        if isNew || request.uri?.origin != given.uri?.origin {
            request = replacements.adopt(request, insteadOf: given)
        }
    }

    func didReceive(_ response: inout Response, _ call: Call) throws(CallError) -> Bool {
        try hook.didReceive(&response)
        return false
    }
}

/// A user's ``Interceptor``. The library does not know what it waits for, so a client that has one runs each call in a task
/// that can be cancelled (``CallGuard``).
final class UserInterceptor: CallInterceptor {
    private let interceptor: any Interceptor
    private let replacements: ReplacementRules

    init(_ interceptor: any Interceptor, _ replacements: ReplacementRules) {
        self.interceptor = interceptor
        self.replacements = replacements
    }

    var name: String { interceptor.name }

    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response {
        let replacements = replacements
        let next = Next { given throws(CallError) in
            try await next(replacements.adopt(given, insteadOf: request), call)
        }
        do {
            var response = try await interceptor.intercept(request, next: next)
            if response.isHandMade { response.details = response.details.with(request: request) }
            return response
        } catch let error as CallError {
            throw error
        } catch is CancellationError {
            throw call.cancelled(.preparing)
        } catch {
            throw CallError(
                .interceptor, "the interceptor \(name) threw: \(error)", underlying: error, request: request)
        }
    }
}
