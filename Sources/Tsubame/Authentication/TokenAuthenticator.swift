// TokenAuthenticator: one token for many calls, and one fetch of a new one.

import Dispatch
public import HTTPTypes
import Synchronization
import TsubameCore

/// Holds the token of a client, and has a new one fetched when that is needed: before a call, if there is none or it is
/// about to expire, and after a 401.
///
/// ```swift
/// let tokens = TokenAuthenticator { client in
///     let answer = try await client.post("oauth/token", form: ["refresh_token": stored]).json(Answer.self)
///     return AccessToken(answer.accessToken, expiresIn: .seconds(answer.expiresIn))
/// }
/// let api = Client("https://api.example.com") { $0.authentication = .token(tokens) }
/// ```
/// However many calls want a token, the source is asked once, and all of them wait; after a 401 each is repeated once. A
/// 401 to a token that has been replaced meanwhile asks for nothing: the call is repeated with the new one. What the
/// source throws ends all calls that wait, as ``CallError/Kind/authentication`` with it as `underlying`; the next call
/// asks again. The source has 30 s, whatever the deadlines of the calls are; a call that is cancelled, or whose time is
/// up, leaves the others waiting. Calls that the source makes, by whichever client, go without the token.
public final class TokenAuthenticator: Sendable {
    /// Whose token the current task is fetching.
    @TaskLocal private static var fetching: TokenAuthenticator?

    private struct State: Sendable {
        var token: AccessToken?
        /// A server has refused it.
        var isRefused = false
        var flight: TokenFlight?
    }

    /// The field that carries the token.
    public let field: HTTPField.Name
    /// What stands before the token, with a space; nothing if it is empty.
    public let scheme: String
    let patience: Duration
    private let refresh: @Sendable (Client) async throws -> AccessToken
    private let state: Mutex<State>

    /// An authenticator with a source of tokens.
    /// - Parameters:
    ///   - initial: a token that is there already.
    ///   - scheme: stands before the token; empty for the token alone.
    ///   - field: Authorization, unless the server wants it elsewhere.
    ///   - refresh: gets a new token. The client that it is given is the one that needs the token, without
    ///     authentication. It runs in a task of its own, on a thread of its own.
    public convenience init(
        _ initial: AccessToken? = nil, scheme: String = "Bearer", field: HTTPField.Name = .authorization,
        refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) {
        self.init(initial, scheme: scheme, field: field, patience: .seconds(30), refresh: refresh)
    }

    /// - Parameter patience: how long the source may take.
    init(
        _ initial: AccessToken? = nil, scheme: String = "Bearer", field: HTTPField.Name = .authorization,
        patience: Duration, refresh: @escaping @Sendable (Client) async throws -> AccessToken
    ) {
        self.scheme = scheme
        self.field = field
        self.patience = patience
        self.refresh = refresh
        state = Mutex(State(token: initial))
    }

    /// The token in use. Setting it, as after a login, makes the next call use it, and nil makes it ask the source.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                state.token = newValue
                state.isRefused = false
                // What is being fetched goes to those who wait for it, and does not replace what was set.
                state.flight = nil
            }
        }
    }

    /// The token that a call can go with, now.
    var usableToken: AccessToken? {
        state.withLock { state in
            guard let token = state.token, !state.isRefused, token.isUsable else { return nil }
            return token
        }
    }

    /// Whether the current task is fetching this very token: its calls cannot wait for what they are part of.
    var isFetchingHere: Bool { Self.fetching === self }

    /// The value of the field.
    func value(of token: AccessToken) -> String { scheme.isEmpty ? token.value : "\(scheme) \(token.value)" }

    /// A server refused what was sent, and the call cannot be repeated: the next one is to have another token.
    func refuse(_ value: String) {
        state.withLock { state in
            if let token = state.token, self.value(of: token) == value { state.isRefused = true }
        }
    }

    /// A token other than the one that was refused, or the first one.
    /// - Parameters:
    ///   - refused: the value of the field as it was sent.
    ///   - client: makes the client that the source is given.
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
        call.emit(.decision(isFirst ? "a new token is asked for" : "a token is waited for that is being asked for"))
        if isFirst { start(flight, client()) }
        return try await flight.wait(call)
    }

    private func start(_ flight: TokenFlight, _ client: Client) {
        let refresh = refresh
        // Not the concurrency pool: blocking calls may hold all its threads, waiting for this.
        let task = Task(executorPreference: QueueExecutor()) {
            do {
                let token = try await Self.$fetching.withValue(self) { try await refresh(client) }
                self.end(flight, .success(token))
            } catch {
                self.end(flight, .failure(Self.failure(error)))
            }
        }
        let (due, overflow) = MonotonicClock.now.addingReportingOverflow(patience.nanosecondsClamped)
        guard !overflow else { return }
        let time = patience.inSeconds
        flight.keep(
            Alarm(at: due, mayBlock: true) {
                self.end(flight, .failure(Self.failure("it gave none within \(time)")))
                task.cancel()
            })
    }

    private func end(_ flight: TokenFlight, _ result: Result<AccessToken, CallError>) {
        state.withLock { state in
            // One that comes after its time concerns nobody.
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
    /// Whether there is a token.
    public var description: String { token == nil ? "no token" : Redaction.placeholder }
    public var customMirror: Mirror { Mirror(self, children: ["token": description], displayStyle: .class) }
}

/// Runs the jobs of one fetch, on a thread of its own.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tsubame.token")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
