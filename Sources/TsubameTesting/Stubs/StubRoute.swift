// StubRoute: the answers of a StubTransport to the requests of one route.

public import HTTPTypes
public import TsubameCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The answers of a ``StubTransport`` on one route.
///
/// ```swift
/// stub.on(.get, "/status")
///     .fail(CallError(.connectionLost, "gone")).times(2) // the first two requests
///     .respond(status: .serviceUnavailable)              // the third
///     .respond(text: "ready")                            // the fourth, and all that follow
/// ```
/// Each added answer is given once, in order, and the last one for ever. ``times(_:)`` changes how often an answer is
/// given. A route whose answers have all been given as often as they may is used up: it matches no more requests.
public struct StubRoute: Sendable {
    let stub: StubTransport
    let key: StubTable.Key

    /// Answers with these bytes. An invalid field makes the call fail with ``/Tsubame/CallError/Kind/misuse``.
    @discardableResult
    public func respond(
        status: HTTPResponse.Status = .ok, headers: RequestHeaders = [:], body: Bytes = Bytes()
    ) -> StubRoute {
        guard let problem = headers.problem else {
            return add { request in Response(status: status, headers: headers.fields, body: body, request: request) }
        }
        return fail(CallError(.misuse, "the stub's answer cannot be made: \(problem)"))
    }

    /// Answers with this text, as `text/plain; charset=utf-8` unless `headers` names another type.
    @discardableResult
    public func respond(
        status: HTTPResponse.Status = .ok, headers: RequestHeaders = [:], text: String
    ) -> StubRoute {
        var headers = headers
        if !headers.contains(.contentType) { headers[.contentType] = "text/plain; charset=utf-8" }
        return respond(status: status, headers: headers, body: Bytes(text))
    }

    /// Answers with this value as JSON. A value that cannot be encoded makes the call fail with
    /// ``/Tsubame/CallError/Kind/misuse``.
    @discardableResult
    public func respond(
        status: HTTPResponse.Status = .ok, headers: RequestHeaders = [:], json value: some Encodable
    ) -> StubRoute {
        var headers = headers
        if !headers.contains(.contentType) { headers[.contentType] = "application/json" }
        do {
            return respond(status: status, headers: headers, body: Bytes(try JSONEncoder().encode(value)))
        } catch {
            return fail(CallError(.misuse, "the stub's value cannot be encoded as JSON", underlying: error))
        }
    }

    /// Answers with the response that the closure makes of the request. An error that is no `CallError` fails the call
    /// as ``/Tsubame/CallError/Kind/interceptor``, with the error as `underlying`. The call's cancellation and its
    /// deadlines `total` and `head` end the wait and cancel the closure's task.
    @discardableResult
    public func respond(_ make: @escaping @Sendable (Request) async throws -> Response) -> StubRoute {
        add { request throws(CallError) in
            do {
                return try await make(request)
            } catch let error as CallError {
                throw error.with(request: request)
            } catch {
                throw CallError(
                    .interceptor, "the closure of the stub's route threw \(error)", phase: .waitingForHead,
                    underlying: error, request: request)
            }
        }
    }

    /// Fails with this error.
    @discardableResult
    public func fail(_ error: CallError) -> StubRoute {
        add { request throws(CallError) in throw error.with(request: request) }
    }

    /// Delays the answer that was added last by `delay`, counted on the stub's clock. If the route has no answer yet,
    /// the delay applies to all answers that are added later. The call's cancellation and its deadlines `total` and
    /// `head`, which are real time, end the wait.
    @discardableResult
    public func delay(_ delay: Duration) -> StubRoute {
        change { route in
            if let last = route.answers.indices.last {
                route.answers[last].delay = delay
            } else {
                route.delay = delay
            }
        }
    }

    /// Gives the answer that was added last exactly this often. ``StubTransport/assertAllUsed()`` fails until then.
    /// - Parameter count: at least 1. A smaller number counts as 1.
    @discardableResult
    public func times(_ count: Int) -> StubRoute {
        change { route in
            if route.answers.isEmpty { route.answers.append(.empty) }
            route.answers[route.answers.count - 1].times = max(count, 1)
        }
    }

    /// Moves a scenario to another state when the answer that was added last is given. A route whose matchers include
    /// ``StubMatcher/state(_:of:)`` is active only in that state.
    ///
    /// ```swift
    /// stub.on(.post, "/login").respond().moves(to: "signed in", of: "login")
    /// stub.on(.get, "/me", .state("signed in", of: "login")).respond(json: User.sample)
    /// stub.on(.get, "/me").respond(status: .unauthorized)
    /// ```
    @discardableResult
    public func moves(to state: String, of scenario: String) -> StubRoute {
        change { route in
            if route.answers.isEmpty { route.answers.append(.empty) }
            route.answers[route.answers.count - 1].move = StubTable.Move(scenario: scenario, state: state)
        }
    }

    private func add(_ make: @escaping @Sendable (Request) async throws(CallError) -> Response) -> StubRoute {
        change { $0.answers.append(StubTable.Answer(delay: $0.delay, make: make)) }
    }

    private func change(_ body: (inout StubTable.Entry) -> Void) -> StubRoute {
        stub.state.change { $0.table.change(key, body) }
        return self
    }
}
