// TrafficLimits: the interceptor that applies a traffic policy.

import TsubameCore

/// Applies a traffic policy just before a request is sent.
final class TrafficLimits: CallInterceptor {
    private let gate: TrafficGate

    init(_ gate: TrafficGate) { self.gate = gate }

    func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response {
        let host = request.uri?.host ?? ""
        try await gate.enter(host, priority: request.priority.rawValue, call)
        do throws(CallError) {
            var response = try await next(request, call)
            if response.body.bytes != nil {
                gate.leave(host)
            } else {
                response.body.atEnd { [gate] _ in gate.leave(host) }
            }
            return response
        } catch {
            gate.leave(host)
            throw error
        }
    }
}
