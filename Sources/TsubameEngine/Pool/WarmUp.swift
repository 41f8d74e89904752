// WarmUp: a call that only has a connection made.

import TsubameCore

/// Waits until a connection has been made, which the next call will use.
// Guarded by confinement to `loopPool.loop`, but for the settlement and the phase.
final class WarmUp: CallCancellable, @unchecked Sendable {
    let key: ConnectionKey
    let call: Call
    let loopPool: LoopPool
    private let settlement = Settlement<Void>()
    private let currentPhase = AtomicPhase(.waiting)
    private var waiter: Waiter?

    init(_ call: Call, key: ConnectionKey, loopPool: LoopPool) {
        self.call = call
        self.key = key
        self.loopPool = loopPool
    }

    /// The call waits for the outcome.
    /// - Returns: false if it was cancelled before.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool { settlement.wait(continuation) }

    func takeOutcome() -> Result<Void, CallError>? { settlement.take() }

    /// From any thread.
    func cancel() {
        let error = call.cancelled(currentPhase.value).with(request: call.request)
        settlement.cancel(error, thenOn: loopPool.loop) { self.end(.failure(error)) }
    }

    // MARK: On the loop

    /// - Returns: nil if the call is cancelled already.
    func startWaiting() -> Waiter? {
        guard call.onCancel(self) else {
            end(.failure(call.cancelled(.waiting)))
            return nil
        }
        let waiter = Waiter(.warmUp(self), loopPool: loopPool)
        self.waiter = waiter
        return waiter
    }

    func enter(_ phase: CallError.Phase) { currentPhase.value = phase }

    /// The connection is there, or there is none.
    func end(_ outcome: Result<Void, CallError>) {
        if let waiter {
            self.waiter = nil
            if case .failure = outcome { loopPool.leave(waiter) } else { waiter.leave() }
        }
        settlement.settle(outcome.mapError { $0.with(request: call.request) })
    }
}
