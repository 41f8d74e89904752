// Client: sends requests, and holds the connections, settings and state that they share.

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import HTTPTypes
public import TsubameCore
import TsubamePlatform
import TsubameWire

/// Sends requests. Create one client for each API, and use it from any number of tasks and threads at once.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") { $0.timeouts.total = .seconds(20) }
/// let users = try await api.get("users", query: ["page": 2]).json([User].self)
/// ```
/// A client keeps idle connections open. When the client is released, they close, and running calls still finish.
public final class Client: Sendable {
    /// A client without a base URL, for calls that need no set-up. It never has a cookie jar, a cache or credentials.
    public static let shared = Client()

    /// The settings of this client. ``with(_:)`` returns a client with other settings.
    public let configuration: Configuration
    /// The chain of interceptors, in order, as it is resolved for this client.
    public var chain: InterceptorChain { added.isEmpty ? ownChain : ownChain.adding(added.current) }
    private let ownChain: InterceptorChain
    let base: Base
    package let observers: ObserverList
    package let added: AddedInterceptors
    let lifecycle: CallLifecycle
    private let engine: Engine?
    let defaults: RequestDefaults
    /// The encoded fields of most requests.
    private let sharedFields: PreencodedFields?
    private let log: CallLog?
    let background: BackgroundCalls
    /// nil if this client withholds only the standard secrets.
    let redaction: Redaction?

    /// The URL that paths are appended to.
    enum Base: Sendable {
        case none
        case uri(TargetURI)
        case invalid(CallError)
    }

    /// Creates a client for an API below `base`, or for whole URLs only.
    /// - Parameters:
    ///   - base: the URL that paths are appended to, such as `https://api.example.com/v1`. If it is invalid, every
    ///     call throws the error.
    ///   - transport: performs the exchanges. The default is the built-in engine. A build without the
    ///     package trait `Engine` has none, and its calls then fail.
    ///   - configure: changes the default settings.
    public convenience init(
        _ base: String? = nil, transport: (any Transport)? = nil,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = Configuration()
        configure(&configuration)
        let parsed: Base
        if let base {
            do throws(CallError) {
                parsed = .uri(try TargetURI(parsing: base))
            } catch {
                parsed = .invalid(error)
            }
        } else {
            parsed = .none
        }
        let engine = transport == nil ? Engine(settings: configuration.connection) : nil
        self.init(
            base: parsed, configuration: configuration, transport: transport, engine: engine,
            observers: ObserverList(), added: AddedInterceptors(), runningCalls: RunningCalls())
    }

    /// Creates a client for an API below `base`.
    /// - Parameters:
    ///   - base: the URL that paths are appended to. It is parsed again, as strictly as text.
    ///   - transport: performs the exchanges. The default is the built-in engine. A build without the
    ///     package trait `Engine` has none, and its calls then fail.
    ///   - configure: changes the default settings.
    public convenience init(
        _ base: URL, transport: (any Transport)? = nil, _ configure: (inout Configuration) -> Void = { _ in }
    ) {
        self.init(base.absoluteString, transport: transport, configure)
    }

    var runningCalls: RunningCalls { lifecycle.runningCalls }

    private init(
        base: Base, configuration given: Configuration, transport: (any Transport)?, engine: Engine?,
        observers: ObserverList, added: AddedInterceptors, runningCalls: RunningCalls
    ) {
        let configuration = given.prepared
        self.base = base
        self.configuration = configuration
        log = configuration.logger.map { CallLog(logger: $0) }
        self.engine = engine
        self.observers = observers
        self.added = added
        lifecycle = CallLifecycle(runningCalls: runningCalls)
        defaults = RequestDefaults(configuration)
        let secrets = configuration.secrets.union(configuration.authentication.secretFields)
        redaction = secrets == Redaction.standard.secrets ? nil : Redaction(secrets: secrets)
        let decoding = ContentDecoding(configuration, preset: defaults.fields)
        sharedFields = RequestEncoder.shared(decoding?.offered ?? defaults.fields)
        let plainClient: @Sendable () -> Client = {
            var plain = configuration
            plain.authentication = .none
            return Client(
                base: base, configuration: plain, transport: transport, engine: engine, observers: observers,
                added: added, runningCalls: runningCalls)
        }
        background = BackgroundCalls(
            lifecycle: lifecycle, observers: observers, log: log, timeouts: configuration.timeouts,
            limits: configuration.limits, sharedFields: sharedFields)
        ownChain = InterceptorChain(
            configuration, decoding: decoding, preset: defaults.fields, transport: transport ?? engine ?? Engine(),
            background: background, plainClient: plainClient)
    }

    /// Returns a view of this client with other settings. It shares the base URL, connections, cookies and observers.
    ///
    /// ```swift
    /// let patient = api.with { $0.timeouts.total = .seconds(300) }
    /// ```
    public func with(_ change: (inout Configuration) -> Void) -> Client {
        var configuration = configuration
        change(&configuration)
        return Client(
            base: base, configuration: configuration, transport: engine == nil ? ownChain.transport : nil,
            engine: engine?.with(settings: configuration.connection), observers: observers, added: added,
            runningCalls: runningCalls)
    }

    /// Passes every event of this client's calls to `observer`, until the subscription is cancelled or released.
    ///
    /// The observer runs on the thread on which the event happens, which may be an event loop, so it must not block.
    /// - Parameters:
    ///   - bodies: how many bytes of each body are reported, as ``CallEvent/Kind/requestBody(_:at:)`` and
    ///     ``CallEvent/Kind/responseBody(_:at:)``.
    ///   - observer: receives each event.
    public func observe(bodies: Int = 0, _ observer: @escaping @Sendable (CallEvent) -> Void) -> EventSubscription {
        EventSubscription(observers, bodyBytes: bodies, observer)
    }

    /// Runs tasks on the event loops, where a call needs no change of thread. Use it only where microseconds count.
    ///
    /// ```swift
    /// group.addTask(executorPreference: api.executor) { try await api.get("users") }
    /// ```
    /// Code that runs there must not block. The executor is nil if the client does not use the built-in engine.
    public var executor: (any TaskExecutor)? { engine?.executor }

    /// Whether the client, or a view of it, was closed.
    package var isClosed: Bool { runningCalls.isClosed }

    /// Closes the client. New calls fail with ``CallError/Kind/cancelled``. Running calls have the time `drainingFor` to end, and are then cancelled.
    ///
    /// Returns when no call uses the network any more. The closure of a `stream` may still run.
    public func close(drainingFor time: Duration = .zero) async {
        runningCalls.close()
        if time > .zero { await runningCalls.drain(for: time, clock: configuration.clock) }
        runningCalls.cancelAll()
        await ownChain.transport.close()
        await runningCalls.drained()
    }

    // MARK: Sending

    /// Sends the request and collects the response's body in memory, up to `limits.bufferedBody`.
    ///
    /// A response with any status is returned. Interceptors and decoding do not run on the caller's actor.
    /// - Throws: ``CallError``; because of a status only if the request has ``Request/requiresAcceptedStatus``.
    public func send(_ request: Request) async throws(CallError) -> Response {
        try await sendHere(request)
    }

    /// Sends the request. Everything inside `withTaskCancellationHandler`, which has no isolation here, runs off the
    /// caller's actor.
    func sendHere(_ request: consuming Request) async throws(CallError) -> Response {
        if !request.isPlain, request.hasOverrides {
            let (view, plain) = resolved(request)
            return try await view.sendHere(plain)
        }
        return try await send(makeCall(request))
    }

    /// Sends the request of a call, and collects the body.
    @inline(__always)
    func send(_ call: Call) async throws(CallError) -> Response {
        try await lifecycle.run(
            call, request: { prepared(call.request) }, lastEvent: { .finished($0) }
        ) { () async throws(CallError) -> Response in
            var response = try await run(try prepare(call.request), call)
            // The error of a status has the beginning of the body, which need not be collected for that.
            if call.requiresAcceptedStatus, !response.isAccepted { response = try await response.accepted() }
            return isCollected(response) ? response : try await collected(response)
        }
    }

    /// Sends the request and passes the response to the closure as soon as its head is there. The closure reads the
    /// body as it arrives. If the closure returns before the body's end, the connection closes.
    /// - Throws: ``CallError``, or the error that the closure throws.
    @concurrent
    public func stream<T: Sendable>(
        _ request: Request, _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        let (client, request) = resolved(request)
        let call = client.makeCall(request, wantsStream: true)
        let result: Result<T, any Error> = try await client.perform(call) { response throws(CallError) in
            call.enterClosure()
            defer { response.body.discard() }
            do {
                return .success(try await body(response))
            } catch let error as CallError {
                // A failed body is the call's failure. The call does not fail because of any other error of the
                // closure.
                throw error
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    package func makeCall(
        _ request: consuming Request, wantsStream: Bool = false, defaultTotal: Duration? = nil,
        executor: (any TaskExecutor)? = nil, limits: Limits? = nil, retriesItself: (@Sendable () -> Bool)? = nil,
        observer: (@Sendable (CallEvent) -> Void)? = nil
    ) -> Call {
        var timeouts = configuration.timeouts
        if !request.isPlain, !request.timeouts.isUnset { timeouts = request.timeouts.merged(over: timeouts) }
        if let defaultTotal, !timeouts.isSet(.total) { timeouts.total = defaultTotal }
        withhold(in: &request)
        if request.body.isDeferred { request.body = request.body.resolved(by: configuration.valueRules) }
        var observer = observer
        if let log {
            observer = { [own = observer] event in
                own?(event)
                log(event)
            }
        }
        return Call(
            request,
            CallOptions(
                timeouts: timeouts, limits: limits ?? configuration.limits, wantsStream: wantsStream,
                statusesPassedOnEarly: RedirectPolicy.statuses, executor: executor,
                isGuarded: ownChain.hasUserInterceptors, sharedFields: sharedFields, retriesItself: retriesItself),
            observers: observers, observer: observer)
    }

    /// Whether anything receives the events of calls that begin now.
    var isObserved: Bool { log != nil || !observers.isEmpty }

    private func isCollected(_ response: borrowing Response) -> Bool {
        if let count = response.body.count { count <= configuration.limits.bufferedBody } else { false }
    }

    func collected(_ response: Response) async throws(CallError) -> Response {
        if isCollected(response) { return response }
        do throws(CallError) {
            let bytes = try await LoopRelief.collect(response.body, upTo: configuration.limits.bufferedBody)
            var whole = response.with(collected: bytes)
            if whole.details.timings.endAt == 0 {
                var timings = whole.details.timings
                timings.endAt = MonotonicClock.now
                whole.details = whole.details.with(timings: timings)
            }
            return whole
        } catch {
            throw error.with(request: response.request, response: response)
        }
    }

    /// Runs one call: sends its request down the chain and passes the response to `body`.
    func perform<T: Sendable>(
        _ call: Call, _ body: @escaping @Sendable (Response) async throws(CallError) -> T
    ) async throws(CallError) -> T {
        try await perform(sending: call) { () async throws(CallError) -> (T, Response) in
            let response = try await self.run(try self.prepare(call.request), call)
            let value = try await body(call.requiresAcceptedStatus ? try await response.accepted() : response)
            return (value, (value as? Response) ?? response)
        }
    }

    /// Runs one call whose `body` sends every request itself, by ``sendAgain(_:_:)``. The call has exactly one last event.
    /// - Parameter body: gives the value of the call and the response for its last event.
    func perform<T: Sendable>(
        sending call: Call, _ body: @escaping @Sendable () async throws(CallError) -> (T, Response)
    ) async throws(CallError) -> T {
        try await lifecycle.run(
            call, request: { prepared(call.request) }, lastEvent: { .finished($0.1) }, body
        ).0
    }

    /// The request as it would enter the chain, or as the caller made it if it is invalid.
    private func prepared(_ request: Request) -> Request { (try? prepare(request)) ?? request }

    /// Sends another request within a call that has begun, for example to fetch the rest of a body.
    func sendAgain(_ raw: Request, _ call: Call) async throws(CallError) -> Response {
        var raw = raw
        withhold(in: &raw)
        var request = try prepare(raw)
        // A redirect to another origin starts again from this request.
        request.entry = raw
        return try await run(request, call)
    }

    @inline(__always)
    private func run(_ request: consuming Request, _ call: Call) async throws(CallError) -> Response {
        var response =
            ownChain.hasUserInterceptors
            ? try await guarded(call, request) : try await chain.run(request, from: 0, call)
        addSettings(to: &response)
        return response
    }

    /// Adds the settings that decoding a value from the response needs.
    private func addSettings(to response: inout Response) {
        // The engine sets the limit itself.
        let limit = configuration.limits.bufferedBody
        guard
            configuration.defaultCharset != nil || response.details.bufferedBody != limit
                || !configuration.json.isStandard
        else { return }
        response.details = response.details.with(
            bufferedBody: limit, valueRules: configuration.valueRules)
    }

    /// Runs the chain when it contains interceptors of the user. The run is raced against deadline and cancellation,
    /// because nothing else ends an interceptor's wait.
    private func guarded(_ call: Call, _ request: Request) async throws(CallError) -> Response {
        try await CallGuard.run(call) { () throws(CallError) in try await self.chain.run(request, from: 0, call) }
    }
}

extension Client: CustomStringConvertible, CustomReflectable {
    /// The base URL, with secrets withheld.
    public var description: String {
        switch base {
        case .none: "client without a base URL"
        case .uri(let uri): "client of \((redaction ?? .standard).url(uri.string))"
        case .invalid(let error): "client whose base URL is invalid: \(error.reason)"
        }
    }

    /// The base URL, and the configuration without credentials.
    public var customMirror: Mirror {
        Mirror(self, children: ["base": description, "configuration": configuration], displayStyle: .class)
    }
}
