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
/// A route is found by method, path and matchers. A path has three forms: below the client's base as the call wrote it
/// (`/users`), whole (`/v1/users`), or with its origin (`https://api.example.com/v1/users`). If the path has a `?`, the
/// query must be equal too. A path with a `*` at its end matches all paths that begin so. The most exact route wins, and
/// of equal ones that with more matchers. A request that fits no route fails with ``/Tsubame/CallError/Kind/misuse``. The
/// error names the nearest route and how the request differs from it.
///
/// Each stub has its own routes and states, so tests with stubs can run in parallel.
public final class StubTransport: Transport {
    /// An error that lists the routes and answers of a stub that no request has used.
    public struct Unused: Error, Sendable, CustomStringConvertible {
        /// One route or answer a line.
        public let description: String
    }

    struct State: Sendable {
        var table = StubTable()
        var requests: [Request] = []
        var isClosed = false
    }

    /// The state in which every scenario begins.
    public static let firstState = "start"

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

    /// The route for this method and path, and for requests that meet all these conditions. It answers 200 without a
    /// body until it has an answer of its own.
    @discardableResult
    public func on(_ method: HTTPRequest.Method, _ path: String, _ matchers: StubMatcher...) -> StubRoute {
        route(method, path, matchers)
    }

    /// The route for this path and every method that has no route of its own.
    @discardableResult
    public func on(_ path: String, _ matchers: StubMatcher...) -> StubRoute { route(nil, path, matchers) }

    private func route(_ method: HTTPRequest.Method?, _ path: String, _ matchers: [StubMatcher]) -> StubRoute {
        let pattern = StubPattern(method: method, path: path)
        return StubRoute(stub: self, key: state.change { $0.table.add(pattern, matchers) })
    }

    /// The current state of a scenario, which ``StubRoute/moves(to:of:)`` changes.
    public func state(of scenario: String) -> String { state.read { $0.table.state(of: scenario) } }

    /// Verifies that requests have used every route, and each of its answers as often as ``StubRoute/times(_:)`` says.
    /// - Throws: ``Unused`` with a list of the others.
    public func assertAllUsed() throws(Unused) {
        let unused = state.read { $0.table.entries.compactMap(\.unused) }
        if !unused.isEmpty { throw Unused(description: unused.joined(separator: "\n")) }
    }

    // MARK: Received requests

    /// All requests so far, in order, as they would have gone to the network.
    public var requests: [Request] { state.read { $0.requests } }

    /// The request with this index, counted from 0, once it has arrived.
    /// - Throws: ``WaitTimeout`` after `time`, `CancellationError` if the task is cancelled before that.
    public func request(_ index: Int, within time: Duration = .seconds(60)) async throws -> Request {
        // Requests are only added.
        try await state.wait(
            within: time, for: "request \(index) to a stub, counted from 0", seen: { "\($0.requests.count) requests" },
            until: { $0.requests.indices.contains(index) })
        return state.read { $0.requests[index] }
    }

    // MARK: Transport

    /// The largest body that is read for matchers, in bytes.
    private static let longestBody = 64 << 20

    /// Answers from the routes. The client calls this.
    public func send(_ request: Request, exchange: TransportExchange) async throws(CallError) -> Response {
        var request = request
        var body: Bytes?
        if state.read({ $0.table.needsBodies }) {
            body = try await whole(exchange)
            // The closure of a route can then read the body once more.
            if let body { request.body = .bytes(body, contentType: request.body.contentType) }
        }
        let answer = try take(for: request, body: body, call: exchange.call)
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

    private func whole(_ exchange: TransportExchange) async throws(CallError) -> Bytes? {
        guard let reader = try await exchange.openBody() else { return nil }
        var pieces: [Bytes] = []
        var count = 0
        while let piece = try await reader.next() {
            count += piece.count
            guard count <= Self.longestBody else {
                throw CallError(
                    .limitExceeded, "a stub with body matchers reads at most 64 MiB of a body", phase: .sendingBody)
            }
            pieces.append(piece)
        }
        return Bytes(joining: pieces)
    }

    /// The empty set: a stub makes no connection, so that it ignores no setting of one.
    public func unsupported(_ settings: ConnectionSettings) -> Set<ConnectionSettings.Name> { [] }

    /// Refuses all later requests. The client calls this.
    public func close() async { state.change { $0.isClosed = true } }

    private func take(for request: Request, body: Bytes?, call: Call) throws(CallError) -> StubTable.Answer {
        let (isClosed, answer, table) = state.change { state -> (Bool, StubTable.Answer?, StubTable) in
            if state.isClosed { return (true, nil, state.table) }
            state.requests.append(request)
            return (false, state.table.answer(to: request, as: call.request, body: body), state.table)
        }
        if let answer { return answer }
        if isClosed { throw CallError(.cancelled, "the stub has been closed", phase: .preparing, request: request) }
        guard let (route, differences) = table.nearest(to: request, as: call.request, body: body) else {
            throw CallError(
                .misuse, "the stub has no routes", phase: .preparing, advice: "add a route: stub.on(…)",
                request: request)
        }
        throw CallError(
            .misuse, "no route of the stub fits; the nearest is \(route): \(differences.joined(separator: "; "))",
            phase: .preparing,
            advice: differences == [StubTable.isUsedUp]
                ? "add an answer, or raise its times(…)" : "add a route, stub.on(…), or correct the request",
            request: request)
    }
}
