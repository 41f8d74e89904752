// RunningCalls: the running calls of a client.

import Synchronization
import TsubameCore

/// Counts the running calls, waits for their end, and cancels them.
final class RunningCalls: Sendable {
    private struct State: Sendable {
        var running: [ObjectIdentifier: Call] = [:]
        var isClosed = false
        var waiters: [UnsafeContinuation<Void, Never>] = []

        /// Whether each call that still runs is cancelled and in the caller's closure, which only the caller can end.
        var isDrained: Bool { running.values.allSatisfy { $0.isInClosure && $0.isCancelled } }

        mutating func takeWaiters() -> [UnsafeContinuation<Void, Never>] {
            guard !waiters.isEmpty, isDrained else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.running.count } }

    func begin(_ call: Call) -> Bool {
        state.withLock { state in
            if state.isClosed { return false }
            state.running[ObjectIdentifier(call)] = call
            return true
        }
    }

    func end(_ call: Call) {
        let waiters = state.withLock { state in
            state.running[ObjectIdentifier(call)] = nil
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    func close() { state.withLock { $0.isClosed = true } }

    func cancelAll() {
        for call in state.withLock({ Array($0.running.values) }) { call.cancel() }
        let waiters = state.withLock { $0.takeWaiters() }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no call runs, except cancelled calls whose caller's closure still runs.
    func drained() async {
        await withUnsafeContinuation { continuation in
            let waiters = state.withLock { state in
                state.waiters.append(continuation)
                return state.takeWaiters()
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// Waits in the same way, but cancels the calls after `time`.
    func drain(for time: Duration, clock: any Clock<Duration>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await clock.sleep(for: time)
                if !Task.isCancelled { self.cancelAll() }
            }
            await drained()
            group.cancelAll()
        }
    }
}
