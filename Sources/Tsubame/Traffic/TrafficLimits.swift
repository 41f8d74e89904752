// TrafficLimits: the interceptor that applies a traffic policy.

import TsubameCore

/// Applies a traffic policy just before a request is sent.
final class TrafficLimits: Interceptor {
    let name = "TrafficLimits"
    private let gate: TrafficGate

    init(_ gate: TrafficGate) { self.gate = gate }

    func intercept(_ request: Request, next: Next) async throws -> Response {
        let host = request.uri?.host ?? ""
        try await gate.enter(host, priority: request.priority.rawValue)
        do {
            var response = try await next(request)
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
