// Call: one running request.

internal import Synchronization

/// One running request: its id, and the means to end it.
///
/// ```swift
/// let call = client.start(request) { result in … }
/// call.cancel()
/// ```
public final class Call: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var isFinished = false
        var isInClosure = false
        var isInTransport = false
        /// No more events but the last.
        var isEnding = false
        /// Events that observers are being told of at this moment.
        var deliveries = 0
        var settled: UnsafeContinuation<Void, Never>?
        var handler: (any CallCancellable)?
        var outerHandler: (any CallCancellable)?
        var exchanges = 0
        /// How many of them are not counted against the limit.
        var forgivenExchanges = 0
    }

    /// Counts up within the process.
    public let id: UInt64
    package let start: MonotonicTime
    /// When the whole call must be done.
    package let deadline: MonotonicTime
    /// The request as the caller made it: what a redirect to a foreign origin starts from.
    package let original: Request
    package let timeouts: Timeouts
    package let limits: Limits
    /// Whether a response's body should come whole, if it is small, or as it comes.
    package let wantsStream: Bool
    /// Where a streamed request body is read: the executor that the call runs on, if it has a preference.
    package let executor: (any TaskExecutor)?
    // Guarded by the lock of the list of running calls.
    @exclusivity(unchecked) private nonisolated(unsafe) var index = 0
    /// Where that list holds this one.
    package var activityIndex: Int {
        get { index }
        set { index = newValue }
    }
    /// Whether the call runs in a task that is cancelled when the call is: exchanges then end with their task.
    package let isGuarded: Bool
    /// What the client gives to most of its requests.
    package let sharedFields: SharedFields?
    /// Whether the response is in the hands of the caller's closure.
    package var isInClosure: Bool { state.withLock { $0.isInClosure } }
    private let observers: ObserverList
    private let observer: (@Sendable (CallEvent) -> Void)?
    private let state = Mutex(State())

    private static let count = Atomic<UInt64>(0)

    package init(
        _ request: Request, timeouts: Timeouts, limits: Limits, wantsStream: Bool, observers: ObserverList,
        observer: (@Sendable (CallEvent) -> Void)? = nil, executor: (any TaskExecutor)? = nil,
        isGuarded: Bool = false, sharedFields: SharedFields? = nil
    ) {
        id = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        start = MonotonicClock.now
        original = request
        self.timeouts = timeouts
        self.limits = limits
        self.wantsStream = wantsStream
        self.observers = observers
        self.observer = observer
        self.executor = executor
        self.isGuarded = isGuarded
        self.sharedFields = sharedFields
        let (deadline, overflow) = start.addingReportingOverflow(timeouts.nanoseconds(.total))
        self.deadline = overflow ? MonotonicClock.never : deadline
    }

    /// Ends the call now: it fails with ``CallError/Kind/cancelled``, and its connection is closed or, if it had not
    /// been used yet, kept. Does nothing once the call has ended.
    public func cancel() {
        let (handler, outerHandler) = state.withLock { state -> ((any CallCancellable)?, (any CallCancellable)?) in
            guard !state.isFinished else { return (nil, nil) }
            state.isCancelled = true
            defer { (state.handler, state.outerHandler) = (nil, nil) }
            return (state.handler, state.outerHandler)
        }
        handler?.cancel()
        outerHandler?.cancel()
    }

    /// Ends what goes on inside, which then fails as if the call had been cancelled; the call itself goes on.
    package func interrupt() {
        let handler = state.withLock { state -> (any CallCancellable)? in
            guard !state.isFinished else { return nil }
            defer { state.handler = nil }
            return state.handler
        }
        handler?.cancel()
    }

    /// Whether ``cancel()`` came before the call's end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The response is given to the caller's closure.
    package func enterClosure() { state.withLock { $0.isInClosure = true } }

    /// Whether a transport that is not the engine has the request: what it does there is not told.
    package var isInTransport: Bool {
        get { state.withLock { $0.isInTransport } }
        set { state.withLock { $0.isInTransport = newValue } }
    }

    /// Makes `handler` what `cancel()` ends; false if the call is cancelled already.
    package func onCancel(_ handler: any CallCancellable) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.handler = handler
            return true
        }
    }

    /// Makes `handler` what `cancel()` ends, for a while.
    /// - Returns: whether the call is cancelled already, and what it would have ended.
    package func exchangeHandler(
        _ handler: (any CallCancellable)?
    ) -> (isCancelled: Bool, previous: (any CallCancellable)?) {
        state.withLock { state in
            if state.isCancelled { return (true, nil) }
            defer { state.handler = handler }
            return (false, state.handler)
        }
    }

    /// Makes `handler` what `cancel()` ends beside whatever is going on inside; false if the call is cancelled already.
    package func onCancelAll(_ handler: any CallCancellable) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.outerHandler = handler
            return true
        }
    }

    /// Whether anyone is told of events.
    @inline(__always)
    package var isObserved: Bool { observer != nil || !observers.isEmpty }

    /// How much of each body an observer wants to be told.
    package var observedBodyBytes: Int { observers.bodyBytes }

    /// Tells the observers; with none, the event is not even made.
    @inline(__always)
    package func emit(_ kind: @autoclosure () -> CallEvent.Kind) {
        if isObserved { deliver(kind()) }
    }

    @inline(never)
    private func deliver(_ kind: CallEvent.Kind) {
        if kind.isFinal { return tell(kind) }
        // What a connection tells after the end, such as of bytes that were still on their way out, is no longer news.
        let isNews = state.withLock { state in
            if state.isEnding || state.isFinished { return false }
            state.deliveries += 1
            return true
        }
        guard isNews else { return }
        tell(kind)
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            state.deliveries -= 1
            guard state.deliveries == 0 else { return nil }
            defer { state.settled = nil }
            return state.settled
        }
        waiter?.resume()
    }

    private func tell(_ kind: CallEvent.Kind) {
        let event = CallEvent(call: id, time: .nanoseconds(clamping: MonotonicClock.now &- start), kind: kind)
        switch kind {
        // The caller's own observer wants no bodies.
        case .requestBody, .responseBody: break
        default: observer?(event)
        }
        observers.send(event)
    }

    /// From now on only the last event is told; returns when none is being told on another thread, so that the last one
    /// comes last. Needed only if the call is observed.
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

    /// Ends the call; the first end counts, and is told.
    package func finish(_ kind: @autoclosure () -> CallEvent.Kind) {
        let isFirst = state.withLock { state in
            defer {
                state.isFinished = true
                (state.handler, state.outerHandler) = (nil, nil)
            }
            return !state.isFinished
        }
        if isFirst, isObserved { deliver(kind()) }
    }

    /// Counts one more exchange.
    /// - Throws: ``CallError/Kind/limitExceeded`` beyond `limits.exchanges`.
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

    /// Does not count exchanges that have been made against the limit, such as those that brought a part of a long body.
    package func forgiveExchanges(_ count: Int) {
        state.withLock { state in
            state.forgivenExchanges = min(state.forgivenExchanges &+ max(count, 0), state.exchanges)
        }
    }

    /// How many exchanges have begun: redirects, and whatever else was sent again, included.
    package var exchanges: Int { state.withLock { $0.exchanges } }

    /// What a cancelled call fails with.
    package func cancelled(_ phase: CallError.Phase) -> CallError {
        CallError(.cancelled, "the call was cancelled", phase: phase)
    }

    /// What a call fails with whose total time is up.
    package func expired(_ phase: CallError.Phase) -> CallError {
        CallError(
            .timeout, "not done after \(Duration.nanoseconds(clamping: timeouts.nanoseconds(.total)).inSeconds)",
            phase: phase, timeout: .total)
    }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// Its id and its request, with secrets withheld.
    public var description: String { "call \(id): \(original.summary)" }

    /// What ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["call": description], displayStyle: .class) }
}

/// Something that a cancelled call ends.
package protocol CallCancellable: AnyObject, Sendable {
    func cancel()
}

extension Duration {
    /// `10 s`, `0.25 s`.
    package var inSeconds: String {
        let milliseconds = Int64(clamping: nanosecondsClamped / 1_000_000)
        if milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000) s" }
        return "\(Double(milliseconds) / 1_000) s"
    }
}
