// Latch: one value that the first of several settles, and one waiter.

internal import Synchronization

/// Lets one waiter continue, once, with the first value that is settled.
package final class Latch<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Settles the value. Only the first call has an effect.
    package func settle(_ value: Value) {
        let waiter = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns the value when it is settled, or nil if another waiter is waiting already.
    package func wait() async -> Value? {
        await withUnsafeContinuation { continuation in
            let goesOn = state.withLock { state in
                guard state.value == nil, state.waiter == nil else { return true }
                state.waiter = continuation
                return false
            }
            if goesOn { continuation.resume() }
        }
        return state.withLock { $0.value }
    }
}
