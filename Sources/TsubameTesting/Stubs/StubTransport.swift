// StubTransport: a transport that answers a client's requests without a network.

public import HTTPTypes
public import TsubameCore
import TsubamePlatform

/// A transport that answers from a list of routes. The client above it is a real client with its whole chain.
///
/// ```swift
/// let stub = StubTransport { $0.on(.get, "/users").respond(json: [User.sample]).delay(.seconds(2)) }
/// let api = Client("https://api.example.com/v1", transport: stub)
/// ```
/// A route is found by method and path. A path has three forms: below the client's base as the call wrote it
/// (`/users`), whole (`/v1/users`), or with its origin (`https://api.example.com/v1/users`). If the path has a `?`, the
/// query must be equal too. A path with a `*` at its end matches all paths that begin so. The most exact route wins. A
/// request that fits no route fails with ``/Tsubame/CallError/Kind/connectionFailed`` and a text that lists the routes.
public final class StubTransport: Transport {
    struct State: Sendable {
        var routes: [StubRoute.Entry] = []
        var requests: [Request] = []
        var isClosed = false
    }

    let state = Watched(State())
    private let clock: any Clock<Duration>

    /// Makes a stub with the routes that `build` adds.
    /// - Parameters:
    ///   - clock: the clock on which ``StubRoute/delay(_:)`` is counted, such as a ``ManualClock``.
    ///   - build: a closure that adds routes; more routes can be added at any time.
    public init(clock: any Clock<Duration> = ContinuousClock(), _ build: (StubTransport) -> Void = { _ in }) {
        self.clock = clock
        build(self)
    }

    /// The name that `print(client.chain)` shows.
    public var name: String { "stub" }

    // MARK: Routes

    /// The route for this method and path. It answers 200 without a body until it has an answer of its own.
    @discardableResult
    public func on(_ method: HTTPRequest.Method, _ path: String) -> StubRoute { route(method, path) }

    /// The route for this path and every method that has no route of its own.
    @discardableResult
    public func on(_ path: String) -> StubRoute { route(nil, path) }

    private func route(_ method: HTTPRequest.Method?, _ path: String) -> StubRoute {
        let pattern = StubPattern(method: method, path: path)
        state.change { state in
            if !state.routes.contains(where: { $0.pattern == pattern }) {
                state.routes.append(StubRoute.Entry(pattern: pattern))
            }
        }
        return StubRoute(stub: self, pattern: pattern)
    }

    // MARK: Received requests

    /// All requests so far, in order, as they would have gone to the network.
    public var requests: [Request] { state.read { $0.requests } }

    /// The request with this index, counted from 0, once it has arrived.
    /// - Throws: `CancellationError` if the task is cancelled before that.
    public func request(_ index: Int) async throws(CancellationError) -> Request {
        while true {
            if let request = state.read({ $0.requests.indices.contains(index) ? $0.requests[index] : nil }) {
                return request
            }
            try await state.wait { $0.requests.count > index }
        }
    }

    // MARK: Transport

    /// Answers from the routes. The client calls this.
    public func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        let answer = try take(for: request, call: exchange.call)
        exchange.report(.sent(request))
        if answer.delay > .zero {
            do {
                try await clock.sleep(for: answer.delay)
            } catch {
                throw exchange.call.cancelled(.waitingForHead)
            }
        }
        return try await answer.make(request)
    }

    /// The empty set: a stub makes no connection, so that it ignores no setting of one.
    public func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { [] }

    /// Refuses all later requests. The client calls this.
    public func close() async { state.change { $0.isClosed = true } }

    private func take(for request: Request, call: Call) throws(CallError) -> StubRoute.Answer {
        let (isClosed, answer, patterns) = state.change { state -> (Bool, StubRoute.Answer?, [StubPattern]) in
            if state.isClosed { return (true, nil, []) }
            state.requests.append(request)
            let fits = state.routes.indices.compactMap { index in
                state.routes[index].pattern.rank(of: request, as: call.request).map { (rank: $0, index: index) }
            }
            // Of equal ranks the first wins; `max` would take the last.
            let best = fits.reduce(nil) { best, fit in best.map { $0.rank < fit.rank ? fit : $0 } ?? fit }
            return (false, best.map { state.routes[$0.index].next() }, state.routes.map(\.pattern))
        }
        if let answer { return answer }
        if isClosed { throw CallError(.cancelled, "the stub has been closed", phase: .connecting, request: request) }
        let list = patterns.isEmpty ? "none" : patterns.map(\.description).joined(separator: ", ")
        throw CallError(
            .connectionFailed, "no route of the stub fits; its routes: \(list)", phase: .connecting,
            advice: "add one: stub.on(…)", request: request)
    }
}
