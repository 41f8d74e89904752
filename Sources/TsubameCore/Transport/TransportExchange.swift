// TransportExchange: one exchange of a transport: its deadlines, its cancellation, its bodies and its events.

public import HTTPTypes
internal import Synchronization
internal import TsubamePlatform

/// One exchange that a ``Transport`` performs.
///
/// The exchange gives the transport the body of the request and takes the transport's events. It ends at the call's
/// deadlines, when the call is cancelled, and when the body of the response is given up. The task in which
/// ``Transport/send(_:exchange:)`` runs is then cancelled.
public final class TransportExchange: CallCancellable {
    private struct State: Sendable {
        var timeline: ExchangeTimeline
        var alarm: Alarm?
        var task: Task<Void, Never>?
        /// The body of the response, while it arrives.
        var source: (any BodySource)?
        var performer = Performer.transport
        /// Whether the exchange is over. The error is nil after a whole response.
        var isOver = false
        var error: CallError?
        var sent: ObservedTransfer
        /// The piece that the transport is sending.
        var pending: Bytes?
        var received: ObservedTransfer
    }

    /// Who performs the exchange.
    private enum Performer {
        case transport
        /// The engine or another transport, beneath this one. It keeps the deadlines and reports the events by itself.
        case other
        /// The other one has answered. The transport may still have work to do before it returns.
        case answeredByOther
    }

    /// The call that this exchange belongs to.
    public let call: Call
    let request: Request
    package let support: any TransportSupport
    private let latch = Latch<Result<Response, CallError>>()
    let metrics = LateMetrics()
    private let state: Mutex<State>

    package init(_ request: Request, call: Call, support: any TransportSupport) {
        self.request = request
        self.call = call
        self.support = support
        let body = ObservedTransfer(limit: call.observedBodyBytes)
        state = Mutex(
            State(
                timeline: ExchangeTimeline(start: call.start, timeouts: call.options.timeouts, deadline: call.deadline),
                sent: body, received: body))
    }

    // MARK: For the transport

    /// The connection settings of the client.
    public var settings: ConnectionSettings { support.settings }

    /// The timeouts of the call. The client enforces them, as far as ``report(_:)`` lets it know the phase.
    public var timeouts: Timeouts { call.options.timeouts }

    /// The bounds on the data of the response. A transport that parses heads by itself must keep them.
    public var limits: Limits { call.options.limits }

    /// The time that is left of ``Timeouts/total``; nil if it has no limit.
    public var timeLeft: Duration? {
        guard call.deadline != MonotonicClock.never else { return nil }
        let now = MonotonicClock.now
        return .nanoseconds(clamping: call.deadline > now ? call.deadline - now : 0)
    }

    /// Opens the body of the request for one sending; nil if the request has none. The reader reports the progress, and
    /// ``Timeouts/idle`` holds for each of its pieces.
    ///
    /// A transport that has to send the request again, for example after a refused stream, opens the body again. It may
    /// do so only if ``RequestBody/canBeSentAgain`` is true.
    /// - Throws: ``CallError/Kind/requestBody`` if a file cannot be opened.
    public func openBody() async throws(CallError) -> RequestBodyReader? {
        let body = request.body.resolved(by: nil)
        let reader: any BodyReader
        var length = body.length
        switch body.content {
        case nil: return nil
        case .bytes(let bytes): reader = BytesReader(bytes)
        case .file(let path): (reader, length) = try await support.open(file: path, for: call)
        case .stream(let open, _): reader = open()
        case .failed(let error): throw error
        case .deferred: throw CallError(.requestBody, "the body has no content", phase: .sendingBody)
        }
        state.withLock { state in
            state.sent = ObservedTransfer(total: length, limit: call.observedBodyBytes)
            state.pending = nil
        }
        return RequestBodyReader(
            reader, length: length, trailers: body.trailers, check: support.check(trailers:),
            report: { [self] step throws(CallError) in try follow(step) })
    }

    /// Reports an event of this exchange to the call's observers, and lets the client know the phase of the exchange.
    ///
    /// A transport may report `queued`, `resolving`, `resolved`, `connecting`, `connected`, `securing`, `secured`,
    /// `reused`, `sent`, `informational` and `decision`. If it sends the body without ``openBody()``, it reports
    /// `sending` as well. Other events are the client's and are ignored here. If the transport does not report `sent`,
    /// the client does when a piece of the body has been sent, or when the head of the response has arrived.
    public func report(_ event: CallEvent.Kind) {
        switch event {
        case .queued, .resolving, .resolved, .connecting, .connected, .securing, .secured, .reused, .sent, .sending,
            .informational, .decision:
            break
        default: return
        }
        let now = MonotonicClock.now
        let isOpen = state.withLock { state in
            guard !state.isOver, !state.timeline.hasHead else { return false }
            state.timeline.note(event, at: now)
            arm(&state)
            return true
        }
        if isOpen { call.emit(event) }
    }

    /// A step of the reader of the request's body.
    private func follow(_ step: RequestBodyReader.Step) throws(CallError) {
        let now = MonotonicClock.now
        var reportsSent = false
        let (error, news) = state.withLock { state -> (CallError?, ObservedTransfer.News) in
            var news = ObservedTransfer.News()
            if state.isOver { return (state.error ?? .givenUp, news) }
            // The server may answer before it has the whole body.
            if state.timeline.hasHead { return (nil, news) }
            if state.pending != nil, !state.timeline.hasReportedSent {
                // A body is behind its head.
                reportsSent = true
                state.timeline.note(.sent(request), at: now)
            }
            // The piece before this one has been sent.
            if let moved = state.pending.take() { news = state.sent.add(moved, at: now) }
            switch step {
            case .asked: state.timeline.moveBody(at: now)
            case .read(let piece):
                state.timeline.moveBody(at: now)
                state.pending = piece
            case .ended:
                state.timeline.waitForHead(from: now)
                news = state.sent.end(after: news)
            }
            arm(&state)
            return (nil, news)
        }
        if let error { throw error }
        if reportsSent { call.emit(.sent(request)) }
        if let progress = news.progress { call.emit(.sending(progress)) }
        if let shown = news.beginning { call.emit(.requestBody(shown.bytes, at: shown.offset)) }
    }

    // MARK: For the chain

    /// Has the transport perform the exchange.
    package func run(_ transport: any Transport) async throws(CallError) -> Response {
        try support.check(request)
        guard call.onCancel(self), !Task.isCancelled else {
            throw call.cancelled(.connecting).with(request: request)
        }
        let earlyEnd = state.withLock { state -> CallError? in
            // The call may have been cancelled meanwhile.
            if state.isOver { return state.error ?? .givenUp }
            state.timeline.begin(at: MonotonicClock.now)
            arm(&state)
            // On the executor of the call, so that a call that blocks its thread needs no other thread.
            state.task = Task(executorPreference: call.options.executor) { [self, request] in
                do throws(CallError) {
                    latch.settle(.success(try await transport.send(request, exchange: self)))
                } catch {
                    latch.settle(.failure(error))
                }
            }
            return nil
        }
        if let earlyEnd { throw earlyEnd }
        let outcome = await withTaskCancellationHandler {
            await latch.wait()
        } onCancel: {
            cancel()
        }
        switch outcome {
        case .success(let response): return try take(response)
        case .failure(let error): throw end(error)
        case nil: throw end(call.cancelled(.waitingForHead))
        }
    }

    /// Has the engine or another transport perform the exchange, for example beneath a transport that records it.
    package func passOn(to perform: () async throws(CallError) -> Response) async throws(CallError) -> Response {
        state.withLock { state in
            state.performer = .other
            state.timeline.passOn()
        }
        do throws(CallError) {
            let response = try await perform()
            state.withLock { $0.performer = .answeredByOther }
            // A cancellation meanwhile has reached only the other one.
            if call.isCancelled || Task.isCancelled { cancel() }
            return response
        } catch {
            takeBack(error)
            throw error
        }
    }

    /// The other one has failed with this error. A transport that answers by itself then has its own deadlines again.
    private func takeBack(_ error: CallError) {
        guard call.onCancel(self) else {
            end(error)
            return
        }
        state.withLock { state in
            guard !state.isOver else { return }
            state.performer = .transport
            state.timeline.begin(at: MonotonicClock.now)
            arm(&state)
        }
    }

    /// Completes the response of the transport.
    private func take(_ given: Response) throws(CallError) -> Response {
        let (isPassedOn, over) = state.withLock { state -> (Bool, CallError?) in
            let over = state.isOver ? state.error ?? .givenUp : nil
            let isPassedOn = state.performer != .transport
            if isPassedOn, over == nil { close(&state, nil) }
            return (isPassedOn, over)
        }
        if let over {
            given.body.discard()
            throw over
        }
        if isPassedOn {
            guard given.isHandMade else { return given }
            var response = given
            response.details = response.details.with(request: request)
            return response
        }
        guard (200...999).contains(given.statusCode) else {
            given.body.discard()
            throw end(
                CallError(
                    .invalidResponse, "the transport returned the status \(given.statusCode)", phase: .waitingForHead,
                    advice: "report 1xx responses as events, and return the final response"))
        }
        var response = given
        if let redaction = request.ownRedaction {
            response.headers = ReceivedFields(response.headers.fields, redaction: redaction)
        }
        let hasBody = request.method != .head && given.statusCode != 204 && given.statusCode != 304
        if !hasBody {
            response.body.discard()
            response.body = ResponseBody()
        }
        let now = MonotonicClock.now
        var reportsSent = false
        let (error, timeline, whole) = state.withLock { state -> (CallError?, ExchangeTimeline, Bytes?) in
            if state.isOver { return (state.error ?? .givenUp, state.timeline, nil) }
            reportsSent = !state.timeline.hasReportedSent
            if reportsSent { state.timeline.note(.sent(request), at: now) }
            state.timeline.receiveHead(at: now)
            state.received.counter.expect(Int64(contentLength: response.headers[.contentLength]))
            switch response.body.content {
            case .whole(let bytes):
                state.timeline.end(at: now)
                close(&state, nil)
                return (nil, state.timeline, bytes)
            case .stream(let source):
                state.source = source
                source.prefer(call.options.executor)
                arm(&state)
                return (nil, state.timeline, nil)
            }
        }
        if let error {
            response.body.discard()
            throw error
        }
        response.details = response.details.with(
            history: [], timings: timeline.timings, request: request, bufferedBody: call.options.limits.bufferedBody,
            connection: timeline.connection, metrics: metrics)
        if reportsSent { call.emit(.sent(request)) }
        var head = response
        head.body = ResponseBody()
        call.emit(.headReceived(head))
        if let whole {
            call.emit(.receiving(TransferProgress(bytes: Int64(whole.count), total: Int64(whole.count))))
            let limit = call.observedBodyBytes
            if limit > 0 { call.emit(.responseBody(whole.slice(0..<limit), at: 0)) }
        } else if case .stream(let source) = response.body.content {
            response.body = ResponseBody(TransportBody(source, self))
        }
        return response
    }

    // MARK: The body of the response

    /// The reader asks for a piece.
    func willRead() throws(CallError) {
        let error = state.withLock { state -> CallError? in
            if state.isOver { return state.error }
            state.timeline.waitForPiece(from: MonotonicClock.now)
            arm(&state)
            return nil
        }
        if let error { throw error }
    }

    /// The reader got a piece, or nil at the end.
    func didRead(_ piece: Bytes?) throws(CallError) {
        let now = MonotonicClock.now
        let (error, news) = state.withLock { state -> (CallError?, ObservedTransfer.News) in
            if state.isOver { return (state.error, .init()) }
            if let piece {
                state.timeline.receivePiece()
                return (nil, state.received.add(piece, at: now))
            }
            close(&state, nil)
            return (nil, state.received.end())
        }
        if let error { throw error }
        if let progress = news.progress { call.emit(.receiving(progress)) }
        if let shown = news.beginning { call.emit(.responseBody(shown.bytes, at: shown.offset)) }
    }

    // MARK: The end

    package var cancellationPhase: CallError.Phase? { state.withLock { $0.timeline.phase } }

    package var hasEnded: Bool { state.withLock { $0.isOver } }

    /// The call was cancelled. The engine ends its own exchange, and its error says where that was.
    package func cancel() {
        let (phase, task) = state.withLock { ($0.timeline.phase, $0.performer == .other ? $0.task : nil) }
        if let task { task.cancel() } else { end(call.cancelled(phase)) }
    }

    /// Ends the exchange with an error, unless it is over.
    /// - Returns: the error with which the exchange ended.
    @discardableResult
    func end(_ error: CallError) -> CallError {
        let error = error.with(request: request)
        let (first, task, source) = state.withLock { state -> (CallError?, Task<Void, Never>?, (any BodySource)?) in
            if state.isOver { return (state.error, nil, nil) }
            let (task, source) = (state.task, state.source)
            close(&state, error)
            return (nil, task, source)
        }
        if let first { return first }
        latch.settle(.failure(error))
        task?.cancel()
        source?.cancel()
        return error
    }

    private func close(_ state: inout State, _ error: CallError?) {
        state.isOver = true
        state.error = error
        state.alarm = nil
        state.task = nil
        state.source = nil
        state.pending = nil
    }

    /// Makes sure that the alarm rings no later than the next deadline. An alarm that rings earlier is set again then.
    private func arm(_ state: inout State) {
        let due = state.timeline.due
        guard due != MonotonicClock.never, due < state.alarm?.due ?? MonotonicClock.never else { return }
        state.alarm = Alarm(at: due, mayBlock: true) { [weak self] in self?.ring() }
    }

    private func ring() {
        let error = state.withLock { state -> CallError? in
            guard !state.isOver else { return nil }
            state.alarm = nil
            guard MonotonicClock.now >= state.timeline.due else {
                arm(&state)
                return nil
            }
            return state.timeline.expired
        }
        if let error { end(error) }
    }
}
