// TokenAuthenticator: holds a client's token, and fetches a new one once for all calls that need it.

import Dispatch
public import HTTPTypes
import Synchronization
import TsubameCore
import TsubamePlatform

/// Holds the token of a client, and fetches a new one when the client needs it. That is the case before a call, if
/// there is no token or it is about to expire, and after a 401.
///
/// ```swift
/// let tokens = TokenAuthenticator { client in
///     let answer = try await client.post("oauth/token", form: ["refresh_token": stored]).json(Answer.self)
///     return AccessToken(answer.accessToken, expiresIn: .seconds(answer.expiresIn))
/// }
/// let api = Client("https://api.example.com") { $0.authentication = .token(tokens) }
/// ```
/// The authenticator asks the source once, and all calls that need a token wait for it. After a 401 each call is
/// repeated once. If the refused token has been replaced meanwhile, the call is repeated with the new token and the
/// source is not asked.
///
/// If the source throws an error, all waiting calls fail with ``CallError/Kind/authentication`` and the error as
/// `underlying`. The next call asks the source again. The source has 30 seconds, independent of the deadlines of the
/// calls. A call that is cancelled or reaches its deadline stops waiting, and the others wait on. Calls that the
/// source makes go without the token, with any client.
public final class TokenAuthenticator: Sendable {
    /// The authenticator for which the current task fetches a token.
    @TaskLocal private static var fetching: TokenAuthenticator?

    private struct State: Sendable {
        var token: AccessToken?
        /// Whether a server has refused the token.
        var isRefused = false
        var flight: TokenFlight?
    }

    /// The field that carries the token.
    public let field: HTTPField.Name
    /// The text before the token, without the space that follows it. If it is empty, the token stands alone.
    public let scheme: String
    let refreshTimeout: Duration
    private let refresh: @Sendable (Client) async throws -> AccessToken
    private let state: Mutex<State>

    /// Creates an authenticator.
    /// - Parameters:
    ///   - initial: a token to start with.
    ///   - scheme: the text before the token. If it is empty, the token stands alone.
    ///   - field: the field that carries the token. The default is Authorization.
    ///   - refresh: returns a new token. The client that it receives is the one that needs the token, without
    ///     authentication. The closure runs in a task and on a thread of its own.
    public convenience init(
        _ initial: AccessToken? = nil, scheme: String = "Bearer", field: HTTPField.Name = .authorization,
        refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) {
        self.init(initial, scheme: scheme, field: field, refreshTimeout: .seconds(30), refresh: refresh)
    }

    /// - Parameter refreshTimeout: how long the source may take.
    init(
        _ initial: AccessToken? = nil, scheme: String = "Bearer", field: HTTPField.Name = .authorization,
        refreshTimeout: Duration, refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) {
        self.scheme = scheme
        self.field = field
        self.refreshTimeout = refreshTimeout
        self.refresh = refresh
        state = Mutex(State(token: initial))
    }

    /// The token in use. After a login, set it so that the next call uses it. Set it to nil to make the next call ask
    /// the source.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                state.token = newValue
                state.isRefused = false
                // A token that is being fetched still goes to the waiting calls, but does not replace this one.
                state.flight = nil
            }
        }
    }

    /// The token, if a call can be sent with it now.
    var usableToken: AccessToken? {
        state.withLock { state in
            guard let token = state.token, !state.isRefused, token.isUsable else { return nil }
            return token
        }
    }

    /// Whether the current task fetches this authenticator's token. Its calls cannot wait for the fetch that they are
    /// part of.
    var isFetchingHere: Bool { Self.fetching === self }

    /// The value of the field.
    func value(of token: AccessToken) -> String { scheme.isEmpty ? token.value : "\(scheme) \(token.value)" }

    /// Marks the token as refused by a server, for a call that cannot be repeated. The next call gets another token.
    func refuse(_ value: String) {
        state.withLock { state in
            if let token = state.token, self.value(of: token) == value { state.isRefused = true }
        }
    }

    /// Returns a token other than the refused one, or the first one.
    /// - Parameters:
    ///   - refused: the value of the field as it was sent.
    ///   - client: makes the client for the source.
    func newToken(
        insteadOf refused: String? = nil, _ client: @Sendable () -> Client, _ call: Call
    ) async throws(CallError) -> AccessToken {
        let (token, flight, isFirst) = state.withLock { state -> (AccessToken?, TokenFlight?, Bool) in
            if let flight = state.flight { return (nil, flight, false) }
            if let token = state.token, !state.isRefused, token.isUsable,
                refused.map({ $0 != value(of: token) }) ?? true
            {
                return (token, nil, false)
            }
            let flight = TokenFlight()
            state.flight = flight
            return (nil, flight, true)
        }
        if let token { return token }
        guard let flight else { throw call.cancelled(.authenticating) }
        call.emit(.decision(isFirst ? "the call asks for a new token" : "the call waits for a new token"))
        if isFirst { start(flight, client()) }
        return try await flight.wait(call)
    }

    private func start(_ flight: TokenFlight, _ client: Client) {
        let refresh = refresh
        // The concurrency pool would not do: blocking calls may hold all its threads while they wait for this task.
        let task = Task(executorPreference: QueueExecutor()) {
            do {
                let token = try await Self.$fetching.withValue(self) { try await refresh(client) }
                self.end(flight, .success(token))
            } catch {
                self.end(flight, .failure(Self.failure(error)))
            }
        }
        let (due, overflow) = MonotonicClock.now.addingReportingOverflow(refreshTimeout.nanosecondsClamped)
        guard !overflow else { return }
        let time = refreshTimeout.inSeconds
        flight.keep(
            Alarm(at: due, mayBlock: true) {
                self.end(flight, .failure(Self.failure("it returned no token within \(time)")))
                task.cancel()
            })
    }

    private func end(_ flight: TokenFlight, _ result: Result<AccessToken, CallError>) {
        state.withLock { state in
            // A token that comes after the timeout is ignored.
            guard state.flight === flight else { return }
            state.flight = nil
            guard case .success(let token) = result else { return }
            state.token = token
            state.isRefused = false
        }
        flight.land(result)
    }

    private static func failure(_ error: any Error) -> CallError {
        let reason = (error as? CallError)?.reason ?? "\(error)"
        return CallError(
            .authentication, "the token source failed: \(reason)", phase: .authenticating,
            advice: (error as? CallError)?.advice, underlying: error)
    }

    private static func failure(_ reason: String) -> CallError {
        CallError(.authentication, "the token source failed: \(reason)", phase: .authenticating)
    }
}

extension TokenAuthenticator: CustomStringConvertible, CustomReflectable {
    /// Whether there is a token. The text does not contain it.
    public var description: String { token == nil ? "no token" : Redaction.placeholder }
    public var customMirror: Mirror { Mirror(self, children: ["token": description], displayStyle: .class) }
}

/// Runs the jobs of one fetch on a thread of its own.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tsubame.token")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
