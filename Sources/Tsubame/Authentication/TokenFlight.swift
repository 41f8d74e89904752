// TokenFlight: one fetch of a token, and the calls that wait for it.

import Synchronization
import TsubameCore
import TsubamePlatform

final class TokenFlight: Sendable {
    private struct State: Sendable {
        var result: Result<AccessToken, CallError>?
        var waiters: [UInt64: TokenWaiter] = [:]
        var alarm: Alarm?
    }

    private let state = Mutex(State())

    /// Keeps the alarm of the fetch's timeout until the fetch has ended.
    func keep(_ alarm: Alarm) {
        state.withLock { state in
            if state.result == nil { state.alarm = alarm }
        }
    }

    /// Ends the fetch. Only the first result counts.
    func land(_ result: Result<AccessToken, CallError>) {
        let waiters = state.withLock { state -> [TokenWaiter] in
            guard state.result == nil else { return [] }
            state.result = result
            state.alarm = nil
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.latch.settle(.landed(result)) }
    }

    /// Returns the token. A call that is cancelled or reaches its deadline stops waiting; the others wait on.
    func wait(_ call: Call) async throws(CallError) -> AccessToken {
        let waiter = TokenWaiter()
        guard call.onCancel(waiter) else { throw call.cancelled(.authenticating) }
        let landed = state.withLock { state in
            if state.result == nil { state.waiters[call.id] = waiter }
            return state.result
        }
        if let landed { return try landed.get() }
        let latch = waiter.latch
        let alarm =
            call.deadline == MonotonicClock.never ? nil : Alarm(at: call.deadline) { latch.settle(.expired) }
        let end = await latch.wait()
        withExtendedLifetime(alarm) {}
        switch end {
        case .landed(let result): return try result.get()
        case .expired:
            leave(call)
            throw call.expired(.authenticating)
        case .cancelled, nil:
            leave(call)
            throw call.cancelled(.authenticating)
        }
    }

    private func leave(_ call: Call) { _ = state.withLock { $0.waiters.removeValue(forKey: call.id) } }
}

/// One call that waits.
private final class TokenWaiter: CallCancellable {
    enum End: Sendable {
        case landed(Result<AccessToken, CallError>)
        case cancelled, expired
    }

    let latch = Latch<End>()

    func cancel() { latch.settle(.cancelled) }
}
