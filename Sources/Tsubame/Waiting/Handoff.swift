// Handoff: passes values from one task to another, one at a time.

import Synchronization

/// The giver waits until the taker asks for the next value, so that no value is made in advance. One task gives,
/// and one takes.
package final class Handoff<Value: Sendable, Failure: Error>: Sendable {
    private enum Offer: Sendable {
        case value(Value)
        case end(Failure?)
    }

    private struct State: Sendable {
        var offer: Offer?
        var isClosed = false
        var giver: UnsafeContinuation<Bool, Never>?
        var taker: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    package init() {}

    /// Gives a value, and returns when the taker asks for the next.
    /// - Returns: false if the taker wants no more.
    package func give(_ value: Value) async -> Bool {
        await withUnsafeContinuation { continuation in
            let (isClosed, taker) = state.withLock { state in
                if state.isClosed { return (true, nil as UnsafeContinuation<Void, Never>?) }
                state.offer = .value(value)
                state.giver = continuation
                defer { state.taker = nil }
                return (false, state.taker)
            }
            taker?.resume()
            if isClosed { continuation.resume(returning: false) }
        }
    }

    /// Ends the values. With an error, the taker throws it.
    package func end(_ failure: Failure? = nil) {
        let taker = state.withLock { state in
            if !state.isClosed, state.offer == nil { state.offer = .end(failure) }
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// Says that the taker wants no more.
    package func close() {
        let (giver, taker) = state.withLock { state in
            state.isClosed = true
            state.offer = nil
            defer { (state.giver, state.taker) = (nil, nil) }
            return (state.giver, state.taker)
        }
        giver?.resume(returning: false)
        taker?.resume()
    }

    /// The next value; nil at the end and after it.
    package func take() async throws(Failure) -> Value? {
        // The giver of the last value goes on now.
        let before = state.withLock { state in
            // A value that is already offered was not taken, so its giver still waits.
            guard state.offer == nil else { return nil as UnsafeContinuation<Bool, Never>? }
            defer { state.giver = nil }
            return state.giver
        }
        before?.resume(returning: true)
        await withUnsafeContinuation { continuation in
            let isReady = state.withLock { state in
                if state.offer != nil || state.isClosed { return true }
                state.taker = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        let offer = state.withLock { state in
            defer { state.offer = nil }
            if case .end? = state.offer { state.isClosed = true }
            return state.offer
        }
        switch offer {
        case .value(let value): return value
        case .end(let failure?): throw failure
        case .end(nil), nil: return nil
        }
    }
}
