// InspectorRules: the interceptor that applies the rules of an inspector.

import HTTPTypes
import Synchronization
package import Tsubame
package import TsubameCore

/// Stands just before the transport of each inspected client while a rule is on, so that retries, redirects and the cache meet a
/// rule as they would meet a network.
package final class InspectorRules: CallInterceptor {
    private struct State: Sendable {
        var table = RuleTable()
        var chains: [AddedInterceptors] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var rules: [Rule] { state.withLock { $0.table.rules } }

    /// Replaces all rules, from the next request on.
    /// - Throws: the place and the fault of the first rule that cannot be applied. The rules then stay.
    package func set(_ rules: [Rule]) throws(Rule.Problem) {
        let table = try RuleTable(rules)
        state.withLock { state in
            state.table = table
            for chain in state.chains { if table.isActive { chain.add(self) } else { chain.remove(self) } }
        }
    }

    /// Applies the rules to one more client and its views.
    func join(_ chain: AddedInterceptors) {
        state.withLock { state in
            state.chains.append(chain)
            if state.table.isActive { chain.add(self) }
        }
    }

    /// Leaves all clients.
    func end() {
        state.withLock { state in
            for chain in state.chains { chain.remove(self) }
            state = State()
        }
    }

    package func intercept(_ request: Request, _ call: Call, next: CallNext) async throws(CallError) -> Response {
        guard let verdict = state.withLock({ $0.table.decide(request) }) else { return try await next(request, call) }
        call.emit(.decision("a rule of the inspector applies: \(verdict.words)"))
        if verdict.delay > 0 {
            try await CallDelay.wait(.milliseconds(Int64(verdict.delay)), on: nil, for: call, .waiting)
        }
        var response: Response
        switch verdict.outcome?.action {
        case .answer: response = try answer(verdict.outcome?.answer ?? Rule.Answer(), request, call)
        case .fail:
            throw CallError(
                verdict.outcome?.failureKind ?? .connectionLost, "a rule of the inspector fails this request",
                phase: .connecting, advice: "switch the rule off in the inspector", request: request)
        case .pass, nil: response = try await next(request, call)
        }
        if let rate = verdict.bytesPerSecond { try await SlowBody.limit(&response, to: rate, for: call) }
        return response
    }

    private func answer(_ answer: Rule.Answer, _ request: Request, _ call: Call) throws(CallError) -> Response {
        let fields: HTTPFields
        do throws(Rule.Problem) {
            fields = try answer.fields()
        } catch {
            throw CallError(.misuse, "a rule of the inspector cannot answer: \(error)", request: request)
        }
        let body = request.method == .head ? Bytes() : Bytes(answer.body)
        let response = Response(
            status: HTTPResponse.Status(code: answer.status), headers: fields, body: body, request: request)
        var head = response
        head.body = ResponseBody()
        call.emit(.headReceived(head))
        if call.observedBodyBytes > 0 { call.emit(.responseBody(body, at: 0)) }
        return response
    }
}
