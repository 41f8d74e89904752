// UserInterceptor: the two adapters that make members of the chain of a user's interceptors and hooks.

import TsubameCore

/// A user's ``MessageHook`` as a step.
final class MessageHookStep: ChainStep {
    private let hook: any MessageHook

    init(_ hook: any MessageHook) { self.hook = hook }

    var name: String { hook.name }

    func willSend(_ request: inout Request, _ call: Call) throws(CallError) { try hook.willSend(&request) }

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

/// The rules for a request that a user's interceptor sends in place of the one that it was given.
final class ReplacementRules: Sendable {
    private let allowedOrigins: Set<Origin>
    private let crossOriginFields: CrossOriginFields

    init(_ configuration: Configuration) {
        allowedOrigins = configuration.allowedOrigins
        crossOriginFields = CrossOriginFields(configuration)
    }

    /// At another origin, the request goes without the client's fields and credentials. A redirect of it starts again from
    /// this request, and not from the call's own.
    func adopt(_ request: Request, insteadOf given: Request) -> Request {
        var adopted = request
        // A request that was made anew does not know the client's secrets.
        if adopted.redaction != given.redaction { adopted.redaction = given.redaction }
        guard let uri = request.uri, uri != given.uri else { return adopted }
        if uri.origin != given.uri?.origin, !allowedOrigins.contains(uri.origin) {
            adopted.isCrossOrigin = true
            // These are fields that the interceptor copied. A field with another value is the interceptor's own.
            adopted.headers.removeAll { field in
                crossOriginFields.contains(field) && given.headers[values: field.name].contains(field.value)
            }
        }
        adopted.entry = adopted
        return adopted
    }
}
