// Client: sends requests.

import HTTPTypes
public import TsubameCore
package import TsubameEngine
import TsubameWire

/// Sends requests; made once for an API and used from anywhere, at once.
///
/// ```swift
/// let api = Client("https://api.example.com/v1") { $0.timeouts.total = .seconds(20) }
/// let users = try await api.get("users", query: ["page": 2]).json([User].self)
/// ```
/// A client holds idle connections; dropping it closes them and lets running calls finish.
public final class Client: Sendable {
    /// For one line without set-up. It never has a jar, a cache or credentials.
    public static let shared = Client()

    /// How this client behaves; ``with(_:)`` makes one that behaves otherwise.
    public let configuration: Configuration
    /// The interceptors, in order, as they are resolved for this client.
    public let corridor: Corridor
    let base: Base
    let observers: ObserverList
    let activity: Activity
    private let engine: Engine?
    let presetHeaders: HTTPFields
    /// What most requests come to.
    private let sharedFields: SharedFields?
    private let log: CallLog?
    let background: BackgroundCalls
    /// Only where it differs from the standard.
    let redaction: Redaction?

    /// What paths are appended to.
    enum Base: Sendable {
        case none
        case uri(TargetURI)
        case invalid(CallError)
    }

    /// A client for what lies below `base`, or for whole URLs only.
    /// - Parameters:
    ///   - base: the URL that paths are appended to, such as `https://api.example.com/v1`. An invalid one is thrown by
    ///     every way to send.
    ///   - transport: what does the exchanges; the engine unless given.
    ///   - configure: changes the defaults.
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
            observers: ObserverList(), activity: Activity())
    }

    private init(
        base: Base, configuration given: Configuration, transport: (any Transport)?, engine: Engine?,
        observers: ObserverList, activity: Activity
    ) {
        let configuration = given.prepared
        self.base = base
        self.configuration = configuration
        log = configuration.logger.map { CallLog(logger: $0) }
        self.engine = engine
        self.observers = observers
        self.activity = activity
        presetHeaders = RequestDefaults.preset(configuration)
        let secrets = configuration.secrets.union(configuration.authentication.secretFields)
        redaction = secrets == Redaction.standard.secrets ? nil : Redaction(secrets: secrets)
        let decoding = ContentDecoding(configuration, preset: presetHeaders)
        sharedFields = RequestEncoder.shared(decoding?.offered ?? presetHeaders)
        let plainClient: @Sendable () -> Client = {
            var plain = configuration
            plain.authentication = .none
            return Client(
                base: base, configuration: plain, transport: transport, engine: engine, observers: observers,
                activity: activity)
        }
        background = BackgroundCalls(
            activity: activity, observers: observers, log: log, timeouts: configuration.timeouts,
            limits: configuration.limits, sharedFields: sharedFields)
        corridor = Corridor(
            configuration, decoding: decoding, preset: presetHeaders, transport: transport ?? engine ?? Engine(),
            background: background, plainClient: plainClient)
    }

    /// The same client with other settings for some calls: same base, connections, cookies and observers.
    ///
    /// ```swift
    /// let patient = api.with { $0.timeouts.total = .seconds(300) }
    /// ```
    public func with(_ change: (inout Configuration) -> Void) -> Client {
        var configuration = configuration
        change(&configuration)
        return Client(
            base: base, configuration: configuration, transport: engine == nil ? corridor.transport : nil,
            engine: engine?.with(settings: configuration.connection), observers: observers, activity: activity)
    }

    /// Tells `observer` of everything that happens to this client's calls, until the subscription is cancelled or
    /// dropped. It is called wherever the thing happens, event loops included: it must not block.
    /// - Parameters:
    ///   - bodies: how many bytes of each body are told, at its end (``CallEvent/Kind/requestBody(_:)``,
    ///     ``CallEvent/Kind/responseBody(_:)``).
    ///   - observer: told of each event.
    public func observe(bodies: Int = 0, _ observer: @escaping @Sendable (CallEvent) -> Void) -> EventSubscription {
        EventSubscription(observers, bodyBytes: bodies, observer)
    }

    /// Runs tasks on the event loops, for those who count microseconds: a call there hops nowhere.
    ///
    /// ```swift
    /// group.addTask(executorPreference: api.executor) { try await api.get("users") }
    /// ```
    /// Code that runs there must not block. nil if the client has a transport of its own.
    public var executor: (any TaskExecutor)? { engine?.executor }

    /// Closes the client: new calls fail, running ones have `drainingFor` to end and are then cancelled. Returns when
    /// none uses the network any more; the closure of a `stream` may still be busy with something else.
    public func close(drainingFor time: Duration = .zero) async {
        activity.close()
        if time > .zero { await activity.drain(for: time, clock: configuration.clock) }
        activity.cancelAll()
        await corridor.transport.close()
        await activity.drained()
    }

    /// Connections and waiting exchanges of the engine, for tests.
    package func statistics() async -> EngineStatistics { await engine?.statistics() ?? EngineStatistics() }

    package var runningCalls: Int { activity.count }

    // MARK: Sending

    /// Sends the request and collects the response's body in memory, up to `limits.bufferedBody`.
    ///
    /// Any status is an answer. Interceptors and decoding run off the caller's actor.
    /// - Throws: ``CallError``; never because of a status.
    public func send(_ request: Request) async throws(CallError) -> Response {
        try await sendHere(request)
    }

    /// The same on the caller's executor: what the public entries call once they have left the caller's actor.
    func sendHere(_ request: consuming Request) async throws(CallError) -> Response {
        let call = makeCall(request)
        if corridor.hasForeignArounds {
            return try await perform(call) { response throws(CallError) in try await self.collected(response) }
        }
        // `perform` without its generality: each async layer of it would cost a hop on the way of most requests.
        try begin(call)
        do {
            let response = try await withTaskCancellationHandler(
                operation: {
                    var response = try await corridor.run(try prepare(call.original), from: 0, call)
                    addSettings(to: &response)
                    if !isCollected(response) { response = try await collected(response) }
                    if call.isObserved { await call.settle() }
                    call.finish(.finished(response))
                    return response
                }, onCancel: { call.cancel() }, isolation: nil)
            activity.end(call)
            return response
        } catch {
            throw await fail(call, error)
        }
    }

    /// Sends the request and gives the response as soon as its head is there; the body is read in the closure, as it
    /// comes. When the closure returns, an unread rest is given up and its connection closed.
    @concurrent
    public func stream<T: Sendable>(
        _ request: Request, _ body: @escaping @Sendable (Response) async throws -> T
    ) async throws -> T {
        let call = makeCall(request, wantsStream: true)
        let result: Result<T, any Error> = try await perform(call) { response throws(CallError) in
            call.enterClosure()
            defer { response.body.discard() }
            do {
                return .success(try await body(response))
            } catch let error as CallError {
                // A failed body is the call's failure; anything else is the closure's own affair.
                throw error
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    package func makeCall(
        _ request: consuming Request, wantsStream: Bool = false, defaultTotal: Duration? = nil,
        executor: (any TaskExecutor)? = nil, limits: Limits? = nil, observer: (@Sendable (CallEvent) -> Void)? = nil
    ) -> Call {
        var timeouts = configuration.timeouts
        if !request.timeouts.isUnset { timeouts = request.timeouts.merged(over: timeouts) }
        if let defaultTotal, !timeouts.isSet(.total) { timeouts.total = defaultTotal }
        withhold(in: &request)
        if request.body.isDeferred { request.body = request.body.resolved(by: configuration.json) }
        var observer = observer
        if let log {
            observer = { [own = observer] event in
                own?(event)
                log(event)
            }
        }
        return Call(
            request, timeouts: timeouts, limits: limits ?? configuration.limits, wantsStream: wantsStream,
            observers: observers, observer: observer, executor: executor, isGuarded: corridor.hasForeignArounds,
            sharedFields: sharedFields)
    }

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

    /// The one way of every call: down the corridor, what is to be done with the response, and exactly one last event.
    func perform<T: Sendable>(
        _ call: Call, _ body: @escaping @Sendable (Response) async throws(CallError) -> T
    ) async throws(CallError) -> T {
        try begin(call)
        do {
            let value = try await withTaskCancellationHandler(
                operation: {
                    let request = try prepare(call.original)
                    var response =
                        corridor.hasForeignArounds
                        ? try await guarded(call, request) : try await corridor.run(request, from: 0, call)
                    addSettings(to: &response)
                    let value = try await body(response)
                    if call.isObserved { await call.settle() }
                    call.finish(.finished((value as? Response) ?? response))
                    return value
                }, onCancel: { call.cancel() }, isolation: nil)
            activity.end(call)
            return value
        } catch {
            throw await fail(call, error)
        }
    }

    /// The same for a call that sends by itself (``sendAgain(_:_:)``), the first time too.
    func perform(
        sending call: Call, _ body: @escaping @Sendable () async throws(CallError) -> Response
    ) async throws(CallError) -> Response {
        try begin(call)
        do {
            let response = try await withTaskCancellationHandler(
                operation: {
                    let response = try await body()
                    if call.isObserved { await call.settle() }
                    call.finish(.finished(response))
                    return response
                }, onCancel: { call.cancel() }, isolation: nil)
            activity.end(call)
            return response
        } catch {
            throw await fail(call, error)
        }
    }

    /// Sends something more within a call that has begun, such as for the rest of a body.
    func sendAgain(_ raw: Request, _ call: Call) async throws(CallError) -> Response {
        var raw = raw
        withhold(in: &raw)
        var request = try prepare(raw)
        // What a redirect to another origin starts from.
        request.entry = raw
        var response =
            corridor.hasForeignArounds
            ? try await guarded(call, request) : try await corridor.run(request, from: 0, call)
        addSettings(to: &response)
        return response
    }

    /// What asking for a value depends on, beside the response itself.
    private func addSettings(to response: inout Response) {
        // The engine knows the limit.
        let limit = configuration.limits.bufferedBody
        guard
            configuration.defaultCharset != nil || response.details.bufferedBody != limit
                || !configuration.json.isStandard
        else { return }
        response.details = response.details.with(
            charset: configuration.defaultCharset?.name, bufferedBody: limit, json: configuration.json)
    }

    private func begin(_ call: Call) throws(CallError) {
        guard activity.begin(call) else {
            throw CallError(
                .cancelled, "the client is closed", phase: .preparing, advice: "make a new one", request: call.original)
        }
        call.emit(.started(call.original))
    }

    /// Ends a call that failed, with the error that it is to throw.
    private func fail(_ call: Call, _ error: any Error) async -> CallError {
        if call.isObserved { await call.settle() }
        activity.end(call)
        let error = error as? CallError ?? CallError(.interceptor, "\(error)", underlying: error)
        let request = error.request == nil ? (try? prepare(call.original)) ?? call.original : nil
        let whole = error.with(request: request, attempts: call.exchanges)
        // An error that is kept must not keep a connection.
        whole.response?.body.discard()
        if whole.kind == .cancelled { call.finish(.cancelled) } else { call.finish(.failed(whole)) }
        return whole
    }

    /// With an around of the user's in the list, the way down is raced against deadline and cancellation, since nothing
    /// else ends what that around may wait for.
    private func guarded(_ call: Call, _ request: Request) async throws(CallError) -> Response {
        try await CallGuard.run(call) { () throws(CallError) in try await self.corridor.run(request, from: 0, call) }
    }
}

extension Client: CustomStringConvertible, CustomReflectable {
    /// Where its paths lead, with secrets withheld.
    public var description: String {
        switch base {
        case .none: "client without a base URL"
        case .uri(let uri): "client of \((redaction ?? .standard).url(uri.string))"
        case .invalid(let error): "client whose base URL is invalid: \(error.reason)"
        }
    }

    /// What may be shown: where its paths lead, and its configuration without credentials.
    public var customMirror: Mirror {
        Mirror(self, children: ["base": description, "configuration": configuration], displayStyle: .class)
    }
}
