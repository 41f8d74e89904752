// Settlement: the outcome that one waiting call gets, from whichever thread is the first to have one.

import Synchronization
import TsubameCore

/// Resumes one waiting call with one outcome. Only the first outcome counts. A response whose body still comes can be
/// cancelled, too: its reader is then told at once.
struct Settlement<Value: Sendable>: ~Copyable, Sendable {
    typealias Outcome = Result<Value, CallError>
    typealias Continuation = UnsafeContinuation<Void, Never>

    /// The fate of an outcome.
    enum Claim {
        /// It is the outcome. Its thread resumes the call.
        case first(Continuation)
        /// It is the outcome, and the call does not wait yet.
        case early
        /// Another outcome came first. Its body, if that has not ended.
        case late(BodyWindow?)
    }

    // Not private: the compiler loses the type of a private one in other files.
    struct State: Sendable {
        var continuation: Continuation?
        var outcome: Outcome?
        var isSettled = false
        var isCancelled = false
        /// The body of the response that is the outcome, until it has ended.
        var body: BodyWindow?
    }

    private let state = Mutex(State())

    /// The call waits.
    /// - Returns: false if there is an outcome already. The call is then resumed.
    func wait(_ continuation: Continuation) -> Bool {
        let waits = state.withLock { state in
            guard !state.isSettled else { return false }
            state.continuation = continuation
            return true
        }
        if !waits { continuation.resume() }
        return waits
    }

    private func claim(_ outcome: consuming Outcome, _ body: BodyWindow? = nil) -> Claim {
        // Moved, because the copy of a response costs a dozen updates of reference counts.
        var given: Outcome? = consume outcome
        return state.withLock { state in
            guard !state.isSettled else { return .late(state.body.take()) }
            state.isSettled = true
            state.outcome = given.take()
            state.body = body
            return state.continuation.take().map { .first($0) } ?? .early
        }
    }

    /// Resumes the call, unless there was an outcome before.
    /// - Parameter body: the body of the response, if it still comes.
    @inline(__always)
    func settle(_ outcome: consuming Outcome, body: BodyWindow? = nil) {
        if case .first(let continuation) = claim(outcome, body) { continuation.resume() }
    }

    /// Whether the call was cancelled, before its outcome or while the body still came.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Whether nothing more can come: there is an outcome, and its body has ended.
    var isOver: Bool { state.withLock { $0.isSettled && $0.body == nil } }

    /// The body of the response has ended, and refers back to its exchange no longer.
    func bodyEnded() { state.withLock { $0.body = nil } }

    /// Resumes the call at once, from any thread, and then has its loop clean up. A call that does not wait yet has begun
    /// nothing.
    func cancel(_ error: CallError, thenOn loop: NIOLoop, _ cleanUp: @escaping @Sendable () -> Void) {
        state.withLock { $0.isCancelled = true }
        switch claim(.failure(error)) {
        case .early: break
        case .late(let body):
            loop.execute(cleanUp)
            body?.end(.failure(error))
        case .first(let continuation):
            loop.execute(cleanUp)
            continuation.resume()
        }
    }

    /// The outcome that the call was resumed with. It is kept no longer, since a streamed body refers back to its exchange.
    func take() -> Outcome? { state.withLock { $0.outcome.take() } }
}
