// Call: one running request, with its id, its deadline, its observers and its cancellation.

internal import Synchronization
package import TsubamePlatform

/// One running request: its id, and a way to cancel it.
/// ```swift
/// let call = client.start(request) { result in … }
/// call.cancel()
/// ```
public final class Call: Sendable {
    private typealias Handlers = (
        current: (any CallCancellable)?, earlier: [any CallCancellable], outer: (any CallCancellable)?
    )

    private struct State: Sendable {
        var isCancelled = false
        var isFinished = false
        /// The phase of the exchange that the call was cancelled in.
        var phaseAtCancel: CallError.Phase?
        var isInClosure = false
        /// Whether observers receive only the last event from now on.
        var isEnding = false
        /// The number of events that are being delivered to observers at this moment.
        var deliveries = 0
        var settled: UnsafeContinuation<Void, Never>?
        /// The last event, while others are being delivered. The thread that delivers the last of those delivers this one as well.
        var last: CallEvent.Kind?
        var handler: (any CallCancellable)?
        /// The handlers before that one, of exchanges that may go on beside its exchange.
        var earlierHandlers: [any CallCancellable] = []
        var outerHandler: (any CallCancellable)?
        var exchanges = 0
        /// The number of exchanges that do not count against the limit.
        var forgivenExchanges = 0

        mutating func takeHandlers() -> Handlers {
            defer { (handler, earlierHandlers, outerHandler) = (nil, [], nil) }
            return (handler, earlierHandlers, outerHandler)
        }
    }

    /// The number of the call, which counts up within the process.
    public let id: UInt64
    package let start: MonotonicTime
    /// The time by which the whole call must be done.
    package let deadline: MonotonicTime
    /// The request as the caller made it, without the client's fields. A redirect to another origin starts from it.
    public let request: Request
    /// ``Request/requiresAcceptedStatus`` of the request, without a copy of it.
    package let requiresAcceptedStatus: Bool
    package let timeouts: Timeouts
    package let limits: Limits
    /// Whether the caller wants every body as it arrives. Otherwise a small body comes whole.
    package let wantsStream: Bool
    /// The statuses of responses that are passed on before their bodies are complete, because the chain may not read
    /// those bodies.
    package let statusesPassedOnEarly: ClosedRange<Int>?
    /// The executor on which a streamed request body is read: the one that the call runs on, if it has a preference.
    package let executor: (any TaskExecutor)?
    /// Whether the call runs in a task that is cancelled when the call is. Its exchanges then end with their task.
    package let isGuarded: Bool
    /// The fields that the client adds to most of its requests.
    package let sharedFields: PreencodedFields?
    /// Whether the caller's closure has the response.
    package var isInClosure: Bool { state.withLock { $0.isInClosure } }
    /// Whether the sender of the requests of this call decides by itself about another attempt, because it continues
    /// where the failure was. nil stands for never.
    package let retriesItself: (@Sendable () -> Bool)?
    private let observers: ObserverList
    private let observer: (@Sendable (CallEvent) -> Void)?
    private let state = Mutex(State())

    private static let count = Atomic<UInt64>(0)

    /// The number of the next call.
    package static func nextID() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }

    package init(
        _ request: consuming Request, timeouts: Timeouts, limits: Limits, wantsStream: Bool,
        statusesPassedOnEarly: ClosedRange<Int>? = nil, observers: ObserverList,
        observer: (@Sendable (CallEvent) -> Void)? = nil, executor: (any TaskExecutor)? = nil,
        isGuarded: Bool = false, sharedFields: PreencodedFields? = nil, retriesItself: (@Sendable () -> Bool)? = nil
    ) {
        id = Self.nextID()
        start = MonotonicClock.now
        requiresAcceptedStatus = !request.isPlain && request.requiresAcceptedStatus
        self.request = consume request
        self.timeouts = timeouts
        self.limits = limits
        self.wantsStream = wantsStream
        self.statusesPassedOnEarly = statusesPassedOnEarly
        self.observers = observers
        self.observer = observer
        self.executor = executor
        self.isGuarded = isGuarded
        self.sharedFields = sharedFields
        self.retriesItself = retriesItself
        let (deadline, overflow) = start.addingReportingOverflow(timeouts.nanoseconds(.total))
        self.deadline = overflow ? MonotonicClock.never : deadline
    }

    /// Ends the call now: it fails with ``CallError/Kind/cancelled``. Its connection is closed, or kept if the call has
    /// not used it yet. Over HTTP/2 only its stream is reset. Does nothing after the call has ended.
    public func cancel() {
        let (handler, earlier, outer) = state.withLock { state -> Handlers in
            guard !state.isFinished else { return (nil, [], nil) }
            state.isCancelled = true
            return state.takeHandlers()
        }
        if outer != nil, let phase = handler?.cancellationPhase { state.withLock { $0.phaseAtCancel = phase } }
        for handler in earlier { handler.cancel() }
        handler?.cancel()
        outer?.cancel()
    }

    /// Ends the work inside the call, which then fails as if the call had been cancelled. The call itself continues.
    package func interrupt() {
        let (handler, earlier, _) = state.withLock { state -> Handlers in
            guard !state.isFinished else { return (nil, [], nil) }
            defer { (state.handler, state.earlierHandlers) = (nil, []) }
            return (state.handler, state.earlierHandlers, nil)
        }
        for handler in earlier { handler.cancel() }
        handler?.cancel()
    }

    /// The phase that the exchange of the call was in when the call was cancelled, if the exchange could say so.
    package var phaseAtCancel: CallError.Phase? { state.withLock { $0.phaseAtCancel } }

    /// Whether ``cancel()`` was called before the call ended.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Records that the caller's closure has the response.
    package func enterClosure() { state.withLock { $0.isInClosure = true } }

    /// Makes `cancel()` end `handler`, which belongs to an exchange. Earlier handlers stay until they have ended: an interceptor
    /// may have several exchanges at once, and a transport may hold one within its own.
    /// - Returns: false if the call is already cancelled, or has ended.
    package func onCancel(_ handler: any CallCancellable) -> Bool {
        // The last reference to an exchange must not go while the lock is held: user code may run then, and cancel the call.
        var gone: [any CallCancellable] = []
        return state.withLock { state in
            if state.isCancelled || state.isFinished { return false }
            if let before = state.handler, before !== handler {
                var kept: [any CallCancellable] = []
                for one in state.earlierHandlers + [before] where one !== handler {
                    if one.hasEnded { gone.append(one) } else { kept.append(one) }
                }
                state.earlierHandlers = kept
            }
            state.handler = handler
            return true
        }
    }

    /// Makes `cancel()` end `handler` for a while.
    /// - Returns: whether the call is already cancelled, and the handler before this one.
    package func exchangeHandler(
        _ handler: (any CallCancellable)?
    ) -> (isCancelled: Bool, previous: (any CallCancellable)?) {
        state.withLock { state in
            if state.isCancelled || state.isFinished { return (true, nil) }
            defer { state.handler = handler }
            return (false, state.handler)
        }
    }

    /// Puts back the handler that was there before `current`, unless another one or the end of the call has come meanwhile.
    /// - Returns: whether the call is cancelled.
    package func restoreHandler(
        _ previous: (any CallCancellable)?, insteadOf current: any CallCancellable
    ) -> Bool {
        state.withLock { state in
            if state.isCancelled { return true }
            if !state.isFinished, state.handler === current { state.handler = previous }
            return false
        }
    }

    /// Makes `cancel()` end `handler` in addition to the handler of the work inside the call.
    /// - Returns: false if the call is already cancelled.
    package func onCancelAll(_ handler: any CallCancellable) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.outerHandler = handler
            return true
        }
    }

    /// Whether any observer receives the events.
    @inline(__always)
    package var isObserved: Bool { observer != nil || !observers.isEmpty }

    /// The number of bytes of each body that the observers ask for.
    package var observedBodyBytes: Int { observers.bodyBytes }

    /// Delivers an event to the observers. Without observers the event is not built.
    @inline(__always)
    package func emit(_ kind: @autoclosure () -> CallEvent.Kind) {
        if isObserved { deliver(kind()) }
    }

    @inline(never)
    private func deliver(_ kind: consuming CallEvent.Kind) {
        // A connection may still report after the end, for example bytes that it was sending. Such events are dropped.
        let isNews = state.withLock { state in
            if state.isEnding || state.isFinished { return false }
            state.deliveries += 1
            return true
        }
        guard isNews else { return }
        tell(kind)
        let (waiter, last) = state.withLock { state -> (UnsafeContinuation<Void, Never>?, CallEvent.Kind?) in
            state.deliveries -= 1
            guard state.deliveries == 0 else { return (nil, nil) }
            defer { (state.settled, state.last) = (nil, nil) }
            return (state.settled, state.last)
        }
        waiter?.resume()
        if let last { tell(last) }
    }

    private func tell(_ kind: consuming CallEvent.Kind) {
        let isBody = kind.isBody
        let event = CallEvent(call: id, time: .nanoseconds(clamping: MonotonicClock.now &- start), kind: kind)
        // The caller's own observer receives no bodies.
        if isBody { return observers.send(body: event) }
        observer?(event)
        observers.send(event)
    }

    /// Drops every event but the last from now on. Returns when no other thread is delivering an event, so that the
    /// last event comes last. Needed only if the call is observed.
    package func settle() async {
        await withUnsafeContinuation { continuation in
            let isSettled = state.withLock { state in
                state.isEnding = true
                if state.deliveries == 0 { return true }
                state.settled = continuation
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Ends the call. Only the first end counts, and only that one is delivered to the observers.
    package func finish(_ kind: @autoclosure () -> CallEvent.Kind) {
        // The handlers go after the lock: their release may run the user's code.
        let (isFirst, _) = state.withLock { state -> (Bool, Handlers) in
            defer { state.isFinished = true }
            return (!state.isFinished, state.takeHandlers())
        }
        guard isFirst, isObserved else { return }
        let last = kind()
        // An observer that came after `settle()` was left out may be receiving an event now.
        let isAlone = state.withLock { state in
            if state.deliveries > 0 { state.last = last }
            return state.deliveries == 0
        }
        if isAlone { tell(last) }
    }

    /// Counts one more exchange.
    /// - Throws: ``CallError/Kind/limitExceeded`` if the call has more than `limits.exchanges`.
    package func countExchange() throws(CallError) {
        let count = state.withLock { state in
            state.exchanges += 1
            return state.exchanges &- state.forgivenExchanges
        }
        guard count <= limits.exchanges else {
            throw CallError(
                .limitExceeded, "more than \(limits.exchanges) exchanges for one call (limits.exchanges)")
        }
    }

    /// Removes exchanges from the count for the limit, for example those that brought a part of a long body.
    package func forgiveExchanges(_ count: Int) {
        state.withLock { state in
            state.forgivenExchanges = min(state.forgivenExchanges &+ max(count, 0), state.exchanges)
        }
    }

    /// The number of exchanges that have begun, including redirects, retries and every other resend.
    package var exchanges: Int { state.withLock { $0.exchanges } }

    /// The error of a cancelled call.
    package func cancelled(_ phase: CallError.Phase) -> CallError {
        CallError(.cancelled, "the call was cancelled", phase: phase)
    }

    /// The error of a call that took longer than its total timeout.
    package func expired(_ phase: CallError.Phase) -> CallError {
        CallError(
            .timeout, "not done after \(Duration.nanoseconds(clamping: timeouts.nanoseconds(.total)).inSeconds)",
            phase: phase, timeout: .total)
    }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// The call's id and request, with secrets withheld.
    public var description: String { "call \(id): \(request.summary)" }

    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["call": description], displayStyle: .class) }
}

/// Work that a cancelled call ends.
package protocol CallCancellable: AnyObject, Sendable {
    func cancel()
    /// The phase of the work, if it can be told on any thread.
    var cancellationPhase: CallError.Phase? { get }
    /// Whether nothing is left to cancel. May be asked on any thread.
    var hasEnded: Bool { get }
}

extension CallCancellable {
    package var hasEnded: Bool { false }
    package var cancellationPhase: CallError.Phase? { nil }
}

extension Duration {
    /// The duration in seconds, such as `10 s` or `0.25 s`.
    package var inSeconds: String {
        let milliseconds = Int64(clamping: nanosecondsClamped / 1_000_000)
        if milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000) s" }
        return "\(Double(milliseconds) / 1_000) s"
    }
}
