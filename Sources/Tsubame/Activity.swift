// Activity: the running calls of a client.

import Synchronization
import TsubameCore

/// Counts the running calls, and can wait for their end or cancel them.
final class Activity: Sendable {
    private struct State: Sendable {
        var isClosed = false
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let running = Mutex<[Call]>([])
    private let state = Mutex(State())

    var count: Int { running.withLock { $0.count } }

    func begin(_ call: Call) -> Bool {
        if state.withLock({ $0.isClosed }) { return false }
        running.withLock { running in
            call.activityIndex = running.count
            running.append(call)
        }
        return true
    }

    func end(_ call: Call) {
        let isLast = running.withLock { running in
            // The last one moves into the gap, so that nothing is searched and nothing is hashed.
            let index = call.activityIndex
            if index < running.count, running[index] === call, let last = running.popLast(), last !== call {
                last.activityIndex = index
                running[index] = last
            }
            return running.isEmpty
        }
        guard isLast else { return }
        let waiters = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
            guard !state.waiters.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func close() { state.withLock { $0.isClosed = true } }

    func cancelAll() {
        for call in running.withLock({ $0 }) { call.cancel() }
    }

    /// Returns when no call runs.
    func drained() async {
        await withUnsafeContinuation { continuation in
            state.withLock { $0.waiters.append(continuation) }
            // A call that ended just before is caught here, one that ends from now on in `end`.
            guard running.withLock({ $0.isEmpty }) else { return }
            let waiters = state.withLock { state in
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }
    }

    /// The same, but no longer than `time`: then the calls are cancelled.
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
