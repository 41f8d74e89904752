// SessionExchange: one exchange that URLSession performs.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import HTTPTypes
import Synchronization
import Tsubame
import TsubameCore
import TsubamePlatform

/// Makes a response of the events of one task. The delegate's queue calls it, except for ``cancel()``.
final class SessionExchange: Sendable {
    private struct State: Sendable {
        var task: TaskHandle?
        var writer: ResponseBodyWriter?
        var phase = CallError.Phase.waitingForHead
        var isPaused = false
        /// The bytes that have come although the reader had enough.
        var unread = 0
        var isOver = false
    }

    /// The response, or the error that comes instead of it.
    let head = Latch<Result<Response, CallError>>()
    private let exchange: TransportExchange
    private let host: String
    let body: OutgoingBody
    private let state = Mutex(State())

    init(_ exchange: TransportExchange, _ body: OutgoingBody, host: String) {
        self.exchange = exchange
        self.host = host
        self.body = body
    }

    /// The pins and the check by which the server is verified, beside the system.
    var verification: ServerVerification? { ServerVerification(exchange.settings.tls, host: host) }

    func begin(_ task: URLSessionTask) {
        let isOver = state.withLock { state in
            state.task = TaskHandle(task)
            return state.isOver
        }
        guard !isOver else { return task.cancel() }
        body.start { [self] error in fail(error) }
        task.resume()
    }

    // MARK: Events of URLSession

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return }
        let fields = HTTPFields(response)
        // FoundationNetworking reports 1xx responses in this way.
        if (100...199).contains(response.statusCode) {
            return exchange.report(.informational(status: response.statusCode, ReceivedFields(fields)))
        }
        let (body, writer) = ResponseBody.makeStream(
            onPause: { [weak self] in self?.pause() }, onResume: { [weak self] in self?.goOn() },
            onCancel: { [weak self] in self?.cancel() })
        let isFirst = state.withLock { state in
            guard !state.isOver, state.writer == nil else { return false }
            state.writer = writer
            state.phase = .receivingBody
            return true
        }
        guard isFirst else { return }
        head.settle(
            .success(Response(status: .init(code: response.statusCode), headers: fields, body: body)))
    }

    func receive(_ data: Data) {
        let (writer, isTooMuch) = state.withLock { state -> (ResponseBodyWriter?, Bool) in
            guard !state.isOver else { return (nil, false) }
            if state.isPaused { state.unread += data.count }
            return (state.writer, state.unread > exchange.limits.bufferedBody)
        }
        guard !isTooMuch else {
            return fail(
                CallError(
                    .limitExceeded,
                    "the reader of the body is slower than the server by more than \(exchange.limits.bufferedBody) bytes",
                    phase: .receivingBody,
                    advice:
                        "URLSession on this system cannot slow the server down; use another transport, such as the built-in engine"
                ))
        }
        writer?.write(Bytes(data))
    }

    /// The task has ended.
    /// - Parameter response: the response of a task that has no body to tell.
    func complete(_ error: (any Error)?, _ response: URLResponse?) {
        if let error { return fail(CallError(error, phase: state.withLock { $0.phase })) }
        let isTold = state.withLock { $0.writer != nil || $0.isOver }
        if !isTold, let response = response as? HTTPURLResponse {
            // FoundationNetworking does not tell of a redirect that leads nowhere, and has dropped its body.
            receive(response)
            if response.value(forHTTPHeaderField: "Content-Length") != "0" {
                return fail(
                    CallError(
                        .incompleteResponse, "URLSession on this system drops the body of a redirect without a target",
                        phase: .receivingBody))
            }
        }
        finish()
    }

    /// The response is complete.
    func finish() {
        let writer = end()
        writer?.finish()
        head.settle(.failure(CallError(.emptyReply, "URLSession ended without a response", phase: .waitingForHead)))
    }

    /// The task has told its times, which it does before it ends.
    func report(_ metrics: SessionMetrics) {
        let age = exchange.callAge / .seconds(1)
        exchange.report(metrics.timings(since: Date(timeIntervalSinceNow: -age)), connection: metrics.connection)
    }

    // MARK: The end

    func fail(_ error: CallError) {
        let task = state.withLock { $0.task }
        let writer = end()
        writer?.fail(error)
        head.settle(.failure(error))
        task?.cancel()
    }

    /// Ends the exchange before its time.
    func cancel() {
        fail(CallError(.cancelled, "the exchange was cancelled", phase: state.withLock { $0.phase }))
    }

    /// - Returns: the writer, the first time.
    private func end() -> ResponseBodyWriter? {
        let writer = state.withLock { state -> ResponseBodyWriter? in
            state.isOver = true
            state.task = nil
            defer { state.writer = nil }
            return state.writer
        }
        body.close()
        return writer
    }

    // MARK: Back-pressure

    private func pause() {
        state.withLock { state in
            state.isPaused = true
            state.task?.pause()
        }
    }

    private func goOn() {
        state.withLock { state in
            state.isPaused = false
            state.unread = 0
            state.task?.goOn()
        }
    }
}

/// A task of URLSession, whose methods any thread may call.
private struct TaskHandle: @unchecked Sendable {
    private let task: URLSessionTask

    init(_ task: URLSessionTask) { self.task = task }

    func cancel() { task.cancel() }

    // FoundationNetworking begins a suspended task anew, so there the bytes are counted instead.
    #if canImport(FoundationNetworking)
    func pause() {}
    func goOn() {}
    #else
    func pause() { task.suspend() }
    func goOn() { task.resume() }
    #endif
}
