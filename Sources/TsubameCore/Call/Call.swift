// Call: one running request, with its id, its deadline, its observers and its cancellation.

internal import Synchronization
package import TsubamePlatform

/// One running request: its id, and a way to cancel it.
/// ```swift
/// let call = client.start(request) { result in … }
/// call.cancel()
/// ```
public final class Call: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var isFinished = false
        /// The phase of the exchange that the call was cancelled in.
        var phaseAtCancel: CallError.Phase?
        var isInClosure = false
        var handlers = CancelHandlers()
        var events = EventDelivery()
        var exchanges = ExchangeCount()
    }

    private struct ExchangeCount: Sendable {
        var begun = 0
        /// The number of exchanges that do not count against the limit.
        var forgiven = 0
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
    package let options: CallOptions
    /// Whether the caller's closure has the response.
    package var isInClosure: Bool { state.withLock { $0.isInClosure } }
    private let observers: ObserverList
    private let observer: (@Sendable (CallEvent) -> Void)?
    private let state = Mutex(State())

    private static let count = Atomic<UInt64>(0)

    /// The number of the next call.
    package static func nextID() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }

    package init(
        _ request: consuming Request, _ options: consuming CallOptions, observers: ObserverList,
        observer: (@Sendable (CallEvent) -> Void)? = nil
    ) {
        id = Self.nextID()
        start = MonotonicClock.now
        requiresAcceptedStatus = !request.isPlain && request.requiresAcceptedStatus
        self.request = consume request
        let (deadline, overflow) = start.addingReportingOverflow(options.timeouts.nanoseconds(.total))
        self.deadline = overflow ? MonotonicClock.never : deadline
        self.options = consume options
        self.observers = observers
        self.observer = observer
    }

    /// Ends the call now: it fails with ``CallError/Kind/cancelled``. Its connection is closed, or kept if the call has
    /// not used it yet. Over HTTP/2 only its stream is reset. Does nothing after the call has ended.
    public func cancel() {
        let handlers = state.withLock { state in
            guard !state.isFinished else { return CancelHandlers() }
            state.isCancelled = true
            return state.handlers.takeAll()
        }
        if handlers.outer != nil, let phase = handlers.current?.cancellationPhase {
            state.withLock { $0.phaseAtCancel = phase }
        }
        handlers.cancel()
    }

    /// Ends the work inside the call, which then fails as if the call had been cancelled. The call itself continues.
    package func interrupt() {
        state.withLock { $0.isFinished ? CancelHandlers() : $0.handlers.takeExchanges() }.cancel()
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
        // The handlers that have ended go after the lock.
        state.withLock { state -> [any CallCancellable]? in
            state.isCancelled || state.isFinished ? nil : state.handlers.add(handler)
        } != nil
    }

    /// Makes `cancel()` end `handler` for a while.
    /// - Returns: whether the call is already cancelled, and the handler before this one.
    package func exchangeHandler(
        _ handler: (any CallCancellable)?
    ) -> (isCancelled: Bool, previous: (any CallCancellable)?) {
        state.withLock { state in
            if state.isCancelled || state.isFinished { return (true, nil) }
            return (false, state.handlers.replaceCurrent(by: handler))
        }
    }

    /// Puts back the handler that was there before `current`, unless another one or the end of the call has come meanwhile.
    /// - Returns: whether the call is cancelled.
    package func restoreHandler(
        _ previous: (any CallCancellable)?, insteadOf current: any CallCancellable
    ) -> Bool {
        state.withLock { state in
            if state.isCancelled { return true }
            if !state.isFinished, state.handlers.current === current {
                _ = state.handlers.replaceCurrent(by: previous)
            }
            return false
        }
    }

    /// Makes `cancel()` end `handler` in addition to the handler of the work inside the call.
    /// - Returns: false if the call is already cancelled.
    package func onCancelAll(_ handler: any CallCancellable) -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.handlers.outer = handler
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
        guard state.withLock({ $0.events.begin() }) else { return }
        tell(kind)
        let rest = state.withLock { $0.events.end() }
        rest.waiter?.resume()
        if let last = rest.last { tell(last) }
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
            let isKept = state.withLock { state in
                state.events.close()
                return state.events.keep(continuation)
            }
            if !isKept { continuation.resume() }
        }
    }

    /// Ends the call. Only the first end counts, and only that one is delivered to the observers.
    package func finish(_ kind: @autoclosure () -> CallEvent.Kind) {
        // The handlers go after the lock.
        let (isFirst, _) = state.withLock { state -> (Bool, CancelHandlers) in
            defer { state.isFinished = true }
            state.events.close()
            return (!state.isFinished, state.handlers.takeAll())
        }
        guard isFirst, isObserved else { return }
        let last = kind()
        // An observer that came after `settle()` was left out may be receiving an event now.
        if !state.withLock({ $0.events.keep(last: last) }) { tell(last) }
    }

    /// Counts one more exchange.
    /// - Throws: ``CallError/Kind/limitExceeded`` if the call has more than `limits.exchanges`.
    package func countExchange() throws(CallError) {
        let count = state.withLock { state in
            state.exchanges.begun += 1
            return state.exchanges.begun &- state.exchanges.forgiven
        }
        guard count <= options.limits.exchanges else {
            throw CallError(
                .limitExceeded, "more than \(options.limits.exchanges) exchanges for one call (limits.exchanges)")
        }
    }

    /// Removes exchanges from the count for the limit, for example those that brought a part of a long body.
    package func forgiveExchanges(_ count: Int) {
        state.withLock { state in
            state.exchanges.forgiven = min(state.exchanges.forgiven &+ max(count, 0), state.exchanges.begun)
        }
    }

    /// The number of exchanges that have begun, including redirects, retries and every other resend.
    package var exchanges: Int { state.withLock { $0.exchanges.begun } }

    /// The error of a cancelled call.
    package func cancelled(_ phase: CallError.Phase) -> CallError {
        CallError(.cancelled, "the call was cancelled", phase: phase)
    }

    /// The error of a call that took longer than its total timeout.
    package func expired(_ phase: CallError.Phase) -> CallError {
        CallError(
            .timeout,
            "not done after \(Duration.nanoseconds(clamping: options.timeouts.nanoseconds(.total)).inSeconds)",
            phase: phase, timeout: .total)
    }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// The call's id and request, with secrets withheld.
    public var description: String { "call \(id): \(request.summary)" }

    /// A mirror that holds only ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["call": description], displayStyle: .class) }
}

extension Duration {
    /// The duration in seconds, such as `10 s` or `0.25 s`.
    package var inSeconds: String {
        let milliseconds = Int64(clamping: nanosecondsClamped / 1_000_000)
        if milliseconds % 1_000 == 0 { return "\(milliseconds / 1_000) s" }
        return "\(Double(milliseconds) / 1_000) s"
    }
}
